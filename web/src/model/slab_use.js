// SPDX-License-Identifier: BSD-3-Clause
// What a slab is decoded for. In: a piece of work; out: how much of the slab it needs.
import { asksForTimesAlone } from './match.js';

/**
 * Drawn: all of it; once: without what finds and sums up spans; times: without arguments, results and counters, too,
 * and of what is a piece of a call only that it is one, so that calls that no slab holds are not needed.
 */
export const USE = Object.freeze({ drawn: 0, once: 1, times: 2 });

const SEARCHES = new Set(['search', 'list', 'first']);

/** @param {{kind: string, [more: string]: any}} task */
export function useOf(task) {
  if (SEARCHES.has(task.kind)) return asksForTimesAlone(task.query) ? USE.times : USE.once;
  if (task.kind === 'usage') return task.only === null ? USE.times : USE.once;
  return task.kind === 'gather' || task.kind === 'flame' ? USE.once : USE.drawn;
}
