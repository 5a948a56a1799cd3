// SPDX-License-Identifier: BSD-3-Clause
// The lanes above the bars of a row: program counter samples, locks, then functions, the innermost last. In: a row and what is
// shown; out: which lanes it has, and which of them is under a height of it.

const LANE = 5;        // CSS pixels
const NAMED_LANE = 15; // with room for the names of samples, which never lie over bars
const ROOM = 36;       // CSS pixels of a row that has room for them
const NEAR = 3;        // that the pointer may be off
/** Height of a function, CSS pixels. */
export const LEVEL = 11;
/** Functions in one another that have a place each; deeper ones share the last. */
export const MOST_LEVELS = 24;

/** @typedef {'samples' | 'locks' | 'functions'} Lane @typedef {{samples: boolean, locks: boolean, functions: boolean}} Shown */
/** @typedef {{cpu: number, thread: number, levels: number}} RowOfLanes  levels: functions of the thread in one another */

/** @param {RowOfLanes} row @param {Shown} shown @returns {Lane[]} from above */
export function lanesOf(row, shown) {
  /** @type {Lane[]} */
  const lanes = [];
  if (shown.samples && (row.cpu >= 0 || row.thread >= 0)) lanes.push('samples');
  if (shown.locks && row.thread >= 0) lanes.push('locks');
  if (shown.functions && row.levels > 0) lanes.push('functions');
  return lanes;
}

/** Whether a row has room for the names of samples. @param {{cpu: number, height: number, levels?: number}} row */
export const namesSamples = (row) => row.cpu >= 0 && row.height >= ROOM;

/** @param {RowOfLanes & {height: number}} row @param {Lane} lane */
export const laneHeight = (row, lane) => {
  if (lane === 'functions') return functionsHeight(row.levels);
  return lane === 'samples' && namesSamples(row) ? NAMED_LANE : LANE;
};

/** @param {number} levels */
export const functionsHeight = (levels) => LEVEL * Math.min(levels, MOST_LEVELS);

/** The place of a function that has so many around it. @param {number} depth */
export const levelOf = (depth) => Math.min(depth, MOST_LEVELS - 1);

/** Space between a row's edge and what is drawn in it. @param {{height: number}} row */
export const rowPad = (row) => (row.height > 30 ? 3 : row.height >= 18 ? 2 : 0);

/**
 * @param {RowOfLanes & {height: number}} row @param {number} y from its top, CSS pixels
 * @param {Shown} shown @returns {Lane | null}
 */
export function laneAt(row, y, shown) {
  const lanes = lanesOf(row, shown);
  let below = rowPad(row);
  for (const [i, lane] of lanes.entries()) {
    below += laneHeight(row, lane);
    const near = i === lanes.length - 1 && lane !== 'functions' ? NEAR : 0;
    if (y < below + near) return lane;
  }
  return null;
}

/**
 * How deep a function is that is drawn there.
 * @param {RowOfLanes & {height: number}} row @param {number} y from its top, CSS pixels @param {Shown} shown
 */
export function levelAt(row, y, shown) {
  let top = rowPad(row);
  for (const lane of lanesOf(row, shown)) {
    if (lane === 'functions') break;
    top += laneHeight(row, lane);
  }
  return Math.max(0, Math.floor((y - top) / LEVEL));
}
