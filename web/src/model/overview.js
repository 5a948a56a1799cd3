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
 * @property {Level[]} levels     each half as many buckets as the one before; made when wanted
 *
 * @typedef {{size: number, shares: Uint16Array, density: Uint8Array, top: Uint32Array}} Level
 *   shares bucket by bucket, of 65535
 *
 * @typedef {object} ThreadOverview  only buckets in which the thread ran or waited
 * @property {Uint32Array} bucket
 * @property {Uint8Array} user
 * @property {Uint8Array} kernel
 * @property {Uint8Array} interrupt
 * @property {Uint8Array} wait      off the CPU, in waits that are not drawn one by one
 * @property {Uint8Array} reason    of the longest of them: letter - 'a' + 1, 0: none
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
    cpus.set(cpu, { size, shares, density, top, levels: [] });
  }
  const threads = [];
  for (let left = reader.next(); left > 0; left--) {
    const size = reader.next();
    const bucket = new Uint32Array(size);
    let last = 0;
    for (let i = 0; i < size; i++) bucket[i] = last += reader.next();
    threads.push({
      bucket, user: reader.raw(size), kernel: reader.raw(size), interrupt: reader.raw(size),
      wait: reader.raw(size), reason: reader.raw(size),
    });
  }
  return { begin, cpuWidth, cpuBuckets, threadWidth, threadBuckets, cpus, threads };
}

const K = EXECUTION_KINDS;

/** @param {CpuOverview} cpu @returns {Level} */
function finest(cpu) {
  const shares = new Uint16Array(cpu.size * K);
  for (let k = 0; k < K; k++) {
    for (let b = 0; b < cpu.size; b++) shares[b * K + k] = cpu.shares[k][b] * 257;
  }
  return { size: cpu.size, shares, density: cpu.density, top: cpu.top };
}

/** Two buckets become one; what occurs in either still occurs. @param {Level} fine @returns {Level} */
function halved(fine) {
  const size = Math.ceil(fine.size / 2);
  const level = { size, shares: new Uint16Array(size * K), density: new Uint8Array(size),
    top: new Uint32Array(size) };
  for (let b = 0; b < size; b++) {
    const first = 2 * b;
    const second = Math.min(first + 1, fine.size - 1);
    let busyFirst = 0;
    let busySecond = 0;
    for (let k = 0; k < K; k++) {
      const one = fine.shares[first * K + k];
      const two = second > first ? fine.shares[second * K + k] : 0;
      level.shares[b * K + k] = Math.ceil((one + two) / 2);
      if (k < 7) {
        busyFirst += one;
        busySecond += two;
      }
    }
    const dense = Math.max(fine.density[first], fine.density[second]);
    level.density[b] = dense + Number(fine.density[first] === fine.density[second] && dense > 0);
    level.top[b] = fine.top[second] > 0 && (busySecond > busyFirst || fine.top[first] === 0)
      ? fine.top[second] : fine.top[first];
  }
  return level;
}

/** @param {CpuOverview} cpu @param {number} n how often its buckets are halved */
export function cpuLevel(cpu, n) {
  while (cpu.levels.length <= n) {
    const last = cpu.levels.at(-1);
    cpu.levels.push(last ? halved(last) : finest(cpu));
  }
  return cpu.levels[n];
}
