// SPDX-License-Identifier: BSD-3-Clause
// What is under the pointer. In: a row, a time, how many ns a pixel holds; out: one span or null.
import { KIND, isIdle } from '../model/kinds.js';
import { cpuSpans, firstAfter, threadSpans } from './columns.js';

/**
 * @typedef {object} Found
 * @property {number} start
 * @property {number} end
 * @property {number} kind
 * @property {number} thread
 * @property {number} cpu     -1: none
 * @property {number} arg
 * @property {number} result  result + 1
 * @property {number} ipc     -1: none
 * @property {number} rpc
 * @property {any} row
 * @property {number} folded  how many spans share these pixels
 */

/** @returns {Found} */
function foundSpan(slab, p, cpu, row, folded) {
  return {
    start: slab.start[p], end: slab.end[p], kind: slab.kind[p], thread: slab.thread[p], cpu,
    arg: slab.arg[p], result: slab.result[p], ipc: slab.ipc ? slab.ipc[p] : -1,
    rpc: slab.rpc ? slab.rpc[p] : 0, row, folded,
  };
}

/** @param {import('../model/slab.js').Slab} slab @param {number} p */
export function cpuOf(slab, p) {
  return slab.sections.find((s) => p >= s.first && p < s.first + s.count)?.cpu ?? -1;
}

/**
 * The longest span within a pixel or so of `time`, work before idle.
 * @param {import('../model/slab.js').Slab[]} slabs
 * @param {any} row
 * @param {number} time
 * @param {number} slack ns
 * @param {Uint8Array} what
 * @returns {Found | null}
 */
export function spanAt(slabs, row, time, slack, what) {
  /** @type {[import('../model/slab.js').Slab, number] | null} */
  let best = null;
  let bestTime = -1;
  let folded = 0;
  for (const slab of slabs) {
    const spans = row.cpu >= 0 ? cpuSpans(slab, row.cpu) : threadSpans(slab, row.thread);
    if (!spans) continue;
    for (let i = firstAfter(spans, time - slack); i < spans.last; i++) {
      const p = spans.order ? spans.order[i] : i;
      if (slab.start[p] > time + slack) break;
      folded++;
      const inside = slab.start[p] <= time && slab.end[p] > time && slab.end[p] - slab.start[p] > slack;
      const length = (slab.end[p] - slab.start[p]) * (isIdle(what[slab.kind[p]]) ? 1e-6 : 1)
        + (inside ? 1e15 : 0);
      if (length > bestTime) {
        bestTime = length;
        best = [slab, p];
      }
      if (folded > 20000) break;
    }
  }
  if (!best) return null;
  const [slab, p] = best;
  return foundSpan(slab, p, cpuOf(slab, p), row, folded);
}

/**
 * A wait, mark or other overlay of the row at `time`.
 * @param {import('../model/slab.js').Overlays[]} lists
 * @returns {Found | null}
 */
export function overlayAt(lists, row, time, slack, what) {
  for (const o of lists) {
    for (let i = 0; i < o.count && o.start[i] <= time + slack; i++) {
      const w = what[o.kind[i]];
      const moment = w === KIND.mark || w === KIND.point || w === KIND.sample;
      if (w >= KIND.wakeupArc || (!moment && o.end[i] < time)) continue;
      if (moment && Math.abs(o.start[i] - time) > slack) continue;
      const mine = row.thread >= 0 ? o.thread[i] === row.thread : moment && o.cpu[i] === row.cpu;
      if (!mine) continue;
      return { start: o.start[i], end: o.end[i], kind: o.kind[i], thread: o.thread[i], cpu: o.cpu[i],
        arg: o.arg ? o.arg[i] : 0, result: 0, ipc: -1, rpc: o.rpc ? o.rpc[i] : 0, row, folded: 1 };
    }
  }
  return null;
}

/**
 * The span before (-1) or after (+1) one, on its row.
 * @returns {Found | null}
 */
export function neighbour(slabs, found, step) {
  const { row } = found;
  /** @type {Found | null} */
  let best = null;
  let bestStart = step > 0 ? Infinity : -Infinity;
  for (const slab of slabs) {
    const spans = row.cpu >= 0 ? cpuSpans(slab, row.cpu) : threadSpans(slab, row.thread);
    if (!spans) continue;
    const here = firstAfter(spans, found.start);
    for (let i = here - 2; i <= here + 2; i++) {
      if (i < spans.first || i >= spans.last) continue;
      const p = spans.order ? spans.order[i] : i;
      const start = slab.start[p];
      if (step > 0 ? start > found.start && start < bestStart : start < found.start && start > bestStart) {
        bestStart = start;
        best = foundSpan(slab, p, cpuOf(slab, p), row, 1);
      }
    }
  }
  return best;
}

/**
 * The wakeup that let a thread run at `time`: who made it runnable.
 * @param {import('../model/slab.js').Overlays[]} lists
 */
export function wakerOf(lists, thread, time, what) {
  /** @type {{start: number, end: number, cpu: number, thread: number} | null} */
  let best = null;
  for (const o of lists) {
    for (let i = 0; i < o.count && o.start[i] <= time; i++) {
      if (what[o.kind[i]] !== KIND.wakeupArc || !o.other || o.other[i] !== thread) continue;
      if (!best || o.start[i] > best.start) {
        best = { start: o.start[i], end: o.end[i], cpu: o.cpu[i], thread: o.thread[i] };
      }
    }
  }
  return best;
}
