// SPDX-License-Identifier: BSD-3-Clause
// Spans to pixel columns: how much of each column's time each kind took, what was longest in it and
// how many spans it holds. Work is bounded by the width of the view: whole blocks of 8, 32 or 128
// spans that fall into one column are added as one.
import { CONTENDED, isIdle, reasonOfLetter } from '../model/kinds.js';
import { EXECUTION_KINDS } from '../model/tables.js';
import { ipcOf } from '../model/ipc.js';
import { pieceMatches } from '../model/match.js';
import { WHOLE_BLOCK } from '../model/slab.js';
import { cpuLevel, levelFor } from '../model/overview.js';

const K = EXECUTION_KINDS;
const LOCK_WAIT = reasonOfLetter('l');

/**
 * @typedef {{x0: number, x1: number, kind: number, thread: number, arg: number, result: number,
 *            ipc: number}} Label
 */

/** A column holds a match; the picture has ticks there. */
export const LIT = 1;
/** A column holds what is pinned: it is not pale, whatever is searched for. */
export const PINNED = 2;

export class Columns {
  /** @param {number} width */
  constructor(width) {
    this.width = width;
    this.shares = new Float32Array(width * K);
    this.count = new Uint32Array(width);
    this.topTime = new Float32Array(width);
    this.topKind = new Int32Array(width);
    this.topThread = new Int32Array(width);
    this.lit = new Uint8Array(width);
    /** Instructions per cycle times columns, and the part of the column it was known for. */
    this.ipc = new Float32Array(width);
    this.ipcTime = new Float32Array(width);
    this.hasIpc = false;
    /** Longest wait of each column, in columns, and its reason: letter - 'a' + 1. */
    this.wait = new Float32Array(width);
    this.reason = new Uint8Array(width);
    this.hasWaits = false;
    /** @type {Label[]} */
    this.labels = [];
  }

  clear() {
    this.shares.fill(0);
    this.count.fill(0);
    this.topTime.fill(0);
    this.topKind.fill(-1);
    this.lit.fill(0);
    if (this.hasIpc) {
      this.ipc.fill(0);
      this.ipcTime.fill(0);
    }
    if (this.hasWaits) {
      this.wait.fill(0);
      this.reason.fill(0);
    }
    this.hasIpc = false;
    this.hasWaits = false;
    this.labels = [];
  }

  /** What several threads did, of the time that so many could have had. @param {number} most */
  shareOut(most) {
    for (let i = 0; i < this.shares.length; i++) this.shares[i] /= most;
    this.labels = [];  // they would lie over each other
  }

  /** @param {number} x0 @param {number} x1 @param {number} reason */
  addWait(x0, x1, reason) {
    this.hasWaits = true;
    const to = Math.min(this.width - 1, Math.floor(x1));
    for (let x = Math.max(0, Math.floor(x0)); x <= to; x++) {
      const part = Math.min(x1, x + 1) - Math.max(x0, x);
      if (part < this.wait[x] || (part === this.wait[x] && this.reason[x] > 0)) continue;
      this.wait[x] = part;
      this.reason[x] = reason;
    }
  }

  /** What waits for a lock between two columns waits for one that another thread holds. @param {number} x0 @param {number} x1 */
  addContended(x0, x1) {
    for (let x = Math.max(0, Math.floor(x0)), to = Math.min(this.width - 1, Math.floor(x1)); x <= to; x++) {
      if (this.reason[x] === LOCK_WAIT) this.reason[x] = CONTENDED;
    }
  }

  /** Whether anything waits for a lock between two columns. @param {number} x0 @param {number} x1 */
  waitsForLock(x0, x1) {
    for (let x = Math.max(0, Math.floor(x0)), to = Math.min(this.width - 1, Math.floor(x1)); x <= to; x++) {
      if (this.reason[x] === LOCK_WAIT) return true;
    }
    return false;
  }

  /** @param {number} x0 @param {number} x1 @param {number} ipc */
  addIpc(x0, x1, ipc) {
    this.hasIpc = true;
    const to = Math.min(this.width - 1, Math.floor(x1));
    for (let x = Math.max(0, Math.floor(x0)); x <= to; x++) {
      const part = Math.min(x1, x + 1) - Math.max(x0, x);
      this.ipc[x] += ipc * part;
      this.ipcTime[x] += part;
    }
  }

  /**
   * A span that lies within one column. @param {number} x @param {number} part  of the column
   * @param {number} what kind of span @param {number} kind @param {number} thread
   */
  addWithin(x, part, what, kind, thread) {
    this.shares[x * K + what] += part;
    this.count[x]++;
    // Anything beats idle, which must never hide work.
    const time = isIdle(what) ? 0 : part + 1e-9;
    if (time <= this.topTime[x] && this.topKind[x] >= 0) return;
    this.topTime[x] = time;
    this.topKind[x] = kind;
    this.topThread[x] = thread;
  }

  /**
   * @param {number} x0 in columns, may lie outside
   * @param {number} x1
   * @param {number} what kind of span
   * @param {number} kind
   * @param {number} thread
   */
  addSpan(x0, x1, what, kind, thread) {
    const { shares, topTime, topKind, topThread, count, width } = this;
    let from = Math.floor(x0);
    let to = Math.floor(x1);
    if (from >= width || x1 < 0) return;
    if (from === to) {
      this.addWithin(from, x1 - x0, what, kind, thread);
      return;
    }
    const rank = isIdle(what) ? 0 : 1;
    if (from < 0) from = 0;
    if (to >= width) to = width - 1;
    for (let x = from; x <= to; x++) {
      const part = Math.min(x1, x + 1) - Math.max(x0, x);
      if (part <= 0) continue;
      shares[x * K + what] += part;
      count[x]++;
      if (part * rank > topTime[x] || topKind[x] < 0) {
        topTime[x] = part * rank;
        topKind[x] = kind;
        topThread[x] = thread;
      }
    }
  }
}

/**
 * One row's spans of one slab. `order` maps the row's indices to positions, null: the same.
 * @typedef {object} RowSpans
 * @property {import('../model/slab.js').Slab} slab
 * @property {Uint32Array | null} order
 * @property {number} first
 * @property {number} last
 * @property {import('../model/slab.js').Blocks[]} blocks
 */

/** @param {import('../model/slab.js').Slab} slab @param {number} cpu @returns {RowSpans | null} */
export function cpuSpans(slab, cpu) {
  const section = slab.sections.find((s) => s.cpu === cpu);
  if (!section) return null;
  return { slab, order: null, first: section.first, last: section.first + section.count,
    blocks: slab.cpuBlocks };
}

/** @param {Uint32Array} ids ascending @param {number} id @returns {number} -1: not among them */
function placeOf(ids, id) {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle] < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}

/** @param {import('../model/slab.js').Slab} slab @param {number} thread @returns {RowSpans | null} */
export function threadSpans(slab, thread) {
  const at = placeOf(slab.threads, thread);
  if (at < 0) return null;
  return { slab, order: slab.order, first: slab.threadFirst[at], last: slab.threadFirst[at + 1],
    blocks: slab.threadBlocks };
}

/** @param {import('../model/slab.js').Slab} slab @param {number} rpc @returns {RowSpans | null} */
function rpcSpans(slab, rpc) {
  const { rpcs } = slab;
  const at = rpcs ? placeOf(rpcs.ids, rpc) : -1;
  if (!rpcs || at < 0) return null;
  return { slab, order: rpcs.order, first: rpcs.first[at], last: rpcs.first[at + 1],
    blocks: rpcs.blocks };
}

/**
 * A row's spans of a slab, whatever sort of row it is; of threads that are folded into one row, those of each.
 * @param {import('../model/slab.js').Slab} slab
 * @param {{cpu: number, thread: number, type: string, objectId: number, members?: number[]}} row
 * @returns {RowSpans[]}
 */
export function rowSpans(slab, row) {
  if (row.members && row.members.length > 0) return row.members.flatMap((thread) => threadSpans(slab, thread) ?? []);
  const spans = row.cpu >= 0 ? cpuSpans(slab, row.cpu) : row.thread >= 0 ? threadSpans(slab, row.thread)
    : row.type === 'rpc' ? rpcSpans(slab, row.objectId) : null;
  return spans ? [spans] : [];
}

/** First index of the row that ends after `time`. @param {RowSpans} row @param {number} time */
export function firstAfter(row, time) {
  let low = row.first;
  let high = row.last;
  const { end } = row.slab;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (end[row.order ? row.order[middle] : middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const LABEL_WIDTH = 26;
const SMALLEST_BLOCK = 8;

/**
 * @param {Columns} columns
 * @param {RowSpans} row
 * @param {{t0: number, t1: number, scale: number, overEdge?: number}} view  scale: columns per ns; overEdge: so far, in
 *   columns, a block of spans may reach over the end of its own: else those at each edge are visited one by one
 * @param {Uint8Array} what
 * @param {import('../model/query.js').Query | null} query lights up what matches
 */
export function addRow(columns, row, view, what, query) {
  const { slab, order, last } = row;
  const { start, end, kind, thread } = slab;
  const { t0, t1, scale } = view;
  const ipc = slab.ipc;
  let i = firstAfter(row, t0);
  while (i < last) {
    const p = order ? order[i] : i;
    if (start[p] >= t1) break;
    const x0 = (start[p] - t0) * scale;
    if (x0 >= 0 && x0 < columns.width) {
      const after = addColumn(columns, row, i, Math.floor(x0), view, what, query);
      if (after > i) {
        i = after;
        continue;
      }
    }
    const x1 = (end[p] - t0) * scale;
    columns.addSpan(x0, x1, what[kind[p]], kind[p], thread[p]);
    if (ipc && ipc[p] > 0) columns.addIpc(x0, x1, ipcOf(ipc[p]));
    if (x1 - x0 >= LABEL_WIDTH) {
      columns.labels.push({ x0, x1, kind: kind[p], thread: thread[p], arg: slab.arg[p],
        result: slab.result[p], ipc: ipc ? ipc[p] : -1 });
    }
    if (query && pieceMatches(query, slab, p)) light(columns, x0, x1);
    i++;
  }
}

/**
 * Adds what lies within one column from `i` on, which begins in it: whole blocks where there are any.
 * @param {Columns} columns @param {RowSpans} row @param {number} i @param {number} column
 * @param {{t0: number, scale: number, overEdge?: number}} view @param {Uint8Array} what @param {import('../model/query.js').Query | null} query
 * @returns {number} the first span that is left: it reaches into the next column, or there is none
 */
function addColumn(columns, row, i, column, view, what, query) {
  const { slab, order, last } = row;
  const { start, end, kind, thread, ipc } = slab;
  const { scale, overEdge = 0 } = view;
  const stop = view.t0 + (column + 1) / scale;
  const farthest = stop + overEdge / scale;
  for (let reached = -Infinity; i < last && reached < stop;) {
    const block = i % SMALLEST_BLOCK === 0 ? largestBlock(row, i, farthest) : null;
    let size = 1;
    if (block) {
      size = block.size;
      reached = block.end[i / size];
      addBlock(columns, column, block, i / size, slab, scale);
    } else {
      const p = order ? order[i] : i;
      if (end[p] >= stop) return i;
      const part = (end[p] - start[p]) * scale;
      columns.addWithin(column, part, what[kind[p]], kind[p], thread[p]);
      if (ipc && ipc[p] > 0) {
        columns.hasIpc = true;
        columns.ipc[column] += ipcOf(ipc[p]) * part;
        columns.ipcTime[column] += part;
      }
    }
    if (query && columns.lit[column] === 0) lightAny(columns, column, slab, order, i, size, query);
    i += size;
  }
  return i;
}

/**
 * The largest blocks of which one begins with span `i` and ends by `farthest`; null: there are none.
 * @param {RowSpans} row @param {number} i @param {number} farthest ns
 */
function largestBlock({ last, blocks }, i, farthest) {
  for (let b = 0; b < blocks.length; b++) {
    const { size, end } = blocks[b];
    if ((i & size - 1) === 0 && i + size <= last && end[i / size] <= farthest) return blocks[b];
  }
  return null;
}

/**
 * @param {Columns} columns @param {number} column @param {import('../model/slab.js').Blocks} blocks
 * @param {number} block @param {import('../model/slab.js').Slab} slab @param {number} scale
 */
function addBlock(columns, column, blocks, block, slab, scale) {
  const { shares, ipc, topTime } = blocks;
  const sums = columns.shares;
  const weight = blocks.time[block] * scale / WHOLE_BLOCK;
  for (let from = block * K, end = from + K, into = column * K; from < end; from++, into++) {
    const share = shares[from];
    if (share !== 0) sums[into] += share * weight;
  }
  columns.count[column] += blocks.size;
  const time = topTime[block] * scale;
  if (time > columns.topTime[column]) {
    const p = blocks.tops[block];
    columns.topTime[column] = time;
    columns.topKind[column] = slab.kind[p];
    columns.topThread[column] = slab.thread[p];
  }
  if (ipc && ipc[2 * block + 1] > 0) {
    columns.hasIpc = true;
    columns.ipc[column] += ipc[2 * block] * scale;
    columns.ipcTime[column] += ipc[2 * block + 1] * scale;
  }
}

function lightAny(columns, column, slab, order, i, size, query) {
  for (let j = i; j < i + size; j++) {
    if (pieceMatches(query, slab, order ? order[j] : j)) {
      columns.lit[column] = 1;
      return;
    }
  }
}

/** @param {Columns} columns @param {number} x0 @param {number} x1 @param {number} [as] LIT or PINNED */
export function light(columns, x0, x1, as = LIT) {
  const to = Math.min(columns.width - 1, Math.floor(x1));
  for (let x = Math.max(0, Math.floor(x0)); x <= to; x++) columns.lit[x] |= as;
}

/**
 * A CPU from the overview, where slabs are not there or a bucket is finer than a pixel.
 * @param {Columns} columns
 * @param {import('../model/overview.js').CpuOverview} cpu
 * @param {{begin: number, width: number}} grid
 * @param {{t0: number, t1: number, scale: number}} view
 * @param {Int32Array} owner
 */
export function addCpuOverview(columns, cpu, grid, view, owner) {
  const n = levelFor(grid.width, view.scale);
  const level = cpuLevel(cpu, n);
  const { begin } = grid;
  const width = grid.width * 2 ** n;
  const perBucket = width * view.scale;
  const first = Math.max(0, Math.floor((view.t0 - begin) / width));
  const last = Math.min(level.size - 1, Math.floor((view.t1 - begin) / width));
  const { shares: shared, density } = level;
  const sums = columns.shares;
  for (let b = first; b <= last; b++) {
    const x0 = (begin + b * width - view.t0) * view.scale;
    const to = Math.min(columns.width - 1, Math.floor(x0 + perBucket));
    for (let x = Math.max(0, Math.floor(x0)); x <= to; x++) {
      const part = Math.min(x0 + perBucket, x + 1) - Math.max(x0, x);
      if (part <= 0) continue;
      const weight = part / 65535;
      for (let from = b * K, end = from + K, into = x * K; from < end; from++, into++) {
        const share = shared[from];
        if (share !== 0) sums[into] += weight * share;
      }
      if (level.ipc && level.ipc[b] > 0) {
        columns.hasIpc = true;
        columns.ipc[x] += part * (level.ipc[b] - 1) / 32;
        columns.ipcTime[x] += part;
      }
      columns.count[x] += density[b] > 0 ? 1 << Math.min(density[b] - 1, 30) : 0;
      const top = level.top[b] - 1;
      if (top >= 0 && part > columns.topTime[x]) {
        columns.topTime[x] = part;
        columns.topKind[x] = top;
        columns.topThread[x] = owner[top];
      }
    }
  }
}

/**
 * A thread from the overview.
 * @param {Columns} columns
 * @param {Pick<import('../model/overview.js').ThreadOverview, 'bucket' | 'wait' | 'reason'> & import('../model/overview.js').Ran} overview
 * @param {{begin: number, width: number}} grid
 * @param {{t0: number, t1: number, scale: number}} view
 * @param {number} thread
 * @param {number} userKind
 */
export function addThreadOverview(columns, overview, grid, view, thread, userKind) {
  const { begin, width } = grid;
  const perBucket = width * view.scale;
  const { bucket } = overview;
  let i = 0;
  let high = bucket.length;
  const first = Math.floor((view.t0 - begin) / width);
  while (i < high) {
    const middle = (i + high) >>> 1;
    if (bucket[middle] < first) i = middle + 1;
    else high = middle;
  }
  for (; i < bucket.length; i++) {
    const x0 = (begin + bucket[i] * width - view.t0) * view.scale;
    if (x0 >= columns.width) break;
    if (overview.wait[i] > 0) columns.addWait(x0, x0 + perBucket, overview.reason[i]);
    const to = Math.min(columns.width - 1, Math.floor(x0 + perBucket));
    for (let x = Math.max(0, Math.floor(x0)); x <= to; x++) {
      const part = Math.min(x0 + perBucket, x + 1) - Math.max(x0, x);
      if (part <= 0) continue;
      if (overview.user[i] + overview.kernel[i] + overview.interrupt[i] === 0) continue;
      columns.shares[x * K] += part * overview.user[i] / 255;
      columns.shares[x * K + 2] += part * overview.kernel[i] / 255;
      columns.shares[x * K + 4] += part * overview.interrupt[i] / 255;
      columns.count[x] += 2;
      columns.topKind[x] = userKind;
      columns.topThread[x] = thread;
    }
  }
}
