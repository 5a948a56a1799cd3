// SPDX-License-Identifier: BSD-3-Clause
// Pixels tell the truth at every zoom: nothing short is lost, idle hides no work, density tells one
// span from many; levels of the overview and blocks of spans say what the spans they stand for say.
import test from 'node:test';
import assert from 'node:assert/strict';
import { lossPath } from '../src/draw/axis.js';
import { Columns, addRow } from '../src/layout/columns.js';
import { cpuLevel, levelFor } from '../src/model/overview.js';
import { EXECUTION_KINDS, KIND } from '../src/model/tables.js';
import { WHOLE_BLOCK } from '../src/model/slab.js';

const K = EXECUTION_KINDS;
const WHAT = Uint8Array.from({ length: K }, (_, kind) => kind);

/** A CPU's overview with idle everywhere, and one share of an interrupt somewhere. @param {number} size @param {number} at */
function idleWithInterrupt(size, at) {
  const shares = Array.from({ length: K }, () => new Uint8Array(size));
  shares[KIND.idle].fill(255);
  shares[KIND.irq][at] = 1;
  const density = new Uint8Array(size).fill(1);
  const top = new Uint32Array(size);
  top[at] = KIND.irq + 1;
  return { size, shares, density, top, levels: [] };
}

test('an interrupt in one of 16384 buckets of idle is in every level', () => {
  for (const at of [0, 777, 16383]) {
    const cpu = idleWithInterrupt(16384, at);
    for (let n = 0; n <= 14; n++) {
      const level = cpuLevel(cpu, n);
      const b = at >> n;
      assert.equal(level.size, 16384 >> n);
      assert.ok(level.shares[b * K + KIND.irq] > 0, `level ${n}`);
      assert.equal(level.top[b], KIND.irq + 1);
      assert.equal(level.density[b], n + 1, 'twice the buckets, twice the spans');
    }
  }
});

test('a level that is not a multiple of its buckets ends with what is left', () => {
  const level = cpuLevel(idleWithInterrupt(1001, 1000), 3);
  assert.equal(level.size, 126);
  assert.ok(level.shares[125 * K + KIND.irq] > 0);
  assert.ok(level.shares[0 * K + KIND.idle] >= 65535);
});

test('a level has at most a bucket a column', () => {
  for (const scale of [1e-6, 3e-5, 0.4, 2]) {
    const n = levelFor(1000, scale);
    assert.ok(n === 0 || 1000 * 2 ** n * scale <= 1);
    assert.ok(1000 * 2 ** (n + 1) * scale > 1);
  }
});

test('a nanosecond of work in a second of idle has its column, and the column its colour', () => {
  for (const width of [3, 100, 2000]) {
    const columns = new Columns(width);
    columns.clear();
    columns.addSpan(0, width * 0.61, KIND.idle, KIND.idle, 0);
    columns.addSpan(width * 0.61, width * (0.61 + 1e-9), KIND.irq, KIND.irq, 5);
    columns.addSpan(width * (0.61 + 1e-9), width, KIND.idle, KIND.idle, 0);
    const x = Math.floor(width * 0.61);
    assert.ok(columns.shares[x * K + KIND.irq] > 0);
    assert.equal(columns.topKind[x], KIND.irq);
    assert.ok(columns.count[x] > columns.count[0]);
  }
});

/** 512 spans of a CPU, two kinds in turn, with blocks made as a slab's are. */
function row() {
  const count = 512;
  const slab = { start: new Float64Array(count), end: new Float64Array(count), kind: new Uint16Array(count),
    thread: new Uint16Array(count).fill(3), arg: new Uint32Array(count), result: new Uint32Array(count), ipc: null };
  for (let i = 0; i < count; i++) {
    slab.start[i] = i * 10;
    slab.end[i] = (i + 1) * 10;
    slab.kind[i] = i % 4 === 0 ? KIND.syscall : KIND.user;
  }
  const blocks = [64, 8].map((size) => {
    const shares = new Uint16Array(count / size * K);
    const tops = Uint32Array.from({ length: count / size }, (_, b) => b * size);
    for (let b = 0; b < count / size; b++) {
      shares[b * K + KIND.syscall] = WHOLE_BLOCK / 4;
      shares[b * K + KIND.user] = WHOLE_BLOCK * 3 / 4;
    }
    const end = Float64Array.from(tops, (first) => slab.end[first + size - 1]);
    return { size, end, time: new Float32Array(tops.length).fill(10 * size), shares, tops,
      topTime: new Float32Array(tops.length).fill(10), ipc: null };
  });
  return { slab, order: null, first: 0, last: count, blocks };
}

test('on the screen a block may reach over the end of its column, and no farther than it is told', () => {
  const overEdge = 1 / 5;
  for (const spansAColumn of [100, 43, 17, 3]) {
    const width = Math.floor(512 / spansAColumn);
    const [exact, near] = [0, overEdge].map((over) => {
      const columns = new Columns(width);
      columns.clear();
      addRow(columns, /** @type {any} */ (row()), { t0: 0, t1: width * spansAColumn * 10, scale: 1 / (10 * spansAColumn), overEdge: over }, WHAT, null);
      return Array.from({ length: width }, (_, x) => columns.shares.subarray(x * K, (x + 1) * K).reduce((sum, share) => sum + share, 0));
    });
    let [before, moved] = [0, 0];
    exact.forEach((share, x) => {
      assert.ok(Math.abs(share - 1) < 1e-3, `${share}`);
      before += near[x] - share;
      moved = Math.max(moved, before);
      assert.ok(before > -1e-3 && before <= overEdge + 1e-3, `${before} of a column`);
    });
    if (spansAColumn === 43) assert.ok(moved > 0.01, 'blocks do reach over');
  }
});

test('losses in view are one shape, those of one pixel one piece of it', () => {
  const losses = [[0, 10], [500, 501], [502, 503], [505, 506], [990, 2000], [5000, 6000]].map(([begin, end]) => ({ cpu: 0, begin, end, entries: -1, reason: 0 }));
  assert.equal(lossPath(losses, { t0: 0, t1: 1000 }, 100), 'M0 0H2V5H0zM50 0H52V5H50zM99 0H100V5H99z');
  assert.equal(lossPath(losses, { t0: 3000, t1: 4000 }, 100), '');
});

test('blocks of spans add up to what their spans do, and spare most of them', () => {
  const scale = 1 / 1280;  // 128 spans a column
  const sums = [[], [['none']]].map((_, without) => {
    const columns = new Columns(4);
    columns.clear();
    let calls = 0;
    const { addSpan, addWithin } = columns;
    columns.addWithin = (...span) => { calls++; addWithin.apply(columns, span); };
    columns.addSpan = (...span) => {
      const before = calls;
      addSpan.apply(columns, span);
      calls = before + 1;
    };
    const spans = row();
    if (without) spans.blocks = [];
    addRow(columns, /** @type {any} */ (spans), { t0: 0, t1: 5120, scale }, WHAT, null);
    return { shares: [...columns.shares], count: [...columns.count], calls };
  });
  const [blocks, single] = sums;
  assert.equal(single.calls, 512);
  assert.ok(blocks.calls <= 4 * 16, `${blocks.calls} spans`);
  assert.deepEqual(blocks.count.reduce((a, b) => a + b), single.count.reduce((a, b) => a + b));
  blocks.shares.forEach((share, i) => assert.ok(Math.abs(share - single.shares[i]) < 1e-3));
});
