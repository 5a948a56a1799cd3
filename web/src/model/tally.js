// SPDX-License-Identifier: BSD-3-Clause
// Durations of very many spans by small numbers, such as kinds or threads: what durations.js does for one, in
// columns that are sent between threads without a copy. In: number and duration, span by span; out: columns,
// which can be added to durations by number.
import { bucketOf, noDurations } from './durations.js';

/** All there can be below 2^53 ns. */
export const MOST_BUCKETS = 408;
/** Of a row with more durations than this the buckets are counted in a table, else sorted. */
const FEW = 32;

/**
 * A row for each number that occurred; the buckets of row r are those from at[r] to at[r + 1].
 * @typedef {object} Columns
 * @property {Uint32Array} number
 * @property {Uint32Array} count
 * @property {Float64Array} time  ns, as the next two
 * @property {Float64Array} min
 * @property {Float64Array} max
 * @property {Uint32Array} at
 * @property {Uint16Array} bucket
 * @property {Uint32Array} times  how often a duration was of this bucket
 */

/** Rows, and durations, for which there is room at first. */
const ROOM = 1024;

/** @template {Uint16Array | Uint32Array | Float64Array} T @param {T | undefined} from @param {T} to @returns {T} */
function grown(from, to) {
  if (from) to.set(from);
  return to;
}

export class Tally {
  /** @param {number} numbers  those that are not below this are left out */
  constructor(numbers) {
    this.numbers = numbers;
    /** By number, 0: none, else row + 1. */
    this.row = new Uint32Array(ROOM);
    this.rows = 0;
    this.#makeRows(ROOM);
    /** As they came. */
    this.size = 0;
    this.rowOf = new Uint32Array(ROOM);
    this.bucket = new Uint16Array(ROOM);
  }

  /** Forgets what was added; the memory is used again. */
  clear() {
    this.row.fill(0);
    this.count.fill(0);
    this.time.fill(0);
    this.min.fill(Infinity);
    this.max.fill(0);
    this.rows = 0;
    this.size = 0;
  }

  /** @param {number} most */
  #makeRows(most) {
    this.number = grown(this.number, new Uint32Array(most));
    this.count = grown(this.count, new Uint32Array(most));
    this.time = grown(this.time, new Float64Array(most));
    this.min = grown(this.min, new Float64Array(most).fill(Infinity));
    this.max = grown(this.max, new Float64Array(most));
  }

  /** @param {number} number @param {number} ns */
  add(number, ns) {
    const { rows } = this;
    if (!(number < this.numbers)) return;
    if (number >= this.row.length) this.row = grown(this.row, new Uint32Array(2 * number));
    const row = (this.row[number] || rows + 1) - 1;
    if (row === rows) {
      if (row === this.number.length) this.#makeRows(2 * row);
      this.rows++;
      this.row[number] = row + 1;
      this.number[row] = number;
    }
    this.count[row]++;
    this.time[row] += ns;
    if (ns < this.min[row]) this.min[row] = ns;
    if (ns > this.max[row]) this.max[row] = ns;
    if (this.size === this.rowOf.length) {
      this.rowOf = grown(this.rowOf, new Uint32Array(2 * this.size));
      this.bucket = grown(this.bucket, new Uint16Array(2 * this.size));
    }
    this.rowOf[this.size] = row;
    this.bucket[this.size++] = bucketOf(ns);
  }

  /** Buckets by row, in the order in which they came. */
  #byRow() {
    const next = new Uint32Array(this.rows);
    for (let row = 1; row < this.rows; row++) next[row] = next[row - 1] + this.count[row - 1];
    const buckets = new Uint16Array(this.size);
    for (let i = 0; i < this.size; i++) buckets[next[this.rowOf[i]]++] = this.bucket[i];
    return buckets;
  }

  /** @returns {Columns} */
  columns() {
    const { rows, count } = this;
    const buckets = this.#byRow();
    const at = new Uint32Array(rows + 1);
    const bucket = new Uint16Array(this.size);
    const times = new Uint32Array(this.size);
    const table = new Uint32Array(MOST_BUCKETS);
    let to = 0;
    for (let row = 0, from = 0; row < rows; from += count[row++]) {
      const some = buckets.subarray(from, from + count[row]);
      if (some.length > FEW) {
        for (const one of some) table[one]++;
        for (let one = bucketOf(this.min[row]); one <= bucketOf(this.max[row]); one++) {
          if (table[one] > 0) {
            bucket[to] = one;
            times[to++] = table[one];
            table[one] = 0;
          }
        }
      } else {
        some.sort();
        for (const one of some) {
          if (to === at[row] || bucket[to - 1] !== one) bucket[to++] = one;
          times[to - 1]++;
        }
      }
      at[row + 1] = to;
    }
    return { number: this.number.slice(0, rows), count: count.slice(0, rows), time: this.time.slice(0, rows), min: this.min.slice(0, rows),
      max: this.max.slice(0, rows), at, bucket: bucket.slice(0, to), times: times.slice(0, to) };
  }
}

/**
 * @param {Map<number, import('./durations.js').Durations>} into @param {Columns} from
 * @param {(number: number) => number} [placed]  by which number a row is added; below 0: by none
 * @param {number} [first] @param {number} [stop]  of the rows
 */
export function addColumns(into, { number, count, time, min, max, at, bucket, times }, placed = (one) => one, first = 0, stop = number.length) {
  for (let row = first; row < stop; row++) {
    const place = placed(number[row]);
    if (place < 0) continue;
    const last = bucket[at[row + 1] - 1];
    let sum = into.get(place);
    if (!sum) {
      sum = { ...noDurations(), buckets: new Array(last + 1).fill(0) };
      into.set(place, sum);
    }
    sum.count += count[row];
    sum.time += time[row];
    sum.min = Math.min(sum.min, min[row]);
    sum.max = Math.max(sum.max, max[row]);
    const { buckets } = sum;
    while (buckets.length <= last) buckets.push(0);
    for (let i = at[row]; i < at[row + 1]; i++) buckets[bucket[i]] += times[i];
  }
}

/** Durations by number as columns. @param {Map<number, import('./durations.js').Durations>} sums @returns {Columns} */
export function columnsOf(sums) {
  const rows = [...sums];
  const of = (/** @type {'count' | 'time' | 'min' | 'max'} */ name) => rows.map(([, sum]) => sum[name]);
  const at = new Uint32Array(rows.length + 1);
  /** @type {number[]} */
  const bucket = [];
  rows.forEach(([, { buckets }], row) => {
    for (let one = 0; one < buckets.length; one++) if (buckets[one] > 0) bucket.push(one);
    at[row + 1] = bucket.length;
  });
  const times = Uint32Array.from({ length: bucket.length });
  rows.forEach(([, { buckets }], row) => {
    for (let i = at[row]; i < at[row + 1]; i++) times[i] = buckets[bucket[i]];
  });
  return { number: Uint32Array.from(rows, ([number]) => number), count: Uint32Array.from(of('count')), time: Float64Array.from(of('time')),
    min: Float64Array.from(of('min')), max: Float64Array.from(of('max')), at, bucket: Uint16Array.from(bucket), times };
}

/** What of columns may change hands. @param {Columns} columns */
export const buffersOf = (columns) => Object.values(columns).map(({ buffer }) => buffer);
