// SPDX-License-Identifier: BSD-3-Clause
// The matches of a search as a list, by time, duration, name or place; choosing one goes there. Of more
// matches than are held, those that stand first in the chosen order: the longest of all, not of some.
import { countText, durationText, exactTime } from '../layout/time_text.js';
import { onCpuOf, piecesOf } from '../model/scan.js';
import { el } from '../base/dom.js';
import { compare, sortedTable } from './sorted_table.js';

/** @typedef {import('../model/scan.js').Hit} Hit @typedef {import('../model/scan.js').Order} Order */

const order = { by: 0, up: true };
/** What each column orders by. @type {Order['by'][]} */
const BY = ['start', 'kind', 'duration', 'cpu', 'thread'];
/** With columns of calls. @type {Order['by'][]} */
const BY_OF_CALLS = ['start', 'kind', 'duration', 'onCpu', 'pieces', 'cpu', 'thread'];

/** @type {import('./sorted_table.js').Column<Hit>[]} */
const ofCalls = [
  { head: 'on CPU', text: (hit) => (hit.call ? durationText(hit.call.onCpu) : ''), value: onCpuOf },
  { head: 'pieces', text: (hit) => (hit.call ? countText(hit.call.pieces) : ''), value: piecesOf },
];

/** @param {import('../model/trace.js').Trace} trace */
const columnsOf = (trace) => (trace.hasCalls ? BY_OF_CALLS : BY);

/** Places of names in their order; equal names have the same. @param {string[]} names */
function ranksOf(names) {
  const places = new Map([...new Set(names)].sort(compare).map((name, place) => [name, place]));
  return Uint32Array.from(names, (name) => places.get(name) ?? 0);
}

/** As the search orders by it. @param {import('../model/trace.js').Trace} trace @param {(thread: number) => string} thread @returns {Order} */
function wantedOrder(trace, thread) {
  const by = columnsOf(trace)[order.by];
  const ranks = by === 'kind' ? ranksOf(Array.from({ length: trace.kindCount }, (_, kind) => trace.name(kind)))
    : by === 'thread' ? ranksOf(trace.threads.map((_, i) => thread(i))) : undefined;
  return { by, up: order.up, ranks };
}

/** @param {import('../app.js').App} app */
export function matchesPanel(app) {
  const { search, trace } = app;
  const { hits = [], count = 0 } = search.matches ?? {};
  const heading = el('h2', {}, 'Matches');
  if (hits.length === 0) {
    const why = search.text === '' ? 'Nothing is searched for. Press / and type.' : 'No match.';
    return el('div', {}, heading, el('p', { class: 'quiet' }, why));
  }
  const label = (/** @type {number} */ index) => (index > 1 ? trace.threadLabel(index) : '');
  const thread = (/** @type {Hit} */ hit) => label(hit.thread);
  /** @type {import('./sorted_table.js').Column<Hit>[]} */
  const columns = [
    { head: 'start', text: (hit) => exactTime(hit.start), value: (hit) => hit.start },
    { head: 'name', text: (hit) => trace.name(hit.kind), value: (hit) => trace.name(hit.kind) },
    { head: 'duration', text: (hit) => durationText(hit.end - hit.start), value: (hit) => hit.end - hit.start },
    ...trace.hasCalls ? ofCalls : [],
    { head: 'CPU', text: (hit) => (hit.cpu >= 0 ? String(hit.cpu) : ''), value: (hit) => hit.cpu },
    { head: 'thread', text: thread, value: thread },
  ];
  const told = search.list;
  const here = told && told.order.by === columnsOf(trace)[order.by] && told.order.up === order.up;
  const held = count <= hits.length || (order.by === 0 && order.up);
  if (!held && !here) search.makeList(wantedOrder(trace, label));
  const rows = held ? hits : here ? told.hits : [];
  const table = sortedTable(columns, rows, order, {
    chosen: rows.find((hit) => search.isHere(hit)) ?? null, changed: () => app.side.open('matches'),
    choose: (hit) => search.goTo(hit),
  });
  const which = held || here ? count > rows.length ? `, of which the first ${countText(rows.length)} in this order are listed` : ''
    : ': looking through all of them…';
  return el('div', { class: 'matches' }, heading, el('p', { class: 'quiet' }, `${countText(count)} in all${which}.`,
    ' A click on a head sorts.'), table);
}
