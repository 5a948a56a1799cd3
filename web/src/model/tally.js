// SPDX-License-Identifier: BSD-3-Clause
// Durations of very many spans by small numbers, such as kinds or threads: what durations.js does for one, in
// typed arrays. In: number and duration, span by span; out: durations by number.
import { bucketOf } from './durations.js';

/** All there can be below 2^53 ns. */
const MOST_BUCKETS = 408;
/** Enough for 17 s: most numbers need no more. */
const BUCKETS = 256;

export class Tally {
  /** @param {number} numbers  below this */
  constructor(numbers) {
    this.row = new Int32Array(numbers).fill(-1);
    /** Per row. @type {number[]} */
    this.number = [];
    /** @type {number[]} */
    this.count = [];
    /** @type {number[]} */
    this.time = [];
    /** @type {number[]} */
    this.min = [];
    /** @type {number[]} */
    this.max = [];
    /** @type {Uint32Array[]} */
    this.buckets = [];
  }

  /** @param {number} number */
  #add(number) {
    const row = this.number.push(number) - 1;
    this.row[number] = row;
    this.count.push(0);
    this.time.push(0);
    this.min.push(Infinity);
    this.max.push(0);
    this.buckets.push(new Uint32Array(BUCKETS));
    return row;
  }

  /** @param {number} number @param {number} ns */
  add(number, ns) {
    let row = this.row[number];
    if (row < 0) row = this.#add(number);
    this.count[row]++;
    this.time[row] += ns;
    if (ns < this.min[row]) this.min[row] = ns;
    if (ns > this.max[row]) this.max[row] = ns;
    const bucket = bucketOf(ns);
    if (bucket >= this.buckets[row].length) {
      const more = new Uint32Array(MOST_BUCKETS);
      more.set(this.buckets[row]);
      this.buckets[row] = more;
    }
    this.buckets[row][bucket]++;
  }

  /** @param {Map<number, import('./durations.js').Durations>} [map] @returns {Map<number, import('./durations.js').Durations>} */
  into(map = new Map()) {
    this.number.forEach((number, row) => {
      const max = this.max[row];
      map.set(number, { count: this.count[row], time: this.time[row], min: this.min[row], max,
        buckets: Array.from(this.buckets[row].subarray(0, bucketOf(max) + 1)) });
    });
    return map;
  }
}
