// SPDX-License-Identifier: BSD-3-Clause
// Sums of runs of slabs (doc/page-format.md, Runs). Runs in workers and in the page alike. In: the block's bytes,
// numbers of runs; out: what they add up to, as if all of their slabs had been gone through; or which runs have
// spans of some kinds.
import { REASONS } from './kinds.js';
import { Reader } from './reader.js';
import { MOST_BUCKETS, addColumns } from './tally.js';
import { addReason, noUsage, partOf } from './usage.js';
import { bucketBegin } from './durations.js';

/** As the writer has them. */
const MOST_ROWS = 2048;
const PLACES_OF_REASONS = 32;
/** Of a table. */
const COLUMNS = 7;

/** @typedef {import('./tally.js').Columns} Columns @typedef {import('./slab.js').Tables} Tables @typedef {import('./usage.js').Usage} Usage */

const damaged = () => new Error('the sums of this page are not what they should be');

/** @param {Reader} reader @param {number} limit of the numbers @returns {Columns} */
function readTable(reader, limit) {
  const rows = reader.next();
  if (!(rows <= MOST_ROWS)) throw damaged();
  const [numbers, used, shortest, longest, totals, buckets, often] = Array.from({ length: COLUMNS }, () => reader.column());
  const number = new Uint32Array(rows);
  const at = new Uint32Array(rows + 1);
  let last = 0;
  for (let row = 0; row < rows; row++) {
    number[row] = last += numbers.next();
    const here = used.next();
    if (!(last < limit && here > 0 && here <= MOST_BUCKETS)) throw damaged();
    at[row + 1] = at[row] + here;
  }
  const bucket = new Uint16Array(at[rows]);
  const times = new Uint32Array(at[rows]);
  const count = new Uint32Array(rows);
  const time = new Float64Array(rows);
  const min = new Float64Array(rows);
  const max = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    let one = 0;
    for (let i = at[row]; i < at[row + 1]; i++) {
      one += buckets.next();
      if (!(one < MOST_BUCKETS)) throw damaged();
      bucket[i] = one;
      times[i] = often.next() + 1;
      count[row] += times[i];
      time[row] += times[i] * bucketBegin(one);
    }
    time[row] += totals.next();
    min[row] = bucketBegin(bucket[at[row]]) + shortest.next();
    max[row] = bucketBegin(one) + longest.next();
  }
  return { number, count, time, min, max, at, bucket, times };
}

/** @param {Reader} block @param {Tables} tables */
function readRun(block, tables) {
  const reader = block.column();
  const kinds = tables.what.length;
  return { whole: readTable(reader, kinds), pieces: readTable(reader, kinds), calls: readTable(reader, kinds), cpus: readTable(reader, Infinity),
    threads: readTable(reader, tables.threads), overlays: readTable(reader, kinds), waits: readTable(reader, tables.threads * PLACES_OF_REASONS) };
}

/** @param {number} place of a thread and reason */
const threadOf = (place) => Math.floor(place / PLACES_OF_REASONS);

/** @param {Usage} into @param {ReturnType<typeof readRun>} run @param {Tables} tables @param {boolean} reasons */
function addRun(into, { whole, pieces, calls, cpus, threads, overlays, waits }, { owner }, reasons) {
  for (const columns of [whole, pieces]) {
    addColumns(into.byKind, columns);
    addColumns(into.byThread, columns, (kind) => owner[kind]);
  }
  addColumns(into.byThread, threads);
  addColumns(into.calls, whole);
  addColumns(into.calls, calls);
  addColumns(into.byCpu, cpus);
  addColumns(into.overlays, overlays);
  addColumns(into.waits, waits, threadOf);
  waits.number.forEach((place, row) => {
    if (reasons) addReason(into.byReason, threadOf(place) * REASONS + place % PLACES_OF_REASONS, waits.time[row], waits.count[row]);
  });
}

/**
 * @param {Uint8Array} bytes @param {Tables} tables @param {number[]} wanted  runs, ascending
 * @param {boolean} reasons  waits are wanted by reason, too @returns {import('./usage.js').Part}
 */
export function sumsOfRuns(bytes, tables, wanted, reasons) {
  const usage = noUsage();
  const block = new Reader(bytes);
  let run = 0;
  for (const next of wanted) {
    for (; run < next; run++) block.column();
    addRun(usage, readRun(block, tables), tables, reasons);
    run++;
  }
  return partOf(usage);
}

/** Whether a table has such a row, without its durations. @param {Reader} reader @param {Uint8Array} wanted  1: it is @param {number} limit of the numbers */
function hasRow(reader, wanted, limit) {
  const rows = reader.next();
  if (!(rows <= MOST_ROWS)) throw damaged();
  const numbers = reader.column();
  for (let column = 1; column < COLUMNS; column++) reader.column();
  let found = false;
  let number = 0;
  for (let row = 0; row < rows; row++) {
    number += numbers.next();
    if (!(number < limit)) throw damaged();
    found ||= wanted[number] === 1;
  }
  return found;
}

/** Runs that have a span, call or overlay of such a kind. @param {Uint8Array} bytes @param {Tables} tables @param {Uint8Array} kinds  1: wanted @returns {boolean[]} */
export function runsWith(bytes, tables, kinds) {
  const none = new Uint8Array(0);
  const block = new Reader(bytes);
  const found = [];
  while (!block.done) {
    const run = block.column();
    // Whole calls, pieces, calls, CPUs, threads, overlays.
    const limits = [kinds.length, kinds.length, kinds.length, Infinity, tables.threads, kinds.length];
    found.push([kinds, kinds, kinds, none, none, kinds].map((wanted, i) => hasRow(run, wanted, limits[i])).includes(true));
  }
  return found;
}
