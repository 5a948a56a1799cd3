// SPDX-License-Identifier: BSD-3-Clause
// What a slab is decoded for. In: a piece of work; out: how much of the slab it needs.
import { unpackBlock, unpackParts } from './inflate.js';
import { asksForTimesAlone } from './match.js';

/**
 * Each is less than the one before. Drawn: all of it; once: without what finds and sums up spans; times: without arguments,
 * results and counters of spans, too, and of what is a piece of a call only that it is one, so that calls that no slab holds are
 * not needed; sums: without those of calls, too, so that they need not be unpacked.
 */
export const USE = Object.freeze({ drawn: 0, once: 1, times: 2, sums: 3 });

/** Of the parts of a slab (doc/page-format.md), what stands for them where there are only sums: empty columns. */
const SUMS_WITHOUT = [null, null, null, [0], [0, 0, 0], null];

const SEARCHES = new Set(['search', 'list', 'first']);

/** @param {{kind: string, [more: string]: any}} task */
export function useOf(task) {
  // Whoever knows of enough matches before those of a slab only counts these, as a rule.
  if (SEARCHES.has(task.kind)) return !asksForTimesAlone(task.query) ? USE.once : task.kind === 'search' && task.last ? USE.sums : USE.times;
  if (task.kind === 'usage') return task.only === null ? USE.sums : USE.once;
  return ['gather', 'look', 'flame'].includes(task.kind) ? USE.once : USE.drawn;
}

/** Its bytes. @param {Pick<import('./crew.js').Work, 'stored' | 'expected'>} slab @param {number} use */
export const unpackSlab = ({ stored, expected }, use) => (use === USE.sums ? unpackParts(stored, expected, SUMS_WITHOUT) : unpackBlock(stored, expected));
