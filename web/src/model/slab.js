// SPDX-License-Identifier: BSD-3-Clause
// Decodes a slab (doc/page-format.md): columns of bytes to typed arrays, one entry a span.
import { Reader } from './reader.js';
import { EXECUTION_KINDS, KIND } from './kinds.js';
import { ipcOf } from './ipc.js';
import { indexOverlays } from './overlays.js';

/** Spans summed up together, so that a pixel that holds thousands need not visit each. */
export const BLOCK_SPANS = 32;

/**
 * Execution spans of all CPUs, CPU by CPU; times in ns.
 * @typedef {object} Slab
 * @property {{cpu: number, first: number, count: number}[]} sections
 * @property {number} count
 * @property {Float64Array} start
 * @property {Float64Array} end
 * @property {Uint16Array | Uint32Array} kind    index of the kind dictionary
 * @property {Uint16Array | Uint32Array} thread  index of the thread table
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
 * @property {Float32Array | null} cpuIpc     per block: IPC times ns, and the ns it was known for
 * @property {Float32Array | null} threadIpc  the same along `order`
 * @property {RpcIndex | null} rpcs
 * @property {Overlays} overlays
 *
 * Spans that worked for an RPC, as the threads above.
 * @typedef {{order: Uint32Array, ids: Uint32Array, first: Uint32Array, sums: Float32Array,
 *            tops: Uint32Array}} RpcIndex
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
 * @property {import('./overlays.js').OverlayIndex} index
 */

/** @param {number} count @param {number} limit of the values */
const numbers = (count, limit) => (limit <= 65536 ? new Uint16Array(count) : new Uint32Array(count));

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
 * @param {Tables} tables
 * @returns {Overlays}
 */
function decodeOverlays(reader, base, unit, tables) {
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
  const overlays = { count, start, end, kind, cpu, thread, other, arg, rpc, value };
  const index = indexOverlays(/** @type {any} */ (overlays), tables.what, tables.event);
  return { ...overlays, index };
}

/**
 * Where each kind's spans begin when they are ordered by kind.
 * @param {Uint16Array | Uint32Array} kind
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
 * @param {Uint16Array | Uint32Array} kind
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
 * Mean IPC of every BLOCK_SPANS consecutive spans, as a sum and its weight.
 * @param {number} count
 * @param {(i: number) => number} position
 * @param {Slab} slab
 */
function ipcBlocks(count, position, slab) {
  const { ipc, start, end } = slab;
  if (!ipc) return null;
  const out = new Float32Array(2 * Math.ceil(count / BLOCK_SPANS));
  for (let i = 0; i < count; i++) {
    const p = position(i);
    if (ipc[p] === 0) continue;
    const block = Math.floor(i / BLOCK_SPANS);
    const time = end[p] - start[p];
    out[2 * block] += ipcOf(ipc[p]) * time;
    out[2 * block + 1] += time;
  }
  return out;
}

/**
 * Positions ordered by what they belong to, then by time.
 * @param {ArrayLike<number>} belongs   per position
 * @param {Float64Array} start
 * @param {boolean} sort     several CPUs: what belongs together must be put in time order
 * @param {number} least     smaller ones are left out
 */
function indexBy(belongs, start, sort, least) {
  let most = 0;
  let count = 0;
  for (let i = 0; i < belongs.length; i++) {
    if (belongs[i] > most) most = belongs[i];
    if (belongs[i] >= least) count++;
  }
  const cursors = new Uint32Array(most + 2);
  for (let i = 0; i < belongs.length; i++) if (belongs[i] >= least) cursors[belongs[i] + 1]++;
  const ids = [];
  const first = [];
  for (let t = 0; t <= most; t++) {
    if (cursors[t + 1] > 0) {
      ids.push(t);
      first.push(cursors[t]);
    }
    cursors[t + 1] += cursors[t];
  }
  first.push(count);
  const order = new Uint32Array(count);
  for (let i = 0; i < belongs.length; i++) if (belongs[i] >= least) order[cursors[belongs[i]]++] = i;
  if (sort) {
    for (let t = 0; t < ids.length; t++) {
      const part = order.subarray(first[t], first[t + 1]);
      let sorted = true;
      for (let i = 1; i < part.length && sorted; i++) sorted = start[part[i]] >= start[part[i - 1]];
      if (!sorted) part.sort((a, b) => start[a] - start[b]);
    }
  }
  return { order, ids: Uint32Array.from(ids), first: Uint32Array.from(first) };
}

/** @param {Slab} slab @param {Uint8Array} what @returns {RpcIndex | null} */
function indexRpcs(slab, what) {
  if (!slab.rpc) return null;
  const index = indexBy(slab.rpc.map((rpc) => rpc & 0xffff), slab.start, slab.sections.length > 1, 1);
  return { ...index, ...sumBlocks(index.order.length, (i) => index.order[i], slab.start, slab.end,
    slab.kind, what) };
}

/**
 * What a decoder must know of the dictionary, per kind: its SpanKind, the thread it implies or -1,
 * its event; and how many threads there are.
 * @typedef {{what: Uint8Array, owner: Int32Array, event: Uint32Array, threads: number}} Tables
 */

/**
 * @param {Uint8Array} bytes
 * @param {Tables} tables
 * @returns {Slab}
 */
export function decodeSlab(bytes, tables) {
  const { what, owner } = tables;
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
  const kind = numbers(count, what.length);
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
  const thread = numbers(count, tables.threads);
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
  const overlays = decodeOverlays(reader.column(), base, unit, tables);

  const { order, ids, first } = indexBy(thread, start, sections.length > 1, 0);
  const cpuBlocks = sumBlocks(count, (i) => i, start, end, kind, what);
  const threadBlocks = sumBlocks(count, (i) => order[i], start, end, kind, what);
  /** @type {Slab} */
  const slab = {
    sections, count, start, end, kind, thread, arg, result, rpc, order, threads: ids, threadFirst: first,
    ipc: ipcs && Uint8Array.from(ipcs), overlays,
    cpuSums: cpuBlocks.sums, cpuTops: cpuBlocks.tops,
    threadSums: threadBlocks.sums, threadTops: threadBlocks.tops, cpuIpc: null, threadIpc: null, rpcs: null,
  };
  slab.cpuIpc = ipcBlocks(count, (i) => i, slab);
  slab.threadIpc = ipcBlocks(count, (i) => order[i], slab);
  slab.rpcs = indexRpcs(slab, what);
  return slab;
}

/** The arrays of a slab, to be handed over between threads. @param {Slab} slab */
export function slabBuffers(slab) {
  const buffers = new Set();
  for (const part of [slab, slab.overlays, slab.overlays.index, slab.rpcs ?? {}]) {
    for (const value of Object.values(part)) {
      if (ArrayBuffer.isView(value)) buffers.add(value.buffer);
    }
  }
  return /** @type {ArrayBuffer[]} */ ([...buffers]);
}
