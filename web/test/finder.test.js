// SPDX-License-Identifier: BSD-3-Clause
// Why a thread ran when it did: woken, woken through an interrupt of another CPU, or ready and behind
// somebody else; and whom it woke; what ended one wait of several; what a call in pieces returned. Of three
// made-up slabs that follow each other.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Finder } from '../src/state/finder.js';
import { IDLE as IDLE_EVENT, KIND, LOCK_HELD, LOCK_WANTED, RUNNABLE, SEND_IPI, USER as USER_EVENT, WAIT_FIRST } from '../src/model/tables.js';
import { indexOverlays } from '../src/model/overlays.js';

const WHAT = Uint8Array.from([KIND.user, KIND.idle, KIND.wait, KIND.wakeupArc, KIND.ipiArc, KIND.wait, KIND.syscall, KIND.irq,
  KIND.lockHeld, KIND.lockWanted]);
const [USER, IDLE, CPU_WAIT, WAKE, IPI, DISK_WAIT, FSYNC, IRQ, HELD, WANTED] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const EVENT = Uint32Array.from([USER_EVENT, IDLE_EVENT, WAIT_FIRST + 2, RUNNABLE, SEND_IPI, WAIT_FIRST + 3, 0x84a, 0x5ec, LOCK_HELD,
  LOCK_WANTED]);

/** Spans [cpu, thread, start, end, kind, arg, result] and overlays [kind, cpu, thread, start, end, arg, other]. */
function slab(spans, unsorted) {
  const overlays = [...unsorted].sort((a, b) => a[3] - b[3]);
  const byCpu = [...spans].sort((a, b) => a[0] - b[0] || a[2] - b[2]);
  const column = (i) => byCpu.map((span) => span[i]);
  const order = byCpu.map((_, i) => i).sort((a, b) => byCpu[a][1] - byCpu[b][1] || byCpu[a][2] - byCpu[b][2]);
  const threads = [...new Set(column(1))].sort((a, b) => a - b);
  const firstOf = (thread) => order.findIndex((p) => byCpu[p][1] === thread);
  const cpus = [...new Set(column(0))];
  const over = (i) => overlays.map((overlay) => overlay[i]);
  const o = { count: overlays.length, kind: over(0), cpu: over(1), thread: over(2), start: over(3), end: over(4), arg: over(5),
    other: over(6), rpc: null, value: null };
  return { start: column(2), end: column(3), thread: column(1), kind: byCpu.map(([, thread, , , kind]) => kind ?? (thread > 1 ? USER : IDLE)),
    arg: byCpu.map((span) => span[5] ?? 0), result: byCpu.map((span) => span[6] ?? 0), ipc: null, rpc: null, rpcs: null, order: Uint32Array.from(order), threads: Uint32Array.from(threads),
    threadFirst: Uint32Array.from([...threads.map(firstOf), order.length]), count: spans.length,
    sections: cpus.map((cpu) => ({ cpu, first: column(0).indexOf(cpu), count: column(0).filter((c) => c === cpu).length })),
    overlays: { ...o, index: indexOverlays(o, WHAT, EVENT) } };
}

const SLABS = [
  // Thread 3 is woken at 50 by thread 2, runs, and is put aside for thread 2 at 200.
  slab([[0, 2, 0, 100], [0, 3, 100, 200], [0, 2, 200, 1000], [1, 4, 0, 1000]], [[WAKE, 0, 2, 50, 100, 0, 3]]),
  slab([[0, 2, 1000, 1500], [0, 3, 1500, 1600], [0, 0, 1600, 2000], [1, 4, 1000, 2000]], [[CPU_WAIT, -1, 3, 200, 1500, 0, 0]]),
  // CPU 0 idles. Thread 4 of CPU 1 interrupts it at 2500, and out of that thread 2 is woken.
  slab([[0, 0, 2000, 3000], [0, 2, 3000, 3500], [1, 4, 2000, 3500]],
    [[IPI, 1, 1, 2500, 2800, 0, 0], [WAKE, 0, 0, 2900, 3000, 0, 2], [WAKE, 1, 4, 3200, 3600, 1, 3]]),
];
const TIMES = [[0, 1000], [1000, 2000], [2000, 3500]];
let loaded = [];
const finder = (slabs = SLABS) => {
  loaded = [];
  const store = {
    touching: (t0, t1) => TIMES.flatMap(([a, b], i) => (b >= t0 && a <= t1 ? [i] : [])),
    load: async (i) => {
      loaded.push(i);
      return slabs[i];
    },
  };
  const none = { count: 0, start: [], end: [], kind: [], cpu: [], thread: [], other: null, arg: null, rpc: null, value: null };
  const trace = { what: WHAT, event: EVENT, slabs: TIMES.map(([a, b]) => ({ sections: [[0, 1, a, b]], overlays: [0, 0, 0] })) };
  return new Finder({ store, trace, longOverlays: { ...none, index: indexOverlays(none, WHAT, EVENT) } });
};

test('a run was woken if the thread had not run since the wakeup', async () => {
  const { waker, sender, before } = await finder().causeOf(3, 0, 100);
  assert.deepEqual([waker.start, waker.cpu, waker.thread, sender, before], [50, 0, 2, null, null]);
});

test('a thread that was ready is told what had its CPU, in another slab, too', async () => {
  const { waker, before } = await finder().causeOf(3, 0, 1500);
  assert.equal(waker, null);
  assert.deepEqual([before.thread, before.start, before.cpu], [2, 1000, 0]);
  const waits = await finder().waitsBefore(3, 1500);
  assert.deepEqual(waits.map((wait) => [wait.start, wait.end]), [[200, 1500]]);
});

test('a wakeup out of an idle CPU is told who interrupted it', async () => {
  const { waker, sender } = await finder().causeOf(2, 0, 3000);
  assert.deepEqual([waker.start, waker.thread], [2900, 0]);
  assert.deepEqual([sender.start, sender.cpu, sender.thread], [2500, 1, 4]);
  const late = { ...waker, start: 2800 + 100_001 };
  assert.equal(await finder().senderOf(late), null, 'an interrupt that is long past has nothing to do with it');
  assert.equal(await finder().senderOf({ ...waker, thread: 3 }), null, 'a thread woke it by itself');
});

test('an uninterrupted run begins where it began, over the border of slabs', async () => {
  assert.equal(await finder().runStart(2, 1200), 200);
  assert.equal(await finder().runStart(4, 3300), 0);
});

test('whom a thread woke, by time', async () => {
  const woke = await finder().wakesIn(4, 0, 4000);
  assert.deepEqual(woke, [{ time: 3200, run: 3600, thread: 3, cpu: 1 }]);
  assert.deepEqual(await finder().wakesIn(4, 0, 3000), []);
});

test('what is near is looked at first, and no more than that', async () => {
  const row = { cpu: -1, thread: 3, type: 'thread', objectId: -1 };
  const found = await finder().along(row, 1800, -1, () => true);
  assert.equal(found.start, 1500);
  assert.ok(!loaded.includes(0), 'the first slab was not needed');
  assert.equal(await finder().along(row, 1800, 1, () => true), null);
});

// Thread 3 calls fsync at 100, is interrupted, waits for the disk twice, and returns in the third slab.
const PIECES = [
  slab([[0, 3, 0, 100], [0, 3, 100, 200, FSYNC, 4], [0, 3, 200, 220, IRQ], [0, 3, 220, 300, FSYNC, 4], [0, 2, 300, 1000], [1, 4, 0, 1000]],
    [[DISK_WAIT, -1, 3, 300, 600, 0, 0], [WAKE, 1, 4, 600, 1100, 0, 3], [CPU_WAIT, -1, 3, 600, 1100, 0, 0]]),
  slab([[0, 2, 1000, 1100], [0, 3, 1100, 1200, FSYNC, 4], [0, 0, 1200, 2000], [1, 4, 1000, 2000]],
    [[DISK_WAIT, -1, 3, 1200, 2100, 0, 0], [HELD, -1, 4, 1000, 1900, 9, 0], [HELD, -1, 3, 1950, 1990, 9, 0], [WANTED, -1, 2, 1500, 1900, 9, 0]]),
  slab([[0, 0, 2000, 2100], [0, 3, 2100, 2200, FSYNC, 4, 8], [0, 3, 2200, 2300], [0, 3, 2300, 2400, FSYNC, 5, 1], [0, 0, 2400, 3500],
    [1, 2, 2000, 2100], [1, 4, 2100, 3500]], [[WAKE, 1, 2, 2095, 2100, 0, 3]]),
];

test('a wait is told what ended it, not what ended the one before', async () => {
  const wait = (start, end, kind) => ({ thread: 3, start, end, kind });
  const first = await finder(PIECES).causeOfWait(wait(300, 600, DISK_WAIT));
  assert.deepEqual([first.run, first.waker.thread, first.waker.start, first.before], [1100, 4, 600, null]);
  const ready = await finder(PIECES).causeOfWait(wait(600, 1100, CPU_WAIT));
  assert.deepEqual([ready.run, ready.waker, ready.before.thread, ready.before.cpu], [1100, null, 2, 0]);
  const second = await finder(PIECES).causeOfWait(wait(1200, 2100, DISK_WAIT));
  assert.deepEqual([second.run, second.waker.thread, second.waker.start], [2100, 2, 2095]);
  const alone = await finder(PIECES).causeOfWait(wait(2400, 3400, DISK_WAIT));
  assert.deepEqual([alone.run, alone.waker], [Infinity, null], 'an earlier wakeup was for an earlier wait');
});

test('a lock that was wanted is told who held it', async () => {
  const holder = await finder(PIECES).holderOf({ thread: 2, start: 1500, end: 1900, arg: 9 });
  assert.deepEqual([holder.thread, holder.end], [4, 1900]);
  assert.equal(await finder(PIECES).holderOf({ thread: 2, start: 1500, end: 1900, arg: 8 }), null);
});

test('every piece of a call has its result, and no other call\'s', async () => {
  const piece = (start, arg) => ({ thread: 3, start, kind: FSYNC, arg, result: 0 });
  for (const start of [100, 220, 1100]) assert.equal(await finder(PIECES).resultOf(piece(start, 4)), 8, `from ${start}`);
  assert.equal(await finder(PIECES).resultOf(piece(2050, 7)), 0, 'the thread went on in another call');
  assert.equal(await finder(PIECES).resultOf({ ...piece(2300, 5), result: 1 }), 1);
});

test('a match is found again with all that is known of it', async () => {
  const row = { id: 'c0' };
  const call = await finder(PIECES).matched({ start: 2100, end: 2200, kind: FSYNC, cpu: 0, thread: 3 }, row);
  assert.deepEqual([call.arg, call.result, call.row, call.cpu], [4, 8, row, 0]);
  const lock = await finder(PIECES).matched({ start: 1500, end: 1900, kind: WANTED, cpu: -1, thread: 2 }, row);
  assert.deepEqual([lock.arg, lock.thread], [9, 2]);
  assert.equal(await finder(PIECES).matched({ start: 2101, end: 2200, kind: FSYNC, cpu: 0, thread: 3 }, row), null);
});
