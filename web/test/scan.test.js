// SPDX-License-Identifier: BSD-3-Clause
// The first matches in an order are the first of all, in whatever order and however split they come, and no
// more of them are held than twice as many as are kept.
import test from 'node:test';
import assert from 'node:assert/strict';
import { BY_TIME, FirstHits, noMatches, searchCalls } from '../src/model/scan.js';

const MOST = 50;
let seed = 1;
const random = (/** @type {number} */ most) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % most;
};
const ranks = Uint32Array.from({ length: 20 }, (_, i) => (i * 7) % 20);
const ORDERS = [BY_TIME, { by: 'start', up: false }, { by: 'duration', up: false }, { by: 'duration', up: true },
  { by: 'cpu', up: true }, { by: 'kind', up: false, ranks }, { by: 'thread', up: true, ranks }];

/** @param {{by: string, up: boolean}} order */
const valueOf = ({ by }) => (hit) => (by === 'duration' ? hit.end - hit.start : by === 'kind' || by === 'thread' ? ranks[hit[by]] : hit[by]);

test('the first of all, whatever the order', () => {
  for (const order of ORDERS) {
    const hits = Array.from({ length: 3000 }, () => {
      const start = random(1_000_000);
      return { start, end: start + random(5000), kind: random(20), cpu: random(4), thread: random(20) };
    });
    const all = new FirstHits(order, null, MOST);
    for (let i = 0; i < hits.length; i += 300) {
      const part = new FirstHits(order, all.last, MOST);  // as a worker has it: it knows what need not be told
      for (const hit of hits.slice(i, i + 300)) part.add(hit);
      assert.ok(part.hits.length <= MOST);
      for (const hit of part.hits) all.add(hit);
    }
    const value = valueOf(order);
    const expected = hits.map(value).sort((a, b) => (order.up ? a - b : b - a)).slice(0, MOST);
    assert.deepEqual(all.hits.map(value), expected, JSON.stringify(order.by));
  }
});

test('fewer than are kept are all there', () => {
  const few = new FirstHits(BY_TIME, null, MOST);
  for (const start of [3, 1, 2]) few.add({ start, end: start + 1, kind: 0, cpu: 0, thread: 0 });
  assert.deepEqual(few.hits.map((hit) => hit.start), [1, 2, 3]);
  assert.equal(few.last, null);
});

test('who asks for pieces finds no calls', () => {
  const calls = { within: 1, birth: [0], kind: [0], thread: [0], start: [0], end: [9], cpu: [0], arg: [0], result: [0], onCpu: [9], pieces: [2], inferred: [0], firstWait: [0, 0], letter: [], waited: [] };
  const query = { kinds: [1], threads: [1], min: 0, max: Infinity, from: -Infinity, to: Infinity, endsFrom: -Infinity, endsTo: Infinity, arg: -1, result: -1, errors: false,
    ipc: null, misses: null, rows: null, cpus: null, without: [], invert: false, grid: { begin: 0, cpuWidth: 1, threadWidth: 1 } };
  const count = (/** @type {any} */ changes) => {
    const matches = noMatches();
    searchCalls(/** @type {any} */ (calls), /** @type {any} */ ({ ...query, ...changes }), matches, new FirstHits(BY_TIME));
    return matches.count;
  };
  assert.equal(count({}), 1);
  assert.equal(count({ without: [{ ...query, ipc: [2, Infinity] }] }), 0);
  assert.equal(count({ ipc: [2, Infinity], invert: true }), 0);
});
