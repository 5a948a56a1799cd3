// SPDX-License-Identifier: BSD-3-Clause
// Durations of very many spans by small numbers, such as kinds or threads: what durations.js does for one, in
// columns that are sent between threads without a copy. In: number and duration, span by span; out: columns,
// which can be added to durations by number.
import { bucketOf, durationsOf } from './durations.js';

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

export class Tally {
  /** @param {number} numbers  those that are not below this are left out @param {number} most  so many durations are added at most */
  constructor(numbers, most) {
    const rows = Math.min(numbers, most);
    this.row = new Int32Array(numbers).fill(-1);
    this.rows = 0;
    this.number = new Uint32Array(rows);
    this.count = new Uint32Array(rows);
    this.time = new Float64Array(rows);
    this.min = new Float64Array(rows).fill(Infinity);
    this.max = new Float64Array(rows);
    /** As they came. */
    this.size = 0;
    this.rowOf = new Uint32Array(most);
    this.bucket = new Uint16Array(most);
  }

  /** @param {number} number @param {number} ns */
  add(number, ns) {
    let row = this.row[number];
    if (row === undefined) return;
    if (row < 0) {
      row = this.rows++;
      this.row[number] = row;
      this.number[row] = number;
    }
    this.count[row]++;
    this.time[row] += ns;
    if (ns < this.min[row]) this.min[row] = ns;
    if (ns > this.max[row]) this.max[row] = ns;
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
 */
export function addColumns(into, { number, count, time, min, max, at, bucket, times }, placed = (one) => one) {
  for (let row = 0; row < number.length; row++) {
    const place = placed(number[row]);
    if (place < 0) continue;
    const sum = durationsOf(into, place);
    sum.count += count[row];
    sum.time += time[row];
    sum.min = Math.min(sum.min, min[row]);
    sum.max = Math.max(sum.max, max[row]);
    const { buckets } = sum;
    while (buckets.length <= bucket[at[row + 1] - 1]) buckets.push(0);
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
