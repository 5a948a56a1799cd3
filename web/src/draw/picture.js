// SPDX-License-Identifier: BSD-3-Clause
// One frame of the plot. In: view, rows, what is decoded; out: bars on one canvas, the rest on the
// other. Draws from decoded spans where all of them are there, else from the overview.
import { KIND } from '../model/kinds.js';
import {
  Columns, addCpuOverview, addRow, addThreadOverview, cpuSpans, light, threadSpans,
} from '../layout/columns.js';
import { visibleRows } from '../layout/rows.js';
import { timeTicks } from '../layout/time_text.js';
import { Raster } from './raster.js';
import { userColour, waitText, pixelOf } from './palette.js';
import {
  drawArcs, drawLabels, drawMarks, drawPins, drawSelection, drawWaitNames,
} from './overlay.js';

/** A view that touches more slabs than this is drawn from the overview. */
const MOST_SLABS = 20;
export const MOST_ARCS = 120;

/** @type {WeakMap<object, Record<'waits' | 'arcs' | 'marks', Uint32Array>>} */
const sorted = new WeakMap();

/**
 * Positions of the overlays of each sort, found once.
 * @param {import('../model/slab.js').Overlays} overlays
 * @param {Uint8Array} what
 */
function overlaysBySort(overlays, what) {
  const known = sorted.get(overlays);
  if (known) return known;
  /** @type {Record<'waits' | 'arcs' | 'marks', number[]>} */
  const lists = { waits: [], arcs: [], marks: [] };
  for (let i = 0; i < overlays.count; i++) {
    const kind = what[overlays.kind[i]];
    if (kind >= KIND.wait && kind <= KIND.lockWanted) lists.waits.push(i);
    else if (kind >= KIND.wakeupArc) lists.arcs.push(i);
    else if (kind === KIND.mark) lists.marks.push(i);
  }
  const out = { waits: Uint32Array.from(lists.waits), arcs: Uint32Array.from(lists.arcs),
    marks: Uint32Array.from(lists.marks) };
  sorted.set(overlays, out);
  return out;
}

export class Picture {
  /**
   * @param {HTMLCanvasElement} bars
   * @param {HTMLCanvasElement} over
   * @param {any} app
   */
  constructor(bars, over, app) {
    this.raster = new Raster(bars);
    this.over = over;
    this.context = /** @type {CanvasRenderingContext2D} */ (over.getContext('2d'));
    this.app = app;
    this.columns = new Columns(1);
    this.ratio = 1;
    this.width = 1;
    this.height = 1;
    /** @type {import('../layout/rows.js').Row[]} rows of the last frame */
    this.visible = [];
    /** @type {{x0: number, x1: number, y: number, reason: string, colour: string}[]} */
    this.waitNames = [];
    this.arcCount = 0;
    /** @type {{detailed: boolean, slabs: import('../model/slab.js').Slab[], needed: number[],
     *          refining: boolean}} of the last frame */
    this.lastPlan = { detailed: false, slabs: [], needed: [], refining: false };
    this.raster.what = app.trace.what;
    const { trace } = app;
    this.hue = Uint8Array.from(trace.threads, (t) => userColour(t.process >= 0 ? t.process : t.pid));
    this.userKind = new Int32Array(trace.threads.length).fill(-1);
    for (let k = 0; k < trace.kindCount; k++) if (trace.owner[k] > 1) this.userKind[trace.owner[k]] = k;
  }

  /** @param {number} width @param {number} height CSS pixels */
  resize(width, height) {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.ratio = ratio;
    this.width = width;
    this.height = height;
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    this.raster.resize(w, h);
    this.over.width = w;
    this.over.height = h;
    if (this.columns.width !== w) this.columns = new Columns(w);
  }

  /** Which slabs the view needs, and whether to draw from them. */
  plan() {
    const { view, store, overview, trace } = this.app;
    const needed = store.touching(view.t0, view.t1);
    const scale = this.width / (view.t1 - view.t0);
    const fine = overview.cpuWidth * scale <= 0.6 && needed.length > 4;
    const detailed = needed.length <= MOST_SLABS && !fine;
    if (!detailed) {
      store.want([]);
      return { detailed: false, slabs: [], needed, refining: false };
    }
    const around = needed.length < 6
      ? store.touching(view.t0 - (view.t1 - view.t0), view.t1 + (view.t1 - view.t0)) : [];
    store.want([...needed, ...around.slice(0, 8)]);
    const slabs = [];
    for (const number of needed) {
      const slab = store.get(number);
      if (slab) slabs.push(slab);
    }
    const all = slabs.length === needed.filter((/** @type {number} */ n) => !store.failed.has(n)).length;
    slabs.sort((a, b) => (a.start[0] ?? trace.end) - (b.start[0] ?? trace.end));
    return { detailed: all, slabs: all ? slabs : [], needed, refining: !all };
  }

  draw() {
    const { view, rows, palette, options, trace } = this.app;
    const { ratio, raster } = this;
    const plan = this.plan();
    this.lastPlan = plan;
    const scale = this.width / (view.t1 - view.t0);
    const frame = {
      width: this.width, height: this.height, ratio, palette, options, trace, scale,
      x: (/** @type {number} */ t) => (t - view.t0) * scale,
    };
    this.frame = frame;
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    raster.clear(palette.pixel.back);
    const visible = visibleRows(rows, view.top, view.top + this.height);
    this.visible = visible;
    this.#background(visible, frame);
    this.#waits(visible, plan.slabs, frame);
    const pixelView = { t0: view.t0, t1: view.t1, scale: scale * ratio };
    for (const row of visible) {
      if (row.cpu >= 0 || row.thread >= 0) this.#row(row, plan, pixelView, frame);
    }
    raster.show();
    drawWaitNames(c, this.waitNames, frame);
    if (options.arcs) this.#arcs(plan.slabs, frame);
    if (options.marks) this.#marks(plan.slabs, frame);
    if (this.app.selection) drawSelection(c, this.app.selection, frame);
    this.#pins(frame);
    return plan;
  }

  /** A row's place on the canvas, CSS pixels. @param {any} row */
  band(row) {
    const pad = row.height > 30 ? 4 : 2;
    return { top: row.top - this.app.view.top + pad, height: row.height - 2 * pad };
  }

  #background(visible, frame) {
    const { raster, ratio, app } = this;
    const { pixel } = app.palette;
    for (const row of visible) {
      const y0 = Math.round((row.top - app.view.top) * ratio);
      const y1 = Math.round((row.top + row.height - app.view.top) * ratio);
      const header = row.cpu < 0 && row.thread < 0;
      raster.fill(0, raster.width, y0, y1, header ? pixel.header : pixel.back);
      raster.fill(0, raster.width, y1 - 1, y1, pixel.grid);
    }
    for (const { time } of timeTicks(app.view.t0, app.view.t1, this.width / 110).ticks) {
      const x = Math.round(frame.x(time) * ratio);
      raster.fill(x, x + 1, 0, raster.height, pixel.grid);
    }
    const end = frame.x(app.trace.end) * ratio;
    const begin = frame.x(app.trace.begin) * ratio;
    if (end < raster.width) raster.fill(Math.max(0, end), raster.width, 0, raster.height, pixel.header);
    if (begin > 0) raster.fill(0, begin, 0, raster.height, pixel.header);
  }

  #row(row, plan, view, frame) {
    const { app, columns, ratio, raster } = this;
    columns.clear();
    const { trace, overview, query } = app;
    if (plan.detailed) {
      for (const slab of plan.slabs) {
        const spans = row.cpu >= 0 ? cpuSpans(slab, row.cpu) : threadSpans(slab, row.thread);
        if (spans) addRow(columns, spans, view, trace.what, query);
      }
    } else {
      this.#overviewRow(row, view, overview);
      if (query) this.#lightHits(row, view);
    }
    const band = this.band(row);
    const top = Math.round(band.top * ratio);
    raster.paintRow(columns, { top, height: Math.round(band.height * ratio) }, app.palette,
      (thread) => this.hue[thread] ?? 0, query !== null, row.cpu >= 0);
    drawLabels(this.context, columns.labels, band, frame);
  }

  #overviewRow(row, view, overview) {
    const { trace } = this.app;
    if (row.cpu >= 0) {
      const cpu = overview.cpus.get(row.cpu);
      const grid = { begin: overview.begin, width: overview.cpuWidth };
      if (cpu) addCpuOverview(this.columns, cpu, grid, view, trace.owner);
    } else {
      const thread = overview.threads[row.thread];
      const grid = { begin: overview.begin, width: overview.threadWidth };
      if (thread) {
        addThreadOverview(this.columns, thread, grid, view, row.thread, this.userKind[row.thread]);
      }
    }
  }

  #lightHits(row, view) {
    for (const hit of this.app.matches?.hits ?? []) {
      if (row.cpu >= 0 ? hit.cpu !== row.cpu : hit.thread !== row.thread) continue;
      light(this.columns, (hit.start - view.t0) * view.scale, (hit.end - view.t0) * view.scale);
    }
  }

  /**
   * Overlays of a sort that touch the view.
   * @param {any[]} slabs
   * @param {'waits' | 'arcs' | 'marks'} sort
   * @param {(o: import('../model/slab.js').Overlays, i: number) => boolean | void} visit  true: enough
   */
  #overlays(slabs, sort, visit) {
    const { t0, t1 } = this.app.view;
    for (const overlays of [this.app.longOverlays, ...slabs.map((/** @type {any} */ s) => s.overlays)]) {
      const { start, end } = overlays;
      const list = overlaysBySort(overlays, this.app.trace.what)[sort];
      for (let n = 0; n < list.length; n++) {
        const i = list[n];
        if (start[i] > t1) break;
        if (end[i] >= t0 && visit(overlays, i)) return;
      }
    }
  }

  #waits(visible, slabs, frame) {
    const { options, trace } = this.app;
    this.waitNames = [];
    if (!options.waits) return;
    const bands = new Map(visible.filter((r) => r.thread >= 0).map((r) => [r.thread, this.band(r)]));
    if (bands.size === 0) return;
    /** Where a row's last line ended: what lies in that pixel need not be drawn again. */
    const drawn = new Float64Array(trace.threads.length).fill(-Infinity);
    this.#overlays(slabs, 'waits', (o, i) => {
      const thread = o.thread[i];
      const x1 = frame.x(o.end[i]);
      if (x1 <= drawn[thread]) return;
      const band = bands.get(thread);
      if (!band) return;
      drawn[thread] = Math.floor(x1 * this.ratio + 1) / this.ratio;
      const event = trace.event[o.kind[i]];
      const [reason, colour] = trace.what[o.kind[i]] === KIND.wait ? waitText(event)
        : trace.what[o.kind[i]] === KIND.lockHeld ? ['lock held', '#868e96'] : ['lock wanted', '#e03131'];
      this.#waitLine(frame.x(o.start[i]), x1, band, reason, colour);
    });
  }

  #waitLine(x0, x1, band, reason, colour) {
    const { raster, ratio } = this;
    const y = band.top + band.height * 0.55;
    // Waiting for a CPU is a thick line: the thread could run and does not.
    const thick = reason === 'cpu' ? 5 : 2;
    raster.fill(x0 * ratio, x1 * ratio, Math.round((y - thick / 2) * ratio),
      Math.round((y + thick / 2) * ratio), pixelOf(colour));
    if (x1 - x0 > 70 && this.waitNames.length < 400) {
      this.waitNames.push({ x0, x1, y, reason, colour });
    }
  }

  #arcs(slabs, frame) {
    const { trace } = this.app;
    const found = [];
    this.arcCount = 0;
    this.#overlays(slabs, 'arcs', (o, i) => {
      this.arcCount++;
      if (found.length <= MOST_ARCS) found.push({ o, i });
    });
    // Too many to tell apart: none, and the status line says so.
    if (found.length > MOST_ARCS) return;
    const heights = (/** @type {number} */ cpu, /** @type {number} */ thread) => this.visible
      .filter((row) => (row.cpu >= 0 && row.cpu === cpu) || (row.thread >= 0 && row.thread === thread))
      .map((row) => ({ onCpu: row.cpu >= 0, y: this.band(row).top + this.band(row).height * 0.45 }));
    const arcs = [];
    for (const { o, i } of found) {
      const ipi = trace.what[o.kind[i]] === KIND.ipiArc;
      const to = heights(o.arg ? o.arg[i] : 0, !ipi && o.other ? o.other[i] : -1);
      for (const from of heights(o.cpu[i], ipi ? -1 : o.thread[i])) {
        for (const end of to) {
          if (from.onCpu === end.onCpu) {
            arcs.push({ x0: frame.x(o.start[i]), y0: from.y, x1: frame.x(o.end[i]), y1: end.y, ipi });
          }
        }
      }
    }
    drawArcs(this.context, arcs, frame);
  }

  #marks(slabs, frame) {
    const { trace } = this.app;
    const marks = [];
    this.#overlays(slabs, 'marks', (o, i) => {
      const event = trace.event[o.kind[i]];
      const text = event === 0x20d ? String(o.arg ? o.arg[i] : 0)
        : trace.name(o.kind[i]).replace(/^mark_[abc]=/, '');
      for (const row of this.visible) {
        if ((row.cpu >= 0 && row.cpu === o.cpu[i]) || (row.thread >= 0 && row.thread === o.thread[i])) {
          marks.push({ x: frame.x(o.start[i]), band: this.band(row), onCpu: row.cpu >= 0, event, text });
        }
      }
      return marks.length > 1000;
    });
    drawMarks(this.context, marks, marks.length <= 24, frame);
  }

  #pins(frame) {
    const { pins } = this.app;
    const drawn = [];
    for (const pin of pins) {
      const row = this.visible.find((/** @type {any} */ r) => r.cpu === pin.row.cpu && r.thread === pin.row.thread
        && r.type === pin.row.type);
      if (!row || pin.end < this.app.view.t0 || pin.start > this.app.view.t1) continue;
      drawn.push({ x0: Math.max(-4, frame.x(pin.start)), x1: Math.min(frame.width + 4, frame.x(pin.end)),
        band: this.band(row), text: pin.text });
    }
    drawPins(this.context, drawn, frame);
  }
}
