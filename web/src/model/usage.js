// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a range went. Runs in workers and in the page alike. In: slabs, a range; out: a part in
// columns, durations by kind, thread and CPU, waits by reason, which are added up.
import { EXECUTION_KINDS, KIND } from './tables.js';
import { asksForPieces, callMatches, overlayMatches, pieceMatches } from './match.js';
import { eachPiece } from './pieces.js';
import { isCall } from './calls.js';
import { REASONS, reasonOf } from './kinds.js';
import { inScope } from './scope.js';
import { Tally, addColumns, buffersOf, columnsOf } from './tally.js';

/** @typedef {import('./durations.js').Durations} Durations @typedef {import('./query.js').Query} Query @typedef {import('./scope.js').Scope} Scope */

/**
 * Of a span that the range cuts, the part inside counts.
 * @typedef {object} Usage
 * @property {Map<number, Durations>} byKind    kind of the dictionary
 * @property {Map<number, Durations>} byThread
 * @property {Map<number, Durations>} calls     kind; whole calls that ended in the range
 * @property {Map<number, Durations>} byCpu     cpu * EXECUTION_KINDS + kind of span
 * @property {Map<number, Durations>} overlays  kind; waits, locks, ...: of all threads together
 * @property {Map<number, Durations>} waits     thread; of all reasons
 * @property {Map<number, {time: number, count: number}>} byReason  waits; thread * REASONS + reason; only where asked for
 */

/**
 * The same of some slabs, or of what no slab holds.
 * @typedef {Record<typeof COLUMNS[number], import('./tally.js').Columns> & Pick<Usage, 'byReason'>} Part
 */
const COLUMNS = /** @type {const} */ (['byKind', 'byThread', 'calls', 'byCpu', 'overlays', 'waits']);

const ROWS_AT_ONCE = 500;

/** None has a higher number; a page that is damaged may seem to. */
const MOST_CPUS = 65536;

/** @returns {Usage} */
export const noUsage = () => ({
  byKind: new Map(), byThread: new Map(), calls: new Map(), byCpu: new Map(), overlays: new Map(), waits: new Map(),
  byReason: new Map(),
});

/** @typedef {{t0: number, t1: number, only: Query | null, scope: Scope | null, reasons: boolean}} Asked  only: what counts; scope: on which
 *   rows; reasons: waits are wanted by reason, too */

export class UsageTally {
  /** @param {Pick<import('./slab.js').Tables, 'what' | 'event' | 'threads'>} tables @param {Asked} asked */
  constructor({ what, event, threads }, asked) {
    this.what = what;
    this.event = event;
    this.asked = asked;
    this.kinds = new Tally(what.length);
    this.calls = new Tally(what.length);
    this.threads = new Tally(threads);
    this.cpus = new Tally(MOST_CPUS * EXECUTION_KINDS);
    this.overlays = new Tally(what.length);
    this.waits = new Tally(threads);
    /** @type {Usage['byReason']} */
    this.byReason = new Map();
  }

  /** Begins anew with the memory of what was added. @param {Asked} asked */
  again(asked) {
    this.asked = asked;
    for (const tally of Object.values(this.#tallies())) tally.clear();
    this.byReason = new Map();
  }

  /** @param {import('./slab.js').Slab} slab */
  add(slab) {
    const { what, kinds, calls, threads, cpus, asked: { t0, t1, only, scope } } = this;
    const { start, end, kind, thread, hasCalls, callOf, sections } = slab;
    eachPiece(slab, t0, t1, scope, (i, time, section) => {
      if (only && !pieceMatches(only, slab, i)) return;
      const k = kind[i];
      kinds.add(k, time);
      const whole = hasCalls && isCall(what[k]) && (!callOf || callOf[i] === 0);
      if (whole && endsWithin(end[i], t0, t1)) calls.add(k, end[i] - start[i]);
      threads.add(thread[i], time);
      cpus.add(sections[section].cpu * EXECUTION_KINDS + what[k], time);
    });
    this.addOthers(slab.overlays, slab.calls);
  }

  /** What lies over the CPUs' timelines, and calls that are more than a span. @param {import('./slab.js').Overlays} o @param {import('./calls.js').Calls} c */
  addOthers(o, c) {
    this.#addCalls(c, 0, c.within);
    this.#addOverlays(o, 0, o.count);
  }

  /**
   * The same of what no slab holds, which may be millions, and what it adds up to.
   * @param {import('./slab.js').Overlays} o @param {import('./calls.js').Calls} c @param {import('./breathe.js').Turns} turns
   * @param {() => boolean} cancelled  nobody waits for it any more, so it need not be whole
   * @returns {Promise<Part>}
   */
  async partOfLong(o, c, turns, cancelled) {
    const inTurns = async (/** @type {number} */ count, /** @type {(first: number, stop: number) => void} */ add) => {
      for (let i = 0; i < count && !cancelled(); i += ROWS_AT_ONCE) {
        add(i, Math.min(count, i + ROWS_AT_ONCE));
        if (turns.over) await turns.end();
      }
    };
    await inTurns(c.within, (first, stop) => this.#addCalls(c, first, stop));
    await inTurns(o.count, (first, stop) => this.#addOverlays(o, first, stop));
    const columns = /** @type {Part} */ ({});
    for (const name of COLUMNS) {
      columns[name] = this.#tallies()[name].columns();
      if (turns.over) await turns.end();
    }
    return { ...columns, byReason: this.byReason };
  }

  /** @param {import('./calls.js').Calls} c @param {number} first @param {number} stop */
  #addCalls(c, first, stop) {
    const { t0, t1, only, scope } = this.asked;
    for (let i = first; i < stop; i++) {
      if (c.birth[i] || !endsWithin(c.end[i], t0, t1) || !inScope(scope, c.cpu[i], c.thread[i]) || (only && (asksForPieces(only) || !callMatches(only, c, i)))) continue;
      this.calls.add(c.kind[i], c.end[i] - c.start[i]);
    }
  }

  /** @param {import('./slab.js').Overlays} o @param {number} first @param {number} stop */
  #addOverlays(o, first, stop) {
    const { what, event, asked: { t0, t1, only, scope, reasons } } = this;
    for (let i = first; i < stop && o.start[i] < t1; i++) {
      if ((o.end[i] <= t0 && o.start[i] < t0) || (only && !overlayMatches(only, o, i))) continue;
      if (!inScope(scope, o.cpu[i], o.thread[i])) continue;
      const time = Math.min(o.end[i], t1) - Math.max(o.start[i], t0);
      this.overlays.add(o.kind[i], time);
      if (what[o.kind[i]] !== KIND.wait) continue;
      this.waits.add(o.thread[i], time);
      if (reasons) addReason(this.byReason, o.thread[i] * REASONS + reasonOf(event[o.kind[i]]), time, 1);
    }
  }

  /** @returns {Record<typeof COLUMNS[number], Tally>} */
  #tallies() {
    return { byKind: this.kinds, byThread: this.threads, calls: this.calls, byCpu: this.cpus, overlays: this.overlays, waits: this.waits };
  }

  /** @returns {Part} */
  part() {
    const columns = /** @type {Part} */ ({});
    for (const name of COLUMNS) columns[name] = this.#tallies()[name].columns();
    return { ...columns, byReason: this.byReason };
  }
}

/** @param {Usage['byReason']} byReason @param {number} key @param {number} time @param {number} count */
export function addReason(byReason, key, time, count) {
  const sum = byReason.get(key);
  if (sum) {
    sum.time += time;
    sum.count += count;
  } else {
    byReason.set(key, { time, count });
  }
}

/** @param {number} end @param {number} t0 @param {number} t1 */
const endsWithin = (end, t0, t1) => end > t0 && end <= t1;

/** @param {Usage} into @param {Part} from @param {import('./breathe.js').Turns} turns  in which it is done: threads may be many */
export async function addUsage(into, from, turns) {
  for (const name of COLUMNS) {
    const columns = from[name];
    const rows = columns.number.length;
    for (let row = 0; row < rows; row += ROWS_AT_ONCE) {
      addColumns(into[name], columns, undefined, row, Math.min(rows, row + ROWS_AT_ONCE));
      if (turns.over) await turns.end();
    }
  }
  for (const [key, { time, count }] of from.byReason) addReason(into.byReason, key, time, count);
}

/** As a slab's. @param {Usage} usage @returns {Part} */
export const partOf = (usage) => ({ byKind: columnsOf(usage.byKind), byThread: columnsOf(usage.byThread), calls: columnsOf(usage.calls),
  byCpu: columnsOf(usage.byCpu), overlays: columnsOf(usage.overlays), waits: columnsOf(usage.waits), byReason: usage.byReason });

/** What of a part may change hands. @param {Part} part */
export const usageBuffers = (part) => COLUMNS.flatMap((name) => buffersOf(part[name]));
