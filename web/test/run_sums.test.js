// SPDX-License-Identifier: BSD-3-Clause
// Sums of runs of slabs: bytes as the writer makes them add up by kind, thread and CPU; damaged ones are refused, and
// never make the reader hang.
import test from 'node:test';
import assert from 'node:assert/strict';
import { runsWith, sumsOfRuns } from '../src/model/run_sums.js';
import { KIND } from '../src/model/tables.js';

const TABLES = /** @type {any} */ ({ what: Uint8Array.of(KIND.user, KIND.syscall, KIND.wait), owner: Int32Array.of(2, -1, -1), threads: 3 });
const column = (/** @type {number[]} */ ...bytes) => [bytes.length, ...bytes];
const NOTHING = [0, ...Array(7).fill(column()).flat()];
/** One row. @param {number} number @param {number} bucket @param {number} times @param {number} [over]  of the total */
const row = (number, bucket, times, over = 0) => [1, ...column(number), ...column(1), ...column(0), ...column(0), ...column(over), ...column(bucket), ...column(times - 1)];
/** @param {number[][]} tables */
const run = (...tables) => column(...tables.flat());
// Whole calls, pieces, calls, CPUs, threads, overlays, waits. Bucket 5 is 5 ns, 17 begins at 18.
const FIRST = run(row(1, 5, 2), row(0, 17, 1), NOTHING, row(12, 17, 1), row(2, 5, 2), row(2, 7, 1), row(2 * 32 + 3, 7, 1));
const SECOND = run(NOTHING, row(0, 5, 3, 2), row(1, 17, 1), NOTHING, NOTHING, NOTHING, NOTHING);
const BYTES = Uint8Array.from([...FIRST, ...SECOND]);

/** @param {import('../src/model/tally.js').Columns} columns */
const sums = ({ number, count, time, min, max }) => Object.fromEntries([...number].map((n, i) => [n, [count[i], time[i], min[i], max[i]]]));

test('runs add up, one or more of them', () => {
  const part = sumsOfRuns(BYTES, TABLES, [0, 1], true);
  assert.deepEqual(sums(part.byKind), { 0: [4, 35, 5, 18], 1: [2, 10, 5, 5] });
  assert.deepEqual(sums(part.byThread), { 2: [6, 45, 5, 18] }, 'a kind that names its thread, and what the thread’s others are');
  assert.deepEqual(sums(part.calls), { 1: [3, 28, 5, 18] }, 'whole calls and those of more than a span');
  assert.deepEqual(sums(part.byCpu), { 12: [1, 18, 18, 18] });
  assert.deepEqual([sums(part.overlays), sums(part.waits)], [{ 2: [1, 7, 7, 7] }, { 2: [1, 7, 7, 7] }]);
  assert.deepEqual([...part.byReason], [[2 * 27 + 3, { time: 7, count: 1 }]]);
  assert.deepEqual(sums(sumsOfRuns(BYTES, TABLES, [1], false).byKind), { 0: [3, 17, 5, 5] });
  assert.deepEqual([...part.byThread.bucket], [5, 17]);
});

test('runs tell whether they have a kind', () => {
  assert.deepEqual(runsWith(BYTES, TABLES, Uint8Array.of(0, 0, 1)), [true, false]);
  assert.deepEqual(runsWith(BYTES, TABLES, Uint8Array.of(0, 1, 0)), [true, true]);
});

test('damaged sums are refused', () => {
  const refused = /the sums of this page are not what they should be/;
  for (const bad of [row(3, 5, 1), [255, 255, 3], [1, ...column(0), ...column(0)], [1, ...column(0), ...column(255, 7)]]) {
    assert.throws(() => sumsOfRuns(Uint8Array.from(run(bad, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)), TABLES, [0], true), refused);
  }
  for (const bad of [row(3, 5, 1), [255, 255, 3]]) {
    assert.throws(() => runsWith(Uint8Array.from(run(bad, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)), TABLES, Uint8Array.of(1, 1, 1)), refused);
  }
  let seed = 5;
  for (let i = 0; i < 20_000; i++) {
    const bytes = BYTES.slice(0, i % 7 === 0 ? seed % BYTES.length : BYTES.length);
    for (let n = 1 + i % 3; n > 0 && bytes.length > 0; n--) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      bytes[(seed >>> 8) % bytes.length] = seed >>> 24;
    }
    try {
      sumsOfRuns(bytes, TABLES, [0, 1], true);
      runsWith(bytes, TABLES, Uint8Array.of(1, 1, 1));
    } catch (error) {
      assert.match(String(error), refused);
    }
  }
});
