// SPDX-License-Identifier: BSD-3-Clause
// Decodes the overview: per CPU and thread, how each slice of the whole trace was spent.
import { Reader } from './reader.js';
import { EXECUTION_KINDS, KIND } from './tables.js';

/**
 * @typedef {object} CpuOverview
 * @property {number} size         buckets
 * @property {Uint8Array[]} shares per kind: of 255
 * @property {Uint8Array} density  bits of the number of spans
 * @property {Uint32Array} top     kind of the longest span that is not idle, + 1; 0: none
 * @property {Uint8Array | null} ipc  mean in 32nds, + 1; 0: not counted
 * @property {Level[]} levels     with 2^n buckets in one; made when wanted
 *
 * @typedef {{size: number, shares: Uint16Array, density: Uint8Array, top: Uint32Array,
 *            ipc: Uint8Array | null}} Level
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
 * @typedef {{user: ArrayLike<number>, kernel: ArrayLike<number>, interrupt: ArrayLike<number>}} Ran  of 255
 *
 * @typedef {object} Overview
 * @property {number} begin        ns; where the first bucket begins
 * @property {number} cpuWidth     ns
 * @property {number} cpuBuckets
 * @property {number} threadWidth
 * @property {number} threadBuckets
 * @property {Map<number, CpuOverview>} cpus
 * @property {ThreadPlanes} threads
 *
 * All threads at once, of which there may be tens of thousands: `threadOverview` cuts one out.
 * @typedef {object} ThreadPlanes
 * @property {Uint8Array} bytes   holds the planes: user, kernel, interrupt, wait, reason
 * @property {Uint32Array} at     per thread: where its planes begin
 * @property {Uint32Array} first  per thread: where its buckets begin; one more than threads
 * @property {Uint32Array} bucket
 */

/**
 * @param {Uint8Array} bytes
 * @param {boolean} hasIpc
 * @returns {Overview}
 */
export function decodeOverview(bytes, hasIpc) {
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
    cpus.set(cpu, { size, shares, density, top, ipc: hasIpc ? reader.raw(size) : null, levels: [] });
  }
  return { begin, cpuWidth, cpuBuckets, threadWidth, threadBuckets, cpus, threads: decodeThreads(reader) };
}

const PLANES = 5;

/** @param {Reader} reader @returns {ThreadPlanes} */
function decodeThreads(reader) {
  const count = reader.next();
  const at = new Uint32Array(count);
  const first = new Uint32Array(count + 1);
  const bucket = new Uint32Array(Math.floor((reader.bytes.length - reader.at) / (PLANES + 1)));  // a byte or more for its number
  for (let t = 0; t < count; t++) {
    const size = reader.next();
    let last = 0;
    const stop = first[t] + size;
    for (let i = first[t]; i < stop; i++) bucket[i] = last += reader.next();
    at[t] = reader.at;
    first[t + 1] = stop;
    reader.at += PLANES * size;
  }
  return { bytes: reader.bytes, at, first, bucket: bucket.slice(0, first[count]) };
}

/** @param {Overview} overview @param {number} thread @returns {ThreadOverview | null} null: there is no such thread */
export function threadOverview({ threads: { bytes, at, first, bucket } }, thread) {
  if (!(thread < at.length)) return null;
  const size = first[thread + 1] - first[thread];
  const [user, kernel, interrupt, wait, reason] = Array.from({ length: PLANES }, (_, plane) => (
    bytes.subarray(at[thread] + plane * size, at[thread] + (plane + 1) * size)));
  return { bucket: bucket.subarray(first[thread], first[thread + 1]), user, kernel, interrupt, wait, reason };
}

/**
 * In place of one that cannot be read: it knows of nothing.
 * @param {{begin: number, duration: number}} trace @returns {Overview}
 */
export function noOverview({ begin, duration }) {
  return { begin, cpuWidth: duration, cpuBuckets: 1, threadWidth: duration, threadBuckets: 1, cpus: new Map(),
    threads: { bytes: new Uint8Array(0), at: new Uint32Array(0), first: new Uint32Array(1), bucket: new Uint32Array(0) } };
}

const K = EXECUTION_KINDS;

/** Kinds up to this one are work of a program or for one. */
const WORK = KIND.scheduler;

/** Of those buckets that tell it. @param {Uint8Array} fine @param {number} size @param {number} step */
function meanIpc(fine, size, step) {
  return Uint8Array.from({ length: size }, (_, b) => {
    let sum = 0;
    let counted = 0;
    for (let i = b * step; i < Math.min(fine.length, (b + 1) * step); i++) {
      sum += fine[i];
      if (fine[i] > 0) counted++;
    }
    return counted > 0 ? Math.round(sum / counted) : 0;
  });
}

/**
 * 2^n buckets become one; what occurs in any of them still occurs.
 * @param {CpuOverview} cpu @param {number} n @returns {Level}
 */
function merged({ size: fine, shares: planes, density, top, ipc }, n) {
  const step = 2 ** n;
  const size = Math.ceil(fine / step);
  const level = { size, shares: new Uint16Array(size * K), density: new Uint8Array(size), top: new Uint32Array(size),
    ipc: ipc && meanIpc(ipc, size, step) };
  const work = new Uint16Array(fine);
  for (let k = 0; k < K; k++) {
    const plane = planes[k];
    for (let b = 0; b < size; b++) {
      const last = Math.min(fine, (b + 1) * step);
      let sum = 0;
      for (let i = b * step; i < last; i++) sum += plane[i];
      level.shares[b * K + k] = Math.ceil(sum * 257 / step);
    }
    if (k <= WORK) for (let i = 0; i < fine; i++) work[i] += plane[i];
  }
  for (let b = 0; b < size; b++) {
    const last = Math.min(fine, (b + 1) * step);
    let spans = 0;
    let most = -1;
    for (let i = b * step; i < last; i++) {
      if (density[i] > 0) spans += 2 ** (density[i] - 1);
      if (top[i] === 0 || work[i] <= most) continue;
      most = work[i];
      level.top[b] = top[i];
    }
    level.density[b] = spans > 0 ? Math.floor(Math.log2(spans)) + 1 : 0;
  }
  return level;
}

/** @param {CpuOverview} cpu @param {number} n how often its buckets are halved */
export function cpuLevel(cpu, n) {
  cpu.levels[n] ??= merged(cpu, n);
  return cpu.levels[n];
}

/** How often buckets of `width` ns are halved for one a column. @param {number} width @param {number} scale columns per ns */
export function levelFor(width, scale) {
  let n = 0;
  while (width * 2 ** (n + 1) * scale <= 1) n++;
  return n;
}

/**
 * Where several threads ran, added up: of 255 for each of them. Shares of a bucket are rounded, and never to
 * none; what is known of each thread as a whole takes that out of the sum. Their waits are no row's.
 * @param {Overview} overview @param {number[]} members @param {{user: number, kernel: number}[]} known  of all threads: ns in all
 */
export function sumThreads(overview, members, known) {
  const { threadBuckets, threadWidth } = overview;
  const sums = [0, 1, 2].map(() => new Float32Array(threadBuckets));
  const seen = new Uint8Array(threadBuckets);
  for (const member of members) {
    const thread = threadOverview(overview, member);
    if (!thread) continue;
    const parts = [thread.user, thread.kernel, thread.interrupt];
    const [user, kernel, interrupt] = parts.map((part) => part.reduce((sum, share) => sum + share, 0) * threadWidth / 255);
    const inKernel = known[member].kernel / (kernel + interrupt || 1);
    const scales = [known[member].user / (user || 1), inKernel, inKernel];
    for (let i = 0; i < thread.bucket.length; i++) {
      const b = thread.bucket[i];
      for (let k = 0; k < 3; k++) sums[k][b] += parts[k][i] * scales[k];
      seen[b] |= Number(parts[0][i] + parts[1][i] + parts[2][i] > 0);
    }
  }
  const bucket = Uint32Array.from(seen.keys()).filter((b) => seen[b] === 1);
  const [user, kernel, interrupt] = sums.map((sum) => Float32Array.from(bucket, (b) => sum[b]));
  const none = new Uint8Array(bucket.length);
  return { bucket, user, kernel, interrupt, wait: none, reason: none };
}
