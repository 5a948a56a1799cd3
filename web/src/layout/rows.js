// SPDX-License-Identifier: BSD-3-Clause
// Which rows there are, in order, and where each stands. In: the trace and what is folded or
// filtered; out: rows with a top and a height, of which only the visible ones are drawn.
import { THREAD_COMMAND, THREAD_KERNEL, THREAD_RECORDER } from '../model/trace.js';

/**
 * @typedef {object} Row
 * @property {'group' | 'process' | 'cpu' | 'thread'} type
 * @property {string} key      of its fold state
 * @property {string} label
 * @property {string} note     small text at the right of the label
 * @property {number} cpu      -1: none
 * @property {number} thread   -1: none
 * @property {number} indent
 * @property {number} top
 * @property {number} height
 * @property {boolean} folded
 * @property {number} busy     share of the recorded time, for the small bar beside the label
 */

export const HEADER_HEIGHT = 22;
const THREAD_HEIGHT = 24;

/** @param {number} cpus */
const cpuHeight = (cpus) => (cpus <= 4 ? 50 : cpus <= 8 ? 38 : cpus <= 24 ? 28 : 20);

/**
 * @param {import('../model/trace.js').Trace} trace
 * @param {{folded: Set<string>, rowFilter: string, sort: string, cpuBusy: Map<number, number>}} options
 * @returns {Row[]}
 */
export function layOutRows(trace, options) {
  /** @type {Row[]} */
  const rows = [];
  let top = 0;
  const add = (/** @type {Partial<Row>} */ row, /** @type {number} */ height) => {
    rows.push({
      type: 'group', key: '', label: '', note: '', cpu: -1, thread: -1, indent: 0, folded: false,
      busy: -1, ...row, top, height,
    });
    top += height;
  };
  const cpusFolded = options.folded.has('cpus');
  add({ key: 'cpus', label: `CPUs`, note: String(trace.cpus.length), folded: cpusFolded },
    HEADER_HEIGHT);
  if (!cpusFolded) {
    for (const cpu of trace.cpus) {
      add({ type: 'cpu', label: `CPU ${cpu}`, cpu, busy: options.cpuBusy.get(cpu) ?? 0 },
        cpuHeight(trace.cpus.length));
    }
  }
  addThreads(trace, options, add);
  return rows;
}

/**
 * @param {import('../model/trace.js').Trace} trace
 * @param {any} options
 * @param {(row: Partial<Row>, height: number) => void} add
 */
function addThreads(trace, options, add) {
  const filter = options.rowFilter.toLowerCase();
  /** @type {Map<number, number[]>} process -> threads; kernel threads under -2 */
  const processes = new Map();
  let shown = 0;
  trace.threads.forEach((thread, i) => {
    if (i < 2 || thread.spans === 0) return;
    if (filter && !trace.threadLabel(i).toLowerCase().includes(filter)) return;
    const kernel = (thread.flags & THREAD_KERNEL) !== 0;
    const process = kernel ? -2 : thread.process >= 0 ? thread.process : thread.pid;
    const list = processes.get(process) ?? [];
    list.push(i);
    processes.set(process, list);
    shown++;
  });
  const time = (/** @type {number} */ i) => trace.threads[i].user + trace.threads[i].kernel;
  const share = (/** @type {number} */ i) => time(i) / trace.duration;
  const groups = [...processes].map(([process, threads]) => {
    if (options.sort === 'time') threads.sort((a, b) => time(b) - time(a));
    else threads.sort((a, b) => trace.threads[a].pid - trace.threads[b].pid);
    const leader = trace.threadOfPid.get(process) ?? threads[0];
    const command = threads.some((i) => trace.threads[i].flags & THREAD_COMMAND);
    const name = process === -2 ? 'kernel threads' : trace.threads[leader].name
      || trace.threads[threads[0]].name;
    const total = threads.reduce((sum, i) => sum + time(i), 0);
    return { process, threads, command, name, total };
  });
  groups.sort((a, b) => Number(b.command) - Number(a.command)
    || Number(a.process === -2) - Number(b.process === -2)
    || (options.sort === 'time' ? b.total - a.total
      : options.sort === 'name' ? a.name.localeCompare(b.name) : a.process - b.process));
  const folded = options.folded.has('threads');
  add({ key: 'threads', label: 'Threads', note: `${shown} by ${SORT_TEXT[options.sort]}`, folded },
    HEADER_HEIGHT);
  if (folded) return;
  for (const group of groups) {
    const single = group.threads.length === 1 && group.process !== -2;
    const key = `p${group.process}`;
    if (!single) {
      const closed = options.folded.has(key);
      add({ type: 'process', key, folded: closed, indent: 1,
        label: group.process === -2 ? 'kernel threads' : `${group.name} ${group.process}`,
        note: `${group.threads.length}`, busy: group.total / trace.duration }, HEADER_HEIGHT);
      if (closed) continue;
    }
    for (const i of group.threads) {
      const flags = trace.threads[i].flags;
      const note = flags & THREAD_RECORDER ? 'recorder' : flags & THREAD_COMMAND ? 'command' : '';
      add({ type: 'thread', label: trace.threadLabel(i), thread: i, indent: single ? 1 : 2,
        busy: share(i), note }, THREAD_HEIGHT);
    }
  }
}

/** @type {Record<string, string>} */
const SORT_TEXT = { time: 'CPU time', name: 'name', pid: 'number' };

/** @param {Row[]} rows */
export const rowsHeight = (rows) => {
  const last = rows.at(-1);
  return last ? last.top + last.height : 0;
};

/**
 * Rows that are at least partly inside [top, bottom).
 * @param {Row[]} rows @param {number} top @param {number} bottom
 */
export function visibleRows(rows, top, bottom) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle].top + rows[middle].height <= top) low = middle + 1;
    else high = middle;
  }
  const out = [];
  for (let i = low; i < rows.length && rows[i].top < bottom; i++) out.push(rows[i]);
  return out;
}
