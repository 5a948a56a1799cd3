// SPDX-License-Identifier: BSD-3-Clause
// Decodes the overview: per CPU and thread, how each slice of the whole trace was spent.
import { Reader } from './reader.js';
import { EXECUTION_KINDS } from './kinds.js';

/**
 * @typedef {object} CpuOverview
 * @property {number} size         buckets
 * @property {Uint8Array[]} shares per kind: of 255
 * @property {Uint8Array} density  bits of the number of spans
 * @property {Uint32Array} top     kind of the longest span that is not idle, + 1; 0: none
 *
 * @typedef {object} ThreadOverview  only buckets in which the thread ran
 * @property {Uint32Array} bucket
 * @property {Uint8Array} user
 * @property {Uint8Array} kernel
 * @property {Uint8Array} interrupt
 *
 * @typedef {object} Overview
 * @property {number} begin        ns; where the first bucket begins
 * @property {number} cpuWidth     ns
 * @property {number} cpuBuckets
 * @property {number} threadWidth
 * @property {number} threadBuckets
 * @property {Map<number, CpuOverview>} cpus
 * @property {ThreadOverview[]} threads
 */

/**
 * @param {Uint8Array} bytes
 * @returns {Overview}
 */
export function decodeOverview(bytes) {
  const reader = new Reader(bytes);
  const begin = reader.signed();
  const cpuWidth = reader.next();
  const cpuBuckets = reader.next();
  const threadWidth = reader.next();
  const threadBuckets = reader.next();
  /** @type {Map<number, CpuOverview>} */
  const cpus = new Map();
  for (let left = reader.next(); left > 0; left--) {
    const cpu = reader.next();
    const size = reader.next();
    const shares = [];
    for (let k = 0; k < EXECUTION_KINDS; k++) shares.push(reader.raw(size));
    const density = reader.raw(size);
    const top = new Uint32Array(size);
    for (let i = 0; i < size; i++) top[i] = reader.next();
    cpus.set(cpu, { size, shares, density, top });
  }
  const threads = [];
  for (let left = reader.next(); left > 0; left--) {
    const size = reader.next();
    const bucket = new Uint32Array(size);
    let last = 0;
    for (let i = 0; i < size; i++) bucket[i] = last += reader.next();
    threads.push({
      bucket, user: reader.raw(size), kernel: reader.raw(size), interrupt: reader.raw(size),
    });
  }
  return { begin, cpuWidth, cpuBuckets, threadWidth, threadBuckets, cpus, threads };
}
