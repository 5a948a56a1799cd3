// SPDX-License-Identifier: BSD-3-Clause
// Which rows there are and where they stand: groups, filters, pins, order, what is under a height.
import test from 'node:test';
import assert from 'node:assert/strict';
import { LEVEL, laneAt, laneHeight, lanesOf, levelAt } from '../src/layout/lanes.js';
import { layOutRows, pinnedHeight, rowAt, rowsHeight, visibleRows } from '../src/layout/rows.js';
import { hideRow, moveRow, openAround, showAllRows, toggleFolded, togglePinned } from '../src/layout/row_edits.js';
import { foldedAtFirst, rowTree, threadSteps } from '../src/layout/row_tree.js';
import { percentText } from '../src/model/number_text.js';
import { cgroupLabel } from '../src/model/cgroups.js';
import { OBJECT } from '../src/model/tables.js';
import { Trace } from '../src/model/trace.js';

const object = (sort, id, name) => [sort, id, name, 5, 1000, 800, 2400];

/** Two CPUs; bash with one thread, server with three. */
function trace({ meta = [], more = [] } = {}) {
  const names = ['', 'bash', 'server', 'queue a', 'lock b'];
  const thread = (pid, name, process, user) => [pid, name, process, 1, 0, user, 0, 10];
  return new Trace({
    format: 2, title: 't', begin: 0, end: 10_000, spans: 4, cpus: [0, 1], slabs: [], losses: [], kinds: [],
    names, threads: [thread(0, 0, -1, 0), thread(-1, 0, -1, 0), thread(10, 1, 10, 50), thread(20, 2, 20, 900),
      thread(21, 2, 20, 100), thread(22, 2, 20, 300), ...more],
    meta,
    objects: [object(OBJECT.lock, 7, 4), object(OBJECT.queue, 2, 3), object(OBJECT.frequency, 0, 0)],
  });
}
const options = () => ({ folded: new Set(), rowFilter: '', sort: 'time', cpuBusy: new Map() });
const ids = (rows) => rows.map((row) => row.id);

test('rows stand in groups, the busiest process and thread first', () => {
  const rows = layOutRows(trace(), options());
  assert.deepEqual(ids(rows), ['cpus', 'c0', 'c1', 'threads', 'p20', 't20', 't22', 't21', 't10', 'ls', 'l7',
    'qs', 'q2', 'fs', 'f0']);
  rows.forEach((row, i) => assert.equal(row.top, i === 0 ? 0 : rows[i - 1].top + rows[i - 1].height));
  assert.equal(rows[12].objectId, 2);
});

test('a filter keeps what it names, with the group around it', () => {
  const named = (rowFilter) => ids(layOutRows(trace(), { ...options(), rowFilter }));
  assert.deepEqual(named('bash').slice(3), ['threads', 't10']);
  assert.deepEqual(named('server.20').slice(3), ['threads', 'p20', 't20', 't22', 't21']);
  assert.deepEqual(named('/^queue/').slice(3), ['qs', 'q2']);
  assert.ok(named('/(/').length > 10, 'an expression that is not finished filters nothing');
});

test('a thread is called by its last name and number, one without a name by its number', () => {
  // Thread 20 calls exec, which gives it the number 10 of the first thread of its process.
  const row = (pid, name, process, begin, first) => [pid, name, process, 1, 0, 5, 0, 10, begin, begin + 100, 0, first];
  const renumbered = new Trace({
    format: 2, title: 't', begin: 0, end: 10_000, spans: 4, cpus: [0], slabs: [], losses: [], kinds: [],
    names: ['', 'first', 'second', 'sleep'],
    threads: [row(0, 0, -1, 0, 0), row(-1, 0, -1, 0, 0), row(10, 1, 10, 0, 0), row(20, 2, 10, 0, 0), row(10, 3, 10, 100, 3),
      row(30, 0, 30, 0, 0)],
    objects: [],
  });
  assert.deepEqual([2, 3, 4, 5].map((thread) => renumbered.threadLabel(thread)), ['first.10', 'sleep.10', 'sleep.10', '30']);
  const rows = layOutRows(renumbered, options()).filter(({ type }) => type === 'thread');
  assert.deepEqual(rows.map(({ id, label, note }) => [id, label, note]).sort(),
    [['t10', 'sleep.10', ''], ['t10.2', 'first.10', ''], ['t20', 'sleep.10', 'as 20'], ['t30', '30', '']]);
  assert.ok(layOutRows(renumbered, options()).some(({ type, label }) => type === 'process' && label === 'sleep.10'));
  const byName = rowTree(renumbered, { ...options(), by: 'name' }).find(({ id }) => id === 'threads');
  assert.deepEqual(byName?.rows.map(({ id }) => id).sort(), ['n/sleep', 't10.2', 't30'], 'both numbers stand under its name');
});

test('pinned rows leave their place and stay on the screen', () => {
  const o = options();
  togglePinned(o, 't21');
  togglePinned(o, 'c1');
  const rows = layOutRows(trace(), o);
  assert.deepEqual(ids(rows).slice(0, 4), ['t21', 'c1', 'cpus', 'c0']);
  const covered = pinnedHeight(rows);
  assert.equal(covered, 74);
  const visible = visibleRows(rows, 30, 130);
  assert.deepEqual(ids(visible).slice(-2), ['t21', 'c1']);
  assert.equal(visible.at(-1).top - 30, 24, 'as drawn: 24 below the top of the plot');
  assert.equal(rowAt(rows, 30, 25)?.id, 'c1');
  assert.equal(rowAt(rows, 30, 80)?.id, 'c0');
  togglePinned(o, 't21');
  assert.deepEqual(ids(layOutRows(trace(), o)).slice(0, 2), ['c1', 'cpus']);
});

test('rows can be hidden, folded and moved among their siblings', () => {
  const o = options();
  hideRow(o, 'c0');
  assert.ok(!ids(layOutRows(trace(), o)).includes('c0'));
  showAllRows(o);
  moveRow(o, layOutRows(trace(), o), 't21', 't20');
  moveRow(o, layOutRows(trace(), o), 't10', 't20');  // of another parent: stays
  assert.deepEqual(ids(layOutRows(trace(), o)).slice(4, 9), ['p20', 't21', 't20', 't22', 't10']);
  toggleFolded(o, 'p20');
  assert.deepEqual(ids(layOutRows(trace(), o)).slice(4, 6), ['p20', 't10']);
  moveRow(o, layOutRows(trace(), o), 'qs', 'cpus');
  assert.equal(layOutRows(trace(), o)[0].id, 'qs');
});

test('a thousand rows: only those on the screen are looked at', () => {
  const many = trace();
  for (let i = 0; i < 1000; i++) many.threads.push({ ...many.threads[2], pid: 1000 + i, process: 1000 + i });
  const rows = layOutRows(many, options());
  assert.ok(rowsHeight(rows) > 20_000);
  const visible = visibleRows(rows, 10_000, 10_500);
  assert.ok(visible.length <= 23 && visible.length > 15);
  assert.equal(rowAt(rows, 10_000, 100)?.id, visible.find((r) => r.top <= 10_100 && 10_100 < r.top + r.height)?.id);
});

test('rows of very many threads are made step by step, and not anew for the same order', () => {
  const many = trace();
  for (let i = 0; i < 30_000; i++) many.threads.push({ ...many.threads[2], pid: 1000 + i, process: 1000 + i, name: `worker${i}` });
  let steps = 0;
  for (const _ of threadSteps(many, { sort: 'time' })) steps++;
  assert.ok(steps > 30_000 / 1000, `${steps} steps`);
  const group = (/** @type {string} */ sort) => rowTree(many, { ...options(), sort }).find(({ id }) => id === 'threads');
  const first = group('time');
  assert.equal(first?.rows.length, 30_002);
  assert.equal(group('time'), first);
  assert.notEqual(group('name'), first);
});

test('lanes of samples and locks lie above the bars and are found under the pointer', () => {
  const both = { samples: true, locks: true };
  const thread = { cpu: -1, thread: 3, height: 24 };
  assert.deepEqual(lanesOf(thread, both), ['samples', 'locks']);
  assert.deepEqual(lanesOf({ cpu: 0, thread: -1, height: 50 }, both), ['samples']);
  assert.deepEqual(lanesOf({ cpu: -1, thread: -1, height: 24 }, both), []);
  assert.deepEqual([0, 4, 8, 13, 20].map((y) => laneAt(thread, y, both)), ['samples', 'samples', 'locks', 'locks', null]);
  assert.equal(laneAt(thread, 4, { samples: false, locks: false }), null);
});

test('functions have a lane as high as they are deep, below the others', () => {
  const shown = { samples: true, locks: false, functions: true };
  const row = { cpu: -1, thread: 3, height: 24 + 3 * LEVEL, levels: 3 };
  assert.deepEqual(lanesOf(row, shown), ['samples', 'functions']);
  assert.deepEqual(lanesOf({ ...row, levels: 0 }, shown), ['samples']);
  assert.equal(laneHeight(row, 'functions'), 3 * LEVEL);
  assert.equal(laneHeight({ ...row, levels: 200 }, 'functions'), laneHeight({ ...row, levels: 24 }, 'functions'));
  const top = 3 + laneHeight(row, 'samples');
  assert.deepEqual([0, LEVEL, 2 * LEVEL].map((y) => [laneAt(row, top + y, shown), levelAt(row, top + y, shown)]),
    [['functions', 0], ['functions', 1], ['functions', 2]]);
  assert.equal(laneAt(row, top + 3 * LEVEL, shown), null);
});

test('a share never becomes 0 when there is something', () => {
  assert.deepEqual([0, 0.5, 0.00012, 0.00002, 1e-9, -0.25].map(percentText),
    ['0 %', '50.00 %', '0.01 %', '0.002 %', '<0.0001 %', '-25.00 %']);
});

test('of very many threads with one name a few have rows, the others stand folded under one heading', () => {
  const names = ['', 'pool', 'main'];
  const thread = (pid, name, process, user) => [pid, name, process, 1, 0, user, 0, 10];
  const crowd = (count, process) => Array.from({ length: count }, (_, i) => thread(1000 + i, 1, process(1000 + i), i));
  const make = (threads) => new Trace({ format: 2, title: 't', begin: 0, end: 10_000, spans: 4, cpus: [0], slabs: [], losses: [], kinds: [],
    names, threads: [thread(0, 0, -1, 0), thread(-1, 0, -1, 0), ...threads], objects: [] });
  // Threads of one process, and processes of their own, as many forks leave them.
  for (const [of, process] of [['p7', () => 7], ['threads', (pid) => pid]]) {
    const made = make([thread(7, 2, 7, 99_999), ...crowd(30_000, process)]);
    const o = options();
    o.folded = foldedAtFirst(rowTree(made, o));
    const rows = layOutRows(made, o);
    assert.ok(rows.length < 20, `${rows.length} rows`);
    const heading = rows.find((row) => row.type === 'crowd');
    assert.deepEqual([heading?.id, heading?.label, heading?.folded], [`${of}/pool`, '29\u202f992 more pool', true]);
    assert.ok(rows.some((row) => row.thread === 2), 'the other name has its row');
    assert.ok(rows.some((row) => row.label === 'pool.30999'), 'and so have the busiest');
    assert.ok(openAround(o, made, -1, 5));
    assert.ok(layOutRows(made, o).some((row) => row.thread === 5), 'what is gone to is opened');
    assert.ok(!openAround(o, made, -1, 5));
  }
});

test('threads stand together by container, with what they started', () => {
  const id = 'c0ffee012345'.padEnd(64, '0');
  const meta = [['cgroups', 'on'], ['cgroup', '20 5 /a.service'], ['cgroup', `20 9 /system.slice/docker-${id}.scope`], ['cgroup', '1 9 /init.scope']];
  const told = trace({ meta, more: [[30, 1, 30, 20, 0, 70, 0, 10]] });
  const labels = (by) => rowTree(told, { ...options(), by }).find((group) => group.id === 'threads').rows.map((row) => row.label);
  assert.deepEqual(told.cgroups.parts, ['control group', 'container']);
  assert.deepEqual(labels('container'), ['c0ffee012345', 'bash.10']);
  assert.deepEqual(labels('control group'), [`/system.slice/docker-${id}.scope`, 'bash.10']);
  assert.deepEqual(trace().cgroups.parts, []);
});

test('containers and pods are found in paths as the program finds them', () => {
  const id = 'a'.repeat(64);
  const uid = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';
  const slice = uid.replaceAll('-', '_');
  for (const path of [`/docker/${id}`, `/system.slice/docker-${id}.scope`, `/machine.slice/libpod-${id}.scope/container`,
    `/kubepods.slice/kubepods-pod${slice}.slice/crio-${id}.scope`]) assert.equal(cgroupLabel(path, 'container'), 'aaaaaaaaaaaa', path);
  for (const path of ['/', '/system.slice/nginx.service', `/docker/${id.slice(1)}`, `/docker/x${id}`, `/machine.slice/libpod-conmon-${id}.scope`]) {
    assert.equal(cgroupLabel(path, 'container'), '-', path);
  }
  assert.equal(cgroupLabel(`/kubepods/besteffort/pod${uid}/${id}`, 'pod'), uid);
  assert.equal(cgroupLabel(`/kubepods.slice/kubepods-pod${slice}.slice/crio-${id}.scope`, 'pod'), uid);
  for (const path of ['/kubepods/podium', `/pod${uid}0`]) assert.equal(cgroupLabel(path, 'pod'), '-', path);
  assert.equal(cgroupLabel('', 'pod'), '?');
});
