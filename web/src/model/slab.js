// SPDX-License-Identifier: BSD-3-Clause
// Decodes a slab (doc/page-format.md): columns of bytes to typed arrays, one entry a span.
import { Reader } from './reader.js';
import { EXECUTION_KINDS, KIND } from './kinds.js';

/** Spans summed up together, so that a pixel that holds thousands need not visit each. */
export const BLOCK_SPANS = 32;

/**
 * Execution spans of all CPUs, CPU by CPU; times in ns.
 * @typedef {object} Slab
 * @property {{cpu: number, first: number, count: number}[]} sections
 * @property {number} count
 * @property {Float64Array} start
 * @property {Float64Array} end
 * @property {Uint32Array} kind     index of the kind dictionary
 * @property {Uint32Array} thread   index of the thread table
 * @property {Uint32Array} arg
 * @property {Uint32Array} result   result + 1, 0: none
 * @property {Uint8Array | null} ipc
 * @property {Uint32Array | null} rpc
 * @property {Uint32Array} order    positions of spans, thread by thread, in time order
 * @property {Uint32Array} threads  those that occur, ascending
 * @property {Uint32Array} threadFirst  where each begins in `order`; one more than threads
 * @property {Float32Array} cpuSums     per block of BLOCK_SPANS positions: ns per kind
 * @property {Uint32Array} cpuTops      per block: position of the longest span that is not idle
 * @property {Float32Array} threadSums  the same along `order`
 * @property {Uint32Array} threadTops
 * @property {Overlays} overlays
 */

/**
 * What lies over the CPUs' timelines, by start.
 * @typedef {object} Overlays
 * @property {number} count
 * @property {Float64Array} start
 * @property {Float64Array} end
 * @property {Uint32Array} kind
 * @property {Int32Array} cpu      -1: none
 * @property {Uint32Array} thread
 * @property {Uint32Array | null} other
 * @property {Uint32Array | null} arg
 * @property {Uint32Array | null} rpc
 * @property {BigUint64Array | null} value
 */

/**
 * @param {Reader} column
 * @param {number} count
 */
function optional(column, count) {
  if (column.done) return null;
  const out = new Uint32Array(count);
  for (let i = 0; i < count; i++) out[i] = column.next();
  return out;
}

/**
 * @param {Reader} reader
 * @param {number} base
 * @param {number} unit
 * @returns {Overlays}
 */
function decodeOverlays(reader, base, unit) {
  const count = reader.next();
  const kind = optional(reader.column(), count) ?? new Uint32Array(count);
  const start = new Float64Array(count);
  const starts = reader.column();
  let clock = base;
  for (let i = 0; i < count; i++) start[i] = clock += starts.next() * unit;
  const end = new Float64Array(count);
  const durations = reader.column();
  for (let i = 0; i < count; i++) end[i] = start[i] + durations.next() * unit;
  const cpus = reader.column();
  const cpu = new Int32Array(count);
  for (let i = 0; i < count; i++) cpu[i] = cpus.next() - 1;
  const thread = optional(reader.column(), count) ?? new Uint32Array(count);
  const other = optional(reader.column(), count);
  const arg = optional(reader.column(), count);
  const rpc = optional(reader.column(), count);
  const values = reader.column();
  const value = values.done ? null : new BigUint64Array(count);
  for (let i = 0; value && i < count; i++) value[i] = values.nextBig();
  return { count, start, end, kind, cpu, thread, other, arg, rpc, value };
}

/**
 * Where each kind's spans begin when they are ordered by kind.
 * @param {Uint32Array} kind
 * @param {number} kinds
 */
function kindCursors(kind, kinds) {
  const cursors = new Uint32Array(kinds + 1);
  for (let i = 0; i < kind.length; i++) cursors[kind[i] + 1]++;
  for (let k = 0; k < kinds; k++) cursors[k + 1] += cursors[k];
  return cursors;
}

/**
 * Sums of every BLOCK_SPANS consecutive spans.
 * @param {number} count
 * @param {(i: number) => number} position
 * @param {Float64Array} start
 * @param {Float64Array} end
 * @param {Uint32Array} kind
 * @param {Uint8Array} what
 */
function sumBlocks(count, position, start, end, kind, what) {
  const blocks = Math.ceil(count / BLOCK_SPANS);
  const sums = new Float32Array(blocks * EXECUTION_KINDS);
  const tops = new Uint32Array(blocks);
  for (let block = 0; block < blocks; block++) {
    let longest = -1;
    const stop = Math.min(count, (block + 1) * BLOCK_SPANS);
    for (let i = block * BLOCK_SPANS; i < stop; i++) {
      const p = position(i);
      const w = what[kind[p]];
      const time = end[p] - start[p];
      sums[block * EXECUTION_KINDS + w] += time;
      if (time > longest && w !== KIND.idle && w !== KIND.idleLowPower) {
        longest = time;
        tops[block] = p;
      }
    }
    if (longest < 0) tops[block] = position(block * BLOCK_SPANS);
  }
  return { sums, tops };
}

/**
 * @param {Uint32Array} thread
 * @param {Float64Array} start
 * @param {boolean} sort several CPUs: a thread's spans must be put in time order
 */
function indexThreads(thread, start, sort) {
  let most = 0;
  for (let i = 0; i < thread.length; i++) most = Math.max(most, thread[i]);
  const cursors = new Uint32Array(most + 2);
  for (let i = 0; i < thread.length; i++) cursors[thread[i] + 1]++;
  const threads = [];
  const first = [];
  for (let t = 0; t <= most; t++) {
    if (cursors[t + 1] > 0) {
      threads.push(t);
      first.push(cursors[t]);
    }
    cursors[t + 1] += cursors[t];
  }
  first.push(thread.length);
  const order = new Uint32Array(thread.length);
  const write = cursors.slice();
  for (let i = 0; i < thread.length; i++) order[write[thread[i]]++] = i;
  if (sort) {
    for (let t = 0; t < threads.length; t++) {
      const part = order.subarray(first[t], first[t + 1]);
      let sorted = true;
      for (let i = 1; i < part.length && sorted; i++) sorted = start[part[i]] >= start[part[i - 1]];
      if (!sorted) part.sort((a, b) => start[a] - start[b]);
    }
  }
  return { order, threads: Uint32Array.from(threads), threadFirst: Uint32Array.from(first) };
}

/**
 * @param {Uint8Array} bytes
 * @param {Uint8Array} what      per kind of the dictionary: its SpanKind
 * @param {Int32Array} owner     per kind: the thread it implies, -1: none
 * @returns {Slab}
 */
export function decodeSlab(bytes, what, owner) {
  const reader = new Reader(bytes);
  const unit = reader.next();
  const base = reader.signed();
  const heads = reader.column();
  const sections = [];
  const sectionStart = [];
  let count = 0;
  for (let left = heads.next(); left > 0; left--) {
    const cpu = heads.next();
    const spans = heads.next();
    sections.push({ cpu, first: count, count: spans });
    sectionStart.push(base + heads.next() * unit);
    count += spans;
  }
  const kind = new Uint32Array(count);
  const kinds = reader.column();
  for (let i = 0; i < count; i++) kind[i] = kinds.next();

  const cursors = kindCursors(kind, what.length);
  const byKind = new Uint32Array(count);  // position -> place in the order by kind
  const placed = cursors.slice();
  for (let i = 0; i < count; i++) byKind[i] = placed[kind[i]]++;
  const durations = reader.column();
  const duration = new Float64Array(count);
  for (let i = 0; i < count; i++) duration[i] = durations.next() * unit;

  const start = new Float64Array(count);
  const end = new Float64Array(count);
  const thread = new Uint32Array(count);
  const gaps = reader.column();
  const others = reader.column();
  let gapAt = gaps.done ? -1 : gaps.next();
  let threadAt = others.done ? -1 : others.next();
  for (let s = 0; s < sections.length; s++) {
    let clock = sectionStart[s];
    let running = 0;
    const stop = sections[s].first + sections[s].count;
    for (let i = sections[s].first; i < stop; i++) {
      if (i === gapAt) {
        clock += gaps.signed() * unit;
        gapAt = gaps.done ? -1 : i + gaps.next();
      }
      if (owner[kind[i]] >= 0) running = owner[kind[i]];
      if (i === threadAt) {
        running = others.next();
        threadAt = others.done ? -1 : i + others.next();
      }
      thread[i] = running;
      start[i] = clock;
      clock += duration[byKind[i]];
      end[i] = clock;
    }
  }

  // Arguments and results follow kind by kind; positions in that order:
  const inKindOrder = new Uint32Array(count);
  for (let i = 0; i < count; i++) inKindOrder[byKind[i]] = i;
  const arg = new Uint32Array(count);
  const result = new Uint32Array(count);
  const args = reader.column();
  const results = reader.column();
  for (let k = 0; k < what.length; k++) {
    const w = what[k];
    const stop = cursors[k + 1];
    if (w !== KIND.user && w !== KIND.kernelThread && w !== KIND.idle) {
      for (let j = cursors[k]; j < stop; j++) arg[inKindOrder[j]] = args.next();
    }
    if (w === KIND.syscall) {
      for (let j = cursors[k]; j < stop; j++) result[inKindOrder[j]] = results.next();
    }
  }
  const scatter = (/** @type {Uint32Array | null} */ values) => {
    if (!values) return null;
    const out = new Uint32Array(count);
    for (let j = 0; j < count; j++) out[inKindOrder[j]] = values[j];
    return out;
  };
  const ipcs = scatter(optional(reader.column(), count));
  const rpc = scatter(optional(reader.column(), count));
  const overlays = decodeOverlays(reader.column(), base, unit);

  const { order, threads, threadFirst } = indexThreads(thread, start, sections.length > 1);
  const cpuBlocks = sumBlocks(count, (i) => i, start, end, kind, what);
  const threadBlocks = sumBlocks(count, (i) => order[i], start, end, kind, what);
  return {
    sections, count, start, end, kind, thread, arg, result, rpc, order, threads, threadFirst,
    ipc: ipcs && Uint8Array.from(ipcs), overlays,
    cpuSums: cpuBlocks.sums, cpuTops: cpuBlocks.tops,
    threadSums: threadBlocks.sums, threadTops: threadBlocks.tops,
  };
}

/** The arrays of a slab, to be handed over between threads. @param {Slab} slab */
export function slabBuffers(slab) {
  const buffers = new Set();
  for (const part of [slab, slab.overlays]) {
    for (const value of Object.values(part)) {
      if (ArrayBuffer.isView(value)) buffers.add(value.buffer);
    }
  }
  return /** @type {ArrayBuffer[]} */ ([...buffers]);
}
