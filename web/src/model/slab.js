// SPDX-License-Identifier: BSD-3-Clause
// Decodes a slab (doc/page-format.md): columns of bytes to typed arrays, one entry a span.
import { Reader } from './reader.js';
import { EXECUTION_KINDS, KIND } from './tables.js';
import { sampleHues } from './hues.js';
import { ipcOf } from './ipc.js';
import { indexOverlays, noIndex, noOverlays } from './overlays.js';
import { decodeCalls, isCall, noCalls } from './calls.js';
import { FRESH, scratch } from './scratch.js';
import { USE } from './slab_use.js';

/** Spans summed up together, so that a pixel that holds thousands need not visit each; most first. */
const BLOCK_SIZES = [128, 32, 8];
const NONE = new Uint32Array(0);
/** Shares are of this. */
export const WHOLE_BLOCK = 65535;

/**
 * Sums of every `size` consecutive spans.
 * @typedef {object} Blocks
 * @property {number} size
 * @property {Float64Array} end    per block: ns
 * @property {Float32Array} time   per block: ns from first begin to last end
 * @property {Uint16Array} shares  per block and kind: its part of that time
 * @property {Uint32Array} tops    per block: position of the longest span that is not idle
 * @property {Float32Array} topTime  per block: its ns
 * @property {Float32Array | null} ipc  per block: IPC times ns, and the ns it was known for
 */

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
 * @property {Blocks[]} cpuBlocks     along positions
 * @property {Blocks[]} threadBlocks  along `order`
 * @property {RpcIndex | null} rpcs
 * @property {Overlays} overlays
 * @property {boolean} hasCalls  whether it tells of calls, else only of their pieces
 * @property {import('./calls.js').Calls} calls  that are more than a span: its own, and those that reach into it
 * @property {Int32Array | null} callOf  per span 0: none but itself, n: the call n - 1, -1: one that is not known
 *
 * Spans that worked for an RPC, as the threads above.
 * @typedef {{order: Uint32Array, ids: Uint32Array, first: Uint32Array, blocks: Blocks[]}} RpcIndex
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
 * @property {Uint8Array | null} hue   of samples
 * @property {import('./overlays.js').OverlayIndex} index
 */

/** @typedef {Pick<import('./scratch.js').Scratch, 'take' | 'zeros'>} Room  for what is decoded */

/** @param {Room} room @param {number} count @param {number} limit of the values @returns {Uint16Array | Uint32Array} */
const numbers = (room, count, limit) => room.take(limit <= 65536 ? Uint16Array : Uint32Array, count);

/** @param {Reader} column @param {number} count @param {Room} room @returns {Uint32Array | null} */
function optional(column, count, room) {
  if (column.done) return null;
  const out = room.take(Uint32Array, count);
  column.fill(out, 0, count);
  return out;
}

/**
 * @param {Reader} reader
 * @param {number} base
 * @param {number} unit
 * @param {Tables} tables
 * @param {number} use
 * @param {Room} room
 * @returns {Overlays}
 */
function decodeOverlays(reader, base, unit, tables, use, room) {
  const count = reader.next();
  const kind = optional(reader.column(), count, room) ?? room.zeros(Uint32Array, count);
  const start = room.take(Float64Array, count);
  const starts = reader.column();
  let clock = base;
  for (let i = 0; i < count; i++) start[i] = clock += starts.next() * unit;
  const end = room.take(Float64Array, count);
  const durations = reader.column();
  for (let i = 0; i < count; i++) end[i] = start[i] + durations.next() * unit;
  const cpus = reader.column();
  const cpu = room.take(Int32Array, count);
  for (let i = 0; i < count; i++) cpu[i] = cpus.next() - 1;
  const thread = optional(reader.column(), count, room) ?? room.zeros(Uint32Array, count);
  if (use >= USE.times) return { count, start, end, kind, cpu, thread, other: null, arg: null, rpc: null, value: null, hue: null, index: noIndex() };
  const other = optional(reader.column(), count, room);
  const arg = optional(reader.column(), count, room);
  const rpc = optional(reader.column(), count, room);
  const values = reader.column();
  const value = values.done ? null : new BigUint64Array(count);
  for (let i = 0; value && i < count; i++) value[i] = values.nextBig();
  const overlays = { count, start, end, kind, cpu, thread, other, arg, rpc, value };
  if (use === USE.once) return { ...overlays, hue: null, index: noIndex() };
  const index = indexOverlays(/** @type {any} */ (overlays), tables.what, tables.event);
  return { ...overlays, hue: sampleHues(overlays, tables.hues), index };
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

/** @typedef {Pick<Slab, 'start' | 'end' | 'kind' | 'ipc'>} Timed */

/**
 * @param {number} count @param {Uint32Array | null} order  of positions; null: as they are
 * @param {Timed} spans @param {Uint8Array} what @returns {Blocks[]}
 */
function makeBlocks(count, order, spans, what) {
  return BLOCK_SIZES.map((size) => sumBlocks(size, count, order, spans, what));
}

/**
 * @param {number} size @param {number} count @param {Uint32Array | null} order
 * @param {Timed} spans @param {Uint8Array} what @returns {Blocks}
 */
function sumBlocks(size, count, order, { start, end, kind, ipc }, what) {
  const blocks = Math.ceil(count / size);
  const shares = new Uint16Array(blocks * EXECUTION_KINDS);
  const tops = new Uint32Array(blocks);
  const ends = new Float64Array(blocks);
  const times = new Float32Array(blocks);
  const topTime = new Float32Array(blocks);
  const ipcs = ipc && new Float32Array(2 * blocks);
  const sums = new Float64Array(EXECUTION_KINDS);
  for (let block = 0; block < blocks; block++) {
    let longest = -1;
    const first = block * size;
    const stop = Math.min(count, first + size);
    sums.fill(0);
    for (let i = first; i < stop; i++) {
      const p = order ? order[i] : i;
      const w = what[kind[p]];
      const time = end[p] - start[p];
      sums[w] += time;
      if (ipc && ipcs && ipc[p] > 0) {
        ipcs[2 * block] += ipcOf(ipc[p]) * time;
        ipcs[2 * block + 1] += time;
      }
      if (time > longest && w !== KIND.idle && w !== KIND.idleLowPower) {
        longest = time;
        tops[block] = p;
      }
    }
    const head = order ? order[first] : first;
    if (longest < 0) tops[block] = head;
    topTime[block] = end[tops[block]] - start[tops[block]];
    ends[block] = end[order ? order[stop - 1] : stop - 1];
    times[block] = ends[block] - start[head];
    const scale = WHOLE_BLOCK / (times[block] || 1);
    for (let k = 0; k < EXECUTION_KINDS; k++) {
      // What occurs is never 0.
      shares[block * EXECUTION_KINDS + k] = Math.min(WHOLE_BLOCK, Math.ceil(sums[k] * scale));
    }
  }
  return { size, end: ends, time: times, shares, tops, topTime, ipc: ipcs };
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
  return { ...index, blocks: makeBlocks(index.order.length, index.order, { ...slab, ipc: null }, what) };
}

/** The CPU of a span; -1: none. @param {Pick<Slab, 'sections'>} slab @param {number} p */
export const cpuOf = ({ sections }, p) => sections.find((s) => p >= s.first && p < s.first + s.count)?.cpu ?? -1;

/**
 * What a decoder must know of the dictionary, per kind: its SpanKind, the thread it implies or -1,
 * its event, how often it occurs, its colour if it is a sample, 1 if it is a call that makes a thread; and how
 * many threads there are.
 * @typedef {{what: Uint8Array, owner: Int32Array, event: Uint32Array, counts: Float64Array, hues: Uint8Array,
 *            makers: Uint8Array, threads: number, calls: boolean}} Tables  calls: whether slabs tell of calls
 */

/**
 * @param {Uint8Array} bytes
 * @param {Tables} tables
 * @param {import('./calls.js').Reaching} [long]  calls that no slab holds and that reach into it
 * @param {number} [use]  what it is for
 * @param {Uint8Array | null} [wanted]  1: kinds whose overlays and calls are wanted; others may be missing; null: all
 * @returns {Slab}  what is not drawn holds until this thread decodes the next slab, and is not to be handed over
 */
export function decodeSlab(bytes, tables, long, use = USE.drawn, wanted = null) {
  const { what, owner } = tables;
  scratch.giveBack();
  const room = use === USE.drawn ? FRESH : scratch;
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
  const kind = numbers(room, count, what.length);
  const kinds = reader.column();
  kinds.fill(kind, 0, count);

  const cursors = kindCursors(kind, what.length);
  const byKind = scratch.take(Uint32Array, count);  // position -> place in the order by kind
  const placed = cursors.slice();
  const duration = scratch.take(Float64Array, count);
  reader.column().fill(duration, 0, count);

  const start = room.take(Float64Array, count);
  const end = room.take(Float64Array, count);
  const thread = numbers(room, count, tables.threads);
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
      byKind[i] = placed[kind[i]]++;
      thread[i] = running;
      start[i] = clock;
      clock += duration[byKind[i]] * unit;
      end[i] = clock;
    }
  }

  // Arguments and results follow kind by kind.
  const args = reader.column();
  const results = reader.column();
  const argOfPlace = use === USE.sums ? NONE : scratch.zeros(Uint32Array, count);
  const resultOfPlace = use === USE.sums ? NONE : scratch.zeros(Uint32Array, count);
  for (let k = 0; k < what.length && use !== USE.sums; k++) {
    const w = what[k];
    if (w !== KIND.user && w !== KIND.kernelThread && w !== KIND.idle) args.fill(argOfPlace, cursors[k], cursors[k + 1]);
    if (w === KIND.syscall) results.fill(resultOfPlace, cursors[k], cursors[k + 1]);
  }
  const inPositions = (/** @type {Uint32Array | null} */ values) => {
    if (!values || use >= USE.times) return null;
    const out = room.take(Uint32Array, count);
    for (let i = 0; i < count; i++) out[i] = values[byKind[i]];
    return out;
  };
  const arg = inPositions(argOfPlace) ?? NONE;
  const result = inPositions(resultOfPlace) ?? NONE;
  const counters = reader.column();
  const rpcs = reader.column();
  const ipcs = use >= USE.times ? null : inPositions(optional(counters, count, scratch));
  const rpc = use >= USE.times ? null : inPositions(optional(rpcs, count, scratch));
  const laid = reader.column();
  const overlays = wanted && !wanted.some((one, k) => one === 1 && what[k] >= EXECUTION_KINDS) ? noOverlays()
    : decodeOverlays(laid, base, unit, tables, use, room);

  let calls = noCalls();
  /** @type {Int32Array | null} */
  let callOf = null;
  if (tables.calls) {
    const column = reader.column();
    const full = column.next();
    const pieces = column.column();
    const codeOfPlace = scratch.zeros(Uint8Array, count);
    for (let k = 0; k < what.length && !pieces.done; k++) if (isCall(what[k])) pieces.fill(codeOfPlace, cursors[k], cursors[k + 1]);
    const codes = scratch.take(Uint8Array, count);
    for (let i = 0; i < count; i++) codes[i] = codeOfPlace[byKind[i]];
    const cpus = scratch.take(Int32Array, count);
    for (const section of sections) cpus.fill(section.cpu, section.first, section.first + section.count);
    const spans = { count, start, end, kind, thread, argOf: (/** @type {number} */ p) => argOfPlace[byKind[p]] ?? 0,
      resultOf: (/** @type {number} */ p) => resultOfPlace[byKind[p]] ?? 0, cpuOf: (/** @type {number} */ p) => cpus[p] };
    ({ calls, callOf } = decodeCalls(column, codes, spans, { base, unit }, tables, full, long, use < USE.times, room, wanted));
  }
  const ipc = ipcs && Uint8Array.from(ipcs);
  const columns = { sections, count, start, end, kind, thread, arg, result, rpc, ipc, overlays, hasCalls: tables.calls, calls, callOf };
  if (use !== USE.drawn) {
    return { ...columns, order: NONE, threads: NONE, threadFirst: new Uint32Array(1), rpcs: null, cpuBlocks: [], threadBlocks: [] };
  }
  const { order, ids, first } = indexBy(thread, start, sections.length > 1, 0);
  const timed = { start, end, kind, ipc };
  /** @type {Slab} */
  const slab = {
    ...columns, order, threads: ids, threadFirst: first, rpcs: null,
    cpuBlocks: makeBlocks(count, null, timed, what), threadBlocks: makeBlocks(count, order, timed, what),
  };
  slab.rpcs = indexRpcs(slab, what);
  return slab;
}

/** The arrays of a slab, to be handed over between threads. @param {Slab} slab */
export function slabBuffers(slab) {
  const buffers = new Set();
  const blocks = [...slab.cpuBlocks, ...slab.threadBlocks, ...slab.rpcs?.blocks ?? []];
  for (const part of [slab, slab.overlays, slab.calls, slab.overlays.index, slab.rpcs ?? {}, ...blocks]) {
    for (const value of Object.values(part)) {
      if (ArrayBuffer.isView(value)) buffers.add(value.buffer);
    }
  }
  if (buffers.has(scratch.buffer)) throw new Error('a slab that is handed over has memory of its own');
  return /** @type {ArrayBuffer[]} */ ([...buffers]);
}
