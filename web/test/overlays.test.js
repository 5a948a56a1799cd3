// SPDX-License-Identifier: BSD-3-Clause
// Overlays by what they belong to: ranges find what touches them, and nothing else.
import test from 'node:test';
import assert from 'node:assert/strict';
import { LIST, eachLongOverlay, eachOverlay, indexOverlays, lastOverlay, wholeKinds } from '../src/model/overlays.js';
import { CAPTURED, KIND, RUNNABLE, RX_PACKET, TX_PACKET } from '../src/model/tables.js';
import { hasData } from '../src/model/has_data.js';

const WHAT = Uint8Array.from([KIND.wait, KIND.wakeupArc, KIND.mark]);
const EVENT = Uint32Array.from([0x302, 0x206, 0x20a]);

/** 1,000 overlays, every 10 ns one, some long, of seven threads. */
function made() {
  const count = 1000;
  const o = {
    count, start: Float64Array.from({ length: count }, (_, i) => 10 * i), end: new Float64Array(count),
    kind: Uint32Array.from({ length: count }, (_, i) => (i % 5 === 0 ? 1 : i % 11 === 0 ? 2 : 0)),
    cpu: new Int32Array(count).fill(-1), thread: Uint32Array.from({ length: count }, (_, i) => i % 7),
    other: Uint32Array.from({ length: count }, (_, i) => (i + 3) % 7), arg: null, rpc: null, value: null,
  };
  for (let i = 0; i < count; i++) o.end[i] = o.start[i] + (i % 50 === 3 ? 3000 : 7);
  return { ...o, index: indexOverlays(o, WHAT, EVENT) };
}

test('a range finds exactly the waits of a thread that touch it', () => {
  const o = made();
  for (const [t0, t1] of [[0, 10000], [2500, 2505], [4000, 4100], [9995, 12000], [-50, -1]]) {
    const expected = [];
    for (let i = 0; i < o.count; i++) {
      if (o.kind[i] === 0 && o.thread[i] === 4 && o.start[i] <= t1 && o.end[i] >= t0) expected.push(i);
    }
    const found = [];
    eachOverlay([o], LIST.waits, 4, { t0, t1 }, (_, i) => { found.push(i); });
    assert.deepEqual(found, expected, `${t0} to ${t1}`);
  }
});

test('a visitor that has seen enough is not called again', () => {
  let calls = 0;
  eachOverlay([made(), made()], LIST.arcs, 0, { t0: 0, t1: 1e9 }, () => ++calls === 3);
  assert.equal(calls, 3);
});

test('a visitor that names a time sees the last that begins by then, and never the same twice', () => {
  const o = made();
  const seen = [];
  eachOverlay([o], LIST.arcs, 0, { t0: 0, t1: 1e9 }, (_, i) => {
    seen.push(o.start[i]);
    return o.start[i] + 1000;
  });
  assert.deepEqual(seen, [0, ...Array.from({ length: 9 }, (_, n) => 1000 * (n + 1)), 9950]);
  const all = [];
  eachOverlay([o], LIST.arcs, 0, { t0: 0, t1: 1e9 }, (_, i) => { all.push(i); return -5; });
  assert.equal(all.length, 200);
});

test('short ones are left out by the stride, counted all the same, and no long one is', () => {
  const o = made();
  const range = { t0: 1, t1: 9000 };
  const all = [];
  eachOverlay([o], LIST.waits, 4, range, (_, i) => { all.push(i); });
  const long = [];
  let visits = 0;
  const count = eachLongOverlay([o], LIST.waits, 4, range, () => 3000, (_, i) => {
    visits++;
    if (o.end[i] - o.start[i] >= 3000) long.push(i);
  });
  assert.equal(count, all.length);
  assert.deepEqual(long, all.filter((i) => o.end[i] - o.start[i] >= 3000));
  const none = eachLongOverlay([o], LIST.waits, 4, { t0: -1, t1: 9000 }, () => Infinity, () => { visits = -1; });
  assert.ok(none > 0 && visits >= 0);
});

test('of a kind that is not here as a whole nothing is drawn without the slabs', () => {
  const o = made();
  const have = [0, 1, 2].map((kind) => ({ count: o.kind.filter((k) => k === kind).length }));
  const all = wholeKinds(o, { what: WHAT, event: EVENT, counts: Float64Array.from(have, (h) => h.count) });
  assert.deepEqual([all.overlays, all.left], [o, []]);
  const more = wholeKinds(o, { what: WHAT, event: EVENT, counts: Float64Array.from(have, (h) => h.count + 1) });
  assert.deepEqual(more.left, [KIND.mark]);
  assert.equal(more.overlays.start, o.start, 'no copy is made');
  const drawn = (/** @type {import('../src/model/slab.js').Overlays} */ part) => {
    let count = 0;
    for (const [list, ids] of [[LIST.waits, 8], [LIST.wokenBy, 8], [LIST.marks, 1]]) {
      for (let id = 0; id < ids; id++) eachOverlay([part], list, id, { t0: 0, t1: 1e9 }, () => { count++; });
    }
    return count;
  };
  assert.equal(drawn(more.overlays), drawn(o) - have[2].count);
  let marks = 0;
  eachOverlay([more.overlays], LIST.marks, 0, { t0: 0, t1: 1e9 }, () => { marks++; });
  assert.equal(marks, 0);
});

test('the last wakeup before a moment is found over all parts', () => {
  const found = lastOverlay([made()], LIST.wokenBy, 3, 5000);
  assert.ok(found);
  assert.equal(found.o.other?.[found.i], 3);
  assert.ok(found.o.start[found.i] <= 5000 && found.o.start[found.i] > 4600);
  assert.equal(lastOverlay([made()], LIST.wokenBy, 3, -1), null);
});

test('packets that kernel and capture saw are in the row of the network, other points are not', () => {
  const events = Uint32Array.from([RX_PACKET, RUNNABLE, CAPTURED, TX_PACKET]);
  const what = new Uint8Array(4).fill(KIND.point);
  const o = { count: 4, start: Float64Array.from([1, 2, 3, 4]), end: Float64Array.from([1, 2, 3, 4]), kind: Uint32Array.from([0, 1, 2, 3]),
    cpu: Int32Array.from([0, 0, -1, 1]), thread: new Uint32Array(4), other: new Uint32Array(4), arg: null, rpc: null, value: null };
  const found = [];
  eachOverlay([{ ...o, index: indexOverlays(o, what, events) }], LIST.network, 0, { t0: 0, t1: 9 }, (_, i) => { found.push(i); });
  assert.deepEqual(found, [0, 2, 3]);
  assert.equal(hasData({ what, event: events }, 'network'), true);
  assert.equal(hasData({ what, event: Uint32Array.from([RUNNABLE]) }, 'network'), false);
});
