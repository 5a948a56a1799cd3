// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a range went, as rows of tables. In: durations by kind, thread and CPU; out: one
// table a question, each row with a label, what it added up and the search that finds its spans.
import { KIND_TEXT, isIdle, waitWord } from '../model/kinds.js';
import { EXECUTION_KINDS, KIND } from '../model/tables.js';
import { addDurations, copyOf, durationsOf, noDurations, quantile } from '../model/durations.js';

/** @typedef {import('../model/durations.js').Durations} Durations @typedef {import('../model/breathe.js').Turns} Turns */

/**
 * @typedef {object} UsageRow
 * @property {string} label
 * @property {Durations} durations
 * @property {Durations | null} [calls]  whole calls that ended in the range; null: there are none of it
 * @property {number} share  of the time of all CPUs; of CPUs: of the range's length; of waits: of all waiting
 * @property {string} find   search words, '' if none would find it
 * @property {boolean} idle   time in which nothing ran
 *
 * @typedef {'kind' | 'name' | 'thread' | 'process' | 'cpu' | 'wait'} Dimension
 * @typedef {Record<Dimension, UsageRow[]>} UsageTables
 */

/** @type {[Dimension, string, string][]} title of the table, what its shares are of */
export const DIMENSIONS = [
  ['name', 'Names', 'of all CPU time'], ['kind', 'Kinds', 'of all CPU time'], ['thread', 'Threads', 'of all CPU time'],
  ['process', 'Processes', 'of all CPU time'], ['cpu', 'CPUs', 'of the range'], ['wait', 'Waits', 'of all waiting'],
];

/** Threads up to this number are none: idle, and what belongs to nobody. */
const NO_THREAD = 1;

/** Words of the search box that find what has this name and is of one of these kinds. @param {string} name @param {Iterable<number>} kinds */
const namedAndOf = (name, kinds) => `event:/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s/g, '\\s')}$/ ${kindWord(kinds)}`;

/** @param {Iterable<number>} kinds */
const kindWord = (kinds) => `kind:${[...kinds].map((kind) => KIND_TEXT[kind][0].replace(/\W/g, '')).join()}`;

/** All that is called and drawn like one kind of the dictionary. @param {import('../model/trace.js').Trace} trace @param {number} kind */
export const searchOfKind = (trace, kind) => namedAndOf(trace.name(kind), [trace.what[kind]]);

/**
 * @param {import('../model/trace.js').Trace} trace
 * @param {import('../model/usage.js').Usage} usage
 * @param {number} length of the range, ns
 * @param {boolean} some  only some rows are selected: shares are of their time on CPUs
 * @param {Turns} turns  in which it is done: threads may be many
 * @returns {Promise<UsageTables>}
 */
export async function usageTables(trace, usage, length, some, turns) {
  const whole = some ? Math.max(1, [...usage.byCpu.values()].reduce((sum, { time }) => sum + time, 0)) : length * Math.max(1, trace.cpus.length);
  const waits = waitRows(trace, usage);
  const waited = [...waits.values()].reduce((sum, { durations }) => sum + durations.time, 0);
  return {
    name: await sorted(await nameRows(trace, usage, turns), whole, turns),
    kind: await sorted(await kindRows(trace, usage, turns), whole, turns),
    thread: await sorted(await threadRows(trace, usage, turns), whole, turns),
    process: await sorted(await processRows(trace, usage, turns), whole, turns),
    cpu: cpuRows(trace, usage, length),
    wait: await sorted(waits, Math.max(1, waited), turns),
  };
}

/** @typedef {Map<string, {durations: Durations, find: string, idle: boolean, calls?: Durations | null}>} NewRows */

/** Durations that a row alone has; those of one thread or kind are not copied for the row, since there may be very many. @type {WeakSet<Durations>} */
const sums = new WeakSet();

/** @param {Durations | null | undefined} into @param {Durations} from @returns {Durations} their sum */
function joined(into, from) {
  if (!into) return from;
  const sum = sums.has(into) ? into : copyOf(into);
  sums.add(sum);
  addDurations(sum, from);
  return sum;
}

/** @param {NewRows} map @param {number} whole @param {Turns} turns @returns {Promise<UsageRow[]>} */
async function sorted(map, whole, turns) {
  const rows = [...map].map(([label, row]) => ({ label, ...row, share: row.durations.time / whole }));
  if (turns.over) await turns.end();
  return rows.sort((a, b) => b.durations.time - a.durations.time);
}

/** @returns {NewRows} */
const newRows = () => new Map();

/** @param {NewRows} rows @param {string} label @param {Durations} durations @param {string} find @param {boolean} [idle] */
function add(rows, label, durations, find, idle = false) {
  const row = rows.get(label);
  if (row) row.durations = joined(row.durations, durations);
  else rows.set(label, { durations, find, idle });
}

/** @param {NewRows} rows @param {string} label @param {Durations | undefined} calls */
function addCalls(rows, label, calls) {
  const row = rows.get(label);
  if (!row || !calls) return;
  row.calls = joined(row.calls, calls);
}

/** Kinds with their time; of those whose calls only waited before they ended in the range there is none. @param {import('../model/usage.js').Usage} usage */
const timesOf = ({ byKind, calls }) => [...byKind, ...[...calls.keys()].filter((k) => !byKind.has(k)).map((k) => /** @type {[number, Durations]} */ ([k, noDurations()]))];

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/usage.js').Usage} usage @param {Turns} turns */
async function nameRows(trace, usage, turns) {
  const rows = newRows();
  /** Of each row. @type {Map<string, Set<number>>} */
  const kinds = new Map();
  for (const [k, durations] of timesOf(usage)) {
    if (turns.over) await turns.end();
    const own = trace.owner[k] > 1;
    const name = trace.name(k);
    const label = own ? `${name} (user)` : name;
    const ofRow = kinds.get(label) ?? new Set();
    kinds.set(label, ofRow.add(trace.what[k]));
    add(rows, label, durations, '', isIdle(trace.what[k]));
    /** @type {import('./usage_rows.js').UsageRow} */ (rows.get(label)).find = own || name === trace.kindName[k] ? namedAndOf(name, ofRow) : kindWord(ofRow);
    if (trace.hasCalls) addCalls(rows, name, usage.calls.get(k));
  }
  return rows;
}

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/usage.js').Usage} usage @param {Turns} turns */
async function kindRows(trace, usage, turns) {
  const rows = newRows();
  for (const [k, durations] of timesOf(usage)) {
    if (turns.over) await turns.end();
    const label = KIND_TEXT[trace.what[k]][0];
    add(rows, label, durations, kindWord([trace.what[k]]), isIdle(trace.what[k]));
    if (trace.hasCalls) addCalls(rows, label, usage.calls.get(k));
  }
  return rows;
}

/** Numbers of the threads of each row: one that called exec may have had several. @returns {Map<string, Set<number>>} */
const newNumbers = () => new Map();

/** @param {Map<string, Set<number>>} numbers @param {string} label @param {number} [pid] */
function addNumber(numbers, label, pid = -1) {
  if (pid < 0) return;
  const known = numbers.get(label);
  if (known) known.add(pid);
  else numbers.set(label, new Set([pid]));
}

/** @param {NewRows} rows @param {Map<string, Set<number>>} numbers */
function findByNumbers(rows, numbers) {
  for (const [label, row] of rows) {
    const pids = numbers.get(label);
    if (pids) row.find = `pid:${[...pids].join()}`;
  }
}

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/usage.js').Usage} usage @param {Turns} turns */
async function threadRows(trace, usage, turns) {
  const rows = newRows();
  const pids = newNumbers();
  for (const [t, durations] of usage.byThread) {
    if (turns.over) await turns.end();
    const label = trace.threadLabel(t);
    add(rows, label, durations, '', t <= NO_THREAD);
    addNumber(pids, label, trace.threads[t]?.pid);
  }
  findByNumbers(rows, pids);
  return rows;
}

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/usage.js').Usage} usage @param {Turns} turns */
async function processRows(trace, usage, turns) {
  const rows = newRows();
  const pids = newNumbers();
  for (const [t, durations] of usage.byThread) {
    if (turns.over) await turns.end();
    const { process = -1, pid = -1 } = trace.threads[t] ?? {};
    const leader = trace.threadOfPid.get(process >= 0 ? process : pid) ?? t;
    const label = trace.threadLabel(leader);
    add(rows, label, durations, '', t <= NO_THREAD);
    addNumber(pids, label, pid);
  }
  findByNumbers(rows, pids);
  return rows;
}

/**
 * Busy time of every CPU, those without any included.
 * @param {import('../model/trace.js').Trace} trace @param {import('../model/usage.js').Usage} usage
 * @param {number} length @returns {UsageRow[]}
 */
function cpuRows(trace, usage, length) {
  /** @type {Map<number, Durations>} */
  const busy = new Map();
  for (const [key, durations] of usage.byCpu) {
    const kind = key % EXECUTION_KINDS;
    if (isIdle(kind) || kind === KIND.cExit || kind === KIND.loss || kind === KIND.hidden) continue;
    addDurations(durationsOf(busy, Math.floor(key / EXECUTION_KINDS)), durations);
  }
  return trace.cpus.map((cpu) => {
    const durations = busy.get(cpu) ?? noDurations();
    return { label: `CPU ${cpu} busy`, durations, share: durations.time / length, find: `cpu:${cpu}`, idle: false };
  });
}

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/usage.js').Usage} usage */
function waitRows(trace, usage) {
  const rows = newRows();
  for (const [k, durations] of usage.overlays) {
    if (trace.what[k] !== KIND.wait) continue;
    add(rows, `waiting: ${waitWord(trace.event[k])}`, durations, `kind:wait event:0x${trace.event[k].toString(16)}`);
  }
  return rows;
}

/** What its count and durations are of: whole calls where the trace tells of them. @param {UsageRow} row */
export const countedOf = (row) => row.calls ?? row.durations;

/** Figures that tables and files show; the total is of what lies in the range. @param {UsageRow} row */
export const figures = (row) => ({ ...figuresOf(countedOf(row)), total: row.durations.time });

/** @param {Durations} d */
const figuresOf = (d) => ({
  count: d.count, average: d.count > 0 ? d.time / d.count : NaN,
  p50: d.count > 0 ? quantile(d, 0.5) : NaN, p99: d.count > 0 ? quantile(d, 0.99) : NaN, longest: d.count > 0 ? d.max : NaN,
});

/** A text of a file of comma-separated values; a leading sign must not become a formula. @param {string} text */
export const quoted = (text) => `"${text.replace(/^[=+@\t-]/, "'$&").replaceAll('"', '""')}"`;

/** With the heads of kutrace profile --format csv. @param {{name: string, tables: UsageTables}[]} ranges */
export function usageCsv(ranges) {
  const lines = ['range,table,name,cpu_ns,wait_ns,share,count,unit,mean_ns,p50_ns,p99_ns,max_ns'];
  const whole = (/** @type {number} */ n) => (Number.isNaN(n) ? '' : Math.round(n));
  for (const { name, tables } of ranges) {
    for (const [dimension] of DIMENSIONS) {
      for (const row of tables[dimension]) {
        const f = figures(row);
        lines.push([name, dimension, quoted(row.label), ...dimension === 'wait' ? ['', whole(f.total)] : [whole(f.total), ''], row.share.toFixed(6), f.count, row.calls ? 'call' : 'piece',
          whole(f.average), whole(f.p50), whole(f.p99), whole(f.longest)].join(','));
      }
    }
  }
  return `${lines.join('\n')}\n`;
}
