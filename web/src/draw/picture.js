// SPDX-License-Identifier: BSD-3-Clause
// One frame of the plot. In: view, rows, what is decoded; out: bars on one canvas, the rest on the
// other. Draws from decoded spans where all of them are there, else from the overview.
import { Columns } from '../layout/columns.js';
import { rowPad } from '../layout/lanes.js';
import { userColour } from '../model/hues.js';
import { isHeading, pinnedHeight, visibleRows } from '../layout/rows.js';
import { timeTicks } from '../layout/time_text.js';
import { drawArcs } from './arcs.js';
import { drawChosenBracket } from './brackets.js';
import { drawPins, drawSelection } from './overlay.js';
import { drawPath } from './path_layer.js';
import { drawCounterRow } from './counter_rows.js';
import { drawObjectRow } from './object_rows.js';
import { Raster } from './raster.js';
import { RowBars } from './row_bars.js';

/** A view that touches more slabs than this is drawn from the overview. */
const MOST_SLABS = 8;
/** So many beside those of a view are decoded, for where it may move next. */
const MOST_AROUND = 4;
/** With buckets at least this fine, in pixels, the overview tells as much as the spans. */
const FINE_BUCKET = 1;

/** On the screen, blocks of spans may reach so far over the end of their column, in columns. */
const OVER_EDGE = 1 / 5;

/**
 * What the parts of a picture are drawn with and from.
 * @typedef {object} Frame
 * @property {number} width   CSS pixels
 * @property {number} height
 * @property {number} ratio   device pixels per CSS pixel
 * @property {any} options
 * @property {import('./palette.js').Palette} palette
 * @property {import('../model/trace.js').Trace} trace
 * @property {{t0: number, t1: number, top: number}} view
 * @property {number} scale   CSS pixels per ns
 * @property {number} overEdge
 * @property {(t: number) => number} x
 * @property {Plan} plan
 * @property {import('../model/slab.js').Overlays[]} parts  all overlays that can be drawn
 * @property {import('../layout/rows.js').Row[]} visible
 * @property {import('./raster.js').Raster} raster
 * @property {CanvasRenderingContext2D} c
 * @property {(thread: number) => number} hue  number of a thread's colour
 * @property {(row: {top: number, height: number}) => Band} band
 *
 * @typedef {{top: number, height: number}} Band  CSS pixels on the canvas
 * @typedef {{detailed: boolean, slabs: import('../model/slab.js').Slab[], needed: number[],
 *            refining: boolean}} Plan
 */

export class Picture {
  /**
   * @param {HTMLCanvasElement} bars
   * @param {HTMLCanvasElement} over
   * @param {any} app
   * @param {number} [overEdge]  0: every column holds what is in it, to the ns
   */
  constructor(bars, over, app, overEdge = OVER_EDGE) {
    this.overEdge = overEdge;
    this.raster = new Raster(bars);
    this.over = over;
    this.context = /** @type {CanvasRenderingContext2D} */ (over.getContext('2d'));
    this.app = app;
    this.columns = new Columns(1);
    this.rowBars = new RowBars(app);
    this.ratio = 1;
    this.width = 1;
    this.height = 1;
    /** @type {import('../layout/rows.js').Row[]} rows of the last frame */
    this.visible = [];
    /** Arcs of the last frame, and whether there were others that nobody asked for. */
    this.arcs = { drawn: 0, all: true };
    /** @type {Plan} of the last frame */
    this.lastPlan = { detailed: false, slabs: [], needed: [], refining: false };
    this.raster.what = app.trace.what;
    this.hue = Uint8Array.from(app.trace.threads,
      (/** @type {any} */ t) => userColour(t.process >= 0 ? t.process : t.pid));
  }

  /** @param {number} width @param {number} height CSS pixels @param {number} [ratio] @returns {boolean} whether anything changed */
  resize(width, height, ratio = Math.min(2, window.devicePixelRatio || 1)) {
    if (width === this.width && height === this.height && ratio === this.ratio) return false;
    this.ratio = ratio;
    this.width = width;
    this.height = height;
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    this.raster.resize(w, h);
    this.raster.ratio = ratio;
    this.over.width = w;
    this.over.height = h;
    if (this.columns.width !== w) this.columns = new Columns(w);
    return true;
  }

  /** Which slabs the view needs, and whether to draw from them. @returns {Plan} */
  plan() {
    const { view, store, overview, trace } = this.app;
    const needed = this.app.alignment.touching(this.visible);
    const scale = this.width / (view.t1 - view.t0);
    const fine = overview.cpuWidth * scale <= FINE_BUCKET && needed.length > 4;
    if (needed.length > MOST_SLABS || fine) {
      store.want([]);
      return { detailed: false, slabs: [], needed, refining: this.app.waiting };
    }
    const around = needed.length < 6
      ? store.touching(view.t0 - (view.t1 - view.t0), view.t1 + (view.t1 - view.t0)) : [];
    const middle = needed[needed.length >> 1] ?? 0;
    const nearest = around.filter((/** @type {number} */ n) => !needed.includes(n))
      .sort((/** @type {number} */ x, /** @type {number} */ y) => Math.abs(x - middle) - Math.abs(y - middle));
    store.want(needed, nearest.slice(0, MOST_AROUND));
    const slabs = [];
    for (const number of needed) {
      const slab = store.get(number);
      if (slab) slabs.push(slab);
    }
    const all = slabs.length === needed.filter((/** @type {number} */ n) => !store.failed.has(n)).length;
    slabs.sort((a, b) => (a.start[0] ?? trace.end) - (b.start[0] ?? trace.end));
    return { detailed: all, slabs: all ? slabs : [], needed, refining: !all };
  }

  /** @param {Plan} plan @returns {Frame} */
  #frame(plan) {
    const { view, palette, options, trace, longOverlays, far } = this.app;
    const scale = this.width / (view.t1 - view.t0);
    return {
      width: this.width, height: this.height, ratio: this.ratio, palette, options, trace, view, scale, overEdge: this.overEdge,
      x: (t) => (t - view.t0) * scale, plan,
      parts: plan.detailed ? [longOverlays, ...plan.slabs.map((slab) => slab.overlays)] : far.parts,
      visible: this.visible, raster: this.raster, c: this.context, hue: (thread) => this.hue[thread] ?? 0,
      band: (row) => {
        const pad = rowPad(row);
        return { top: row.top - view.top + pad, height: row.height - 2 * pad };
      },
    };
  }

  /** Draws once more, what lies over the bars on another canvas. @param {HTMLCanvasElement} over */
  drawOn(over) {
    this.over = over;
    this.context = /** @type {CanvasRenderingContext2D} */ (over.getContext('2d'));
    over.width = this.raster.width;
    over.height = this.raster.height;
    this.draw();
  }

  /** The frame as a row has it that is drawn earlier than it was. @param {Frame} frame @param {import('../layout/rows.js').Row} row @returns {Frame} */
  #at(frame, row) {
    const by = this.app.alignment.of(row);
    if (by === 0) return frame;
    const view = { ...frame.view, t0: frame.view.t0 + by, t1: frame.view.t1 + by };
    return { ...frame, view, x: (t) => (t - view.t0) * frame.scale };
  }

  draw() {
    for (const _ of this.steps());
  }

  /** Draws a frame, row by row. */
  * steps() {
    const { view, rows } = this.app;
    this.visible = visibleRows(rows, view.top, view.top + this.height);
    const plan = this.plan();
    this.lastPlan = plan;
    this.rowBars.brackets = 0;
    const frame = this.#frame(plan);
    const c = this.context;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    const covered = pinnedHeight(rows);
    yield* this.#rows(frame, this.visible.filter((row) => !row.pinned), covered, this.height);
    if (covered > 0) yield* this.#rows(frame, this.visible.filter((row) => row.pinned), 0, covered);
    this.raster.show();
    const { selection, reference, options, alignment, pins, hover, query } = this.app;
    this.arcs = options.arcs && !alignment.on ? drawArcs(frame, hover.found ? [...pins, hover.found] : pins, query) : { drawn: 0, all: true };
    if (reference) drawSelection(c, reference, frame, 'A  ', frame.palette.css.muted);
    if (selection && selection !== reference) drawSelection(c, selection, frame, reference ? 'B  ' : '');
    const { path } = this.app;
    if (path.pieces.length > 0) drawPath(frame, path.pieces, rows, (row) => this.#at(frame, row));
    drawPins(frame, path.pin ? [path.pin, ...pins] : pins, (row) => this.#at(frame, row));
    for (const found of hover.found ? [...pins, hover.found] : pins) this.#joinPieces(frame, found);
  }

  /** A call that is looked at, on the row of its thread, too. @param {Frame} frame @param {import('../layout/hit.js').Found} found */
  #joinPieces(frame, { joined, row, thread }) {
    if (!joined) return;
    for (const other of this.visible) {
      if (other.thread === thread || (other.id === row.id && other.thread >= 0)) drawChosenBracket(this.#at(frame, other), other, joined);
    }
  }

  /**
   * Rows that may be seen between two heights of the canvas.
   * @param {Frame} frame @param {import('../layout/rows.js').Row[]} rows @param {number} top @param {number} bottom
   */
  * #rows(frame, rows, top, bottom) {
    const { c } = frame;
    this.#background(frame, rows, top, bottom);
    c.save();
    c.beginPath();
    c.rect(0, top, this.width, bottom - top);
    c.clip();
    for (const row of rows) {
      if (isHeading(row)) continue;
      this.columns.clear();
      const own = this.#at(frame, row);
      if (row.cpu >= 0 || row.thread >= 0 || row.type === 'rpc' || row.members.length > 0) yield* this.rowBars.draw(own, row, this.columns);
      if (row.object >= 0) drawObjectRow(own, row, this.columns);
      if (row.type === 'counter') drawCounterRow(own, row);
      yield row;
    }
    c.restore();
  }

  /** @param {Frame} frame @param {import('../layout/rows.js').Row[]} rows @param {number} top @param {number} bottom */
  #background(frame, rows, top, bottom) {
    const { raster, ratio } = this;
    const { view, palette: { pixel }, trace } = frame;
    const y = (/** @type {number} */ css) => Math.round(Math.max(top, Math.min(bottom, css)) * ratio);
    raster.fill(0, raster.width, y(top), y(bottom), pixel.back);
    const { zero } = this.app.alignment;
    for (const { time } of timeTicks(view.t0 - zero, view.t1 - zero, this.width / 110).ticks) {
      const x = Math.round(frame.x(time + zero) * ratio);
      raster.fill(x, x + 1, y(top), y(bottom), pixel.grid);
    }
    for (const row of rows) {
      const y0 = y(row.top - view.top);
      const y1 = y(row.top + row.height - view.top);
      if (isHeading(row)) raster.fill(0, raster.width, y0, y1, pixel.header);
      raster.fill(0, raster.width, y1 - 1, y1, pixel.grid);
    }
    const end = frame.x(trace.end) * ratio;
    const begin = frame.x(trace.begin) * ratio;
    if (end < raster.width) raster.fill(Math.max(0, end), raster.width, y(top), y(bottom), pixel.header);
    if (begin > 0) raster.fill(0, begin, y(top), y(bottom), pixel.header);
    if (rows.some((row) => row.pinned)) raster.fill(0, raster.width, y(bottom) - 2, y(bottom), pixel.muted);
  }
}
