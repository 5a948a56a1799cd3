// SPDX-License-Identifier: BSD-3-Clause
// The matches of a search as a list, by time, duration, name or place; choosing one goes there. Of more
// matches than are held, those that stand first in the chosen order: the longest of all, not of some.
import { countText } from '../model/number_text.js';
import { durationText, exactTime } from '../layout/time_text.js';
import { BY_TIME, onCpuOf, piecesOf } from '../model/scan.js';
import { el } from '../base/dom.js';
import { compare, sortedTable } from './sorted_table.js';

/** @typedef {import('../model/scan.js').Hit} Hit @typedef {import('../model/scan.js').Order} Order */

/** @typedef {import('./sorted_table.js').Column<Hit> & {by: Order['by']}} Column */

/** Kept by name: traces that tell of calls have more columns. @type {{by: Order['by'], up: boolean}} */
const order = { by: 'start', up: true };

/** @type {Column[]} */
const OF_CALLS = [
  { by: 'onCpu', head: 'on CPU', text: (hit) => (hit.call ? durationText(hit.call.onCpu) : ''), value: onCpuOf },
  { by: 'pieces', head: 'pieces', text: (hit) => (hit.call ? countText(hit.call.pieces) : ''), value: piecesOf },
];

/** The order as the table keeps it, by the head of its column. @param {Column[]} columns */
const placed = (columns) => ({
  get by() { return columns.find((column) => column.by === order.by)?.head ?? ''; },
  set by(head) { order.by = columns.find((column) => column.head === head)?.by ?? BY_TIME.by; },
  get up() { return order.up; },
  set up(up) { order.up = up; },
});

/** Places of names in their order; equal names have the same. @param {string[]} names */
function ranksOf(names) {
  const places = new Map([...new Set(names)].sort(compare).map((name, place) => [name, place]));
  return Uint32Array.from(names, (name) => places.get(name) ?? 0);
}

/** As the search orders by it. @param {import('../model/trace.js').Trace} trace @param {(thread: number) => string} thread @returns {Order} */
function wantedOrder(trace, thread) {
  const { by, up } = order;
  const ranks = by === 'kind' ? ranksOf(Array.from({ length: trace.kindCount }, (_, kind) => trace.label(kind)))
    : by === 'thread' ? ranksOf(trace.threads.map((_, i) => thread(i))) : undefined;
  return { by, up, ranks };
}

/** @param {import('../app.js').App} app */
export function matchesPanel(app) {
  const { search, slowest, trace } = app;
  const { hits = [], count = 0 } = search.matches ?? {};
  const heading = el('h2', {}, 'Matches');
  if (hits.length === 0) {
    const why = search.text === '' ? 'Nothing is searched for. Press / and type.' : 'No match.';
    return el('div', {}, heading, el('p', { class: 'quiet' }, why));
  }
  const label = (/** @type {number} */ index) => (index > 1 ? trace.threadLabel(index) : '');
  const thread = (/** @type {Hit} */ hit) => label(hit.thread);
  /** @type {Column[]} */
  const columns = [
    { by: 'start', head: 'start', text: (hit) => exactTime(hit.start), value: (hit) => hit.start },
    { by: 'kind', head: 'name', text: (hit) => trace.label(hit.kind), value: (hit) => trace.label(hit.kind) },
    { by: 'duration', head: 'duration', text: (hit) => durationText(hit.end - hit.start), value: (hit) => hit.end - hit.start,
      title: 'To the slowest of this name, then to the next one', act: (hit) => (slowest.knows(hit.kind) ? () => { slowest.ofKind(hit.kind); } : null) },
    ...trace.hasCalls ? OF_CALLS : [],
    { by: 'cpu', head: 'CPU', text: (hit) => (hit.cpu >= 0 ? String(hit.cpu) : ''), value: (hit) => hit.cpu },
    { by: 'thread', head: 'thread', text: thread, value: thread },
  ];
  if (!columns.some((column) => column.by === order.by)) Object.assign(order, BY_TIME);
  const told = search.list;
  const here = told && told.order.by === order.by && told.order.up === order.up;
  const held = count <= hits.length || (order.by === BY_TIME.by && order.up);
  if (!held && !here) search.makeList(wantedOrder(trace, label));
  const rows = held ? hits : here ? told.hits : [];
  const table = sortedTable(columns, rows, placed(columns), {
    chosen: rows.find((hit) => search.isHere(hit)) ?? null, changed: () => app.side.open('matches'),
    choose: (hit) => search.goTo(hit),
  });
  const which = held || here ? count > rows.length ? `, of which the first ${countText(rows.length)} in this order are listed` : ''
    : ': looking through all of them…';
  return el('div', { class: 'matches' }, heading, el('p', { class: 'quiet' }, `${countText(count)} in all${which}.`,
    ' A click on a head sorts, one on a duration goes to the slowest of that name.'), table);
}
