// SPDX-License-Identifier: BSD-3-Clause
// Finds spans wherever they are, in view or not: slabs are decoded on the way, nearest first. In: a
// row and a time; out: promises of spans, waits and wakeups.
import { KIND } from '../model/tables.js';
import { LIST, eachOverlay, lastOverlay } from '../model/overlays.js';
import { endsCall, foundCall, foundSpan, overlayOfHit, resultOf, spanAt, spanOfHit } from '../layout/hit.js';
import { isExecution, isWaitForCpu } from '../model/kinds.js';
import { cpuOf } from '../model/slab.js';
import { firstAfter, rowSpans } from '../layout/columns.js';

/**
 * @typedef {import('../layout/hit.js').Found} Found
 * @typedef {{start: number, end: number, cpu: number, thread: number}} Waker
 * @typedef {{start: number, end: number, kind: number}} Wait
 * @typedef {{run: number, waker: Waker | null, sender: Waker | null, before: Found | null, holder?: Waker | null}} Cause
 *   of a run: what woke the thread, the interrupt by which, what had the CPU until then;
 *   of a wait, which ends before or where the run begins: the same of this wait; run: Infinity where there is none;
 *   of a lock that was wanted: who held it
 * @typedef {{time: number, run: number, thread: number, cpu: number}} Woken  when, when it ran, who, where
 * @typedef {{cpu: number, thread: number, type: string, objectId: number, members?: number[]}} RowLike
 */

export const MOST_SLABS = 60;   // that one question may decode
const MOST_STEPS = 5000; // spans of one uninterrupted run that are gone back
const MOST_WAITS = 12;
const IDLE = 1;          // threads up to this number are none
const AFTER_IPI = 100_000;  // ns from an interrupt's arrival to a wakeup: the way out of deep sleep
const ROUNDING = 20;     // ns by which times of an imported trace may be off

/** @param {number} thread @returns {RowLike} */
const rowOfThread = (thread) => ({ cpu: -1, thread, type: 'thread', objectId: -1 });
/** @param {number} cpu @returns {RowLike} */
const rowOfCpu = (cpu) => ({ cpu, thread: -1, type: 'cpu', objectId: -1 });

export class Finder {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.store = app.store;
    this.trace = app.trace;
    this.app = app;
    /** Whether what was not found may lie farther away than was looked. */
    this.gaveUp = false;
    /** @type {{begin: number, end: number}[]} */
    this.times = app.trace.slabs.map(({ sections, overlays }) => ({
      begin: Math.min(overlays[0] > 0 ? overlays[1] : Infinity, ...sections.map((s) => s[2])),
      end: Math.max(overlays[0] > 0 ? overlays[2] : -Infinity, ...sections.map((s) => s[3])),
    }));
  }

  /** What every view has, once it is there. */
  get long() {
    return this.app.longOverlays;
  }

  /**
   * Slabs that reach to one side of a time, nearest first.
   * @param {number} time @param {number} step 1 or -1
   */
  #outward(time, step) {
    const { times } = this;
    const all = times.map((_, i) => i);
    return step > 0 ? all.filter((i) => times[i].end > time).sort((a, b) => times[a].begin - times[b].begin)
      : all.filter((i) => times[i].begin < time).sort((a, b) => times[b].end - times[a].end);
  }

  /**
   * The next (1) or last (-1) span of a row, as seen from a time, for which `test` holds.
   * @param {RowLike} row @param {number} time a span's start @param {number} step
   * @param {(slab: import('../model/slab.js').Slab, p: number) => boolean} test
   * @returns {Promise<Found | null>}
   */
  async along(row, time, step, test) {
    /** @type {Found | null} */
    let best = null;
    const slabs = this.#outward(time, step);
    this.gaveUp = false;
    for (const i of slabs.slice(0, MOST_SLABS)) {
      if (best && (step > 0 ? this.times[i].begin > best.start : this.times[i].end < best.start)) break;
      const slab = await this.store.load(i);
      if (!slab) continue;
      for (const spans of rowSpans(slab, row)) {
        for (let n = startOf(spans, time, step); n >= spans.first && n < spans.last; n += step) {
          const p = spans.order ? spans.order[n] : n;
          if ((slab.start[p] - time) * step <= 0 || !test(slab, p)) continue;
          if (!best || (slab.start[p] - best.start) * step < 0) best = foundSpan(slab, p, cpuOf(slab, p), row, 1);
          break;
        }
      }
    }
    this.gaveUp = !best && slabs.length > MOST_SLABS;
    return best;
  }

  /** What is there at a time, or within `slack` of it. @param {RowLike} row @param {number} time @param {number} slack */
  async at(row, time, slack) {
    const near = this.store.touching(time - slack, time + slack + 1).slice(0, 8);
    const slabs = (await Promise.all(near.map((i) => this.store.load(i)))).filter((slab) => slab !== null);
    return spanAt(slabs, row, time, slack, this.trace.what);
  }

  /**
   * A match of a search with all that is known of it.
   * @param {import('../model/scan.js').Hit} hit @param {any} row  where it is shown @returns {Promise<Found | null>}
   */
  async matched(hit, row) {
    if (hit.call) return foundCall(hit, row);
    const own = isExecution(this.trace.what[hit.kind]);
    const long = own ? null : overlayOfHit(this.long, hit, row);
    if (long) return long;
    for (const i of this.store.touching(hit.start - 1, hit.end + 1).slice(0, MOST_SLABS)) {
      const slab = await this.store.load(i);
      const found = slab && (own ? spanOfHit(slab, hit, row) : overlayOfHit(slab.overlays, hit, row));
      if (found) return found;
    }
    return null;
  }

  /**
   * What a call returned, wherever the piece of it stands that has the return.
   * @param {Found} call  or a piece of it @returns {Promise<number>} result + 1, 0: the trace has none
   */
  async resultOf(call) {
    if (call.result > 0 || call.thread <= IDLE) return call.result;
    const { what } = this.trace;
    return resultOf(call, await this.along(rowOfThread(call.thread), call.start, 1, (slab, p) => endsCall(call, slab, p, what)));
  }

  /** Since when a thread has been running without a break. @param {number} thread @param {number} time in a run */
  async runStart(thread, time) {
    const row = rowOfThread(thread);
    let start = time;
    for (const i of this.#outward(time + 1, -1).slice(0, MOST_SLABS)) {
      if (this.times[i].end < start) break;
      const slab = await this.store.load(i);
      const [spans] = slab ? rowSpans(slab, row) : [];
      if (!slab || !spans) continue;
      let steps = 0;
      for (let n = startOf(spans, start, -1); n >= spans.first; n--) {
        const p = spans.order ? spans.order[n] : n;
        if (slab.start[p] >= start) continue;
        if (slab.end[p] < start || ++steps > MOST_STEPS) return start;
        start = slab.start[p];
      }
    }
    return start;
  }

  /** The last wakeup of a thread at or before a time. @param {number} thread @param {number} time */
  waker(thread, time) {
    return this.#lastArc(LIST.wokenBy, thread, time);
  }

  /**
   * By what an uninterrupted run of a thread came about: what woke it or, where it had been ready all
   * the time, what ran before it on its CPU.
   * @param {number} thread @param {number} cpu @param {number} run  its start @returns {Promise<Cause>}
   */
  async causeOf(thread, cpu, run) {
    const woken = await this.waker(thread, run);
    const last = await this.along(rowOfThread(thread), run, -1, () => true);
    // A wakeup before it ran the last time was not for this.
    if (woken && (!last || last.end <= woken.start + ROUNDING)) return { run, waker: woken, sender: await this.senderOf(woken), before: null };
    return { run, waker: null, sender: null, before: await this.#beforeOn(cpu, run, thread) };
  }

  /** The thread that had a CPU until another one ran. @param {number} cpu @param {number} run @param {number} thread  the other one */
  async #beforeOn(cpu, run, thread) {
    const before = cpu >= 0 ? await this.at(rowOfCpu(cpu), run - 1, 0) : null;
    return before && before.thread > IDLE && before.thread !== thread ? before : null;
  }

  /**
   * By what a wait came to its end: the wakeup at its end or, of one for a CPU, what had that CPU.
   * @param {Found} wait @returns {Promise<Cause>}
   */
  async causeOfWait({ thread, start, end, kind }) {
    const next = await this.along(rowOfThread(thread), Math.max(start, end - ROUNDING - 1), 1, () => true);
    const none = { run: next?.start ?? Infinity, waker: null, sender: null, before: null };
    if (isWaitForCpu(this.trace.event[kind])) return next ? { ...none, before: await this.#beforeOn(next.cpu, next.start, thread) } : none;
    const waker = await this.waker(thread, end + ROUNDING);
    // An earlier wakeup ended an earlier wait.
    return waker && waker.start > start ? { ...none, waker, sender: await this.senderOf(waker) } : none;
  }

  /**
   * Who held a lock when a thread that wanted it got it, or gave up: the last one of them.
   * @param {Found} wanted @returns {Promise<Waker | null>}
   */
  async holderOf({ thread, start, end, arg }) {
    // Who held it last stands in the last ones.
    const slabs = await Promise.all(this.store.touching(start, end + 1).slice(-MOST_SLABS).map((i) => this.store.load(i)));
    /** @type {Waker | null} */
    let holder = null;
    eachOverlay([this.long, ...slabs.flatMap((slab) => slab?.overlays ?? [])], LIST.lock, arg, { t0: start, t1: end }, (o, i) => {
      if (this.trace.what[o.kind[i]] !== KIND.lockHeld || o.thread[i] === thread || o.start[i] >= end) return;
      if (!holder || o.end[i] > holder.end) holder = { start: o.start[i], end: o.end[i], cpu: o.cpu[i], thread: o.thread[i] };
    });
    return holder;
  }

  /**
   * Whom a thread woke in a range, by time; the first ones.
   * @param {number} thread @param {number} t0 @param {number} t1 @returns {Promise<Woken[]>}
   */
  async wakesIn(thread, t0, t1) {
    const slabs = await Promise.all(this.store.touching(t0, t1).slice(0, MOST_WAITS).map((i) => this.store.load(i)));
    /** @type {Woken[]} */
    const out = [];
    eachOverlay([this.long, ...slabs.flatMap((slab) => slab?.overlays ?? [])], LIST.wakes, thread, { t0, t1 }, (o, i) => {
      if (o.start[i] < t0 || o.start[i] > t1) return;
      out.push({ time: o.start[i], run: o.end[i], thread: o.other ? o.other[i] : 0, cpu: o.arg ? o.arg[i] : 0 });
      return out.length >= MOST_WAITS;
    });
    return out.sort((a, b) => a.time - b.time);
  }

  /**
   * The interrupt from another CPU by which a wakeup came about on an idle one, if one did.
   * @param {Waker} waker @returns {Promise<Waker | null>}
   */
  async senderOf(waker) {
    if (waker.thread > IDLE) return null;
    const ipi = await this.#lastArc(LIST.ipisTo, waker.cpu, waker.start);
    if (!ipi || waker.start - ipi.end > AFTER_IPI) return null;
    const sent = await this.at(rowOfCpu(ipi.cpu), ipi.start, 0);
    return sent && sent.thread > IDLE ? { ...ipi, thread: sent.thread } : null;
  }

  /** @param {number} list @param {number} id @param {number} time that it begins at or before @returns {Promise<Waker | null>} */
  async #lastArc(list, id, time) {
    /** @type {Waker | null} */
    let best = null;
    const look = (/** @type {import('../model/slab.js').Overlays[]} */ parts) => {
      const found = lastOverlay(parts, list, id, time);
      if (!found || (best && found.o.start[found.i] <= best.start)) return;
      const { o, i } = found;
      best = { start: o.start[i], end: o.end[i], cpu: o.cpu[i], thread: o.thread[i] };
    };
    look([this.long]);
    for (const i of this.#outward(time + 1, -1).slice(0, MOST_SLABS)) {
      if (best && this.times[i].end < /** @type {Waker} */ (best).start) break;
      const slab = await this.store.load(i);
      if (slab) look([slab.overlays]);
    }
    return best;
  }

  /**
   * The first mark after a time, however far away.
   * @param {number} time @returns {Promise<number | null>} its time
   */
  async markAfter(time) {
    /** @type {number | null} */
    let best = null;
    const look = (/** @type {import('../model/slab.js').Overlays} */ part) => {
      eachOverlay([part], LIST.marks, 0, { t0: time, t1: Infinity }, (o, n) => {
        if (o.start[n] <= time) return;
        if (best === null || o.start[n] < best) best = o.start[n];
        return true;
      });
    };
    look(this.long);
    for (const i of this.#outward(time, 1)) {
      if (best !== null && this.times[i].begin > best) break;
      const slab = await this.store.load(i);
      if (slab) look(slab.overlays);
    }
    return best;
  }

  /** The waits of a thread that end where it runs on, the last one last. @param {number} thread @param {number} time @returns {Promise<Wait[]>} */
  async waitsBefore(thread, time) {
    const { trace, store } = this;
    /** @type {Wait[]} */
    const waits = [];
    let until = time;
    while (waits.length < MOST_WAITS) {
      const slabs = await Promise.all(store.touching(until - ROUNDING, until + ROUNDING).slice(0, 8).map((i) => store.load(i)));
      const parts = [this.long, ...slabs.flatMap((slab) => slab?.overlays ?? [])];
      /** @type {Wait | null} */
      let found = null;
      eachOverlay(parts, LIST.waits, thread, { t0: until - ROUNDING, t1: until + ROUNDING }, (o, i) => {
        if (trace.what[o.kind[i]] !== KIND.wait || Math.abs(o.end[i] - until) > ROUNDING) return;
        if (o.start[i] >= until - ROUNDING) return;
        found = { start: o.start[i], end: o.end[i], kind: o.kind[i] };
      });
      if (!found) break;
      waits.unshift(found);
      until = /** @type {Wait} */ (found).start;
    }
    return waits;
  }
}

/**
 * Place of the row to begin at: the first after a span's start, or the last before it.
 * @param {import('../layout/columns.js').RowSpans} spans @param {number} time @param {number} step
 */
function startOf(spans, time, step) {
  const here = firstAfter(spans, time);  // ends after the time
  return step > 0 ? here : Math.min(here, spans.last - 1);
}
