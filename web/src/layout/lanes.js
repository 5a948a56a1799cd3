// SPDX-License-Identifier: BSD-3-Clause
// The lanes above the bars of a row: program counter samples, then locks. In: a row and what is
// shown; out: which lanes it has, and which of them is under a height of it.

const LANE = 5;        // CSS pixels
const NAMED_LANE = 15; // with room for the names of samples, which never lie over bars
const ROOM = 36;       // CSS pixels of a row that has room for them
const NEAR = 3;        // that the pointer may be off

/** @typedef {'samples' | 'locks'} Lane @typedef {{samples: boolean, locks: boolean}} Shown */

/** @param {{cpu: number, thread: number}} row @param {Shown} shown @returns {Lane[]} from above */
export function lanesOf(row, shown) {
  /** @type {Lane[]} */
  const lanes = [];
  if (shown.samples && (row.cpu >= 0 || row.thread >= 0)) lanes.push('samples');
  if (shown.locks && row.thread >= 0) lanes.push('locks');
  return lanes;
}

/** Whether a row has room for the names of samples. @param {{cpu: number, height: number}} row */
export const namesSamples = (row) => row.cpu >= 0 && row.height >= ROOM;

/** @param {{cpu: number, height: number}} row @param {Lane} lane */
export const laneHeight = (row, lane) => (lane === 'samples' && namesSamples(row) ? NAMED_LANE : LANE);

/** Space between a row's edge and what is drawn in it. @param {{height: number}} row */
export const rowPad = (row) => (row.height > 30 ? 3 : row.height >= 18 ? 2 : 0);

/**
 * @param {{cpu: number, thread: number, height: number}} row @param {number} y from its top, CSS pixels
 * @param {Shown} shown @returns {Lane | null}
 */
export function laneAt(row, y, shown) {
  const lanes = lanesOf(row, shown);
  let below = rowPad(row);
  for (const [i, lane] of lanes.entries()) {
    below += laneHeight(row, lane);
    if (y < below + (i === lanes.length - 1 ? NEAR : 0)) return lane;
  }
  return null;
}
