// SPDX-License-Identifier: BSD-3-Clause
// The page's start: reads header and overview as soon as they are parsed, shows the whole trace,
// and joins model, layout, drawing, input and panels through one state object.
import { Trace } from './model/trace.js';
import { Store, blockText } from './model/store.js';
import { unpackBlock } from './model/inflate.js';
import { decodeOverview } from './model/overview.js';
import { decodeSlab } from './model/slab.js';
import { EXECUTION_KINDS, KIND } from './model/kinds.js';
import { compileQuery } from './model/query.js';
import { addMatches, addUsage, noMatches, noUsage, searchOverlays, usageOfOverlays } from './model/scan.js';
import { layOutRows, rowsHeight } from './layout/rows.js';
import { neighbour, overlayAt, spanAt, wakerOf } from './layout/hit.js';
import { countText, durationText, exactTime, wallText } from './layout/time_text.js';
import { makePalette } from './draw/palette.js';
import { MOST_ARCS, Picture } from './draw/picture.js';
import { drawAxis } from './draw/axis.js';
import { drawMinimap } from './draw/minimap.js';
import { drawGutter } from './draw/gutter.js';
import { listenToKeys } from './input/keyboard.js';
import { listenToMinimap, listenToPlot } from './input/gestures.js';
import { byId, el } from './panels/dom.js';
import { detailsPanel, hoverCard, spanTitle } from './panels/details.js';
import { usagePanel } from './panels/usage.js';
import { legendPanel } from './panels/legend.js';
import { aboutPanel } from './panels/about.js';
import { helpContent } from './panels/help.js';

/** @type {string} put in by build.mjs */
const workerSource = WORKER_SOURCE;

const SORTS = ['time', 'name', 'pid'];
const SHORTEST_VIEW = 20;  // ns

/** Measured for the tests: script time of each frame, when the first picture stood. */
export const timing = { frames: /** @type {number[]} */ ([]), firstPaint: 0, refined: 0 };

/** @param {string} text */
function trouble(text) {
  const box = byId('trouble');
  box.textContent = text;
  box.hidden = false;
}

/** What a viewer remembers between pages; a browser may refuse it. */
const memory = {
  get: (/** @type {string} */ key) => { try { return localStorage.getItem(`kutrace-${key}`); } catch { return null; } },
  set: (/** @type {string} */ key, /** @type {string} */ value) => {
    try { localStorage.setItem(`kutrace-${key}`, value); } catch { /* not remembered then */ }
  },
};

class App {
  /**
   * @param {Trace} trace
   * @param {import('./model/overview.js').Overview} overview
   * @param {import('./model/slab.js').Overlays} longOverlays
   */
  constructor(trace, overview, longOverlays) {
    this.trace = trace;
    this.overview = overview;
    this.longOverlays = longOverlays;
    const pad = trace.duration * 0.005;
    this.view = { t0: trace.begin - pad, t1: trace.end + pad, top: 0 };
    /** @type {{t0: number, t1: number, top: number}[]} */
    this.past = [];
    /** @type {{t0: number, t1: number, top: number}[]} */
    this.future = [];
    const dark = memory.get('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    this.options = { arcs: true, waits: true, marks: true, ipc: false,
      theme: /** @type {'light' | 'dark'} */ (dark), safe: memory.get('safe') === 'true' };
    this.rowOptions = { folded: new Set(), rowFilter: '', sort: 'time', cpuBusy: cpuBusy(trace, overview) };
    this.rows = layOutRows(trace, this.rowOptions);
    this.palette = makePalette(this.options.theme, this.options.safe);
    /** @type {any[]} */
    this.pins = [];
    /** @type {{t0: number, t1: number} | null} */
    this.selection = null;
    /** @type {import('./model/query.js').Query | null} */
    this.query = null;
    /** @type {import('./model/scan.js').Matches | null} */
    this.matches = null;
    this.matchAt = -1;
    this.searchRun = 0;
    this.usageRun = 0;
    this.hoverRow = -1;
    this.pointer = { x: -1, y: 0 };
    this.minimap = null;
    this.scheduled = false;
    this.panel = '';
    this.store = new Store(trace, workerSource);
    this.store.changed = () => this.schedule();
    this.store.problem = trouble;
    this.picture = new Picture(byId('bars'), byId('over'), this);
  }

  start() {
    document.title = `${this.trace.title || 'kutrace'} – kutrace`;
    byId('title').textContent = this.trace.title || 'kutrace';
    byId('title').title = this.trace.title;
    const { header } = this.trace;
    byId('facts').textContent = [header.host, `${durationText(this.trace.duration)}`,
      `${this.trace.cpus.length} CPUs`, `${countText(this.trace.spans)} spans`].filter(Boolean).join(' · ');
    byId('help-body').append(helpContent());
    this.#tools();
    this.#listen();
    this.applyTheme();
    this.resize();
    this.draw();
    requestAnimationFrame(() => { timing.firstPaint = performance.now(); });
  }

  #tools() {
    const buttons = [
      ['arcs', 'Arcs', 'Wakeup and interrupt arcs (Y)'], ['waits', 'Waits', 'Why threads wait (Q)'],
      ['ipc', 'IPC', 'Instructions per cycle (I)'], ['legend', 'Legend', 'Legend (L)'],
      ['about', 'About', 'About this trace: machine, losses, cost'],
      ['theme', 'Dark', 'Light or dark (T)'], ['safe', 'CB', 'Colour-blind palette (C)'],
      ['help', '?', 'Help (?)'],
    ];
    for (const [id, text, title] of buttons) {
      byId('tools').append(el('button', { id: `tool-${id}`, title, onclick: () => this.toggle(id) }, text));
    }
    byId('tool-ipc').disabled = (this.trace.header.flags & 0xa0) === 0;
    if (byId('tool-ipc').disabled) byId('tool-ipc').title = 'Instructions per cycle were not recorded';
  }

  /** @param {string} id */
  toggle(id) {
    if (id === 'help') byId('help').open ? byId('help').close() : byId('help').showModal();
    else if (id === 'legend' || id === 'about') this.openPanel(this.panel === id ? '' : id);
    else if (id === 'theme') {
      this.options.theme = this.options.theme === 'dark' ? 'light' : 'dark';
      memory.set('theme', this.options.theme);
      this.applyTheme();
    } else if (id === 'safe') {
      this.options.safe = !this.options.safe;
      memory.set('safe', String(this.options.safe));
      this.applyTheme();
    } else {
      const options = /** @type {any} */ (this.options);
      options[id] = !options[id];
    }
    this.schedule();
  }

  applyTheme() {
    document.documentElement.dataset.theme = this.options.theme;
    this.palette = makePalette(this.options.theme, this.options.safe);
    if (this.panel === 'legend') this.openPanel('legend');
    this.schedule();
  }

  /** @param {string} id @param {Node} [content] */
  openPanel(id, content) {
    this.panel = id;
    const wasHidden = byId('side').hidden;
    byId('side').hidden = id === '';
    const body = content ?? (id === 'legend' ? legendPanel(this) : id === 'about' ? aboutPanel(this) : '');
    byId('side-body').replaceChildren(body);
    if (wasHidden !== byId('side').hidden) this.resize();
    this.schedule();
  }

  resize() {
    const plot = byId('plot').getBoundingClientRect();
    this.picture.resize(Math.max(50, plot.width), Math.max(20, plot.height));
    this.size = { width: Math.max(50, Math.round(plot.width)), height: Math.max(20, Math.round(plot.height)) };
    this.layOut();
  }

  layOut() {
    this.rows = layOutRows(this.trace, this.rowOptions);
    byId('scroll').firstElementChild.style.height = `${rowsHeight(this.rows) + 30}px`;
    this.setTop(this.view.top);
  }

  /** @param {number} top */
  setTop(top) {
    const most = Math.max(0, rowsHeight(this.rows) + 30 - this.picture.height);
    this.view.top = Math.max(0, Math.min(most, Math.round(top)));
    byId('scroll').scrollTop = this.view.top;
    this.schedule();
  }

  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  draw() {
    const begin = performance.now();
    const plan = this.picture.draw();
    drawAxis(byId('axis'), byId('base'), this, this.picture.width);
    drawMinimap(byId('minimap'), this, Math.round(this.picture.width), 48);
    drawGutter(byId('gutter'), this, byId('gutter').clientWidth, this.picture.height);
    this.#status(plan);
    timing.frames.push(performance.now() - begin);
    if (timing.frames.length > 5000) timing.frames.splice(0, 1000);
    if (!plan.refining) timing.refined = performance.now();
  }

  /** @param {any} plan */
  #status(plan) {
    byId('refining').hidden = !plan.refining;
    for (const id of ['arcs', 'waits', 'ipc', 'safe']) {
      byId(`tool-${id}`).setAttribute('aria-pressed', String(/** @type {any} */ (this.options)[id]));
    }
    for (const id of ['legend', 'about']) byId(`tool-${id}`).setAttribute('aria-pressed', String(this.panel === id));
    byId('tool-theme').textContent = this.options.theme === 'dark' ? 'Light' : 'Dark';
    const { view } = this;
    const notes = [];
    if (!plan.detailed && !plan.refining) notes.push('overview: zoom in for arcs, waits and names');
    else if (this.options.arcs && this.picture.arcCount > MOST_ARCS) {
      notes.push(`${countText(this.picture.arcCount)} arcs in view, drawn from ${MOST_ARCS} down: zoom in`);
    }
    byId('hint').textContent = notes.join(' · ')
      || 'wheel: zoom · drag: move · click: pin · shift-drag: where did the time go? · ?: help';
    byId('view-text').textContent = `${exactTime(view.t0)} … ${exactTime(view.t1)} (${durationText(view.t1 - view.t0)}) · ${
      wallText(this.trace.wallMs(view.t0), 3)}`;
  }

  // ---- moving ------------------------------------------------------------------------------

  /** Remembers the view, at most once per burst of movement. */
  remember() {
    const now = performance.now();
    if (now - (this.remembered ?? -1e9) > 700) {
      this.past.push({ ...this.view });
      if (this.past.length > 200) this.past.shift();
      this.future = [];
    }
    this.remembered = now;
  }

  /** @param {number} t0 @param {number} t1 */
  setView(t0, t1) {
    const { trace } = this;
    const pad = trace.duration * 0.02;
    let span = Math.max(SHORTEST_VIEW, Math.min(t1 - t0, trace.duration + 2 * pad));
    t0 = Math.max(trace.begin - pad, Math.min(t0, trace.end + pad - span));
    this.remember();
    this.view.t0 = t0;
    this.view.t1 = t0 + span;
    this.schedule();
  }

  /** @param {number} x @param {number} factor */
  zoomAt(x, factor) {
    const { t0, t1 } = this.view;
    const at = t0 + (t1 - t0) * x / this.picture.width;
    const span = Math.max(SHORTEST_VIEW, (t1 - t0) * factor);
    const ratio = span / (t1 - t0);
    this.setView(at - (at - t0) * ratio, at - (at - t0) * ratio + span);
  }

  /** @param {number} dx @param {number} dy pixels */
  pan(dx, dy) {
    const step = (this.view.t1 - this.view.t0) / this.picture.width;
    if (dx !== 0) this.setView(this.view.t0 - dx * step, this.view.t1 - dx * step);
    if (dy !== 0) this.setTop(this.view.top - dy);
  }

  /** A range with some room around it. @param {number} t0 @param {number} t1 */
  show(t0, t1) {
    const room = Math.max((t1 - t0) * 0.25, 100);
    this.remembered = -1e9;
    this.setView(t0 - room, t1 + room);
  }

  whole() {
    this.show(this.trace.begin, this.trace.end);
  }

  /** @param {any[]} from @param {any[]} to */
  travel(from, to) {
    const view = from.pop();
    if (!view) return;
    to.push({ ...this.view });
    this.remembered = performance.now() + 1e9;
    Object.assign(this.view, view);
    this.setTop(view.top);
    this.remembered = -1e9;
  }

  // ---- looking -----------------------------------------------------------------------------

  /** @param {number} x @param {number} y */
  find(x, y) {
    const row = this.picture.visible?.find((/** @type {any} */ r) => y + this.view.top >= r.top
      && y + this.view.top < r.top + r.height);
    if (!row || (row.cpu < 0 && row.thread < 0)) return null;
    const perPixel = (this.view.t1 - this.view.t0) / this.picture.width;
    const time = this.view.t0 + x * perPixel;
    const { slabs } = this.picture.lastPlan;
    const { what } = this.trace;
    const overlays = [this.longOverlays, ...slabs.map((/** @type {any} */ s) => s.overlays)];
    const mark = overlayAt(overlays.map((o) => o), row, time, perPixel * 4, what);
    if (mark && what[mark.kind] === KIND.mark) return mark;
    const span = spanAt(slabs, row, time, perPixel, what);
    return span ?? (row.thread >= 0 ? mark : null);
  }

  /** @param {number | null} x @param {number} [y] */
  hover(x, y = 0) {
    const card = byId('card');
    if (x === null) {
      card.hidden = true;
      return;
    }
    this.pointer = { x, y };
    const row = this.picture.visible?.find((/** @type {any} */ r) => y + this.view.top >= r.top
      && y + this.view.top < r.top + r.height);
    if ((row?.top ?? -1) !== this.hoverRow) {
      this.hoverRow = row?.top ?? -1;
      this.schedule();
    }
    const found = this.find(x, y);
    const content = found ? hoverCard(this, found) : row && row.cpu >= 0 ? this.#bucketCard(row, x) : null;
    card.hidden = !content;
    if (!content) return;
    card.replaceChildren(content);
    const plot = byId('plot').getBoundingClientRect();
    const box = card.getBoundingClientRect();
    const left = plot.left + x + 16 + box.width > innerWidth ? plot.left + x - box.width - 12 : plot.left + x + 16;
    const top = Math.min(plot.top + y + 18, innerHeight - box.height - 8);
    card.style.left = `${Math.max(4, left)}px`;
    card.style.top = `${Math.max(4, top)}px`;
  }

  /** What the overview knows of one bucket. @param {any} row @param {number} x */
  #bucketCard(row, x) {
    if (this.picture.lastPlan.detailed) return null;
    const cpu = this.overview.cpus.get(row.cpu);
    const { t0, t1 } = this.view;
    const time = t0 + (t1 - t0) * x / this.picture.width;
    const b = Math.floor((time - this.overview.begin) / this.overview.cpuWidth);
    if (!cpu || b < 0 || b >= cpu.size) return null;
    const names = ['user', 'kernel threads', 'system calls', 'faults', 'interrupts', 'softirqs', 'scheduler',
      'idle', 'low-power idle', 'C-state exit', 'LOST'];
    const facts = names.map((name, k) => [name, cpu.shares[k][b] / 2.55]).filter(([, p]) => Number(p) > 0)
      .sort((a, b2) => Number(b2[1]) - Number(a[1]));
    const top = cpu.top[b] - 1;
    return el('div', {}, el('b', {}, `CPU ${row.cpu}, ${durationText(this.overview.cpuWidth)} at ${exactTime(this.overview.begin + b * this.overview.cpuWidth)}`),
      el('dl', {}, ...facts.flatMap(([name, p]) => [el('dt', {}, String(name)), el('dd', {}, `${Number(p).toFixed(1)} %`)])),
      top >= 0 ? el('div', { class: 'quiet' }, `longest work: ${this.trace.owner[top] > 1
        ? this.trace.threadLabel(this.trace.owner[top]) : this.trace.name(top)}`) : null);
  }

  /** @param {number} x @param {number} y */
  click(x, y) {
    const found = this.find(x, y);
    if (!found) return;
    this.pin(found);
  }

  /** @param {any} found */
  pin(found) {
    const same = this.pins.findIndex((p) => p.start === found.start && p.kind === found.kind && p.row.key === found.row.key
      && p.row.cpu === found.row.cpu && p.row.thread === found.row.thread);
    if (same >= 0) {
      this.pins.splice(same, 1);
      this.openPanel('');
      return;
    }
    found.text = `${spanTitle(this.trace, found)}  ${found.end > found.start ? durationText(found.end - found.start) : ''}`;
    this.pins.push(found);
    if (this.pins.length > 50) this.pins.shift();
    this.showDetails(found);
  }

  /** @param {any} found */
  showDetails(found) {
    const { slabs } = this.picture.lastPlan;
    const overlays = [this.longOverlays, ...slabs.map((/** @type {any} */ s) => s.overlays)];
    const waker = found.thread > 1 ? wakerOf(overlays, found.thread, found.start, this.trace.what) : null;
    this.openPanel('details', detailsPanel(this, found, {
      waker, show: (t0, t1) => this.show(t0, t1), step: (d) => this.step(d),
    }));
    byId('live').textContent = found.text;
  }

  /** Moves the last pin along its row. @param {number} d */
  step(d) {
    const pin = this.pins.at(-1);
    if (!pin) return;
    const next = neighbour(this.picture.lastPlan.slabs, pin, d);
    if (!next) return;
    this.pins.pop();
    const { t0, t1 } = this.view;
    if (next.start < t0 || next.end > t1) {
      const middle = (next.start + next.end) / 2;
      const span = Math.max(t1 - t0, (next.end - next.start) * 1.2);
      this.setView(middle - span / 2, middle + span / 2);
    }
    this.pin(next);
  }

  goToWaker() {
    const pin = this.pins.at(-1);
    if (!pin || pin.thread < 2) return;
    const overlays = [this.longOverlays, ...this.picture.lastPlan.slabs.map((/** @type {any} */ s) => s.overlays)];
    const waker = wakerOf(overlays, pin.thread, pin.start, this.trace.what);
    if (!waker) return;
    const row = this.rows.find((r) => r.thread === waker.thread) ?? this.rows.find((r) => r.cpu === waker.cpu);
    const span = row && spanAt(this.picture.lastPlan.slabs, row, waker.start, 1, this.trace.what);
    if (!span) return;
    if (waker.start < this.view.t0) this.show(waker.start, pin.end);
    this.pin(span);
  }

  // ---- selecting ---------------------------------------------------------------------------

  /** @param {number} x0 @param {number} x1 @param {boolean} done */
  select(x0, x1, done) {
    const at = (/** @type {number} */ x) => this.view.t0 + (this.view.t1 - this.view.t0) * x / this.picture.width;
    this.selection = { t0: at(Math.min(x0, x1)), t1: at(Math.max(x0, x1)) };
    this.schedule();
    if (done) this.tellUsage();
  }

  clearSelection() {
    this.selection = null;
    this.usageRun++;
    if (this.panel === 'usage') this.openPanel('');
    this.schedule();
  }

  async tellUsage() {
    if (!this.selection) return;
    const t0 = Math.max(this.trace.begin, this.selection.t0);
    const t1 = Math.min(this.trace.end, this.selection.t1);
    const run = ++this.usageRun;
    const usage = noUsage();
    usageOfOverlays(this.longOverlays, t0, t1, usage);
    this.openPanel('usage', el('p', {}, 'adding up…'));
    const slabs = this.store.touching(t0, t1);
    let parts = 0;
    const done = await this.store.scan(slabs, { kind: 'usage', t0, t1 }, (part) => {
      addUsage(usage, part);
      parts++;
      if (parts % 8 === 0) byId('side-body').replaceChildren(`adding up… ${Math.round(100 * parts / slabs.length)} %`);
    }, () => run !== this.usageRun);
    if (done && this.selection) this.openPanel('usage', usagePanel(this, usage, { t0, t1 }));
  }

  // ---- searching ---------------------------------------------------------------------------

  /** @param {string} text */
  setSearch(text) {
    byId('query').value = text;
    this.search(text);
  }

  /** @param {string} text */
  async search(text) {
    const run = ++this.searchRun;
    const found = byId('found');
    this.matchAt = -1;
    found.classList.remove('bad');
    try {
      this.query = compileQuery(text, this.trace);
    } catch (error) {
      this.query = null;
      this.matches = null;
      found.textContent = error instanceof Error ? error.message : String(error);
      found.classList.add('bad');
      this.schedule();
      return;
    }
    if (!this.query) {
      this.matches = null;
      found.textContent = '';
      this.schedule();
      return;
    }
    const matches = noMatches();
    this.matches = matches;
    found.textContent = 'searching…';
    const { query } = this;
    searchOverlays(this.longOverlays, query, matches);
    const all = this.trace.slabs.map((_, i) => i);
    const done = await this.store.scan(all, { kind: 'search', query }, (part) => {
      addMatches(matches, part);
      this.schedule();
    }, () => run !== this.searchRun);
    if (!done) return;
    matches.hits.sort((a, b) => a.start - b.start);
    this.tellMatches();
    this.schedule();
  }

  tellMatches() {
    const { matches } = this;
    if (!matches) return;
    const at = this.matchAt >= 0 ? `${countText(this.matchAt + 1)} of ` : '';
    byId('found').textContent = matches.count === 0 ? 'no match'
      : `${at}${countText(matches.count)} · total ${durationText(matches.total)} · min ${durationText(matches.min)} · max ${durationText(matches.max)}`;
    byId('found').title = matches.count > matches.hits.length
      ? `Stepping goes through the first ${countText(matches.hits.length)} matches` : '';
  }

  /** @param {number} d */
  goToMatch(d) {
    const hits = this.matches?.hits ?? [];
    if (hits.length === 0) return;
    if (this.matchAt < 0) {
      const after = hits.findIndex((hit) => hit.start >= this.view.t0);
      this.matchAt = d > 0 ? Math.max(0, after) : hits.length - 1;
    } else {
      this.matchAt = (this.matchAt + d + hits.length) % hits.length;
    }
    const hit = hits[this.matchAt];
    const length = hit.end - hit.start;
    const span = this.view.t1 - this.view.t0;
    // Close enough to see it: a match takes a hundredth of the view or more.
    const wanted = length === 0 ? Math.min(span, 100_000) : Math.min(Math.max(span, length * 1.5), length * 60);
    const middle = (hit.start + hit.end) / 2;
    this.setView(middle - wanted / 2, middle + wanted / 2);
    const row = this.rows.find((r) => (hit.cpu >= 0 ? r.cpu === hit.cpu : r.thread === hit.thread));
    if (row && (row.top < this.view.top || row.top + row.height > this.view.top + this.picture.height)) {
      this.setTop(row.top - this.picture.height / 3);
    }
    if (row) {
      const pin = { ...hit, arg: 0, result: 0, ipc: -1, rpc: 0, row, folded: 1, search: true, text: '' };
      pin.text = `${spanTitle(this.trace, pin)}  ${durationText(length)}`;
      this.pins = this.pins.filter((p) => !p.search);
      this.pins.push(pin);
    }
    this.tellMatches();
  }

  escape() {
    if (byId('help').open) return;
    byId('card').hidden = true;
    if (this.pins.length > 0 || this.selection) {
      this.pins = [];
      this.clearSelection();
      this.openPanel('');
    } else if (this.query) {
      this.setSearch('');
    } else {
      this.openPanel('');
    }
    this.schedule();
  }

  #listen() {
    listenToPlot(byId('plot'), {
      zoomAt: (/** @type {number} */ x, /** @type {number} */ f) => this.zoomAt(x, f),
      pan: (/** @type {number} */ dx, /** @type {number} */ dy) => this.pan(dx, dy),
      hover: (/** @type {any} */ x, /** @type {any} */ y) => this.hover(x, y),
      click: (/** @type {number} */ x, /** @type {number} */ y) => this.click(x, y),
      select: (/** @type {number} */ a, /** @type {number} */ b, /** @type {boolean} */ d) => this.select(a, b, d),
      whole: () => this.whole(),
    });
    listenToMinimap(byId('minimap'), (x, start) => {
      const { trace } = this;
      const middle = trace.begin + trace.duration * x / this.picture.width;
      let span = this.view.t1 - this.view.t0;
      if (start && span > trace.duration * 0.9) span = trace.duration / 10;
      this.setView(middle - span / 2, middle + span / 2);
    });
    const gutter = byId('gutter');
    gutter.addEventListener('wheel', (/** @type {WheelEvent} */ e) => {
      e.preventDefault();
      this.setTop(this.view.top + e.deltaY);
    }, { passive: false });
    gutter.addEventListener('click', (/** @type {MouseEvent} */ e) => {
      const y = e.offsetY + this.view.top;
      const row = this.rows.find((r) => y >= r.top && y < r.top + r.height);
      if (!row?.key) return;
      const { folded } = this.rowOptions;
      if (folded.has(row.key)) folded.delete(row.key);
      else folded.add(row.key);
      this.layOut();
    });
    byId('scroll').addEventListener('scroll', () => {
      if (Math.abs(byId('scroll').scrollTop - this.view.top) > 1) this.setTop(byId('scroll').scrollTop);
    });
    byId('query').addEventListener('input', () => this.search(byId('query').value));
    byId('search').addEventListener('submit', (/** @type {Event} */ e) => {
      e.preventDefault();
      this.goToMatch(1);
    });
    byId('next').addEventListener('click', () => this.goToMatch(1));
    byId('previous').addEventListener('click', () => this.goToMatch(-1));
    byId('row-filter').addEventListener('input', () => {
      this.rowOptions.rowFilter = byId('row-filter').value;
      this.layOut();
    });
    byId('side-close').addEventListener('click', () => this.openPanel(''));
    new ResizeObserver(() => this.resize()).observe(byId('plot'));
    this.#keys();
  }

  #keys() {
    const x = () => (this.pointer.x >= 0 ? this.pointer.x : this.picture.width / 2);
    const far = (/** @type {KeyboardEvent} */ e) => this.picture.width * (e.shiftKey ? 0.6 : 0.12);
    const right = (/** @type {KeyboardEvent} */ e) => this.pan(-far(e), 0);
    const left = (/** @type {KeyboardEvent} */ e) => this.pan(far(e), 0);
    listenToKeys(this, {
      w: () => this.zoomAt(x(), 0.7), s: () => this.zoomAt(x(), 1 / 0.7),
      '+': () => this.zoomAt(x(), 0.7), '-': () => this.zoomAt(x(), 1 / 0.7),
      a: left, d: right, arrowleft: left, arrowright: right,
      arrowup: () => this.setTop(this.view.top - 60), arrowdown: () => this.setTop(this.view.top + 60),
      pageup: () => this.setTop(this.view.top - this.picture.height * 0.9),
      pagedown: () => this.setTop(this.view.top + this.picture.height * 0.9),
      home: () => this.setTop(0), end: () => this.setTop(1e9),
      0: () => this.whole(),
      f: () => {
        const target = this.selection ?? (this.pins.at(-1) && { t0: this.pins.at(-1).start, t1: this.pins.at(-1).end });
        if (target) this.show(target.t0, target.t1);
      },
      m: () => {
        this.selection = { t0: this.view.t0, t1: this.view.t1 };
        this.tellUsage();
      },
      z: () => this.travel(this.past, this.future), x: () => this.travel(this.future, this.past),
      '/': () => byId('query').focus(), n: (e) => this.goToMatch(e.shiftKey ? -1 : 1),
      ',': () => this.step(-1), '.': () => this.step(1), '[': () => this.goToWaker(),
      y: () => this.toggle('arcs'), q: () => this.toggle('waits'),
      i: () => { if (!byId('tool-ipc').disabled) this.toggle('ipc'); },
      l: () => this.toggle('legend'), t: () => this.toggle('theme'), c: () => this.toggle('safe'),
      r: () => {
        this.rowOptions.sort = SORTS[(SORTS.indexOf(this.rowOptions.sort) + 1) % SORTS.length];
        this.layOut();
      },
      '?': () => this.toggle('help'), escape: () => this.escape(),
    });
  }
}

/**
 * Each CPU's share of time that was neither idle nor lost.
 * @param {Trace} trace
 * @param {import('./model/overview.js').Overview} overview
 */
function cpuBusy(trace, overview) {
  const busy = new Map();
  for (const [cpu, { shares, size }] of overview.cpus) {
    let sum = 0;
    for (let k = 0; k < EXECUTION_KINDS; k++) {
      if (k === KIND.idle || k === KIND.idleLowPower || k === KIND.cExit || k === KIND.loss) continue;
      for (let b = 0; b < size; b++) sum += shares[k][b];
    }
    busy.set(cpu, Math.min(1, sum / 255 * overview.cpuWidth / trace.duration));
  }
  return busy;
}

/** @type {App | null} */
export let app = null;
let complete = false;

/** Called by the page when header and overview have been parsed. */
export async function begin() {
  try {
    if (typeof DecompressionStream === 'undefined') {
      throw new Error('This browser is too old for this page: it needs Chrome 103, Firefox 113 or Safari 16.4.');
    }
    const text = new TextDecoder().decode(await unpackBlock(blockText('kutrace-header') ?? '', null));
    const trace = new Trace(JSON.parse(text));
    const { header } = trace;
    const overview = decodeOverview(await unpackBlock(blockText('kutrace-overview') ?? '', header.overview));
    const long = decodeSlab(await unpackBlock(blockText('kutrace-long') ?? '', header.long), trace.what, trace.owner);
    app = new App(trace, overview, long.overlays);
    app.start();
    if (complete) app.schedule();
  } catch (error) {
    trouble(`This page cannot show its trace. ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Called at the end of the file: every slab is there. */
export { finished as complete };
function finished() {
  complete = true;
  app?.schedule();
}

document.addEventListener('DOMContentLoaded', () => {
  if (!complete) trouble('This page is cut short: its end is missing, so some of the trace cannot be shown.');
});
