// SPDX-License-Identifier: BSD-3-Clause
// The row of a CPU, thread, RPC or of threads that are folded into one: bars of what ran, lines of what was waited for, samples, locks,
// instructions per cycle, marks, names. In: a frame and a row; out: pixels and text.
import { FACT, KIND, PC_KERNEL } from '../model/tables.js';
import { MOST_IPC } from '../model/ipc.js';
import { CONTENDED, reasonOf } from '../model/kinds.js';
import { heldByAnother } from '../model/contention.js';
import { NO_HUE, nameColour } from '../model/hues.js';
import { eachRange } from '../model/lit.js';
import { overlayMatches } from '../model/match.js';
import { LIST, eachOverlay } from '../model/overlays.js';
import { sumThreads, threadOverview } from '../model/overview.js';
import { PINNED, addCpuOverview, addRow, addThreadOverview, light, rowSpans } from '../layout/columns.js';
import { LEVEL, MOST_LEVELS, laneHeight, lanesOf, levelOf, namesSamples } from '../layout/lanes.js';
import { listsOfRow } from '../layout/hit.js';
import { drawBrackets } from './brackets.js';
import { drawMarks, marksOf } from './marks.js';
import { drawCost, drawIpcDials, drawLabels, drawWaitNames, fitText } from './overlay.js';

/** @typedef {import('./picture.js').Frame} Frame @typedef {import('./picture.js').Band} Band */
/** @typedef {import('../layout/rows.js').Row} Row */
/** @typedef {import('../layout/columns.js').Columns} Columns */

const NAMED_WAIT = 70;
const NAMED_SAMPLE = 60;
const NAMED_FUNCTION = 24;
const CROWDED = 5;  // CSS pixels between samples
/** So many threads of a row are added up before others may have a turn. */
const IN_A_TURN = 64;

export class RowBars {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    const { trace } = app;
    /** How many brackets the frame has. */
    this.brackets = 0;
    /** What the recorder told of its own cost, ns an event. */
    this.cost = Number(new Map(trace.header.meta).get(FACT.costNsPerEvent)) || 0;
    /** Per thread: the kind of its user mode. */
    this.userKind = new Int32Array(trace.threads.length).fill(-1);
    /** By members: where they ran, from afar. @type {WeakMap<number[], ReturnType<typeof sumThreads>>} */
    this.sums = new WeakMap();
    for (let k = 0; k < trace.kindCount; k++) if (trace.owner[k] > 1) this.userKind[trace.owner[k]] = k;
  }

  /** Draws it part by part. @param {Frame} frame @param {Row} row @param {Columns} columns  cleared */
  * draw(frame, row, columns) {
    const { options, palette, raster, ratio, plan, trace } = frame;
    const { query } = this.app;
    const view = { t0: frame.view.t0, t1: frame.view.t1, scale: frame.scale * ratio, overEdge: frame.overEdge };
    if (plan.detailed) {
      let turn = 0;
      for (const slab of plan.slabs) {
        for (const spans of rowSpans(slab, row)) {
          addRow(columns, spans, view, trace.what, query);
          if (++turn % IN_A_TURN === 0) yield;
        }
      }
    } else {
      this.#addOverview(row, columns, view);
      if (query) this.#lightHits(row, columns, view);
    }
    if (row.members.length > 0) columns.shareOut(Math.min(row.members.length, trace.cpus.length));
    if (query) this.#lightOverlays(frame, row, columns, query);
    for (const pin of this.app.pins) {
      if (pin.row.id === row.id) light(columns, frame.x(pin.start) * ratio, frame.x(pin.end) * ratio, PINNED);
    }
    const whole = frame.band(row);
    const band = this.#lanes(frame, row, whole);
    const lane = { top: Math.round(whole.top * ratio), height: Math.round(whole.height * ratio) };
    if (query) raster.paintLit(columns, lane, palette, false);
    const placed = options.marks ? this.#marks(frame, row, whole) : { marks: [], flags: false };
    const flags = placed.flags ? placed.marks : [];
    if (options.waits && row.members.length === 0) this.#waits(frame, row, columns, band, flags);
    const device = { top: Math.round(band.top * ratio), height: Math.round(band.height * ratio) };
    raster.paintRow(columns, device, palette, frame.hue, query !== null || options.pale, row.cpu >= 0);
    drawLabels(frame, columns.labels, band, flags);
    if (plan.detailed && row.thread >= 0) this.brackets += drawBrackets(frame, row, [this.app.longCalls, ...plan.slabs.map((slab) => slab.calls)]);
    if (row.cpu >= 0 && this.cost > 0) drawCost(frame, columns.labels, band, this.cost);
    if (options.ipc && columns.hasIpc) {
      raster.paintIpc(columns, device, palette, MOST_IPC);
      drawIpcDials(frame, columns.labels, band);
    }
    if (query) raster.paintLit(columns, lane, palette, true);
    drawMarks(frame, placed, whole);
  }

  /** @param {Row} row @param {Columns} columns @param {{t0: number, t1: number, scale: number}} view */
  #addOverview(row, columns, view) {
    const { trace, overview } = this.app;
    const cpu = overview.cpus.get(row.cpu);
    if (cpu) addCpuOverview(columns, cpu, { begin: overview.begin, width: overview.cpuWidth }, view, trace.owner);
    const thread = row.thread >= 0 ? threadOverview(overview, row.thread) : row.members.length > 0 ? this.#sum(row.members) : null;
    if (!thread) return;
    const grid = { begin: overview.begin, width: overview.threadWidth };
    const first = row.members[0] ?? row.thread;
    addThreadOverview(columns, thread, grid, view, first, this.userKind[first]);
  }

  /** @param {number[]} members */
  #sum(members) {
    const known = this.sums.get(members) ?? sumThreads(this.app.overview, members, this.app.trace.threads);
    this.sums.set(members, known);
    return known;
  }

  /** @param {Row} row @param {Columns} columns @param {{t0: number, scale: number}} view */
  #lightHits(row, columns, view) {
    const { matches, overview } = this.app;
    const width = row.cpu >= 0 ? overview.cpuWidth : overview.threadWidth;
    const x = (/** @type {number} */ bucket) => (overview.begin + bucket * width - view.t0) * view.scale;
    const ranges = row.cpu >= 0 ? matches?.lit.cpus : matches?.lit.threads;
    const numbers = row.cpu >= 0 ? [row.cpu] : row.members.length > 0 ? row.members : [row.thread];
    for (const number of numbers) eachRange(ranges, number, (first, last) => light(columns, x(first), x(last + 1) - 1e-6));
  }

  /**
   * Waits, locks, marks and samples that match.
   * @param {Frame} frame @param {Row} row @param {Columns} columns
   * @param {import('../model/query.js').Query} query
   */
  #lightOverlays(frame, row, columns, query) {
    const { ratio, trace } = frame;
    for (const [list, id] of listsOfRow(row)) {
      eachOverlay(frame.parts, list, id, frame.view, (o, i) => {
        if (!overlayMatches(query, o, i)) return;
        const from = trace.what[o.kind[i]] === KIND.sample ? o.end[i] : o.start[i];
        light(columns, frame.x(from) * ratio, frame.x(o.end[i]) * ratio);
      });
    }
  }

  /**
   * Draws what has its place above the bars, and tells what is left for them.
   * @param {Frame} frame @param {Row} row @param {Band} band @returns {Band}
   */
  #lanes(frame, row, band) {
    let { top } = band;
    for (const lane of lanesOf(row, this.app.shownLanes())) {
      if (lane === 'samples') this.#samples(frame, row, top);
      else if (lane === 'locks') this.#locks(frame, row, top);
      else this.#functions(frame, row, top);
      top += laneHeight(row, lane);
    }
    return { top, height: band.top + band.height - top };
  }

  // A sample's line leads from the one before it to its tick; kernel code is dashed. Idle has none,
  // and where they are too close to tell apart, only a row of ticks is left.
  /** @param {Frame} frame @param {Row} row @param {number} top */
  #samples(frame, row, top) {
    const { raster, ratio, palette, trace } = frame;
    const y0 = Math.round(top * ratio);
    const [list, id] = row.cpu >= 0 ? [LIST.samplesOfCpu, row.cpu] : [LIST.samplesOfThread, row.thread];
    const { t0 } = frame.view;
    const scale = frame.scale * ratio;
    const low = Math.round(3 * ratio);
    let last = -1;
    eachOverlay(frame.parts, list, id, frame.view, (o, i) => {
      const x1 = Math.floor((o.end[i] - t0) * scale);
      if (x1 === last) return t0 + (Math.max(x1, 0) + 1) / scale;  // on with the next column
      const hue = o.hue ? o.hue[i] : NO_HUE;
      if (hue === NO_HUE) return;
      const crowded = x1 - last < CROWDED * ratio;
      last = x1;
      const colour = palette.userLow[hue];
      if (crowded) {
        raster.fill(x1, x1 + ratio, y0 + 1, y0 + low, colour);
        return;
      }
      const x0 = row.cpu >= 0 ? frame.x(o.start[i]) * ratio : x1 - 6 * ratio;
      const kernel = trace.event[o.kind[i]] === PC_KERNEL;
      raster.dashed(x0, x1, y0 + 1, y0 + 1 + Math.round(2 * ratio), colour, kernel ? 0x0f0f : 0xffff);
      raster.fill(x1, x1 + ratio, y0, y0 + Math.round(4 * ratio), palette.pixel.sampleEnd);
      if (namesSamples(row) && x1 - x0 > NAMED_SAMPLE * ratio) {
        nameSample(frame, sampleText(trace, o, i), x0 / ratio, x1 / ratio, top);
      }
    });
  }

  // Held is a solid line with ends, trying is dashed.
  /** @param {Frame} frame @param {Row} row @param {number} top */
  #locks(frame, row, top) {
    const { raster, ratio, palette: { pixel }, trace } = frame;
    const y = Math.round((top + 1) * ratio);
    eachOverlay(frame.parts, LIST.locksOfThread, row.thread, frame.view, (o, i) => {
      const held = trace.what[o.kind[i]] === KIND.lockHeld;
      const x0 = frame.x(o.start[i]) * ratio;
      const x1 = Math.max(x0 + 1, frame.x(o.end[i]) * ratio);
      raster.dashed(x0, x1, y, y + Math.round(2 * ratio), held ? pixel.held : pixel.wanted, held ? 0xffff : 0x7777);
      if (!held || x1 - x0 < 6) return;
      raster.fill(x0, x0 + ratio, y - 1, y + Math.round(3 * ratio), pixel.held);
      raster.fill(x1 - ratio, x1, y - 1, y + Math.round(3 * ratio), pixel.held);
    });
  }

  // Each under what called it. Where many share a pixel the first of them stands for all.
  /** @param {Frame} frame @param {Row} row @param {number} top */
  #functions(frame, row, top) {
    const { raster, ratio, palette, trace } = frame;
    const last = new Float64Array(MOST_LEVELS).fill(-1);
    eachOverlay(frame.parts, LIST.functionsOfThread, row.thread, frame.view, (o, i) => {
      const level = levelOf(o.arg ? o.arg[i] : 0);
      const x0 = frame.x(o.start[i]) * ratio;
      const x1 = Math.max(x0 + 1, frame.x(o.end[i]) * ratio);
      if (x1 - x0 < 2 && Math.floor(x0) === last[level]) return;
      last[level] = Math.floor(x0);
      const name = trace.kindName[o.kind[i]];
      const hue = nameColour(name);
      const y = top + level * LEVEL;
      const [y0, y1] = [Math.round(y * ratio), Math.round((y + LEVEL - 1) * ratio)];
      raster.fill(x0, x1, y0, y1, palette.user[hue]);
      if (x1 - x0 >= 3 * ratio) raster.fill(x1 - ratio, x1, y0, y1, palette.userLow[hue]);
      nameFunction(frame, name, x0 / ratio, x1 / ratio, y + LEVEL / 2);
    });
  }

  /** @param {Frame} frame @param {Row} row @param {Columns} columns @param {Band} band @param {import('./marks.js').Mark[]} flags */
  #waits(frame, row, columns, band, flags) {
    const { raster, ratio, palette, trace } = frame;
    const names = [];
    const [list, id] = row.cpu >= 0 ? [LIST.waitsOfCpu, row.cpu] : [LIST.waits, row.thread];
    eachOverlay(frame.parts, list, id, frame.view, (o, i) => {
      const x0 = frame.x(o.start[i]);
      const x1 = frame.x(o.end[i]);
      const reason = reasonOf(trace.event[o.kind[i]]);
      columns.addWait(x0 * ratio, x1 * ratio, reason);
      if (x1 - x0 > NAMED_WAIT) names.push({ x0, x1, reason });
    });
    if (!columns.hasWaits) return;
    if (row.thread >= 0 && this.app.has.locks) this.#contention(frame, row, columns);
    const middle = band.top + band.height * 0.55;
    raster.paintWaits(columns, Math.round(middle * ratio), palette, this.app.query !== null);
    drawWaitNames(frame, names.map(({ x0, x1, reason }) => {
      const drawn = columns.reason[Math.floor(Math.max(0, Math.min(frame.width - 1, (x0 + x1) / 2)) * ratio)];
      return { x0, x1, style: palette.waits[drawn === CONTENDED ? CONTENDED : reason] };
    }), middle, flags);
  }

  // Of the waits for locks, those during which the thread wanted one that another thread held.
  /** @param {Frame} frame @param {Row} row @param {Columns} columns */
  #contention(frame, row, columns) {
    const { trace, ratio } = frame;
    eachOverlay(frame.parts, LIST.locksOfThread, row.thread, frame.view, (o, i) => {
      if (trace.what[o.kind[i]] !== KIND.lockWanted) return;
      const [x0, x1] = [frame.x(o.start[i]) * ratio, frame.x(o.end[i]) * ratio];
      if (!columns.waitsForLock(x0, x1)) return;
      const wanted = { lock: o.arg ? o.arg[i] : 0, thread: row.thread, start: o.start[i], end: o.end[i] };
      if (heldByAnother(frame.parts, trace.what, wanted)) columns.addContended(x0, x1);
    });
  }

  /** @param {Frame} frame @param {Row} row @param {Band} band @returns {ReturnType<typeof marksOf>} */
  #marks(frame, row, band) {
    const [list, id] = row.cpu >= 0 ? [LIST.marksOfCpu, row.cpu] : [LIST.marksOfThread, row.thread];
    return id >= 0 ? marksOf(frame, list, id, band, true) : { marks: [], flags: false };
  }
}

/** Within its bar, as much as fits. @param {Frame} frame @param {string} name @param {number} x0 @param {number} x1 @param {number} y */
function nameFunction({ c, palette, width }, name, x0, x1, y) {
  const left = Math.max(0, x0);
  if (Math.min(width, x1) - left < NAMED_FUNCTION) return;
  c.font = '9px system-ui, sans-serif';
  c.textBaseline = 'middle';
  c.fillStyle = palette.css.ink;
  c.fillText(fitText(name, Math.min(width, x1) - left - 6), left + 3, y);
}

/** Below the line, within the lane. @param {Frame} frame @param {string} text @param {number} x0 @param {number} x1 @param {number} top */
function nameSample({ c, palette, width }, text, x0, x1, top) {
  const left = Math.max(0, x0);
  if (!text || Math.min(width, x1) - left < NAMED_SAMPLE) return;
  c.font = '9px system-ui, sans-serif';
  c.textBaseline = 'middle';
  if (c.measureText(text).width + 6 > Math.min(width, x1) - left) return;
  c.fillStyle = palette.css.muted;
  c.fillText(text, left + 3, top + 9);
}

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/slab.js').Overlays} o @param {number} i */
function sampleText(trace, o, i) {
  if (trace.kindName[o.kind[i]]) return trace.kindName[o.kind[i]];
  return o.value && o.value[i] !== 0n ? `0x${o.value[i].toString(16)}` : '';
}

