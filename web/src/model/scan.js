// SPDX-License-Identifier: BSD-3-Clause
// Goes over the spans of a decoded slab: search matches, and where the time of a range went.
// Runs in workers and in the page alike. In: a slab; out: plain arrays that can be added up.
import { EXECUTION_KINDS } from './kinds.js';

const MOST_HITS = 20000;

/**
 * @typedef {{start: number, end: number, kind: number, cpu: number, thread: number}} Hit
 * @typedef {{count: number, total: number, min: number, max: number, hits: Hit[]}} Matches
 */

/** @returns {Matches} */
export const noMatches = () => ({ count: 0, total: 0, min: Infinity, max: 0, hits: [] });

/**
 * @param {Matches} matches
 * @param {Hit} hit
 */
function addHit(matches, hit) {
  const time = hit.end - hit.start;
  matches.count++;
  matches.total += time;
  matches.min = Math.min(matches.min, time);
  matches.max = Math.max(matches.max, time);
  if (matches.hits.length < MOST_HITS) matches.hits.push(hit);
}

/**
 * @param {import('./slab.js').Slab} slab
 * @param {import('./query.js').Query} query
 * @returns {Matches}
 */
export function searchSlab(slab, query) {
  const matches = noMatches();
  const { start, end, kind, thread, result } = slab;
  for (const section of slab.sections) {
    if (query.cpus && !query.cpus.includes(section.cpu)) continue;
    for (let i = section.first; i < section.first + section.count; i++) {
      if (!query.kinds[kind[i]] || !query.threads[thread[i]]) continue;
      const time = end[i] - start[i];
      if (time < query.min || time > query.max) continue;
      if (query.errors && result[i] <= 65408) continue;
      addHit(matches, { start: start[i], end: end[i], kind: kind[i], cpu: section.cpu,
        thread: thread[i] });
    }
  }
  if (!query.errors) searchOverlays(slab.overlays, query, matches);
  return matches;
}

/**
 * @param {import('./slab.js').Overlays} o
 * @param {import('./query.js').Query} query
 * @param {Matches} matches
 */
export function searchOverlays(o, query, matches) {
  for (let i = 0; i < o.count; i++) {
    if (!query.kinds[o.kind[i]] || !query.threads[o.thread[i]]) continue;
    if (query.cpus && !query.cpus.includes(o.cpu[i])) continue;
    const time = o.end[i] - o.start[i];
    if (time < query.min || time > query.max) continue;
    addHit(matches, { start: o.start[i], end: o.end[i], kind: o.kind[i], cpu: o.cpu[i],
      thread: o.thread[i] });
  }
}

/** @param {Matches} into @param {Matches} from */
export function addMatches(into, from) {
  into.count += from.count;
  into.total += from.total;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
  for (const hit of from.hits) {
    if (into.hits.length >= MOST_HITS) break;
    into.hits.push(hit);
  }
}

/**
 * Time within a range: by dictionary kind, by thread, by CPU and kind of span.
 * @typedef {object} Usage
 * @property {Map<number, Usage1>} byKind
 * @property {Map<number, Usage1>} byThread
 * @property {Map<number, Usage1>} byCpu   key: cpu * EXECUTION_KINDS + kind of span
 * @property {Map<number, Usage1>} waits   key: kind; of all threads together
 * @typedef {{count: number, time: number, max: number}} Usage1
 */

/** @returns {Usage} */
export const noUsage = () => ({
  byKind: new Map(), byThread: new Map(), byCpu: new Map(), waits: new Map(),
});

/** @param {Map<number, Usage1>} map @param {number} key @param {number} time */
function addUse(map, key, time) {
  const use = map.get(key);
  if (!use) {
    map.set(key, { count: 1, time, max: time });
  } else {
    use.count++;
    use.time += time;
    if (time > use.max) use.max = time;
  }
}

/**
 * First position in [from, to) whose span ends after `time`; spans of one CPU are in order.
 * @param {Float64Array} end
 */
export function firstEndingAfter(end, from, to, time) {
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
 * @returns {Usage}
 */
export function usageOfSlab(slab, what, t0, t1) {
  const usage = noUsage();
  const { start, end, kind, thread } = slab;
  for (const section of slab.sections) {
    const stop = section.first + section.count;
    for (let i = firstEndingAfter(end, section.first, stop, t0); i < stop && start[i] < t1; i++) {
      const time = Math.min(end[i], t1) - Math.max(start[i], t0);
      addUse(usage.byKind, kind[i], time);
      addUse(usage.byThread, thread[i], time);
      addUse(usage.byCpu, section.cpu * EXECUTION_KINDS + what[kind[i]], time);
    }
  }
  usageOfOverlays(slab.overlays, t0, t1, usage);
  return usage;
}

/** @param {import('./slab.js').Overlays} o @param {Usage} usage */
export function usageOfOverlays(o, t0, t1, usage) {
  for (let i = 0; i < o.count; i++) {
    if (o.end[i] < t0 || o.start[i] >= t1) continue;
    const time = Math.min(o.end[i], t1) - Math.max(o.start[i], t0);
    addUse(usage.waits, o.kind[i], time);
  }
}

/** @param {Usage} into @param {Usage} from */
export function addUsage(into, from) {
  for (const part of /** @type {const} */ (['byKind', 'byThread', 'byCpu', 'waits'])) {
    for (const [key, use] of from[part]) {
      const sum = into[part].get(key);
      if (!sum) {
        into[part].set(key, { ...use });
      } else {
        sum.count += use.count;
        sum.time += use.time;
        sum.max = Math.max(sum.max, use.max);
      }
    }
  }
}
