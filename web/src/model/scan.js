// SPDX-License-Identifier: BSD-3-Clause
// Goes over the spans of a decoded slab for search matches. Runs in workers and in the page alike.
// In: a slab; out: plain arrays that can be added up.
import { overlayMatches, spanMatches } from './match.js';

const MOST_HITS = 20000;

/**
 * @typedef {{start: number, end: number, kind: number, cpu: number, thread: number}} Hit
 *
 * Where to light up rows that are drawn from the overview: by CPU and by thread, ranges of its
 * buckets as first, last, first, last ...; and the buckets of CPUs in which any match begins.
 * @typedef {{cpus: Map<number, number[]>, threads: Map<number, number[]>, begins: Set<number>}} Lit
 *
 * hits are the first ones only, all else is of all matches.
 * @typedef {{count: number, total: number, min: number, max: number, hits: Hit[], lit: Lit}} Matches
 */

/** @returns {Matches} */
export const noMatches = () => ({ count: 0, total: 0, min: Infinity, max: 0, hits: [],
  lit: { cpus: new Map(), threads: new Map(), begins: new Set() } });

/** @param {Map<number, number[]>} map @param {number} key @param {number} first @param {number} last bucket */
function lightBuckets(map, key, first, last) {
  let list = map.get(key);
  if (!list) {
    list = [];
    map.set(key, list);
  }
  const end = list.length - 1;
  if (end > 0 && first >= list[end - 1] && first <= list[end] + 1) list[end] = Math.max(list[end], last);
  else list.push(first, last);
}

/**
 * @param {Matches} matches
 * @param {Hit} hit
 * @param {import('./query.js').Grid} grid
 */
function addHit(matches, hit, grid) {
  const time = hit.end - hit.start;
  matches.count++;
  matches.total += time;
  matches.min = Math.min(matches.min, time);
  matches.max = Math.max(matches.max, time);
  if (matches.hits.length < MOST_HITS) matches.hits.push(hit);
  const { lit } = matches;
  const from = hit.start - grid.begin;
  const to = hit.end - grid.begin;
  const first = Math.floor(from / grid.cpuWidth);
  lit.begins.add(first);
  if (hit.cpu >= 0) lightBuckets(lit.cpus, hit.cpu, first, Math.floor(to / grid.cpuWidth));
  lightBuckets(lit.threads, hit.thread, Math.floor(from / grid.threadWidth), Math.floor(to / grid.threadWidth));
}

/**
 * @param {import('./slab.js').Slab} slab
 * @param {import('./query.js').Query} query
 * @returns {Matches}
 */
export function searchSlab(slab, query) {
  const matches = noMatches();
  const { start, end, kind, thread } = slab;
  for (const section of slab.sections) {
    for (let i = section.first; i < section.first + section.count; i++) {
      if (!spanMatches(query, slab, i)) continue;
      addHit(matches, { start: start[i], end: end[i], kind: kind[i], cpu: section.cpu,
        thread: thread[i] }, query.grid);
    }
  }
  searchOverlays(slab.overlays, query, matches);
  return matches;
}

/**
 * @param {import('./slab.js').Overlays} o
 * @param {import('./query.js').Query} query
 * @param {Matches} matches
 */
export function searchOverlays(o, query, matches) {
  for (let i = 0; i < o.count; i++) {
    if (!overlayMatches(query, o, i)) continue;
    addHit(matches, { start: o.start[i], end: o.end[i], kind: o.kind[i], cpu: o.cpu[i],
      thread: o.thread[i] }, query.grid);
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
  for (const part of /** @type {const} */ (['cpus', 'threads'])) {
    for (const [key, list] of from.lit[part]) {
      for (let i = 0; i < list.length; i += 2) lightBuckets(into.lit[part], key, list[i], list[i + 1]);
    }
  }
  for (const bucket of from.lit.begins) into.lit.begins.add(bucket);
}
