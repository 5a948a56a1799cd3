// SPDX-License-Identifier: BSD-3-Clause
// Counters of the machine and of processes: facts to steps, rows, pixels and text.
import test from 'node:test';
import assert from 'node:assert/strict';
import { drawCounterRow } from '../src/draw/counter_rows.js';
import { layOutRows } from '../src/layout/rows.js';
import { countersOf, rangeOf, rangeText, readingText, stepAt } from '../src/model/readings.js';
import { Trace } from '../src/model/trace.js';

const META = [
  ['title', 'x'], ['counter', '0 level bytes - mem_free'], ['counter', '1 total events 20 faults'],
  ['counter', '2 level bytes - mem_total'], ['counter', '3 level bytes 20 rss'], ['counter', 'nonsense'],
  ['counter', '4 level bytes 20 rss'],
  ['reading', '100 0=1000 1=50 2=7 3=1 4=1'], ['reading', '200 0=3000'], ['reading', '300 1=70 3=5 4=2'],
  ['reading', '400 0=2000 3=-'], ['reading', '900 1=170'], ['reading', ''], ['reading', '950 99=1'],
];

test('levels are steps, what counts up is a rate since the reading before', () => {
  const [free, faults, rss, other] = countersOf(META);
  assert.deepEqual([free.at, free.value], [[100, 200, 400], [1000, 3000, 2000]]);
  assert.deepEqual([free.lowest, free.highest], [1000, 3000]);
  // 20 faults in the 100 ns since the reading at 200, then 100 in the 500 ns since that at 400.
  assert.deepEqual([faults.at, faults.value], [[100, 200, 300, 400, 900], [0, 2e8, 0, 2e8, 0]]);
  assert.deepEqual(rss.value, [1, 5, NaN]);
  assert.deepEqual([rss.id, other.id], ['k20.rss', 'k20.rss.1'], 'two processes had one number in turn');
  assert.equal(countersOf(META).length, 4, 'what never changes has no row');
  assert.deepEqual([99, 100, 399, 400, 1e9].map((time) => stepAt(free, time)), [-1, 0, 1, 2, 2]);
  assert.deepEqual(countersOf([]), []);
});

test('shares of the time end at all of it, and next to none of it is a low line', () => {
  const counter = (value) => countersOf([['counter', '0 total ns - steal'], ['reading', '0 0=0'], ['reading', `1000000 0=${value}`]])[0];
  assert.equal(counter(1_000_100).highest, 1e9, 'readings are a little late');
  assert.equal(counter(2_000_000).highest, 2e9, 'two CPUs');
  assert.deepEqual(rangeOf(counter(10)), [0, 1e7]);
  assert.deepEqual(rangeOf(counter(500_000)), [0, 5e8]);
});

test('values are told in units that people use', () => {
  const text = (unit, isRate, value) => readingText({ unit, isRate }, value);
  assert.equal(text('bytes', false, 16658608128), '16.66 GB');
  assert.equal(text('bytes', false, 0), '0 bytes');
  assert.equal(text('bytes', true, 2.5e6), '2.5 MB/s');
  assert.equal(text('events', true, 81925), '81\u202f925/s');
  assert.equal(text('ns', true, 3.2e7), '3.20 %');
  assert.equal(text('ns', true, 1e4), '0.001 %');
  assert.equal(text('mdegC', false, 47500), '47.5 °C');
  assert.equal(text('Hz', false, 2.4e9), '2.4 GHz');
  assert.equal(text('tasks', false, 3), '3');
  assert.equal(text('bytes', false, NaN), 'not known');
  const range = (unit, ...ends) => rangeText({ unit, isRate: false }, ...ends);
  assert.equal(range('bytes', 16.1e9, 16.2e9), '16.1 – 16.2 GB');
  assert.equal(range('bytes', 0, 16.2e6), '0 bytes – 16.2 MB');
  assert.equal(range('tasks', 1, 4), '1 – 4');
});

const trace = () => new Trace({ format: 2, title: 't', begin: 0, end: 1000, spans: 1, cpus: [0], slabs: [], losses: [],
  kinds: [], names: ['', 'server'], objects: [], meta: META,
  threads: [[0, 0, -1, 0, 0, 0, 0, 0], [-1, 0, -1, 0, 0, 0, 0, 0], [20, 1, 20, 1, 0, 5, 0, 10]] });

test('each counter that changes has a row, named after its process', () => {
  const rows = layOutRows(trace(), { folded: new Set(), rowFilter: '', sort: 'time', cpuBusy: new Map() });
  assert.deepEqual(rows.slice(-5).map(({ id, label }) => [id, label]), [['ks', 'Counters'], ['k-1.mem_free', 'mem_free'],
    ['k20.faults', 'faults server.20'], ['k20.rss', 'rss server.20'], ['k20.rss.1', 'rss server.20']]);
  assert.equal(rows.at(-4).note, '1 – 3 KB');
});

test('a row is filled from its foot to the line, and empty where nothing is known', () => {
  const [width, height] = [100, 20];
  /** Top of what is filled, by column. */
  const draw = (objectId, view = { t0: 0, t1: 1000 }) => {
    const tops = new Array(width).fill(height);
    const raster = { width, fill: (x0, x1, y0) => { for (let x = Math.max(0, x0); x < Math.min(width, x1); x++) tops[x] = Math.min(tops[x], y0); } };
    const scale = width / (view.t1 - view.t0);
    drawCounterRow({ raster, ratio: 1, trace: trace(), view, x: (time) => (time - view.t0) * scale, band: () => ({ top: 0, height }),
      palette: { css: { line: '#000000', back: '#ffffff' }, pixel: { line: 1 } } }, { objectId });
    return tops;
  };
  const free = draw(0);
  assert.equal(free[9], height, 'before the first reading');
  assert.ok(free[30] < free[50] && free[50] < free[12], `${free}`);
  assert.equal(free[99], free[50], 'the last value holds until the end');
  const rss = draw(2);
  assert.ok(rss[35] < height);
  assert.equal(rss[60], height, 'it has ended');
  // The same zoomed in, where the step began before the view.
  assert.equal(draw(0, { t0: 210, t1: 310 })[0], free[30]);
  // All steps in one column.
  assert.equal(draw(0, { t0: 0, t1: 1e6 })[0], free[30]);
});
