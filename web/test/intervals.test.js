// SPDX-License-Identifier: BSD-3-Clause
// Requests are of threads: what a thread began no other ends that takes over its number, and it ends them itself
// under another number.
import assert from 'node:assert/strict';
import test from 'node:test';
import { IntervalFinder } from '../src/model/intervals.js';
import { KIND } from '../src/model/tables.js';

const NAMES = ['recvfrom', 'sendto'];
const [RECEIVES, SENDS] = [0, 1];
/** Rows: the second one that has number 10 had number 11 before, and is the same thread as the last. */
const THREADS = [{ pid: 0, first: 0 }, { pid: 0, first: 1 }, { pid: 10, first: 2 }, { pid: 10, first: 4 }, { pid: 11, first: 4 }];
const trace = /** @type {any} */ ({ threads: THREADS, kindCount: 2, what: [KIND.syscall, KIND.syscall], event: [0x82d, 0x82c], name: (/** @type {number} */ k) => NAMES[k] });

/** @param {[kind: number, thread: number, begin: number][]} calls of socket 5, each 10 ns long */
function requestsOf(calls) {
  const column = (/** @type {(call: [number, number, number]) => number} */ of) => calls.map(of);
  const events = /** @type {any} */ ({ count: calls.length, kind: column(([kind]) => kind), thread: column(([, thread]) => thread), start: column(([, , begin]) => begin),
    end: column(([, , begin]) => begin + 10), cpu: column(() => 0), arg: column(() => 5), result: column(() => 101), inferred: column(() => 0) });
  /** @type {number[][]} */
  const found = [];
  const finder = new IntervalFinder({ asked: 'request', name: 'recvfrom', until: 'sendto' }, trace, ({ start, end, thread }) => found.push([start, end, thread]));
  calls.forEach((_, i) => finder.take(events, i));
  return found;
}

test('a request is ended by its own thread', () => {
  assert.deepEqual(requestsOf([[RECEIVES, 2, 0], [SENDS, 2, 100]]), [[10, 110, 2]]);
});

test('another thread that takes over the number does not end it', () => {
  assert.deepEqual(requestsOf([[RECEIVES, 2, 0], [SENDS, 3, 100]]), []);
});

test('the same thread ends it under its new number', () => {
  assert.deepEqual(requestsOf([[RECEIVES, 4, 0], [SENDS, 3, 100]]), [[10, 110, 3]]);
});
