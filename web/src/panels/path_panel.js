// SPDX-License-Identifier: BSD-3-Clause
// Why an interval took so long, at the side: what it passed with, and what led to its end, step by step.
import { countText, percentText } from '../model/number_text.js';
import { durationText, exactTime } from '../layout/time_text.js';
import { el } from '../base/dom.js';

/** Lines that are seen at once. */
const MOST_STEPS = 200;

/** @param {import('../app.js').App} app */
export function pathPanel(app) {
  const { path, trace } = app;
  const { asked } = path;
  if (!asked) return el('div', {}, el('h2', {}, 'Critical path'), el('p', { class: 'quiet' }, 'Pin a call, a wait or a mark and press Shift+W, or choose a request.'));
  const whole = asked.end - asked.start;
  const head = [el('h2', {}, `Why ${asked.title} took ${durationText(whole)}`), el('dl', {}, ...[['thread', trace.threadLabel(asked.thread)],
    ['begin', exactTime(asked.start)], ['exactly', `${countText(whole)} ns`]].flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)])),
  el('p', { class: 'buttons' }, el('button', { onclick: () => app.navigation.show(asked.start, asked.end) }, 'Zoom to it (F)'), el('button', { id: 'path-clear', onclick: () => path.clear() }, path.done ? 'No longer show it' : 'Stop')), ...neighbours(app)];
  if (!path.done) return el('div', {}, ...head, el('p', { class: 'quiet' }, 'walking back… ', path.progress));
  const rows = path.parts.map(({ text, ns }) => el('tr', {}, el('td', {}, text), el('td', {}, durationText(ns)), el('td', {}, percentText(ns / whole))));
  const sum = el('tfoot', {}, el('tr', {}, el('th', {}, 'all of it'), el('th', {}, durationText(whole)), el('th', {}, '')));
  const { steps } = path;
  const list = steps.slice(0, MOST_STEPS).map((step) => el('tr', { class: 'link', tabindex: 0, onclick: () => look(app, step),
    onkeydown: (/** @type {KeyboardEvent} */ e) => { if (e.key === 'Enter') look(app, step); } },
  el('td', {}, step.text), el('td', {}, step.thread > 0 ? path.text.thread(step.thread) : ''), el('td', {}, step.cpu >= 0 ? String(step.cpu) : ''), el('td', {}, durationText(step.end - step.begin))));
  return el('div', {}, ...head, el('h3', {}, 'What it passed with'), el('table', { class: 'blame', id: 'path-parts' }, el('tbody', {}, ...rows), sum),
    el('h3', {}, 'What led to its end, step by step'), el('table', { class: 'blame', id: 'path-steps' }, el('thead', {}, el('tr', {}, ...['', 'thread', 'CPU', 'took'].map((text) => el('th', {}, text)))), el('tbody', {}, ...list)),
    steps.length > MOST_STEPS ? el('p', { class: 'quiet' }, `and ${countText(steps.length - MOST_STEPS)} more: kutrace why lists all of them`) : null);
}

/** To the next slowest request, where it is one that stands in the table. @param {import('../app.js').App} app @returns {Node[]} */
function neighbours({ requests, path: { asked } }) {
  const { chosen, list, count } = requests;
  const at = chosen && asked && chosen.start === asked.start && chosen.end === asked.end ? list.indexOf(chosen) : -1;
  if (at < 0) return [];
  return [el('p', { class: 'buttons' }, el('button', { onclick: () => requests.step(-1) }, '← slower'), el('button', { id: 'next-request', title: 'Key Shift+T', onclick: () => requests.step(1) }, 'next slowest → (Shift+T)'),
    el('span', { class: 'quiet' }, ` number ${countText(at + 1)} of the ${countText(list.length)} slowest of ${countText(count)}`))];
}

/** To one step, near enough to see it. @param {import('../app.js').App} app @param {import('../state/path.js').Step} step */
function look(app, { begin, end, cpu, thread }) {
  const row = (thread > 0 ? app.rowList.open(-1, thread) : undefined) ?? (cpu >= 0 ? app.rowList.open(cpu, -1) : undefined);
  app.navigation.show(begin, end);
  if (row) app.navigation.revealRow(row);
}
