// SPDX-License-Identifier: BSD-3-Clause
// Whether somebody else had a lock while a thread wanted it, by the trace's own lock events. In: overlays,
// who wanted what and when; out: yes or no.
import { LIST, eachOverlay } from './overlays.js';
import { KIND } from './tables.js';

/**
 * @param {import('./slab.js').Overlays[]} parts @param {Uint8Array} what  kind of span by kind of the dictionary
 * @param {{lock: number, thread: number, start: number, end: number}} wanted
 */
export function heldByAnother(parts, what, { lock, thread, start, end }) {
  let held = false;
  eachOverlay(parts, LIST.lock, lock, { t0: start, t1: end }, (o, i) => {
    held ||= what[o.kind[i]] === KIND.lockHeld && o.thread[i] !== thread && o.end[i] > start && o.start[i] < end;
    return held;
  });
  return held;
}
