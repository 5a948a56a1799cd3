// SPDX-License-Identifier: BSD-3-Clause
// What CPUs did within a range, span by span. Runs in workers and in the page alike. In: a slab, a range, rows; out:
// each span that reaches into the range, CPU by CPU in order of time, and how much of it lies inside.
import { inScope } from './scope.js';

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
 * @param {import('./slab.js').Slab} slab @param {number} t0 @param {number} t1
 * @param {import('./scope.js').Scope | null} scope
 * @param {(position: number, time: number, section: number) => void} take  time: ns of it that lie inside
 */
export function eachPiece({ sections, start, end, thread }, t0, t1, scope, take) {
  sections.forEach(({ cpu, first, count }, section) => {
    const stop = first + count;
    for (let i = firstEndingAfter(end, first, stop, t0); i < stop && start[i] < t1; i++) {
      if (inScope(scope, cpu, thread[i])) take(i, Math.min(end[i], t1) - Math.max(start[i], t0), section);
    }
  });
}
