// SPDX-License-Identifier: BSD-3-Clause
// The buttons at the top and the line at the bottom, kept in step with what is shown.
import { KIND_TEXT } from '../model/kinds.js';
import { countText, counted, percentText } from '../model/number_text.js';
import { durationText, exactTime, wallText } from '../layout/time_text.js';
import { FEW_ARCS, MOST_ARCS } from '../draw/arcs.js';
import { lostShare } from './about.js';
import { byId, el } from '../base/dom.js';

/** Name, text, title. @type {[string, string, string][]} */
const MENUS = [
  ['show', 'Show ▾', 'What is drawn over the bars'], ['export', 'Export ▾', 'Pictures, links and copies of this page'],
];
/** @type {[string, string, string][]} */
const PANELS = [
  ['requests', 'Requests', 'The slowest RPCs, marks and requests, and what each passed with (Shift+Q)'],
  ['views', 'Views', 'Saved views, notes, links, copies of this page (G)'], ['legend', 'Legend', 'Legend: what each shape means (L)'],
  ['about', 'About', 'About this trace: machine, losses, cost (O)'],
  ['options', 'Options', 'Colours, theme, what the wheel does'],
];

/** @param {import('../app.js').App} app */
export function makeToolbar(app) {
  const { trace } = app;
  document.title = `${trace.title || 'kutrace'} – kutrace`;
  byId('title').textContent = trace.title || 'kutrace';
  byId('title').title = trace.title;
  byId('facts').textContent = [trace.header.host, durationText(trace.duration), trace.cpusText,
    counted(trace.spans, 'span')].filter(Boolean).join(' · ');
  showLoss(app);
  const button = (/** @type {[string, string, string]} */ [id, text, title], /** @type {object} */ more) => (
    el('button', { id: `tool-${id}`, title, onclick: () => app.toggle(id), ...more }, text));
  byId('tools').append(...MENUS.map((one) => button(one, { 'aria-haspopup': 'menu' })),
    ...PANELS.map((one) => button(one, { 'data-panel': one[0], 'aria-controls': one[0] === 'requests' ? 'drawer' : 'side' })),
    button(['help', '?', 'Help: all keys and gestures (?)'], {}));
}

/** What is missing is said before anyone looks for it. @param {import('../app.js').App} app */
function showLoss(app) {
  const { lost, share } = lostShare(app.trace);
  const badge = byId('lost');
  badge.hidden = app.trace.losses.length === 0;
  badge.textContent = lost > 0 ? `${percentText(share)} lost` : 'events lost';
  badge.title = `${lost > 0 ? `${durationText(lost)} of CPU time is not known` : "Events were lost, but no CPU's time"}: click for where and why`;
  badge.addEventListener('click', () => app.side.open('about'));
}

/** @param {import('../app.js').App} app @param {any} plan of the frame */
export function showStatus(app, plan) {
  const { view, trace } = app;
  byId('refining').hidden = !plan.refining && !app.waiting;
  for (const [id] of PANELS) byId(`tool-${id}`).setAttribute('aria-pressed', String([app.side.panel, app.drawer.panel].includes(id)));
  byId('hint').textContent = hint(app, plan);
  const { zero, on } = app.alignment;
  const after = on ? 'after each row’s begin' : wallText(trace.wallUsec(view.t0), 3);
  byId('view-text').textContent = `${exactTime(view.t0 - zero)} … ${exactTime(view.t1 - zero)} (${durationText(view.t1 - view.t0)})${after && ` · ${after}`}`;
}

const HINTS = {
  zoom: 'wheel: zoom · drag: move · click: pin · drag on the axis: where did the time go? · ?: help',
  scroll: 'Ctrl + wheel: zoom · wheel: rows · click: pin · drag: where did the time go? · ?: help',
};

/** @param {import('../app.js').App} app @param {any} plan */
function hint(app, plan) {
  if (!plan.detailed && !plan.refining) {
    const named = (/** @type {number[]} */ kinds) => kinds.map((kind) => KIND_TEXT[kind][0]).join(', ');
    const { joined, left } = app.far;
    return `overview: zoom in for names and single spans${joined.length > 0 ? `; one for many: ${named(joined)}` : ''}${
      left.length > 0 ? `; too many from afar: ${named(left)}` : ''}`;
  }
  if (!app.picture.arcs.all) {
    return app.options.allArcs ? `of all arcs in view at most the ${MOST_ARCS} longest are drawn: zoom in for the others`
      : `more than ${FEW_ARCS} arcs in view: point at a span or pin it to see its own, zoom in for the others`;
  }
  return HINTS[app.options.wheel];
}
