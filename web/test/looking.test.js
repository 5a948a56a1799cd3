// SPDX-License-Identifier: BSD-3-Clause
// From a mark to the one that ends it, and why it took so long: of marks that every view has, and of marks and RPCs
// of several threads at one time. What is found late of an older click is not pinned.
import assert from 'node:assert/strict';
import test from 'node:test';
import { indexOverlays } from '../src/model/overlays.js';
import { Looking } from '../src/state/looking.js';
import { Requests } from '../src/state/requests.js';
import { Slowest } from '../src/state/slowest.js';
import { KIND, MARK_A, RPC_REQUEST, RPC_RESPONSE } from '../src/model/tables.js';
import { Trace } from '../src/model/trace.js';

const NAMES = ['', 'mark_a=job', 'mark_a=/job', 'mark_a=jobone', 'mark_a=/jobon', 'get.5', 'get.5'];
const [JOB, JOB_ENDS, LONG, LONG_ENDS, ASKS, ANSWERS] = [0, 1, 2, 3, 4, 5];
const trace = new Trace({ format: 3, title: 't', begin: 0, end: 10_000, spans: 0, cpus: [0], losses: [], objects: [], flags: 0, meta: [], names: NAMES,
  slabs: [{ sections: [[0, 1, 0, 10_000]], overlays: [0, 0, 0] }], threads: [0, -1, 7, 8, 9].map((pid) => [pid, 0, pid, 1, 0, 0, 0, 1]),
  kinds: NAMES.slice(1).map((_, i) => [i < ASKS ? KIND.mark : KIND.point, i < ASKS ? MARK_A : i === ASKS ? RPC_REQUEST : RPC_RESPONSE, i + 1, -1, 1, 0, 0, 0]) });

/** @param {[kind: number, thread: number, time: number][]} marks  by time */
function overlaysOf(marks) {
  const column = (/** @type {0 | 1 | 2} */ i) => marks.map((mark) => mark[i]);
  const o = /** @type {any} */ ({ count: marks.length, kind: column(0), thread: column(1), start: column(2), end: column(2), cpu: marks.map(() => 0), arg: marks.map(() => 5), other: null, rpc: null, value: null });
  return { ...o, index: indexOverlays(o, trace.what, trace.event) };
}

/** An application that has all of these in what every view has. @param {[kind: number, thread: number, time: number][]} marks */
function app(marks) {
  /** @type {any} */
  const told = {};
  const all = /** @type {any} */ ({ trace, longOverlays: overlaysOf(marks), longCalls: { within: 0 }, whole: Promise.resolve(),
    store: { load: async () => ({ overlays: overlaysOf([]) }), touching: () => [0], scan: async () => true },
    range: { select: (/** @type {number} */ t0, /** @type {number} */ t1) => { told.range = [t0, t1]; } }, navigation: { reveal: () => {} },
    path: { show: (/** @type {any} */ { start, end, thread, title }) => { told.path = [start, end, thread, title]; } },
    tell: (/** @type {string} */ text) => { told.text = text; } });
  all.requests = new Requests(all);
  return { looking: new Looking(all, /** @type {any} */ (() => null)), told };
}

/** @param {number} kind @param {number} thread @param {number} start */
const pin = (kind, thread, start) => ({ kind, thread, start, end: start, arg: 5, cpu: 0 });

/** @param {[kind: number, thread: number, time: number][]} marks @param {any} found */
async function selected(marks, found) {
  const { looking, told } = app(marks);
  await looking.selectFromMark(found);
  return told.range;
}

test('a mark is ended by that of its label and thread', async () => {
  assert.deepEqual(await selected([[JOB, 2, 100], [JOB, 3, 110], [JOB_ENDS, 3, 200], [JOB_ENDS, 2, 300]], pin(JOB, 2, 100)), [100, 300]);
  assert.deepEqual(await selected([[LONG, 2, 100], [JOB, 2, 150], [LONG_ENDS, 2, 300]], pin(LONG, 2, 100)), [100, 300], 'six letters have no room for more');
  const nested = /** @type {[number, number, number][]} */ ([[JOB, 2, 100], [JOB, 2, 110], [JOB_ENDS, 2, 200], [JOB_ENDS, 2, 300]]);
  assert.deepEqual(await selected(nested, pin(JOB, 2, 100)), [100, 300], 'those of one label nest');
  assert.deepEqual(await selected(nested, pin(JOB, 2, 110)), [110, 200]);
  assert.deepEqual(await selected([[JOB, 2, 100], [LONG, 3, 150]], pin(JOB, 2, 100)), [100, 150], 'else by the next one');
});

/** @param {[kind: number, thread: number, time: number][]} marks @param {any} found */
async function explained(marks, found) {
  const { looking, told } = app(marks);
  looking.pins = [found];
  await looking.explain();
  return told.path;
}

test('what is explained is of the thread of the pin, however fast it was', async () => {
  /** @type {[number, number, number][]} */
  const many = Array.from({ length: 4200 }, (_, i) => [i % 2 === 0 ? JOB : JOB_ENDS, 3, 1000 + Math.floor(i / 2) * 10 + (i % 2) * 5]);
  /** @type {[number, number, number][]} */
  const marks = [[JOB, 3, 100], [JOB, 2, 100], [JOB_ENDS, 2, 101], [JOB_ENDS, 3, 200], ...many];
  assert.deepEqual(await explained(marks, pin(JOB, 2, 100)), [100, 101, 2, 'mark job']);
  assert.deepEqual(await explained(marks, pin(JOB_ENDS, 2, 101)), [100, 101, 2, 'mark job']);
  assert.deepEqual(await explained(marks, pin(JOB, 3, 100)), [100, 200, 3, 'mark job']);
});

test('an RPC is explained from its request and from its response', async () => {
  /** @type {[number, number, number][]} */
  const points = [[ASKS, 2, 100], [ANSWERS, 4, 300]];
  assert.deepEqual(await explained(points, pin(ASKS, 2, 100)), [100, 300, 4, 'rpc get']);
  assert.deepEqual(await explained(points, pin(ANSWERS, 4, 300)), [100, 300, 4, 'rpc get']);
});

test('of several clicks the last one is pinned, however long each takes', async () => {
  const { looking } = app([]);
  /** @type {any[]} */
  const pinned = [];
  /** @type {((found: any) => void)[]} */
  const answers = [];
  looking.seek = () => new Promise((resolve) => { answers.push(resolve); });
  looking.pin = (found) => { pinned.push(found); };
  looking.show = () => {};
  const clicks = [looking.click(1, 1, false), looking.click(2, 1, false), looking.click(3, 1, true), looking.click(4, 1, true)];
  for (const i of [1, 3, 2, 0]) answers[i](`span ${i}`);
  await Promise.all(clicks);
  assert.deepEqual(pinned, ['span 1', 'span 3', 'span 2'], 'those beside it stay');
  const both = [looking.click(5, 1, false), looking.enlarge(6, 1)];
  for (const i of [5, 4]) answers[i](`span ${i}`);
  await Promise.all(both);
  assert.deepEqual(pinned.slice(3), ['span 5']);
});

test('of several questions for the slowest the last one is answered', async () => {
  const { looking } = app([]);
  /** @type {any[]} */
  const told = [];
  /** @type {Map<string, (found: any) => void>} */
  const answers = new Map();
  const slowest = new Slowest(/** @type {any} */ ({ ...looking.app, tell: (/** @type {string} */ text) => { told.push(text.split(':')[0]); }, search: { look: () => {} },
    range: { select: () => {} }, navigation: { setView: () => {} },
    requests: { find: (/** @type {any} */ { name }) => new Promise((resolve) => { answers.set(name, resolve); }) } }));
  const found = { hits: [{ start: 1, end: 9, kind: JOB, cpu: 0, thread: 2, from: 0, begins: 2 }], count: 1 };
  const first = slowest.ofKind(JOB);
  answers.get('job')?.(found);
  await first;
  const late = slowest.ofKind(LONG);
  await slowest.ofKind(JOB);
  answers.get('jobone')?.(found);
  await late;
  assert.deepEqual(told, ['mark job', 'mark job']);
});
