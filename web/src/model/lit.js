// SPDX-License-Identifier: BSD-3-Clause
// Where rows are lit up: ranges of buckets by number of a CPU or thread, in columns, since they may be hundreds of
// thousands. In: range by range; out: all ranges of a number, or all there are, which can be sent between threads.

/**
 * @typedef {object} Ranges  an entry each, as they came
 * @property {number} size
 * @property {Uint32Array} number  of a CPU or thread
 * @property {Int32Array} first    bucket
 * @property {Int32Array} last
 * @property {Int32Array} before   the range before it of the same number, -1: none
 * @property {Int32Array} newest   by number: its newest range + 1, 0: none
 */

const ROOM = 256;
/** A page of so many threads, or CPUs, does not open; in a damaged slab a number may be as high. */
const MOST_NUMBERS = 2 ** 22;

/** @returns {Ranges} */
export const noRanges = () => ({ size: 0, number: new Uint32Array(ROOM), first: new Int32Array(ROOM), last: new Int32Array(ROOM),
  before: new Int32Array(ROOM), newest: new Int32Array(ROOM) });

/** @template {Uint32Array | Int32Array} T @param {T} from @param {number} size @returns {T} */
function grown(from, size) {
  const to = new /** @type {any} */ (from.constructor)(size);
  to.set(from);
  return to;
}

/** One that goes on with the newest of its number makes that longer. @param {Ranges} ranges @param {number} number @param {number} first @param {number} last */
export function addRange(ranges, number, first, last) {
  if (!(number < MOST_NUMBERS)) return;
  if (number >= ranges.newest.length) ranges.newest = grown(ranges.newest, 2 * number);
  const at = ranges.newest[number] - 1;
  if (at >= 0 && first >= ranges.first[at] && first <= ranges.last[at] + 1) {
    if (last > ranges.last[at]) ranges.last[at] = last;
    return;
  }
  if (ranges.size === ranges.number.length) {
    for (const name of /** @type {const} */ (['number', 'first', 'last', 'before'])) ranges[name] = /** @type {any} */ (grown(ranges[name], 2 * ranges.size));
  }
  const { size } = ranges;
  ranges.number[size] = number;
  ranges.first[size] = first;
  ranges.last[size] = last;
  ranges.before[size] = at;
  ranges.newest[number] = ++ranges.size;
}

/** @param {Ranges} into @param {Pick<Ranges, 'number' | 'first' | 'last' | 'size'>} from */
export function addRanges(into, { size, number, first, last }) {
  for (let i = 0; i < size; i++) addRange(into, number[i], first[i], last[i]);
}

/** @param {Ranges | undefined} ranges @param {number} number @param {(first: number, last: number) => void} take  buckets, newest first */
export function eachRange(ranges, number, take) {
  for (let at = (ranges?.newest[number] ?? 0) - 1; ranges && at >= 0; at = ranges.before[at]) take(ranges.first[at], ranges.last[at]);
}

/** What of them adds up; @param {Ranges} ranges */
export const sentRanges = ({ size, number, first, last }) => ({ size, number: number.slice(0, size), first: first.slice(0, size), last: last.slice(0, size) });
