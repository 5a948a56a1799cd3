// SPDX-License-Identifier: BSD-3-Clause
// Goes over the spans of a decoded slab for search matches. Runs in workers and in the page alike.
// In: a slab; out: plain arrays that can be added up.
import { overlayMatches, spanMatches } from './match.js';

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
  const { start, end, kind, thread } = slab;
  for (const section of slab.sections) {
    for (let i = section.first; i < section.first + section.count; i++) {
      if (!spanMatches(query, slab, i)) continue;
      addHit(matches, { start: start[i], end: end[i], kind: kind[i], cpu: section.cpu,
        thread: thread[i] });
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
