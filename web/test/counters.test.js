// SPDX-License-Identifier: BSD-3-Clause
// What the processor counted: steps of instructions per cycle and of cache misses, and searches by them.
import test from 'node:test';
import assert from 'node:assert/strict';
import { counterOf, ipcOf, missBytes, missText, stepsOf } from '../src/model/ipc.js';
import { spanMatches } from '../src/model/match.js';
import { compileQuery } from '../src/model/query.js';
import { Trace } from '../src/model/trace.js';

const trace = (flags) => new Trace({ format: 2, title: 't', begin: 0, end: 10, spans: 1, flags, cpus: [0], slabs: [], losses: [],
  kinds: [[0, 0, 0, -1, 1, 1, 1, 1]], names: [''], threads: [], objects: [] });
const GRID = { begin: 0, cpuWidth: 1, threadWidth: 1 };

test('four bits stand for what the flags say', () => {
  assert.deepEqual([0x80, 0x20, 0xa0, 0].map(counterOf), ['ipc', 'misses', 'both', 'ipc']);
  assert.deepEqual(stepsOf(14, 'ipc'), { ipc: 14, misses: -1 });
  assert.deepEqual(stepsOf(14, 'misses'), { ipc: -1, misses: 14 });
  assert.deepEqual(stepsOf(0b1110, 'both'), { ipc: 13, misses: 5 });
});

test('steps of misses double, from 64 bytes to 4 MB', () => {
  assert.deepEqual([0, 1, 2, 3, 8, 15].map(missBytes), [0, 64, 512, 1024, 32768, 4 * 2 ** 20]);
  assert.deepEqual([1, 3, 15].map(missText), ['64 B', '1 KB', '4 MB or more']);
  assert.ok(ipcOf(8) > 1 && ipcOf(7) < 1);
});

test('searches are by what the trace counts', () => {
  const slab = (nibble) => ({ start: [0], end: [5], kind: [0], thread: [0], arg: [0], result: [0], sections: [{ cpu: 0, first: 0, count: 1 }],
    ipc: Uint8Array.of(nibble) });
  const matches = (text, flags, nibble) => {
    const query = compileQuery(text, trace(flags), GRID);
    query.threads = Uint8Array.of(1);
    return spanMatches(query, slab(nibble), 0);
  };
  assert.ok(matches('ipc:>2', 0x80, 13) && !matches('ipc:>2', 0x80, 5));
  assert.ok(matches('misses:>64k', 0x20, 10) && !matches('misses:>64k', 0x20, 5));
  assert.ok(matches('misses:32k-1m', 0xa0, 0b0111) && !matches('misses:<1k', 0xa0, 0b0111));
  assert.ok(!matches('ipc:<4', 0x80, 0), 'a span of which nothing is known');
  assert.throws(() => matches('misses:>1k', 0x80, 1), /does not count cache misses/);
  assert.throws(() => matches('ipc:>1', 0x20, 1), /not instructions/);
  assert.throws(() => matches('ipc:<0.5', 0, 1), /does not count instructions/);
  assert.throws(() => matches('misses:lots', 0x20, 1), /is no size/);
});
