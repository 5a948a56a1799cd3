// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a range went. Runs in workers and in the page alike. In: a slab, a range; out:
// durations by kind, thread and CPU, waits by reason, nested frames; parts can be added up.
import { EXECUTION_KINDS, KIND } from './tables.js';
import { addDuration, addDurations, durationsOf, noDurations } from './durations.js';
import { FlameStack, addFrames, newFrame } from './flame.js';
import { callMatches, overlayMatches, pieceMatches } from './match.js';
import { CallFrames } from './call_frames.js';
import { isCall } from './calls.js';
import { REASONS, reasonOf } from './kinds.js';
import { inScope } from './scope.js';
import { Tally } from './tally.js';

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
 * @property {import('./flame.js').Frame} flame  empty unless asked for
 */

/** @returns {Usage} */
export const noUsage = () => ({
  byKind: new Map(), byThread: new Map(), calls: new Map(), byCpu: new Map(), overlays: new Map(), waits: new Map(),
  byReason: new Map(), flame: newFrame(-1),
});

/**
 * First position in [from, to) whose span ends after `time`; spans of one CPU are in order.
 * @param {Float64Array} end @param {number} from @param {number} to @param {number} time
 */
function firstEndingAfter(end, from, to, time) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (end[middle] <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * @param {import('./slab.js').Slab} slab
 * @param {Uint8Array} what
 * @param {number} t0
 * @param {number} t1
 * @param {Query | null} [only]  what counts
 * @param {Scope | null} [scope]  on which rows
 * @param {Uint32Array | null} [events]  of kinds: waits are wanted by reason, too
 * @param {boolean} [flame]  whether frames are wanted, which take longer than all else
 * @returns {Usage}
 */
export function usageOfSlab(slab, what, t0, t1, only = null, scope = null, events = null, flame = false) {
  const usage = noUsage();
  const { start, end, kind, thread } = slab;
  const frames = flame && slab.hasCalls ? new CallFrames(usage.flame, slab, what) : null;
  const kinds = new Tally(what.length);
  const calls = new Tally(what.length);
  let most = 0;
  for (let i = 0; i < slab.count; i++) if (thread[i] > most) most = thread[i];
  const threads = new Tally(most + 1);
  for (const { cpu, first, count } of slab.sections) {
    const stop = first + count;
    const stack = flame && !frames ? new FlameStack(usage.flame, what) : null;
    const cpus = new Tally(EXECUTION_KINDS);
    for (let i = firstEndingAfter(end, first, stop, t0); i < stop && start[i] < t1; i++) {
      if (!inScope(scope, cpu, thread[i])) continue;
      const time = Math.min(end[i], t1) - Math.max(start[i], t0);
      const k = kind[i];
      if (only && !pieceMatches(only, slab, i)) {
        stack?.push(k, thread[i], 0);  // the others lie on it
        continue;
      }
      kinds.add(k, time);
      const whole = isCall(what[k]) && (!slab.callOf || slab.callOf[i] === 0);
      if (whole && endsWithin(end[i], t0, t1)) calls.add(k, end[i] - start[i]);
      threads.add(thread[i], time);
      cpus.add(what[k], time);
      if (frames) frames.add(i, cpu, time);
      else stack?.push(k, thread[i], time);
    }
    for (const [kindOfSpan, durations] of cpus.into()) addDurations(durationsOf(usage.byCpu, cpu * EXECUTION_KINDS + kindOfSpan), durations);
  }
  usage.byKind = kinds.into();
  usage.calls = calls.into();
  usageOfCalls(slab.calls, t0, t1, usage, only, scope);
  usage.byThread = threads.into();
  usageOfOverlays(slab.overlays, what, t0, t1, usage, only, scope, events);
  return usage;
}

/**
 * @param {import('./slab.js').Overlays} o @param {Uint8Array} what
 * @param {number} t0 @param {number} t1 @param {Usage} usage @param {Query | null} [only] @param {Scope | null} [scope]
 * @param {Uint32Array | null} [events]  of kinds: waits are wanted by reason, too
 */
export function usageOfOverlays(o, what, t0, t1, usage, only = null, scope = null, events = null) {
  for (let i = 0; i < o.count && o.start[i] < t1; i++) {
    if ((o.end[i] <= t0 && o.start[i] < t0) || (only && !overlayMatches(only, o, i))) continue;
    if (!inScope(scope, o.cpu[i], o.thread[i])) continue;
    const time = Math.min(o.end[i], t1) - Math.max(o.start[i], t0);
    addDuration(durationsOf(usage.overlays, o.kind[i]), time);
    if (what[o.kind[i]] !== KIND.wait) continue;
    addDuration(durationsOf(usage.waits, o.thread[i]), time);
    if (events) addReason(usage, o.thread[i] * REASONS + reasonOf(events[o.kind[i]]), time, 1);
  }
}

/** @param {Usage} usage @param {number} key @param {number} time @param {number} count */
function addReason({ byReason }, key, time, count) {
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
 * @param {import('./calls.js').Calls} c @param {number} t0 @param {number} t1 @param {Usage} usage @param {Query | null} [only] @param {Scope | null} [scope]
 */
export function usageOfCalls(c, t0, t1, usage, only = null, scope = null) {
  for (let i = 0; i < c.within; i++) {
    if (!endsWithin(c.end[i], t0, t1) || !inScope(scope, c.cpu[i], c.thread[i]) || (only && !callMatches(only, c, i))) continue;
    addDuration(durationsOf(usage.calls, c.kind[i]), c.end[i] - c.start[i]);
  }
}

/** @param {Usage} into @param {Usage} from */
export function addUsage(into, from) {
  for (const part of /** @type {const} */ (['byKind', 'byThread', 'byCpu', 'overlays', 'waits', 'calls'])) {
    for (const [key, durations] of from[part]) addDurations(durationsOf(into[part], key), durations);
  }
  for (const [key, { time, count }] of from.byReason) addReason(into, key, time, count);
  addFrames(into.flame, from.flame);
}
