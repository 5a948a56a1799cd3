// SPDX-License-Identifier: BSD-3-Clause
// What is under the pointer. In: a row, a time, how many ns a pixel holds; out: one span or null.
import { isIdle } from '../model/kinds.js';
import { KIND } from '../model/tables.js';
import { cpuSpans, firstAfter, rowSpans } from './columns.js';
import { LIST, eachOverlay } from '../model/overlays.js';
import { levelOf } from './lanes.js';
import { callAt } from '../model/calls.js';
import { cpuOf } from '../model/slab.js';

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
 * @property {import('../model/calls.js').Call | null} [call]  of which it is a piece, or that it is as a whole
 * @property {boolean} [isCall]  it is all of that call, from entry to return
 * @property {string} [file]  that the call is about, once it was looked for
 * @property {{start: number, end: number} | null} [joined]  the call in pieces that it is or lies in
 * @property {bigint} [value]  program counter of a sample
 * @property {boolean} [sought]  the result was looked for wherever the call went on
 */

/** @returns {Found} */
export function foundSpan(slab, p, cpu, row, folded) {
  const at = slab.callOf ? slab.callOf[p] : 0;
  const call = at > 0 ? callAt(slab.calls, at - 1) : null;
  return {
    call, joined: call && call.pieces > 1 ? call : null, start: slab.start[p], end: slab.end[p], kind: slab.kind[p], thread: slab.thread[p], cpu,
    arg: slab.arg[p], result: call?.result || slab.result[p], ipc: slab.ipc ? slab.ipc[p] : -1,
    rpc: slab.rpc ? slab.rpc[p] : 0, row, folded,
  };
}

/**
 * Whether a later span of a thread tells how one of its calls ended: by the call's own result, or by what
 * the thread can only do after it. An interrupted call stands in pieces, and the last one has the result.
 * @param {{kind: number, arg: number}} call @param {import('../model/slab.js').Slab} slab @param {number} p @param {Uint8Array} what
 */
export function endsCall(call, slab, p, what) {
  const kind = what[slab.kind[p]];
  if (kind !== KIND.syscall) return kind === KIND.user || kind === KIND.kernelThread;
  return isPieceOf(call, slab, p) ? slab.result[p] > 0 : true;
}

/** @param {{kind: number, arg: number}} call @param {import('../model/slab.js').Slab} slab @param {number} p */
const isPieceOf = (call, slab, p) => slab.kind[p] === call.kind && slab.arg[p] === call.arg;

/** @param {{kind: number, arg: number}} call @param {Found | null} last  what ended it @returns {number} result + 1, 0: none */
export const resultOf = (call, last) => (last && last.kind === call.kind && last.arg === call.arg ? last.result : 0);

/**
 * The first span of a slab that begins with a match and is it.
 * @param {import('../model/slab.js').Slab} slab @param {import('../model/scan.js').Hit} hit @param {any} row @returns {Found | null}
 */
export function spanOfHit(slab, hit, row) {
  const spans = cpuSpans(slab, hit.cpu);
  if (!spans) return null;
  // A span without length ends where it begins.
  for (let p = firstAfter(spans, hit.start - 1); p < spans.last && slab.start[p] <= hit.start; p++) {
    if (slab.start[p] === hit.start && slab.end[p] === hit.end && slab.kind[p] === hit.kind) return foundSpan(slab, p, hit.cpu, row, 1);
  }
  return null;
}

/**
 * The same of an overlay.
 * @param {import('../model/slab.js').Overlays} o @param {import('../model/scan.js').Hit} hit @param {any} row @returns {Found | null}
 */
export function overlayOfHit(o, hit, row) {
  let low = 0;
  let high = o.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (o.start[middle] < hit.start) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < o.count && o.start[i] === hit.start; i++) {
    if (o.end[i] === hit.end && o.kind[i] === hit.kind && o.thread[i] === hit.thread && o.cpu[i] === hit.cpu) return foundOverlay(o, i, row);
  }
  return null;
}

/** A call that was found as a whole. @param {import('../model/scan.js').Hit} hit @param {any} row @returns {Found} */
export const foundCall = ({ call, ...hit }, row) => ({ ...hit, call, joined: call && call.pieces > 1 ? call : null, isCall: true, arg: call?.arg ?? 0, result: call?.result ?? 0,
  ipc: -1, rpc: 0, row, folded: 1 });

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
    for (const spans of rowSpans(slab, row)) {
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
  }
  if (!best) return null;
  const [slab, p] = best;
  return foundSpan(slab, p, cpuOf(slab, p), row, folded);
}

/** The lists of overlays that a row shows. @param {any} row @returns {[number, number][]} */
export function listsOfRow(row) {
  if (row.cpu >= 0) return [[LIST.marksOfCpu, row.cpu], [LIST.samplesOfCpu, row.cpu], [LIST.waitsOfCpu, row.cpu]];
  if (row.thread >= 0) {
    return [[LIST.marksOfThread, row.thread], [LIST.locksOfThread, row.thread], [LIST.waits, row.thread],
      [LIST.samplesOfThread, row.thread], [LIST.functionsOfThread, row.thread]];
  }
  return row.object >= 0 ? [[row.sort, row.objectId]] : [];
}

/** @param {import('../model/slab.js').Overlays} o @param {number} i @param {any} row @returns {Found} */
function foundOverlay(o, i, row) {
  return { start: o.start[i], end: o.end[i], kind: o.kind[i], thread: o.thread[i], cpu: o.cpu[i],
    arg: o.arg ? o.arg[i] : 0, result: 0, ipc: -1, rpc: o.rpc ? o.rpc[i] : 0, row, folded: 1,
    value: o.value ? o.value[i] : 0n };
}

/** What lies in the lanes above the bars. @type {Record<string, number[] | undefined>} */
const LANE_LISTS = { samples: [LIST.samplesOfCpu, LIST.samplesOfThread], locks: [LIST.locksOfThread], functions: [LIST.functionsOfThread] };

/**
 * A wait, mark, lock or other overlay of the row at `time`: moments first, then the shortest.
 * @param {import('../model/slab.js').Overlays[]} lists
 * @param {any} row @param {number} time @param {number} slack @param {Uint8Array} what
 * @param {import('./lanes.js').Lane | null} [lane]  only what is drawn in it
 * @param {number} [level]  of functions, only those that are drawn there
 * @returns {Found | null}
 */
export function overlayAt(lists, row, time, slack, what, lane = null, level = 0) {
  /** @type {Found | null} */
  let best = null;
  let shortest = Infinity;
  const own = LANE_LISTS[lane ?? ''];
  for (const [list, id] of listsOfRow(row)) {
    if (own && !own.includes(list)) continue;
    eachOverlay(lists, list, id, { t0: time - slack, t1: time + slack }, (o, i) => {
      const w = what[o.kind[i]];
      const length = o.end[i] - o.start[i];
      const sample = w === KIND.sample;
      if (w === KIND.function && (lane !== 'functions' || levelOf(o.arg ? o.arg[i] : 0) !== level)) return;
      if (sample && lane === null && Math.abs(o.end[i] - time) > slack) return;
      if (length >= shortest) return;
      shortest = length;
      best = foundOverlay(o, i, row);
    });
  }
  return best;
}
