// SPDX-License-Identifier: BSD-3-Clause
// Goes over the spans of a decoded slab for search matches. Runs in workers and in the page alike.
// In: a slab; out: plain arrays that can be added up.
import { callAt } from './calls.js';
import { addRange, addRanges, noRanges, sentRanges } from './lit.js';
import { asksForKindsAlone, asksForPieces, callMatches, overlayMatches, spanMatches } from './match.js';

const MOST_HITS = 20000;

/**
 * @typedef {{start: number, end: number, kind: number, cpu: number, thread: number,
 *   call?: import('./calls.js').Call}} Hit  call: of one that is more than a span
 *
 * What hits are ordered by; ranks: of kinds or threads, the places of their names.
 * @typedef {{by: 'start' | 'duration' | 'kind' | 'cpu' | 'thread' | 'onCpu' | 'pieces', up: boolean, ranks?: Uint32Array}} Order
 *
 * Where to light up rows that are drawn from the overview: by CPU and by thread, ranges of its
 * buckets; and the buckets of CPUs in which any match begins.
 * @typedef {{cpus: import('./lit.js').Ranges, threads: import('./lit.js').Ranges, begins: Set<number>}} Lit
 *
 * hits are the first ones only in the order that was asked for, all else is of all matches.
 * @typedef {{count: number, total: number, min: number, max: number, hits: Hit[], lit: Lit}} Matches
 */

/** @type {Order} */
export const BY_TIME = { by: 'start', up: true };

/** @param {Hit} hit */
export const onCpuOf = (hit) => (hit.call ? hit.call.onCpu : hit.end - hit.start);
/** @param {Hit} hit */
export const piecesOf = (hit) => hit.call?.pieces ?? 1;

/** @type {Record<Order['by'], (hit: Hit, ranks: Uint32Array) => number>} */
const VALUES = {
  start: (hit) => hit.start, duration: (hit) => hit.end - hit.start, cpu: (hit) => hit.cpu,
  onCpu: onCpuOf, pieces: piecesOf, kind: (hit, ranks) => ranks[hit.kind], thread: (hit, ranks) => ranks[hit.thread],
};

/** Hits that are equal in what was asked for go by time. @param {Order} order @returns {(a: Hit, b: Hit) => number} */
function comparator({ by, up, ranks = new Uint32Array(0) }) {
  const value = VALUES[by];
  const sign = up ? 1 : -1;
  return (a, b) => sign * (value(a, ranks) - value(b, ranks)) || a.start - b.start || a.cpu - b.cpu;
}

/** The first hits in an order, of however many: no more than twice as many are ever held. */
export class FirstHits {
  /** @type {Hit[]} */
  #kept = [];
  #sorted = true;

  /** @param {Order} order @param {Hit | null} [last]  those behind it are not wanted @param {number} [most] */
  constructor(order, last = null, most = MOST_HITS) {
    this.compare = comparator(order);
    this.byTime = order.by === 'start' && order.up;
    /** None behind this one can be among the first. */
    this.last = last;
    this.most = most;
  }

  /** Whether one that begins at `start` may be among them. @param {number} start */
  mayHave(start) {
    return !this.byTime || this.last === null || start <= this.last.start;
  }

  /** @param {Hit} hit */
  add(hit) {
    if (this.last && this.compare(hit, this.last) > 0) return;
    this.#kept.push(hit);
    this.#sorted = false;
    if (this.#kept.length >= 2 * this.most) this.#cut();
  }

  #cut() {
    if (this.#sorted) return;
    this.#kept.sort(this.compare);
    this.#sorted = true;
    if (this.#kept.length < this.most) return;
    this.#kept.length = this.most;
    this.last = this.#kept[this.most - 1];
  }

  /** In order. */
  get hits() {
    this.#cut();
    return this.#kept;
  }
}

/** @returns {Matches} */
export const noMatches = () => ({ count: 0, total: 0, min: Infinity, max: 0, hits: [],
  lit: { cpus: noRanges(), threads: noRanges(), begins: new Set() } });

/**
 * Counts a match and lights it up.
 * @param {Matches} matches @param {import('./query.js').Grid} grid
 * @param {number} start @param {number} end @param {number} cpu @param {number} thread
 */
function count(matches, grid, start, end, cpu, thread) {
  const time = end - start;
  matches.count++;
  matches.total += time;
  if (time < matches.min) matches.min = time;
  if (time > matches.max) matches.max = time;
  const { lit } = matches;
  const from = start - grid.begin;
  const to = end - grid.begin;
  const first = Math.floor(from / grid.cpuWidth);
  lit.begins.add(first);
  if (cpu >= 0) addRange(lit.cpus, cpu, first, Math.floor(to / grid.cpuWidth));
  addRange(lit.threads, thread, Math.floor(from / grid.threadWidth), Math.floor(to / grid.threadWidth));
}

/**
 * @param {import('./slab.js').Slab} slab
 * @param {import('./query.js').Query} query
 * @param {Order} [order]  of the hits
 * @param {Hit | null} [last]  those behind it are not wanted
 * @param {number} [most]  hits that are wanted
 * @returns {Matches}
 */
export function searchSlab(slab, query, order = BY_TIME, last = null, most = MOST_HITS) {
  const matches = noMatches();
  const first = new FirstHits(order, last, most);
  const { start, end, kind, thread } = slab;
  const callOf = asksForPieces(query) ? null : slab.callOf;
  for (const section of slab.sections) {
    for (let i = section.first; i < section.first + section.count; i++) {
      if (callOf && callOf[i] !== 0) continue;  // a piece: its call is what counts
      if (!spanMatches(query, slab, i)) continue;
      count(matches, query.grid, start[i], end[i], section.cpu, thread[i]);
      if (first.mayHave(start[i])) first.add({ start: start[i], end: end[i], kind: kind[i], cpu: section.cpu, thread: thread[i] });
    }
  }
  searchCalls(slab.calls, query, matches, first);
  searchOverlays(slab.overlays, query, matches, first);
  matches.hits = first.hits;
  return matches;
}

/**
 * Where pieces are asked for, no call is found.
 * @param {import('./calls.js').Calls} c @param {import('./query.js').Query} query
 * @param {Matches} matches @param {FirstHits} first
 */
export function searchCalls(c, query, matches, first) {
  if (asksForPieces(query)) return;
  for (let i = 0; i < c.within; i++) {
    if (c.birth[i] || !callMatches(query, c, i)) continue;
    count(matches, query.grid, c.start[i], c.end[i], c.cpu[i], c.thread[i]);
    if (first.mayHave(c.start[i])) first.add({ start: c.start[i], end: c.end[i], kind: c.kind[i], cpu: c.cpu[i], thread: c.thread[i], call: callAt(c, i) });
  }
}

/**
 * @param {import('./slab.js').Overlays} o
 * @param {import('./query.js').Query} query
 * @param {Matches} matches
 * @param {FirstHits} first
 */
export function searchOverlays(o, query, matches, first) {
  for (let i = 0; i < o.count; i++) {
    if (!overlayMatches(query, o, i)) continue;
    count(matches, query.grid, o.start[i], o.end[i], o.cpu[i], o.thread[i]);
    if (first.mayHave(o.start[i])) first.add({ start: o.start[i], end: o.end[i], kind: o.kind[i], cpu: o.cpu[i], thread: o.thread[i] });
  }
}

/**
 * What the page's header tells of all matches: nothing where more than their kinds decides.
 * @param {import('./trace.js').Trace} trace @param {import('./query.js').Query} query
 * @returns {{count: number, total: number, min: number, max: number} | null}
 */
export function totalsOf(trace, query) {
  if (trace.countsBirths || !asksForKindsAlone(query)) return null;
  const sum = { count: 0, total: 0, min: Infinity, max: 0 };
  for (let k = 0; k < trace.kindCount; k++) {
    if ((query.kinds[k] === 1) === query.invert) continue;
    const of = trace.callTotals[k] ?? trace.kindTotals[k];
    if (of.count === 0) continue;
    sum.count += of.count;
    sum.total += of.total;
    sum.min = Math.min(sum.min, of.min);
    sum.max = Math.max(sum.max, of.max);
  }
  return sum;
}

/** As they are sent between threads. @param {Matches} matches */
export function sentMatches({ lit: { cpus, threads, begins }, ...rest }) {
  const lit = { cpus: sentRanges(cpus), threads: sentRanges(threads), begins };
  return { result: { ...rest, lit }, transfer: [lit.cpus, lit.threads].flatMap(({ number, first, last }) => [number.buffer, first.buffer, last.buffer]) };
}

/** @param {Matches} into @param {Matches | ReturnType<typeof sentMatches>['result']} from @param {FirstHits} first  of both */
export function addMatches(into, from, first) {
  into.count += from.count;
  into.total += from.total;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
  for (const hit of from.hits) first.add(hit);
  if (from.hits.length > 0) into.hits = first.hits;
  addRanges(into.lit.cpus, from.lit.cpus);
  addRanges(into.lit.threads, from.lit.threads);
  for (const bucket of from.lit.begins) into.lit.begins.add(bucket);
}
