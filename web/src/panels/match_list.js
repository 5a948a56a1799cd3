// SPDX-License-Identifier: BSD-3-Clause
// The matches of a search as a list, by time, duration, name or place; choosing one goes there.
import { countText, durationText, exactTime } from '../layout/time_text.js';
import { el } from './dom.js';
import { sortedTable } from './sorted_table.js';

/** @typedef {import('../model/scan.js').Hit} Hit */

const order = { by: 0, up: true };

/** @param {import('../app.js').App} app */
export function matchesPanel(app) {
  const { search, trace } = app;
  const { hits = [], count = 0 } = search.matches ?? {};
  const heading = el('h2', {}, 'Matches');
  if (hits.length === 0) {
    const why = search.text === '' ? 'Nothing is searched for. Press / and type.' : 'No match.';
    return el('div', {}, heading, el('p', { class: 'quiet' }, why));
  }
  const thread = (/** @type {Hit} */ hit) => (hit.thread > 1 ? trace.threadLabel(hit.thread) : '');
  /** @type {import('./sorted_table.js').Column<Hit>[]} */
  const columns = [
    { head: 'start', text: (hit) => exactTime(hit.start), value: (hit) => hit.start },
    { head: 'name', text: (hit) => trace.name(hit.kind), value: (hit) => trace.name(hit.kind) },
    { head: 'duration', text: (hit) => durationText(hit.end - hit.start), value: (hit) => hit.end - hit.start },
    { head: 'CPU', text: (hit) => (hit.cpu >= 0 ? String(hit.cpu) : ''), value: (hit) => hit.cpu },
    { head: 'thread', text: thread, value: thread },
  ];
  const table = sortedTable(columns, hits, order, {
    chosen: hits[search.at] ?? null, changed: () => app.side.open('matches'),
    choose: (hit) => {
      search.goTo(hits.indexOf(hit));
      app.side.open('matches');
    },
  });
  return el('div', { class: 'matches' }, heading, el('p', { class: 'quiet' }, count > hits.length
    ? `${countText(count)} in all; here are ${countText(hits.length)} of them.` : `${countText(count)} in all.`, ' A click on a head sorts.'), table);
}
