// SPDX-License-Identifier: BSD-3-Clause
// What this trace is and what it could not see: machine, source, losses, repairs, cost.
import { LOSS_REASONS } from '../model/kinds.js';
import { countText, durationText, wallText } from '../layout/time_text.js';
import { el, table } from './dom.js';

/** @param {any} app */
export function aboutPanel(app) {
  const { trace } = app;
  const h = trace.header;
  const facts = [
    ['host', h.host || 'not recorded'], ['kernel', h.kernel || 'not recorded'],
    ['CPU', h.cpu_model || 'not recorded'], ['CPUs', String(trace.cpus.length)],
    ['recorded', `${durationText(trace.duration)} from ${wallText(trace.wallMs(trace.begin), 6)}`],
    ['spans', countText(trace.spans)], ['events', countText(h.events)],
    ['clock tick', h.ns_per_tick ? `${Number(h.ns_per_tick.toPrecision(6))} ns` : 'unknown'],
  ];
  const unseen = h.meta.filter(([key]) => key === 'unseen').map(([, value]) => value);
  const rest = h.meta.filter(([key]) => key !== 'unseen');
  const list = (pairs) => el('dl', {}, ...pairs.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, String(v))]));
  const counts = (title, object, none) => {
    const pairs = Object.entries(object).map(([k, v]) => [k, countText(v)]);
    return [el('h3', {}, title), pairs.length ? list(pairs) : el('p', { class: 'quiet' }, none)];
  };
  return el('div', {}, el('h2', {}, 'About this trace'), list(facts),
    el('h3', {}, 'What it could not see'),
    unseen.length ? el('ul', {}, ...unseen.map((text) => el('li', {}, text)))
      : el('p', { class: 'quiet' }, 'The recorder reported nothing that it could not see.'),
    el('h3', {}, 'Losses'),
    trace.losses.length ? table(['CPU', 'at', 'for', 'entries', 'reason'],
      trace.losses.slice(0, 100).map((l) => [l.cpu, durationText(l.begin), durationText(l.end - l.begin),
        l.entries < 0 ? 'unknown' : countText(l.entries), LOSS_REASONS[l.reason] ?? l.reason]),
      (i) => app.navigation.show(trace.losses[i].begin, trace.losses[i].end))
      : el('p', { class: 'quiet' }, 'Nothing was lost.'),
    ...counts('Repairs', h.repairs, 'No call or return had to be repaired.'),
    ...counts('Damage', h.damage, 'The file was whole.'),
    el('h3', {}, 'From the recorder'), rest.length ? list(rest)
      : el('p', { class: 'quiet' }, 'The recorder left no notes (cost, source).'));
}
