// SPDX-License-Identifier: BSD-3-Clause
// The card beside the pointer: the span under it or, zoomed out, what the overview knows there.
import { countText, percentText } from '../model/number_text.js';
import { durationText, exactTime, timeAtPixel } from '../layout/time_text.js';
import { readingText, stepAt } from '../model/readings.js';
import { hoverCard } from './details.js';
import { byId, el } from '../base/dom.js';

const NAMES = ['user', 'kernel threads', 'system calls', 'faults', 'interrupts', 'softirqs', 'scheduler',
  'idle', 'low-power idle', 'C-state exit', 'hidden', 'LOST'];

export class Hover {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** Top of the row under the pointer; -1: none. */
    this.row = -1;
    this.pointer = { x: 0, y: 0 };
    /** Whether the pointer is over the plot. */
    this.inside = false;
    /** Whose label the pointer is over. @type {import('../layout/rows.js').Row | null} */
    this.label = null;
    /** The span under the pointer, of which arcs are drawn. @type {import('../layout/hit.js').Found | null} */
    this.found = null;
    /** Id of the row that a dragged one would take the place of. */
    this.dropOn = '';
  }

  hide() {
    this.inside = false;
    byId('card').hidden = true;
    this.#cursor(-1);
    this.#look(null);
  }

  /** A new picture only if it changes: most movements stay on a span, or its arcs are drawn anyhow. @param {import('../layout/hit.js').Found | null} found */
  #look(found) {
    const { found: before, app } = this;
    if (before?.start === found?.start && before?.thread === found?.thread && before?.cpu === found?.cpu) return;
    this.found = found;
    if ((app.options.arcs && !app.picture.arcs.all) || !sameCall(before, found)) app.schedule();
  }

  /** A line through all rows at the pointer, with its time on the axis. @param {number} x */
  #cursor(x) {
    const [line, text] = [byId('cursor'), byId('cursor-time')];
    line.hidden = text.hidden = x < 0;
    if (x < 0) return;
    const { view, navigation, alignment } = this.app;
    line.style.transform = `translateX(${Math.round(x)}px)`;
    text.textContent = timeAtPixel(navigation.timeAt(x) - alignment.zero, (view.t1 - view.t0) / navigation.width);
    const room = text.offsetWidth / 2;
    text.style.transform = `translateX(${Math.round(Math.max(0, Math.min(navigation.width - 2 * room, x - room)))}px)`;
  }

  /**
   * A row's label is pointed at, or none any more; a dragged row would go to where `dropOn` is.
   * @param {import('../layout/rows.js').Row | null} row @param {string} [dropOn]
   */
  overLabel(row, dropOn = '') {
    this.label = row;
    const more = byId('row-more');
    more.hidden = row === null;
    if (row) more.style.top = `${row.top - this.app.view.top + row.height / 2}px`;
    this.#labelCard(row);
    const top = row?.top ?? -1;
    if (top === this.row && dropOn === this.dropOn) return;
    this.row = top;
    this.dropOn = dropOn;
    this.app.schedule();
  }

  /** The whole name, which may be cut, and what it adds up to. @param {import('../layout/rows.js').Row | null} row */
  #labelCard(row) {
    const card = byId('card');
    const content = row && rowCard(this.app, row);
    card.hidden = !content;
    if (!content || !row) return;
    card.replaceChildren(content);
    place(card, -8, row.top - this.app.rowList.shift(row) + row.height - 14);
  }

  /** @param {number} x @param {number} y pixels in the plot */
  show(x, y) {
    const { app } = this;
    this.pointer = { x, y };
    this.inside = true;
    this.#cursor(x);
    const row = app.looking.rowAt(y);
    if ((row?.top ?? -1) !== this.row) {
      this.row = row?.top ?? -1;
      app.schedule();
    }
    const found = app.looking.find(x, y);
    this.#look(found);
    const content = found ? hoverCard(app, found) : row && row.cpu >= 0 ? bucketCard(app, row.cpu, x)
      : row?.type === 'counter' ? counterCard(app, row, x) : null;
    const card = byId('card');
    card.hidden = !content;
    if (!content) return;
    card.replaceChildren(content);
    place(card, x, y);
  }
}

/** Whether one bracket joins both, or none either. @param {import('../layout/hit.js').Found | null} a @param {import('../layout/hit.js').Found | null} b */
const sameCall = (a, b) => a?.joined?.start === b?.joined?.start && a?.joined?.end === b?.joined?.end && (!a?.joined || a.thread === b?.thread);

/** Beside the pointer, inside the window. @param {HTMLElement} card @param {number} x @param {number} y */
function place(card, x, y) {
  const plot = byId('plot').getBoundingClientRect();
  const box = card.getBoundingClientRect();
  const left = plot.left + x + 16 + box.width > innerWidth ? plot.left + x - box.width - 12 : plot.left + x + 16;
  const top = Math.min(plot.top + y + 18, innerHeight - box.height - 8);
  card.style.left = `${Math.max(4, left)}px`;
  card.style.top = `${Math.max(4, top)}px`;
}

/** What a counter was then. @param {import('../app.js').App} app @param {import('../layout/rows.js').Row} row @param {number} x */
function counterCard({ trace, navigation }, row, x) {
  const counter = trace.counters[row.objectId];
  const time = navigation.timeAt(x);
  const step = stepAt(counter, time);
  if (step < 0 || time >= trace.end) return null;
  return el('div', {}, el('b', {}, row.label), el('dl', {},
    el('dt', {}, counter.isRate ? 'rate' : 'value'), el('dd', {}, readingText(counter, counter.value[step])),
    el('dt', {}, 'from'), el('dd', {}, exactTime(counter.at[step])),
    el('dt', {}, 'to'), el('dd', {}, exactTime(counter.at[step + 1] ?? trace.end))));
}

/** What is known of a row. @param {import('../app.js').App} app @param {import('../layout/rows.js').Row} row */
function rowCard({ trace, rowList: { options: { only } } }, row) {
  /** @type {[string, string][]} */
  const facts = [];
  const thread = trace.threads[row.thread];
  if (thread) {
    facts.push(['user mode', durationText(thread.user)], ['kernel', durationText(thread.kernel)], ['spans', countText(thread.spans)]);
    if (thread.process >= 0 && thread.process !== thread.pid) facts.push(['process', String(thread.process)]);
    if (!Number.isNaN(thread.begin)) facts.push(['lived', `${exactTime(thread.begin)} to ${exactTime(thread.end)}`]);
  }
  if (row.members.length > 0) facts.push(['threads', `${countText(row.members.length)}, folded into one row`]);
  if (row.busy >= 0) facts.push([row.type === 'cpu' ? 'busy' : 'of one CPU', percentText(row.busy)]);
  const rpc = row.type === 'rpc' ? trace.objects[row.object] : null;
  if (rpc && !Number.isNaN(rpc.begin)) facts.push(['latency', durationText(rpc.end - rpc.begin)], ['begin', exactTime(rpc.begin)]);
  if (rpc) facts.push(['spans', countText(rpc.count)], ['', only?.of === row.id ? 'a click shows all rows' : 'a click leaves the rows that took part']);
  else if (row.note && row.members.length === 0) facts.push(['', row.note]);
  return el('div', {}, el('b', {}, row.label), el('dl', {}, ...facts.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)])));
}

/** What the overview knows of one bucket. @param {import('../app.js').App} app @param {number} cpu @param {number} x */
function bucketCard(app, cpu, x) {
  const { overview, trace } = app;
  const found = overview.cpus.get(cpu);
  const bucket = Math.floor((app.navigation.timeAt(x) - overview.begin) / overview.cpuWidth);
  if (app.picture.lastPlan.detailed || !found || bucket < 0 || bucket >= found.size) return null;
  const facts = NAMES.map((name, k) => ({ name, percent: found.shares[k][bucket] / 2.55 }))
    .filter((f) => f.percent > 0).sort((a, b) => b.percent - a.percent);
  const top = found.top[bucket] - 1;
  const longest = top < 0 ? '' : trace.owner[top] > 1 ? trace.threadLabel(trace.owner[top]) : trace.name(top);
  const begin = overview.begin + bucket * overview.cpuWidth;
  return el('div', {},
    el('b', {}, `CPU ${cpu}, ${durationText(overview.cpuWidth)} at ${exactTime(begin)}`),
    el('dl', {}, ...facts.flatMap((f) => [el('dt', {}, f.name), el('dd', {}, `${f.percent.toFixed(1)} %`)])),
    longest ? el('div', { class: 'quiet' }, `longest work: ${longest}`) : null);
}
