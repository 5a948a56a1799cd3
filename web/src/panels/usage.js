// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a selected range went: tables by CPU, thread, name and kind, and as CSV.
import { EXECUTION_KINDS, KIND, KIND_TEXT } from '../model/kinds.js';
import { waitText } from '../draw/palette.js';
import { countText, durationText } from '../layout/time_text.js';
import { copyText, el, table } from './dom.js';

const MOST_ROWS = 200;

/**
 * Rows of every table: [table, name, ns, share, count, longest].
 * @param {any} app @param {import('../model/scan.js').Usage} usage @param {number} span ns
 */
export function usageRows(app, usage, span) {
  const { trace } = app;
  const all = span * Math.max(1, trace.cpus.length);
  /** @type {Record<string, [string, number, number, number, number][]>} */
  const tables = { kind: [], name: [], thread: [], cpu: [], wait: [] };
  const kinds = new Map();
  const names = new Map();
  const add = (map, key, use) => {
    const sum = map.get(key) ?? { time: 0, count: 0, max: 0 };
    map.set(key, { time: sum.time + use.time, count: sum.count + use.count, max: Math.max(sum.max, use.max) });
  };
  for (const [k, use] of usage.byKind) {
    add(kinds, KIND_TEXT[trace.what[k]][0], use);
    add(names, trace.owner[k] > 1 ? `${trace.threadLabel(trace.owner[k])} (user)` : trace.name(k), use);
  }
  /** @returns {[string, number, number, number, number]} */
  const row = (name, use, whole) => [name, use.time, use.time / whole, use.count, use.max];
  for (const [name, use] of kinds) tables.kind.push(row(name, use, all));
  for (const [name, use] of names) tables.name.push(row(name, use, all));
  for (const [t, use] of usage.byThread) tables.thread.push(row(trace.threadLabel(t), use, all));
  const cpus = new Map();
  for (const [key, use] of usage.byCpu) {
    const kind = key % EXECUTION_KINDS;
    if (kind === KIND.idle || kind === KIND.idleLowPower || kind === KIND.cExit || kind === KIND.loss) continue;
    add(cpus, Math.floor(key / EXECUTION_KINDS), use);
  }
  for (const cpu of trace.cpus) tables.cpu.push(row(`CPU ${cpu} busy`, cpus.get(cpu) ?? { time: 0, count: 0, max: 0 }, span));
  for (const [k, use] of usage.waits) {
    if (trace.what[k] === KIND.wait) tables.wait.push(row(`waiting: ${waitText(trace.event[k])[0]}`, use, span));
  }
  for (const key of ['kind', 'name', 'thread', 'wait']) tables[key].sort((a, b) => b[1] - a[1]);
  return tables;
}

const quoted = (/** @type {string} */ text) => `"${text.replaceAll('"', '""')}"`;

/** @param {ReturnType<typeof usageRows>} tables */
export function usageCsv(tables) {
  const lines = ['table,name,ns,share,count,longest_ns'];
  for (const [name, rows] of Object.entries(tables)) {
    for (const r of rows) lines.push([name, quoted(r[0]), Math.round(r[1]), r[2].toFixed(6), r[3], Math.round(r[4])].join(','));
  }
  return `${lines.join('\n')}\n`;
}

const TITLES = { kind: 'By kind', cpu: 'By CPU', name: 'By name', thread: 'By thread', wait: 'Waiting, all threads together' };
const WHOLE = { kind: 'of all CPU time', cpu: 'of the range', name: 'of all CPU time', thread: 'of all CPU time', wait: 'threads on average' };

/** @param {any} app @param {import('../model/scan.js').Usage} usage @param {{t0: number, t1: number}} range */
export function usagePanel(app, usage, range) {
  const span = range.t1 - range.t0;
  const tables = usageRows(app, usage, span);
  const out = el('div', {}, el('h2', {}, 'Where the time went'),
    el('p', {}, `Selected range: ${durationText(span)} on ${app.trace.cpus.length} CPUs.`),
    el('p', { class: 'buttons' },
      el('button', { onclick: () => app.navigation.show(range.t0, range.t1) }, 'zoom to it (F)'),
      el('button', { id: 'copy-csv', onclick: async (/** @type {any} */ e) => {
        e.target.textContent = await copyText(usageCsv(tables)) ? 'copied' : 'copying was refused';
      } }, 'copy as CSV'),
      el('button', { onclick: () => app.range.clear() }, 'clear (Esc)')));
  for (const [key, title] of Object.entries(TITLES)) {
    const rows = tables[key];
    if (rows.length === 0) continue;
    out.append(el('h3', {}, title),
      table(['', 'time', /** @type {any} */ (WHOLE)[key], 'spans', 'longest'],
        rows.slice(0, MOST_ROWS).map((r) => [r[0], durationText(r[1]), key === 'wait' ? r[2].toFixed(2) : `${(r[2] * 100).toFixed(2)} %`,
          countText(r[3]), durationText(r[4])])));
    if (rows.length > MOST_ROWS) out.append(el('p', { class: 'quiet' }, `and ${rows.length - MOST_ROWS} more (in the CSV)`));
  }
  return out;
}
