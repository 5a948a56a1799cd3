// SPDX-License-Identifier: BSD-3-Clause
// Arcs from the waker to the moment the woken thread runs, and from a CPU to the one it interrupts.
// In: a frame, what is pointed at or pinned, the search; out: curves. All of them where they are few, else
// those that were asked for, unless all are wanted: then the longest ones.
import { overlayMatches } from '../model/match.js';
import { LIST, eachLongOverlay, eachOverlay, lastOverlay } from '../model/overlays.js';
import { KIND } from '../model/tables.js';

/** So many at most are drawn. */
export const MOST_ARCS = 240;
/** So many at most are drawn unasked: a view with more of them would show little else. */
export const FEW_ARCS = 60;
const FARTHEST = 20_000;  // px out of the plot
const LEAST_FAR = 2;  // pixels; from afar an arc stands for many, of which a dot tells nothing
const LEAST_FLAT = 5;
const FADED = 0.2;
const ROUNDING = 20;  // ns by which times of an imported trace may be off

/** @typedef {import('./picture.js').Frame} Frame */
/** @typedef {import('../model/query.js').Query} Query */
/** @typedef {{o: import('../model/slab.js').Overlays, i: number, length: number}} Arc */
/** @typedef {{thread: number, cpu: number, start: number, end: number}} Asked  a span that is pointed at or pinned */

/** Zoomed far in, an end may be too far away to be drawn to. @param {Frame} frame @param {number} x */
const near = ({ width }, x) => Math.max(-FARTHEST, Math.min(width + FARTHEST, x));

/** @param {import('../model/slab.js').Overlays} o @param {number} i @returns {Arc} */
const arcOf = (o, i) => ({ o, i, length: o.end[i] - o.start[i] });

/** The longest arcs in view for which `test` holds. @param {Frame} frame @param {(o: Arc['o'], i: number) => boolean} test */
function longestArcs(frame, test) {
  /** @type {Arc[]} */
  let kept = [];
  let least = 0;
  eachLongOverlay(frame.parts, LIST.arcs, 0, frame.view, () => least, (o, i) => {
    const arc = arcOf(o, i);
    if (arc.length < least || !test(o, i)) return;
    kept.push(arc);
    if (kept.length < 2 * MOST_ARCS) return;
    kept = kept.sort((a, b) => b.length - a.length).slice(0, MOST_ARCS);
    least = kept[MOST_ARCS - 1].length;
  });
  return kept.sort((a, b) => b.length - a.length).slice(0, MOST_ARCS);
}

/** All arcs in view, or null: they are too many. @param {Frame} frame @returns {Arc[] | null} */
function fewArcs(frame) {
  /** @type {Arc[]} */
  const arcs = [];
  eachOverlay(frame.parts, LIST.arcs, 0, frame.view, (o, i) => arcs.push(arcOf(o, i)) > FEW_ARCS);
  return arcs.length > FEW_ARCS ? null : arcs;
}

/** What woke a span's thread, whom it woke, which interrupt it came by. @param {Frame} frame @param {Asked} asked @returns {Arc[]} */
function arcsOf(frame, { thread, cpu, start, end }) {
  /** @type {Arc[]} */
  const arcs = [];
  const add = (/** @type {Arc['o']} */ o, /** @type {number} */ i) => { arcs.push(arcOf(o, i)); };
  if (thread > 1) {
    const woken = lastOverlay(frame.parts, LIST.wokenBy, thread, end);
    if (woken) add(woken.o, woken.i);
    eachOverlay(frame.parts, LIST.wakes, thread, { t0: start, t1: end }, (o, i) => {
      if (o.start[i] >= start && o.start[i] <= end) add(o, i);
      return arcs.length > FEW_ARCS;
    });
  }
  const sent = cpu >= 0 ? lastOverlay(frame.parts, LIST.ipisTo, cpu, end) : null;
  if (sent && sent.o.end[sent.i] <= end && sent.o.end[sent.i] >= start - ROUNDING) add(sent.o, sent.i);
  return arcs;
}

/** @param {Query} query @param {Uint8Array} what  kind of span by kind of the dictionary */
const asksForArcs = (query, what) => query.invert
  || what.some((kind, k) => (kind === KIND.wakeupArc || kind === KIND.ipiArc) && query.kinds[k] === 1);

/**
 * @param {Frame} frame @param {Asked[]} asked @param {Query | null} query  fades what does not match
 * @returns {{arcs: Arc[], all: boolean}} all: there are no others in view
 */
function chosenArcs(frame, asked, query) {
  const { plan, options, trace } = frame;
  const few = plan.detailed ? fewArcs(frame) : null;
  if (few) return { arcs: few, all: true };
  if (options.allArcs) return { arcs: longestArcs(frame, () => true), all: false };
  const found = query && asksForArcs(query, trace.what) ? longestArcs(frame, (o, i) => overlayMatches(query, o, i)) : [];
  return { arcs: [...asked.flatMap((span) => arcsOf(frame, span)), ...found], all: false };
}

/**
 * @param {Frame} frame @param {Asked[]} asked @param {Query | null} query
 * @returns {{drawn: number, all: boolean}} all: there are no others in view
 */
export function drawArcs(frame, asked, query) {
  const { arcs, all } = chosenArcs(frame, asked, query);
  /** @type {Map<number, number>} heights of rows */
  const cpus = new Map();
  /** @type {Map<number, number>} */
  const threads = new Map();
  for (const row of frame.visible) {
    const band = frame.band(row);
    const y = band.top + band.height * 0.45;
    if (row.cpu >= 0) cpus.set(row.cpu, y);
    if (row.thread >= 0) threads.set(row.thread, y);
  }
  const { c } = frame;
  const crowded = arcs.length > FEW_ARCS;
  c.lineWidth = crowded ? 0.8 : 1.25;
  const alpha = crowded ? 0.6 : 1;
  for (const { o, i, length } of arcs) {
    if (!frame.plan.detailed && length * frame.scale < LEAST_FAR) continue;
    if (o.end[i] < frame.view.t0 || o.start[i] > frame.view.t1) continue;
    const own = asked.some(({ thread }) => thread > 1 && (thread === o.thread[i] || (o.other !== null && thread === o.other[i])));
    c.globalAlpha = query && !own && !overlayMatches(query, o, i) ? FADED : alpha;
    const ipi = frame.trace.what[o.kind[i]] === KIND.ipiArc;
    const [x0, x1] = [o.start[i], o.end[i]].map((time) => near(frame, frame.x(time)));
    const from = cpus.get(o.cpu[i]);
    const to = cpus.get(o.arg ? o.arg[i] : 0);
    if (from !== undefined && to !== undefined) drawArc(frame, x0, from, x1, to, ipi);
    const waker = ipi ? undefined : threads.get(o.thread[i]);
    const woken = ipi || !o.other ? undefined : threads.get(o.other[i]);
    if (waker !== undefined && woken !== undefined) drawArc(frame, x0, waker, x1, woken, ipi);
  }
  c.globalAlpha = 1;
  return { drawn: arcs.length, all };
}

/** @param {Frame} frame */
function drawArc(frame, x0, y0, x1, y1, ipi) {
  if (y0 === y1 && x1 - x0 < LEAST_FLAT) return;  // would be an arrow from nowhere
  const { c, palette } = frame;
  const bend = Math.min(40, 10 + Math.abs(x1 - x0) / 3);
  c.strokeStyle = ipi ? palette.css.ipi : palette.css.arc;
  c.setLineDash(ipi ? [2, 3] : []);
  c.beginPath();
  c.moveTo(x0, y0);
  c.bezierCurveTo(x0 + bend * 0.2, y0 - bend, x1 - bend * 0.4, y1 - bend, x1, y1);
  c.stroke();
  c.setLineDash([]);
  c.fillStyle = c.strokeStyle;
  c.beginPath();
  c.moveTo(x1, y1 + 1);
  c.lineTo(x1 - 5, y1 - 6);
  c.lineTo(x1 + 2, y1 - 7);
  c.fill();
}
