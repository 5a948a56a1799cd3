// SPDX-License-Identifier: BSD-3-Clause
// Which rows a trace has, as a tree of groups: CPUs, threads by process, RPCs, locks, queues,
// frequencies, the network, marks. In: the trace; out: nodes in their own order, nothing folded,
// filtered or placed yet.
import { cgroupLabel } from '../model/cgroups.js';
import { OBJECT, THREAD } from '../model/tables.js';
import { rangeText, readingText } from '../model/readings.js';
import { KERNEL } from '../model/trace.js';
import { countText } from '../model/number_text.js';
import { durationText } from './time_text.js';

/**
 * @typedef {'group' | 'process' | 'crowd' | 'cpu' | 'thread' | 'rpc' | 'lock' | 'queue' | 'frequency' | 'network'
 *           | 'marks' | 'counter'} RowType
 *
 * @typedef {object} RowNode
 * @property {RowType} type
 * @property {string} id        stays the same between layouts and pages of one trace
 * @property {string} label
 * @property {string} note      small text at the right of the label
 * @property {number} cpu       -1: none
 * @property {number} thread    -1: none
 * @property {number} [levels]  of a thread: how many functions stand in one another; 0 unless told
 * @property {number} object    position in trace.objects, -1: none
 * @property {number} sort      of that object, of OBJECT, -1: none
 * @property {number} objectId  its number, of a counter its place in trace.counters, -1: none
 * @property {number} busy      share of the recorded time, -1: not told
 * @property {RowNode[]} rows   of a group, process or crowd
 */

/** @typedef {'process' | 'name' | 'parent' | import('../model/cgroups.js').CgroupPart} GroupBy */

/** Of nodes that were asked; they do not change. @type {WeakMap<RowNode[], number[]>} */
const within = new WeakMap();

/** @param {{rows: RowNode[]}} node @returns {number[]} the same array each time */
export function threadsWithin({ rows }) {
  const known = within.get(rows);
  if (known) return known;
  /** @type {number[]} */
  const threads = [];
  for (const row of rows) {
    if (row.thread >= 0) threads.push(row.thread);
    else for (const thread of threadsWithin(row)) threads.push(thread);
  }
  within.set(rows, threads);
  return threads;
}

/** @param {Partial<RowNode> & {type: RowType, id: string, label: string}} node @returns {RowNode} */
const node = (node) => ({ note: '', cpu: -1, thread: -1, object: -1, sort: -1, objectId: -1, busy: -1, rows: [], ...node });

/** @type {Record<string, string>} */
const SORT_TEXT = { time: 'CPU time', name: 'name', pid: 'number' };
/** The same of RPCs. @type {Record<string, string>} */
const RPC_SORT_TEXT = { time: 'latency', name: 'name', pid: 'start' };

/**
 * @param {import('../model/trace.js').Trace} trace
 * @param {{sort: string, cpuBusy: Map<number, number>, by?: GroupBy}} options
 * @returns {RowNode[]}
 */
export function rowTree(trace, options) {
  const groups = [cpuGroup(trace, options), threadGroup(trace, options)];
  groups.push(rpcGroup(trace, options));
  for (const sort of OBJECT_GROUPS) groups.push(objectGroup(trace, ...sort));
  groups.push(counterGroup(trace));
  return groups.filter((group) => group.rows.length > 0);
}

/** @param {import('../model/trace.js').Trace} trace @param {{cpuBusy: Map<number, number>}} options */
function cpuGroup(trace, options) {
  return node({ type: 'group', id: 'cpus', label: trace.rowLabels ? 'Rows' : 'CPUs', note: String(trace.cpus.length),
    rows: trace.cpus.map((cpu) => node({ type: 'cpu', id: `c${cpu}`, cpu, label: trace.cpuLabel(cpu),
      busy: options.cpuBusy.get(cpu) ?? 0 })) });
}

/** So many threads of one name are a crowd: the first few stand for it, the others under a heading. */
const CROWD = 100;
const SHOWN_OF_CROWD = 8;

/** @param {RowNode[]} rows  of a process or of all threads @param {string} parent @param {import('../model/trace.js').Trace} trace */
function withCrowds(rows, parent, trace) {
  if (rows.length < CROWD) return rows;
  const nameOf = (/** @type {RowNode} */ row) => (row.thread >= 0 ? trace.threadName(row.thread) : '');
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  if (![...counts].some(([name, count]) => name && count >= CROWD)) return rows;
  /** @type {Map<string, {shown: number, rest: RowNode | null}>} */
  const crowds = new Map();
  for (const [name, count] of counts) if (name && count >= CROWD) crowds.set(name, { shown: 0, rest: null });
  return rows.flatMap((row) => {
    const crowd = crowds.get(nameOf(row));
    if (!crowd || crowd.shown++ < SHOWN_OF_CROWD) return [row];
    const first = crowd.rest === null;
    crowd.rest ??= node({ type: 'crowd', id: `${parent}/${nameOf(row)}`, busy: 0,
      label: `${countText((counts.get(nameOf(row)) ?? 0) - SHOWN_OF_CROWD)} more ${nameOf(row)}` });
    crowd.rest.rows.push(row);
    crowd.rest.busy += row.busy;
    return first ? [crowd.rest] : [];
  });
}

/**
 * What threads stand together by, as they are numbered; most have one thread and no heading.
 * @typedef {{number: number, threads: number[], name: string, kernel?: boolean, heading: () => {id: string, label: string}}} Family
 */

/** @type {Record<GroupBy, (trace: import('../model/trace.js').Trace) => Family[]>} */
const FAMILIES = {
  process: (trace) => [...trace.processes].map(([process, threads]) => {
    const leader = trace.threadOfPid.get(process) ?? threads[0];
    const kernel = process === KERNEL;
    const name = kernel ? 'kernel threads' : trace.threads[leader].name || trace.threads[threads[0]].name;
    return { number: process, threads, name, kernel, heading: () => ({ id: `p${process}`, label: kernel ? name : trace.labelOf(name, process) }) };
  }),
  name: (trace) => familiesOf(trace, (_, thread) => trace.threadName(thread), (name, number) => ({ number, name: name || '?', heading: () => ({ id: `n/${name}`, label: name || '?' }) })),
  parent: (trace) => familiesOf(trace, ({ parent }) => parent, (parent) => {
    const known = trace.threadOfPid.get(parent);
    const of = known === undefined ? '' : trace.threads[known].name;
    const name = parent > 0 ? `children of ${of}` : 'parent not told';
    return { number: parent, name, heading: () => ({ id: `a${parent}`, label: parent > 0 ? `children of ${trace.labelOf(of, parent)}` : name }) };
  }),
  'control group': (trace) => cgroupFamilies(trace, 'control group'),
  container: (trace) => cgroupFamilies(trace, 'container'),
  pod: (trace) => cgroupFamilies(trace, 'pod'),
};

/**
 * @template K
 * @param {import('../model/trace.js').Trace} trace @param {(thread: import('../model/trace.js').Thread, index: number) => K} keyOf
 * @param {(key: K, first: number) => Omit<Family, 'threads'>} tell  first: number of its first thread
 * @returns {Family[]}
 */
function familiesOf(trace, keyOf, tell) {
  /** @type {Map<K, number[]>} */
  const families = new Map();
  for (const thread of [...trace.processes.values()].flat()) {
    const key = keyOf(trace.threads[thread], thread);
    const list = families.get(key);
    if (list) list.push(thread);
    else families.set(key, [thread]);
  }
  return [...families].map(([key, threads]) => ({ ...tell(key, trace.threads[threads[0]].pid), threads }));
}

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/cgroups.js').CgroupPart} part */
const cgroupFamilies = (trace, part) => familiesOf(trace, (thread) => cgroupLabel(trace.cgroupOf(thread), part), (label, number) => {
  const name = label === '-' ? `in no ${part}` : label === '?' ? `${part} not told` : label;
  return { number, name, heading: () => ({ id: `g${part}/${label}`, label: name }) };
});

const NAMES = new Intl.Collator();

/** Each trace's threads as they were asked for last. @type {WeakMap<import('../model/trace.js').Trace, {sort: string, by: GroupBy, group: RowNode}>} */
const made = new WeakMap();

/** @param {import('../model/trace.js').Trace} trace @param {{sort: string, by?: GroupBy}} options @returns {RowNode} the same one for the same options */
function threadGroup(trace, { sort, by = 'process' }) {
  const last = made.get(trace);
  if (last && last.sort === sort && last.by === by) return last.group;
  for (const _ of threadSteps(trace, { sort, by }));
  return threadGroup(trace, { sort, by });
}

const ROWS_A_STEP = 256;

/**
 * Makes the rows of threads, of which there may be tens of thousands, step by step; `rowTree` has them then.
 * @param {import('../model/trace.js').Trace} trace @param {{sort: string, by?: GroupBy}} options
 */
export function* threadSteps(trace, { sort, by = 'process' }) {
  const time = (/** @type {number} */ i) => trace.threads[i].user + trace.threads[i].kernel;
  const families = FAMILIES[by](trace);
  yield;
  const groups = families.map(({ number, threads, name, heading, kernel = false }) => {
    if (threads.length > 1) threads.sort(sort === 'time' ? (a, b) => time(b) - time(a) : (a, b) => trace.threads[a].pid - trace.threads[b].pid);
    return { number, threads, name, heading, total: threads.reduce((sum, i) => sum + time(i), 0),
      place: (threads.some((i) => trace.threads[i].flags & THREAD.command) ? 0 : 2) + Number(kernel), kernel };
  });
  yield;
  /** @type {Record<string, (a: typeof groups[0], b: typeof groups[0]) => number>} */
  const orders = { time: (a, b) => b.total - a.total, name: (a, b) => NAMES.compare(a.name, b.name), pid: (a, b) => a.number - b.number };
  const order = orders[sort] ?? orders.pid;
  groups.sort((a, b) => a.place - b.place || order(a, b));
  yield;
  /** @type {RowNode[]} */
  const rows = [];
  for (const { threads, heading, total, kernel } of groups) {
    /** @type {RowNode[]} */
    const inside = [];
    for (const i of threads) if (inside.push(threadRow(trace, i)) % ROWS_A_STEP === 0) yield;
    if (inside.length > 1 || kernel) {
      const { id, label } = heading();
      rows.push(node({ type: 'process', id, note: String(inside.length), rows: withCrowds(inside, id, trace), label, busy: total / trace.duration }));
    } else {
      rows.push(inside[0]);
    }
    if (rows.length % ROWS_A_STEP === 0) yield;
  }
  made.set(trace, { sort, by, group: node({ type: 'group', id: 'threads', label: 'Threads', rows: withCrowds(rows, 'threads', trace),
    note: `${groups.reduce((sum, { threads }) => sum + threads.length, 0)} by ${SORT_TEXT[sort]}` }) });
}

/** Of a thread. @type {RowNode[]} */
const NO_ROWS = [];

/** There may be tens of thousands: written out, so that one costs little. @param {import('../model/trace.js').Trace} trace @param {number} i @returns {RowNode} */
function threadRow(trace, i) {
  const { flags, user, kernel, pid } = trace.threads[i];
  const then = pid === trace.lastOfThread(i).pid ? '' : `as ${pid}`;
  return { type: 'thread', id: trace.threadRowId(i), label: trace.threadLabel(i),
    note: flags & THREAD.recorder ? 'recorder' : flags & THREAD.command ? 'command' : then,
    cpu: -1, thread: i, object: -1, sort: -1, objectId: -1, busy: (user + kernel) / trace.duration, rows: NO_ROWS,
    levels: flags >>> THREAD.functionsShift };
}

/** @typedef {import('../model/trace.js').TraceObject} TraceObject */

/** Sort, row type, letter of the id, the group, a row's label.
 *  @type {[number, RowType, string, string, (o: TraceObject) => string][]} */
const OBJECT_GROUPS = [
  [OBJECT.lock, 'lock', 'l', 'Locks', (o) => o.name || `lock ${o.id}`],
  [OBJECT.queue, 'queue', 'q', 'Queues', (o) => o.name || `queue ${o.id}`],
  [OBJECT.frequency, 'frequency', 'f', 'Frequencies', (o) => `CPU ${o.id}`],
  [OBJECT.network, 'network', 'n', 'Network', () => 'messages and packets'],
  [OBJECT.marks, 'marks', 'm', 'Marks', () => 'all marks'],
];

/**
 * @param {import('../model/trace.js').Trace} trace
 * @param {number} sort
 * @param {RowType} type
 * @param {string} letter
 * @param {string} label
 * @param {(o: TraceObject) => string} name
 */
function objectGroup(trace, sort, type, letter, label, name) {
  /** @type {RowNode[]} */
  const rows = [];
  trace.objects.forEach((object, i) => {
    if (object.sort !== sort) return;
    rows.push(node({ type, id: `${letter}${object.id}`, object: i, sort, objectId: object.id, label: name(object),
      note: type === 'frequency' ? `${object.lowest}–${object.highest} MHz` : String(object.count) }));
  });
  return node({ type: 'group', id: `${letter}s`, label, note: String(rows.length), rows });
}

/** "method.ID", where the method is known. @param {TraceObject} o */
const rpcLabel = ({ name, id }) => (/^(\.|$)/.test(name) ? `RPC ${id}` : name.endsWith(`.${id}`) ? name : `${name}.${id}`);

/** Pages of older versions do not tell when an RPC began and ended: then what was done for it counts. @param {TraceObject} o */
const latencyOf = ({ begin, end, total }) => (Number.isNaN(begin) ? total : end - begin);

/** The slowest first, or by name, or by begin. @param {import('../model/trace.js').Trace} trace @param {{sort: string}} options */
function rpcGroup(trace, { sort }) {
  const rpcs = trace.objects.map((object, at) => ({ ...object, at, label: rpcLabel(object) })).filter((object) => object.sort === OBJECT.rpc);
  const told = rpcs.every(({ begin }) => !Number.isNaN(begin));
  if (sort === 'time') rpcs.sort((a, b) => latencyOf(b) - latencyOf(a));
  else if (sort === 'name') rpcs.sort((a, b) => a.label.localeCompare(b.label, undefined, { numeric: true }));
  else if (told) rpcs.sort((a, b) => a.begin - b.begin);
  const rows = rpcs.map((rpc) => node({ type: 'rpc', id: `r${rpc.id}`, object: rpc.at, sort: OBJECT.rpc,
    objectId: rpc.id, label: rpc.label, note: told ? durationText(latencyOf(rpc)) : String(rpc.count) }));
  const by = told ? RPC_SORT_TEXT[sort] : { time: 'time', name: 'name', pid: 'number' }[sort];
  return node({ type: 'group', id: 'rs', label: 'RPCs', note: `${rows.length} by ${by}`, rows });
}

/** @param {import('../model/trace.js').Trace} trace */
function counterGroup(trace) {
  const rows = trace.counters.map((counter, i) => {
    const thread = trace.threadOfPid.get(counter.process);
    const whose = counter.process < 0 ? '' : ` ${thread === undefined ? counter.process : trace.threadLabel(thread)}`;
    return node({ type: 'counter', id: counter.id, objectId: i, label: `${counter.name}${whose}`,
      note: counter.isRate || whose ? `≤ ${readingText(counter, counter.highest)}` : rangeText(counter, counter.lowest, counter.highest) });
  });
  return node({ type: 'group', id: 'ks', label: 'Counters', note: String(rows.length), rows });
}

/** What is folded before anyone chooses. @param {RowNode[]} tree @returns {Set<string>} ids */
export function foldedAtFirst(tree) {
  const ids = (/** @type {RowNode[]} */ nodes) => nodes.flatMap((/** @type {RowNode} */ { type, id, rows }) => /** @type {string[]} */ (
    [...type === 'crowd' ? [id] : [], ...ids(rows)]));
  return new Set(ids(tree));
}
