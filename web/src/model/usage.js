// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a range went. Runs in workers and in the page alike. In: a slab, a range; out: parts in
// columns, durations by kind, thread and CPU, waits by reason, which are added up.
import { EXECUTION_KINDS, KIND } from './tables.js';
import { callMatches, overlayMatches, pieceMatches } from './match.js';
import { eachPiece } from './pieces.js';
import { isCall } from './calls.js';
import { REASONS, reasonOf } from './kinds.js';
import { inScope } from './scope.js';
import { Tally, addColumns, buffersOf, columnsOf } from './tally.js';

/** @typedef {import('./durations.js').Durations} Durations @typedef {import('./query.js').Query} Query @typedef {import('./scope.js').Scope} Scope */

/**
 * Of a span that the range cuts, the part inside counts.
 * @typedef {object} Usage
 * @property {Map<number, Durations>} byKind    kind of the dictionary
 * @property {Map<number, Durations>} byThread
 * @property {Map<number, Durations>} calls     kind; whole calls that ended in the range
 * @property {Map<number, Durations>} byCpu     cpu * EXECUTION_KINDS + kind of span
 * @property {Map<number, Durations>} overlays  kind; waits, locks, ...: of all threads together
 * @property {Map<number, Durations>} waits     thread; of all reasons
 * @property {Map<number, {time: number, count: number}>} byReason  waits; thread * REASONS + reason; only where asked for
 */

/**
 * The same of a slab, or of what no slab holds.
 * @typedef {Record<typeof COLUMNS[number], import('./tally.js').Columns> & Pick<Usage, 'byReason'>} Part
 */
const COLUMNS = /** @type {const} */ (['byKind', 'byThread', 'calls', 'byCpu', 'overlays', 'waits']);

/** @returns {Usage} */
export const noUsage = () => ({
  byKind: new Map(), byThread: new Map(), calls: new Map(), byCpu: new Map(), overlays: new Map(), waits: new Map(),
  byReason: new Map(),
});

/** No trace has more threads; a page that is damaged may seem to. */
const MOST_THREADS = 2 ** 22;

/** Room for those that occur. @param {Uint16Array | Uint32Array} threads @param {number} count */
function threadsIn(threads, count) {
  let most = 0;
  for (let i = 0; i < count; i++) if (threads[i] > most) most = threads[i];
  return Math.min(most + 1, MOST_THREADS);
}

/**
 * @param {import('./slab.js').Slab} slab
 * @param {Uint8Array} what
 * @param {number} t0
 * @param {number} t1
 * @param {Query | null} [only]  what counts
 * @param {Scope | null} [scope]  on which rows
 * @param {Uint32Array | null} [events]  of kinds: waits are wanted by reason, too
 * @returns {Part}
 */
export function usageOfSlab(slab, what, t0, t1, only = null, scope = null, events = null) {
  const { start, end, kind, thread } = slab;
  const kinds = new Tally(what.length, slab.count);
  const calls = new Tally(what.length, slab.count + slab.calls.within);
  const threads = new Tally(threadsIn(thread, slab.count), slab.count);
  const cpus = new Tally(slab.sections.length * EXECUTION_KINDS, slab.count);
  eachPiece(slab, t0, t1, scope, (i, time, section) => {
    if (only && !pieceMatches(only, slab, i)) return;
    const k = kind[i];
    kinds.add(k, time);
    const whole = slab.hasCalls && isCall(what[k]) && (!slab.callOf || slab.callOf[i] === 0);
    if (whole && endsWithin(end[i], t0, t1)) calls.add(k, end[i] - start[i]);
    threads.add(thread[i], time);
    cpus.add(section * EXECUTION_KINDS + what[k], time);
  });
  addCalls(slab.calls, t0, t1, calls, only, scope);
  const byCpu = cpus.columns();
  byCpu.number = byCpu.number.map((number) => slab.sections[Math.floor(number / EXECUTION_KINDS)].cpu * EXECUTION_KINDS + number % EXECUTION_KINDS);
  return { byKind: kinds.columns(), byThread: threads.columns(), calls: calls.columns(), byCpu,
    ...usageOfOverlays(slab.overlays, what, t0, t1, only, scope, events) };
}

/**
 * What no slab holds.
 * @param {import('./slab.js').Overlays} overlays @param {import('./calls.js').Calls} calls @param {Uint8Array} what
 * @param {number} t0 @param {number} t1 @param {Query | null} [only] @param {Scope | null} [scope]
 * @param {Uint32Array | null} [events]  of kinds: waits are wanted by reason, too
 * @returns {Part}
 */
export function usageOfOthers(overlays, calls, what, t0, t1, only = null, scope = null, events = null) {
  const none = new Tally(0, 0).columns();
  const whole = new Tally(what.length, calls.within);
  addCalls(calls, t0, t1, whole, only, scope);
  return { byKind: none, byThread: none, byCpu: none, calls: whole.columns(),
    ...usageOfOverlays(overlays, what, t0, t1, only, scope, events) };
}

/**
 * @param {import('./slab.js').Overlays} o @param {Uint8Array} what
 * @param {number} t0 @param {number} t1 @param {Query | null} only @param {Scope | null} scope
 * @param {Uint32Array | null} events  of kinds: waits are wanted by reason, too
 * @returns {Pick<Part, 'overlays' | 'waits' | 'byReason'>}
 */
function usageOfOverlays(o, what, t0, t1, only, scope, events) {
  const overlays = new Tally(what.length, o.count);
  const waits = new Tally(threadsIn(o.thread, o.count), o.count);
  /** @type {Usage['byReason']} */
  const byReason = new Map();
  for (let i = 0; i < o.count && o.start[i] < t1; i++) {
    if ((o.end[i] <= t0 && o.start[i] < t0) || (only && !overlayMatches(only, o, i))) continue;
    if (!inScope(scope, o.cpu[i], o.thread[i])) continue;
    const time = Math.min(o.end[i], t1) - Math.max(o.start[i], t0);
    overlays.add(o.kind[i], time);
    if (what[o.kind[i]] !== KIND.wait) continue;
    waits.add(o.thread[i], time);
    if (events) addReason(byReason, o.thread[i] * REASONS + reasonOf(events[o.kind[i]]), time, 1);
  }
  return { overlays: overlays.columns(), waits: waits.columns(), byReason };
}

/** @param {Usage['byReason']} byReason @param {number} key @param {number} time @param {number} count */
export function addReason(byReason, key, time, count) {
  const sum = byReason.get(key);
  if (sum) {
    sum.time += time;
    sum.count += count;
  } else {
    byReason.set(key, { time, count });
  }
}

/** @param {number} end @param {number} t0 @param {number} t1 */
const endsWithin = (end, t0, t1) => end > t0 && end <= t1;

/**
 * Calls that are more than a span.
 * @param {import('./calls.js').Calls} c @param {number} t0 @param {number} t1 @param {Tally} tally @param {Query | null} only @param {Scope | null} scope
 */
function addCalls(c, t0, t1, tally, only, scope) {
  for (let i = 0; i < c.within; i++) {
    if (!endsWithin(c.end[i], t0, t1) || !inScope(scope, c.cpu[i], c.thread[i]) || (only && !callMatches(only, c, i))) continue;
    tally.add(c.kind[i], c.end[i] - c.start[i]);
  }
}

/** @param {Usage} into @param {Part} from */
export function addUsage(into, from) {
  for (const name of COLUMNS) addColumns(into[name], from[name]);
  for (const [key, { time, count }] of from.byReason) addReason(into.byReason, key, time, count);
}

/** As a slab's. @param {Usage} usage @returns {Part} */
export const partOf = (usage) => ({ byKind: columnsOf(usage.byKind), byThread: columnsOf(usage.byThread), calls: columnsOf(usage.calls),
  byCpu: columnsOf(usage.byCpu), overlays: columnsOf(usage.overlays), waits: columnsOf(usage.waits), byReason: usage.byReason });

/** What of a part may change hands. @param {Part} part */
export const usageBuffers = (part) => COLUMNS.flatMap((name) => buffersOf(part[name]));
