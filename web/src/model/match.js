// SPDX-License-Identifier: BSD-3-Clause
// Whether a span is what a query asks for: the one rule that the search counts by and the picture
// lights up by. In: a compiled query, a slab or its overlays, a position; out: yes or no.

import { isError } from './errno.js';
import { SUCCESS } from './tables.js';
import { ipcOf, missBytes, stepsOf } from './ipc.js';
import { inScope } from './scope.js';
import { cpuOf } from './slab.js';

/** @typedef {import('./query.js').Query} Query */

/** Of a success, the bits alone, if not an error is asked for. @param {Query} q @param {number} held */
const lowOf = (q, held) => (q.failed || held < SUCCESS ? held : held - SUCCESS);
/** @param {Query} q @param {number} result  result + 1, 0: none */
const resultMatches = (q, result) => (!q.errors || (result > 0 && isError(result - 1))) && (q.result < 0 || (result > 0 && (q.failed || !isError(result - 1)) && lowOf(q, result - 1) === q.result));

/** @param {number} value @param {[number, number]} range */
const within = (value, range) => value >= range[0] && value <= range[1];

/** @param {Query} q @param {Uint8Array | null} counted @param {number} p */
function countsMatch(q, counted, p) {
  if (q.ipc === null && q.misses === null) return true;
  if (!counted || counted[p] === 0) return false;  // not known, or none
  const { ipc, misses } = stepsOf(counted[p], q.counter);
  return (q.ipc === null || within(ipcOf(ipc), q.ipc)) && (q.misses === null || within(missBytes(misses), q.misses));
}

/** @param {Query} q @param {number} start @param {number} end */
const inBounds = (q, start, end) => end - start >= q.min && end - start <= q.max && end >= q.from && start <= q.to
  && end > q.endsFrom && end <= q.endsTo;

/** @param {Query} q @param {import('./slab.js').Slab} slab @param {number} p */
export function spanMatches(q, slab, p) {
  const { start, end, kind, thread, result } = slab;
  const holds = q.kinds[kind[p]] === 1 && q.threads[thread[p]] === 1 && inBounds(q, start[p], end[p])
    && (q.arg < 0 || slab.arg[p] === q.arg)
    && resultMatches(q, result[p])
    && countsMatch(q, slab.ipc, p)
    && (q.cpus === null || q.cpus.includes(cpuOf(slab, p))) && (q.rows === null || inScope(q.rows, cpuOf(slab, p), thread[p]))
    && (q.without.length === 0 || !q.without.some((other) => spanMatches(other, slab, p)));
  return holds !== q.invert;
}

/**
 * A call that is more than a span. Counters are of pieces: who asks for these has no calls.
 * @param {Query} q @param {import('./calls.js').Calls} c @param {number} i
 */
export function callMatches(q, c, i) {
  const holds = q.kinds[c.kind[i]] === 1 && q.threads[c.thread[i]] === 1 && inBounds(q, c.start[i], c.end[i])
    && (q.arg < 0 || c.arg[i] === q.arg)
    && resultMatches(q, c.result[i])
    && (q.cpus === null || q.cpus.includes(c.cpu[i]))
    && inScope(q.rows, c.cpu[i], c.thread[i]) && (q.without.length === 0 || !q.without.some((other) => callMatches(other, c, i)));
  return holds !== q.invert;
}

/** Whether spans are asked for, not calls: what only they have. @param {Query} q @returns {boolean} */
export const asksForPieces = (q) => q.ipc !== null || q.misses !== null || q.without.some(asksForPieces);

/** Whether neither arguments nor results nor counters decide. @param {Query} q @returns {boolean} */
export const asksForTimesAlone = (q) => !asksForPieces(q) && q.arg < 0 && q.result < 0 && !q.errors && q.without.every(asksForTimesAlone);

/** Whether nothing but the kind of a span decides. @param {Query} q */
export const asksForKindsAlone = (q) => asksForTimesAlone(q) && q.cpus === null && q.rows === null && q.min === 0 && q.max === Infinity
  && q.from === -Infinity && q.to === Infinity && q.endsFrom === -Infinity && q.endsTo === Infinity && q.threads.every((matches) => matches === 1) && q.without.length === 0;

/**
 * Whether a span is meant: with the call that it is a piece of.
 * @param {Query} q @param {import('./slab.js').Slab} slab @param {number} p
 */
export function pieceMatches(q, slab, p) {
  const at = slab.callOf ? slab.callOf[p] : 0;
  return at > 0 && !asksForPieces(q) ? callMatches(q, slab.calls, at - 1) : spanMatches(q, slab, p);
}

/** @param {Query} q @param {import('./slab.js').Overlays} o @param {number} i */
export function overlayMatches(q, o, i) {
  const holds = q.kinds[o.kind[i]] === 1 && q.threads[o.thread[i]] === 1 && inBounds(q, o.start[i], o.end[i])
    && (q.arg < 0 || (o.arg !== null && o.arg[i] === q.arg)) && !q.errors && q.result < 0 && q.ipc === null && q.misses === null
    && (q.cpus === null || q.cpus.includes(o.cpu[i])) && inScope(q.rows, o.cpu[i], o.thread[i])
    && (q.without.length === 0 || !q.without.some((other) => overlayMatches(other, o, i)));
  return holds !== q.invert;
}
