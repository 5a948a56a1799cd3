// SPDX-License-Identifier: BSD-3-Clause
// Arcs from the waker to the moment the woken thread runs, and from a CPU to the one it interrupts.
// In: a frame; out: curves, the longest ones if there are too many to tell apart.
import { KIND } from '../model/kinds.js';
import { overlayMatches } from '../model/match.js';
import { LIST, eachLongOverlay } from '../model/overlays.js';

export const MOST_ARCS = 240;
/** Shorter ones, in pixels, are drawn only while few. */
const CROWD = 60;
const LEAST_FAR = 2;  // pixels
const LEAST_FLAT = 5;
const FADED = 0.2;

/** @typedef {import('./picture.js').Frame} Frame */
/** @typedef {{o: import('../model/slab.js').Overlays, i: number, length: number}} Arc */

/**
 * The longest of all arcs in view, and how many there were.
 * @param {Frame} frame
 */
function longestArcs(frame) {
  /** @type {Arc[]} */
  let kept = [];
  let least = 0;
  const count = eachLongOverlay(frame.parts, LIST.arcs, 0, frame.view, () => least, (o, i) => {
    const length = o.end[i] - o.start[i];
    if (length < least) return;
    kept.push({ o, i, length });
    if (kept.length < 2 * MOST_ARCS) return;
    kept.sort((a, b) => b.length - a.length);
    kept = kept.slice(0, MOST_ARCS);
    least = kept[MOST_ARCS - 1].length;
  });
  kept.sort((a, b) => b.length - a.length);
  return { arcs: kept.slice(0, MOST_ARCS), count };
}

/** @param {Frame} frame @param {import('../model/query.js').Query | null} query  fades what does not match @returns {number} how many there are in view */
export function drawArcs(frame, query) {
  const { arcs, count } = longestArcs(frame);
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
  const crowded = arcs.length > CROWD;
  c.lineWidth = crowded ? 0.8 : 1.25;
  const alpha = crowded ? 0.6 : 1;
  for (const { o, i, length } of arcs) {
    // From afar these stand for many, of which a dot tells nothing.
    if (!frame.plan.detailed && length * frame.scale < LEAST_FAR) break;
    c.globalAlpha = query && !overlayMatches(query, o, i) ? FADED : alpha;
    const ipi = frame.trace.what[o.kind[i]] === KIND.ipiArc;
    const x0 = frame.x(o.start[i]);
    const x1 = frame.x(o.end[i]);
    const from = cpus.get(o.cpu[i]);
    const to = cpus.get(o.arg ? o.arg[i] : 0);
    if (from !== undefined && to !== undefined) drawArc(frame, x0, from, x1, to, ipi);
    const waker = ipi ? undefined : threads.get(o.thread[i]);
    const woken = ipi || !o.other ? undefined : threads.get(o.other[i]);
    if (waker !== undefined && woken !== undefined) drawArc(frame, x0, waker, x1, woken, ipi);
  }
  c.globalAlpha = 1;
  return count;
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
