// SPDX-License-Identifier: BSD-3-Clause
// The lanes above the bars of a row: program counter samples, then locks. In: a row and what is
// shown; out: which lanes it has, and which of them is under a height of it.

export const LANE = 5;  // CSS pixels
const NEAR = 3;         // that the pointer may be off

/** @typedef {'samples' | 'locks'} Lane @typedef {{samples: boolean, locks: boolean}} Shown */

/** @param {{cpu: number, thread: number}} row @param {Shown} shown @returns {Lane[]} from above */
export function lanesOf(row, shown) {
  /** @type {Lane[]} */
  const lanes = [];
  if (shown.samples && (row.cpu >= 0 || row.thread >= 0)) lanes.push('samples');
  if (shown.locks && row.thread >= 0) lanes.push('locks');
  return lanes;
}

/** Space between a row's edge and what is drawn in it. @param {{height: number}} row */
export const rowPad = (row) => (row.height > 30 ? 4 : 2);

/**
 * @param {{cpu: number, thread: number, height: number}} row @param {number} y from its top, CSS pixels
 * @param {Shown} shown @returns {Lane | null}
 */
export function laneAt(row, y, shown) {
  const lanes = lanesOf(row, shown);
  const at = (y - rowPad(row)) / LANE;
  if (lanes.length === 0 || at * LANE >= lanes.length * LANE + NEAR) return null;
  return lanes[Math.min(lanes.length - 1, Math.max(0, Math.floor(at)))];
}
