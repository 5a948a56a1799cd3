// SPDX-License-Identifier: BSD-3-Clause
// Calls that are more than a span: pieces fall into calls by kind and thread, waits may be those of the call
// before, and a piece finds the call around it.
import test from 'node:test';
import assert from 'node:assert/strict';
import { callAround, callAt, callsReaching, decodeCalls } from '../src/model/calls.js';
import { narrowCalls } from '../src/model/narrow.js';
import { Reader } from '../src/model/reader.js';
import { KIND } from '../src/model/tables.js';

const WHAT = Uint8Array.from([KIND.user, KIND.syscall, KIND.scheduler, KIND.irq]);
const MAKERS = Uint8Array.of(0, 1, 0, 0);
const column = (/** @type {number[]} */ ...bytes) => [bytes.length, ...bytes];

// A read of thread 5 that blocks in the scheduler and goes on on CPU 1; on CPU 0 another read, interrupted.
const SPANS = {
  count: 7,
  start: Float64Array.of(0, 10, 20, 30, 40, 60, 70), end: Float64Array.of(10, 20, 30, 40, 50, 70, 80),
  kind: Uint16Array.of(1, 2, 1, 3, 1, 2, 1), thread: Uint16Array.of(5, 5, 6, 6, 6, 5, 5),
  argOf: (/** @type {number} */ p) => [3, 0, 4, 0, 4, 0, 3][p], resultOf: (/** @type {number} */ p) => [0, 0, 0, 0, 8, 0, 2][p],
  cpuOf: (/** @type {number} */ p) => (p < 5 ? 0 : 1),
};
const CODES = Uint8Array.of(1, 1, 1, 0, 2, 2, 2);
const BYTES = Uint8Array.from([
  ...column(0, 1, 27, 1), ...column(2, 3), ...column(4, 2), ...column(0, 0, 0, 5),  // waits and unknown
  ...column(0, 0, 0, 3), ...column(), ...column(),                            // flags, leads, tails
  ...column(1), ...column(9), ...column(0), ...column(240, 1), ...column(100), ...column(30), ...column(1), ...column(7), ...column(0),
]);
const { calls, callOf } = decodeCalls(new Reader(BYTES), CODES, SPANS, { base: 0, unit: 1 }, { what: WHAT, makers: MAKERS }, 1);

test('pieces fall into calls, on whatever CPU', () => {
  assert.deepEqual([...callOf ?? []], [3, 2, 1, 0, 1, 2, 3]);
  assert.deepEqual([...calls.start], [20, 10, 0, 20]);
  assert.deepEqual([...calls.end], [50, 70, 80, 120]);
  assert.deepEqual([...calls.own], [20, 20, 20, 30]);
  assert.deepEqual([...calls.cpu], [0, 1, 1, -1]);
});

test('a call tells its waits, and what is left is time on a CPU', () => {
  assert.deepEqual(callAt(calls, 1), { start: 10, end: 70, onCpu: 56, arg: 0, result: 0, pieces: 2, inferred: 0, waits: [[2, 4]] });
  assert.deepEqual(callAt(calls, 2), { start: 0, end: 80, onCpu: 76, arg: 3, result: 2, pieces: 2, inferred: 0, waits: [[2, 4]] });
  assert.deepEqual(callAt(calls, 3), { start: 20, end: 120, onCpu: 94, arg: 7, result: 0, pieces: 1, inferred: 3, waits: [[3, 2]] });
});

test('a new thread’s way out of the call that made it is told apart', () => {
  assert.deepEqual([...calls.birth], [0, 0, 0, 1]);
  const { calls: others } = decodeCalls(new Reader(BYTES), CODES, SPANS, { base: 0, unit: 1 }, { what: WHAT, makers: new Uint8Array(4) }, 1);
  assert.deepEqual([...others.birth], [0, 0, 0, 0], 'other calls whose begin was not seen are calls');
  assert.deepEqual([...callsReaching(calls, 80, 130).birth].slice(-1), [1]);
  for (const [result, birth] of [[1, 1], [36, 0], [65526, 0]]) {
    const bytes = [...BYTES];
    bytes.splice(-2, 2, ...column(...(result < 128 ? [result] : [result & 127 | 128, result >> 7 & 127 | 128, result >> 14])));
    const { calls: returned } = decodeCalls(new Reader(Uint8Array.from(bytes)), CODES, SPANS, { base: 0, unit: 1 }, { what: WHAT, makers: MAKERS }, 1);
    assert.deepEqual([...returned.birth], [0, 0, 0, birth], `what returned ${result - 1}`);
  }
});

test('a piece finds the call around it, of its kind and thread', () => {
  const piece = { kind: 1, thread: 9, cpu: 0, start: 50, end: 60 };
  assert.equal(callAround(calls, piece, KIND.syscall), 3);
  assert.equal(callAround(calls, { ...piece, thread: 8 }, KIND.syscall), -1);
  assert.equal(callAround(calls, { ...piece, start: 10 }, KIND.syscall), -1);
  assert.equal(callAround(calls, { ...piece, end: 121 }, KIND.syscall), -1);
});

test('of many calls each is found by what lies in it, in whatever order they stand', () => {
  const count = 600;
  const full = Array.from({ length: count }, (_, i) => ({ kind: [1, 3, 2][i % 3], thread: i * 7 % 5, cpu: i % 4, end: (i * 7919 % count) * 100 + 100 }));
  const varint = (/** @type {number} */ value) => (value < 128 ? [value] : value < 16384 ? [value & 127 | 128, value >> 7] : [value & 127 | 128, value >> 7 & 127 | 128, value >> 14]);
  const numbers = (/** @type {number[]} */ values) => { const bytes = values.flatMap(varint); return [...varint(bytes.length), ...bytes]; };
  const zigzag = (/** @type {number} */ value) => (value < 0 ? -2 * value - 1 : 2 * value);
  const bytes = Uint8Array.from([
    ...numbers([]), ...numbers([]), ...numbers([]), ...numbers([]), ...numbers([]), ...numbers([]), ...numbers([]),
    ...numbers(full.map(({ kind }) => kind)), ...numbers(full.map(({ thread }) => thread)), ...numbers(full.map(({ cpu }) => cpu + 1)),
    ...numbers(full.map(({ end }, i) => zigzag(end - (full[i - 1]?.end ?? 0)))), ...numbers(full.map(() => 50)), ...numbers(full.map(() => 50)),
    ...numbers(full.map(() => 1)), ...numbers(full.map((_, i) => i)), ...numbers(full.map(() => 0)),
  ]);
  const none = { ...SPANS, count: 0 };
  const { calls: many } = decodeCalls(new Reader(bytes), new Uint8Array(0), none, { base: 0, unit: 1 }, { what: WHAT, makers: MAKERS }, count);
  const narrow = narrowCalls(many);
  assert.ok(narrow.kind instanceof Uint8Array && narrow.own instanceof Uint8Array);
  for (const calls of [many, narrow]) {
    full.forEach(({ kind, thread, cpu, end }, i) => {
      assert.equal(callAround(calls, { kind, thread: kind === 3 ? 99 : thread, cpu, start: end - 20, end: end - 10 }, WHAT[kind]), i);
    });
    const { count: some, longAt, arg } = callsReaching(calls, 1000, 2000);
    const expected = full.flatMap(({ end }, i) => (end - 50 <= 2000 && end >= 1000 ? [i] : []));
    assert.deepEqual([some, [...longAt], [...arg]], [expected.length, expected, expected]);
  }
});
