// SPDX-License-Identifier: BSD-3-Clause
// Requests are of threads: what a thread began no other ends that takes over its number, and it ends them itself
// under another number. What was lost, or not recorded, makes none; who never answers does not pile up.
import assert from 'node:assert/strict';
import test from 'node:test';
import { IntervalFinder, kindsOf } from '../src/model/intervals.js';
import { FACT, KIND, RPC_REQUEST, RPC_RESPONSE } from '../src/model/tables.js';
import { timesOff } from '../src/model/group_times.js';

const NAMES = ['recvfrom', 'sendto'];
const [RECEIVES, SENDS] = [0, 1];
/** Rows: the second one that has number 10 had number 11 before, and is the same thread as the last. */
const THREADS = [{ pid: 0, first: 0 }, { pid: 0, first: 1 }, { pid: 10, first: 2 }, { pid: 10, first: 4 }, { pid: 11, first: 4 }];
const trace = /** @type {any} */ ({ threads: THREADS, kindCount: 2, what: [KIND.syscall, KIND.syscall], event: [0x82d, 0x82c], name: (/** @type {number} */ k) => NAMES[k],
  losses: [], machines: { all: [] }, header: { meta: [] } });

/** @param {[kind: number, thread: number, begin: number][]} calls of socket 5, each 10 ns long @param {any} [more]  of the trace */
function requestsOf(calls, more) {
  const column = (/** @type {(call: [number, number, number]) => number} */ of) => calls.map(of);
  const events = /** @type {any} */ ({ count: calls.length, kind: column(([kind]) => kind), thread: column(([, thread]) => thread), start: column(([, , begin]) => begin),
    end: column(([, , begin]) => begin + 10), cpu: column(() => 0), arg: column(() => 5), result: column(() => 101), inferred: column(() => 0), birth: column(() => 0) });
  /** @type {number[][]} */
  const found = [];
  const finder = new IntervalFinder({ asked: 'request', name: 'recvfrom', until: 'sendto' }, { ...trace, ...more }, ({ start, end, thread }) => found.push([start, end, thread]));
  calls.forEach((_, i) => finder.take(events, i));
  return found;
}

test('a request is ended by its own thread', () => {
  assert.deepEqual(requestsOf([[RECEIVES, 2, 0], [SENDS, 2, 100]]), [[10, 110, 2]]);
});

test('calls of several names may be asked about', () => {
  const asked = (/** @type {string} */ name) => [...kindsOf({ asked: 'call', name, until: '' }, trace)];
  assert.deepEqual(['recvfrom', 'send*,none', 'send?o,recvfrom', 'none'].map(asked), [[1, 0], [0, 1], [1, 1], [0, 0]]);
});

test('of calls that reach out of the recording none is a new thread’s way out of what made it', () => {
  const finder = new IntervalFinder({ asked: 'call', name: 'sendto', until: '' }, trace, () => assert.fail('none is whole'));
  const events = /** @type {any} */ ({ start: [0, 0, 90], end: [10, 20, 100], kind: [SENDS, SENDS, SENDS], thread: [2, 3, 2], cpu: [0, 0, 0], inferred: [1, 1, 2], birth: [0, 1, 0] });
  for (const i of [0, 1, 2]) finder.take(events, i);
  assert.equal(finder.cut, 2);
});

test('another thread that takes over the number does not end it', () => {
  assert.deepEqual(requestsOf([[RECEIVES, 2, 0], [SENDS, 3, 100]]), []);
});

test('the same thread ends it under its new number', () => {
  assert.deepEqual(requestsOf([[RECEIVES, 4, 0], [SENDS, 3, 100]]), [[10, 110, 3]]);
});

test('of a request that began before a loss the end may be lost', () => {
  /** @type {Parameters<typeof requestsOf>[0]} */
  const calls = [[RECEIVES, 2, 0], [RECEIVES, 2, 100], [SENDS, 2, 200]];
  const lost = (/** @type {number} */ begin, /** @type {number} */ end) => ({ losses: [{ cpu: 0, begin, end, entries: 1, reason: 1 }] });
  assert.deepEqual(requestsOf(calls), [[10, 210, 2]]);
  assert.deepEqual(requestsOf(calls, lost(50, 60)), [[110, 210, 2]], 'the next one begins anew');
  assert.deepEqual(requestsOf(calls, lost(0, 5)), [[10, 210, 2]], 'it began later');
  assert.deepEqual(requestsOf(calls, lost(150, 160)), [[10, 210, 2]], 'it comes later');
});

test('a loss in which a thread did not run unseen changes nothing of its requests', () => {
  const losses = [{ cpu: 1, begin: 50, end: 60, entries: 1, reason: 1 }];
  const threads = THREADS.map((thread) => ({ ...thread, unknown: thread.pid === 11 ? 5 : 0 }));
  assert.deepEqual(requestsOf([[RECEIVES, 2, 0], [RECEIVES, 2, 100], [SENDS, 2, 200]], { losses, threads }), [[10, 210, 2]]);
  assert.deepEqual(requestsOf([[RECEIVES, 3, 0], [RECEIVES, 3, 100], [SENDS, 3, 200]], { losses, threads }), [[110, 210, 3]], 'it did under another number');
});

test('requests while calls were not recorded do not count', () => {
  /** @type {Parameters<typeof requestsOf>[0]} */
  const calls = [[RECEIVES, 2, 0], [SENDS, 2, 100], [RECEIVES, 2, 200], [SENDS, 2, 300]];
  assert.deepEqual(requestsOf(calls, { header: { meta: [[FACT.groupsChange, '150 -net']] } }).length, 2);
  assert.deepEqual(requestsOf(calls, { header: { meta: [[FACT.groupsChange, '50 -syscalls'], [FACT.groupsChange, '60 +syscalls']] } }), [[210, 310, 2]]);
});

test('a group is off until it is switched on, and while one of several machines has it off', () => {
  const changes = (/** @type {string[]} */ ...texts) => texts.map((text) => /** @type {[string, string]} */ ([FACT.groupsChange, text]));
  assert.deepEqual(timesOff(changes('20 +syscalls'), 'syscalls', 1), [{ begin: -Infinity, end: 20 }]);
  assert.deepEqual(timesOff([[FACT.events, 'sched,irqs'], ...changes('20 +syscalls', '30 -syscalls')], 'syscalls', 1),
    [{ begin: -Infinity, end: 20 }, { begin: 30, end: Infinity }]);
  assert.deepEqual(timesOff(changes('10 -syscalls', '30 +syscalls', '20 -syscalls', '40 +syscalls'), 'syscalls', 2), [{ begin: 10, end: 40 }]);
  assert.deepEqual(timesOff([[FACT.events, 'sched,syscalls'], ...changes('20 -net')], 'syscalls', 1), []);
});

test('marks of one label nest', () => {
  const column = (/** @type {number[]} */ ...of) => of;
  const events = /** @type {any} */ ({ count: 5, kind: column(0, 0, 1, 1, 1), start: column(1, 2, 3, 4, 5), end: column(1, 2, 3, 4, 5), thread: column(2, 2, 2, 2, 2),
    cpu: column(0, 0, 0, 0, 0), arg: column(0, 0, 0, 0, 0), result: column(0, 0, 0, 0, 0), inferred: column(0, 0, 0, 0, 0) });
  const marks = { ...trace, what: [KIND.mark, KIND.mark], name: (/** @type {number} */ kind) => ['mark_a=work', 'mark_a=/work'][kind] };
  /** @type {number[][]} */
  const found = [];
  const finder = new IntervalFinder({ asked: 'mark', name: 'work', until: '' }, marks, ({ start, end }) => found.push([start, end]));
  for (let i = 0; i < events.count; i++) finder.take(events, i);
  assert.deepEqual(found, [[2, 3], [1, 4]]);
});

test('of requests of one number that nobody answers only so many are kept', () => {
  const waiting = 1500;
  const column = (/** @type {(i: number) => number} */ of) => Array.from({ length: 2 * waiting }, (_, i) => of(i));
  const isAnswer = (/** @type {number} */ i) => Number(i >= waiting);
  const events = /** @type {any} */ ({ count: 2 * waiting, kind: column(isAnswer), start: column((i) => i), end: column((i) => i), thread: column((i) => 2 + isAnswer(i)),
    cpu: column(() => 0), arg: column(() => 5), result: column(() => 0), inferred: column(() => 0) });
  const rpcs = { ...trace, what: [KIND.point, KIND.point], event: [RPC_REQUEST, RPC_RESPONSE], name: () => 'get.5' };
  /** @type {import('../src/model/intervals.js').Interval[]} */
  const found = [];
  const finder = new IntervalFinder({ asked: 'rpc', name: 'get', until: '' }, rpcs, (interval) => found.push(interval));
  for (let i = 0; i < events.count; i++) finder.take(events, i);
  assert.equal(found.length, 1024);
  assert.deepEqual([found[0].thread, found[0].begins], [3, 2], 'who answered, and who had asked');
});
