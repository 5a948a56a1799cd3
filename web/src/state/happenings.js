// SPDX-License-Identifier: BSD-3-Clause
// What every CPU and every thread did in a window of time, so that it can be walked backwards, as
// src/reports/happenings.h has it. In: the slabs of that time, decoded; out: pieces, looked up where they lie.
import { cpuSpans, firstAfter, threadSpans } from '../layout/columns.js';
import { LIST, eachOverlay, lastOverlay } from '../model/overlays.js';
import { isIdle } from '../model/kinds.js';
import { cpuOf } from '../model/slab.js';
import { KIND, WAIT_FIRST } from '../model/tables.js';

/**
 * A thread executes on a CPU, or is interrupted there; a CPU idles; a thread waits.
 * @typedef {object} Piece  times in ns
 * @property {number} begin
 * @property {number} end
 * @property {number} cpu     -1: a wait
 * @property {number} thread  0: of none; of one that had several numbers, the first
 * @property {number} what    KIND
 * @property {string} name    of what executed
 * @property {string} letter  of a wait
 * @property {number} arg
 *
 * @typedef {{cpu: number, time: number}} Wakeup  cpu: of the waker
 * @typedef {{t0: number, t1: number}} Window
 */

/** A window over more parts of the page than these is not looked into. */
const MOST_SLABS = 60;
/** Parts in front of a wait, and spans in each, that are gone back through for the call that it is in. */
const MOST_PARTS = 8;
const MOST_STEPS = 5000;
/** Threads up to this number are none. */
const IDLE = 1;

/**
 * What touches a window of time.
 * @param {{trace: import('../model/trace.js').Trace, store: import('../model/store.js').Store, longOverlays: import('../model/slab.js').Overlays}} app
 * @param {Window} reach  whose parts are loaded @param {Window} [window]  pieces that do not touch it are left out
 * @returns {Promise<Happenings | null>} null: it lies over too many parts
 */
export async function happeningsIn(app, reach, window = { t0: -Infinity, t1: Infinity }) {
  const numbers = app.store.touching(reach.t0 - 1, reach.t1 + 1);
  if (numbers.length > MOST_SLABS) return null;
  const slabs = [];
  for (const number of numbers) {
    const slab = await app.store.load(number);
    if (slab) slabs.push(slab);
  }
  return new Happenings(app, slabs, window);
}

export class Happenings {
  /**
   * @param {Parameters<typeof happeningsIn>[0]} app @param {import('../model/slab.js').Slab[]} slabs @param {Window} window
   */
  constructor({ trace, store, longOverlays }, slabs, window) {
    this.trace = trace;
    this.store = store;
    this.slabs = slabs;
    this.window = window;
    this.overlays = [longOverlays, ...slabs.map((slab) => slab.overlays)];
    this.cpus = [...trace.cpus].sort((a, b) => a - b);
    /** Places in the page's table, of threads that got another number. @type {Map<number, number[]>} */
    this.renumbered = new Map();
    trace.threads.forEach(({ first }, i) => {
      if (first !== i) this.renumbered.set(first, [...this.renumbered.get(first) ?? [first], i]);
    });
  }

  /** Whose work a piece is; 0: nobody's. @param {number} what @param {number} thread */
  #owner(what, thread) {
    return thread > IDLE && what !== KIND.loss && !isIdle(what) ? this.trace.threads[thread].first : 0;
  }

  /** All places of a thread in the page's table. @param {number} thread */
  #placesOf(thread) {
    return this.renumbered.get(thread) ?? [thread];
  }

  /** @param {import('../model/slab.js').Slab} slab @param {number} p @param {number} cpu @returns {Piece} */
  #piece(slab, p, cpu) {
    const kind = slab.kind[p];
    const what = this.trace.what[kind];
    return { begin: slab.start[p], end: slab.end[p], cpu, thread: this.#owner(what, slab.thread[p]), what, name: this.trace.name(kind), letter: '', arg: slab.arg[p] };
  }

  /** @param {Piece | null} piece */
  #inWindow(piece) {
    return piece && piece.end >= this.window.t0 && piece.begin <= this.window.t1 ? piece : null;
  }

  /**
   * The last execution on a CPU or of a thread that begins before a time.
   * @param {(slab: import('../model/slab.js').Slab) => import('../layout/columns.js').RowSpans | null} spansOf @param {number} time @param {boolean} owned
   * @returns {Piece | null}
   */
  #executed(spansOf, time, owned) {
    /** @type {{slab: import('../model/slab.js').Slab, p: number} | null} */
    let best = null;
    for (const slab of this.slabs) {
      const spans = spansOf(slab);
      if (!spans) continue;
      for (let n = Math.min(firstAfter(spans, time - 1), spans.last - 1); n >= spans.first; n--) {
        const p = spans.order ? spans.order[n] : n;
        if (slab.start[p] >= time || slab.end[p] <= slab.start[p]) continue;
        if (owned && this.#owner(this.trace.what[slab.kind[p]], slab.thread[p]) === 0) continue;
        if (!best || slab.start[p] > best.slab.start[best.p]) best = { slab, p };
        break;
      }
    }
    return best && this.#piece(best.slab, best.p, cpuOf(best.slab, best.p));
  }

  /** The last piece of a CPU that begins before a time. @param {number} cpu @param {number} time @returns {Piece | null} */
  ofCpu(cpu, time) {
    return cpu < 0 ? null : this.#inWindow(this.#executed((slab) => cpuSpans(slab, cpu), time, false));
  }

  /** The same of a thread. @param {number} thread @param {number} time @returns {Piece | null} */
  ofThread(thread, time) {
    /** @type {Piece | null} */
    let last = null;
    for (const place of this.#placesOf(thread)) {
      for (const piece of [this.#executed((slab) => threadSpans(slab, place), time, true), this.#waited(place, time)]) {
        if (piece && (!last || piece.begin > last.begin)) last = piece;
      }
    }
    return this.#inWindow(last);
  }

  /** @param {number} thread @param {number} time @returns {Piece | null} */
  #waited(thread, time) {
    for (let before = time; ;) {
      const found = lastOverlay(this.overlays, LIST.waits, thread, before - 1);
      if (!found) return null;
      const { o, i } = found;
      const what = this.trace.what[o.kind[i]];
      if (what === KIND.wait && o.end[i] > o.start[i]) {
        const letter = String.fromCharCode(97 + this.trace.event[o.kind[i]] - WAIT_FIRST);
        return { begin: o.start[i], end: o.end[i], cpu: -1, thread: this.trace.threads[thread].first, what, name: '', letter, arg: 0 };
      }
      before = o.start[i];
    }
  }

  /** The piece of a thread, or of a CPU, that ends where another one begins. @param {Piece} piece @returns {Piece | null} */
  beforeInThread(piece) {
    return ending(this.ofThread(piece.thread, piece.begin), piece.begin);
  }

  /** @param {Piece} piece @returns {Piece | null} */
  beforeOnCpu(piece) {
    return ending(this.ofCpu(piece.cpu, piece.begin), piece.begin);
  }

  /** The piece of a thread that begins where another one ends. @param {Piece} piece @returns {Piece | null} */
  afterInThread(piece) {
    const next = this.ofThread(piece.thread, piece.end + 1);
    return next && next.begin === piece.end ? next : null;
  }

  /** A CPU of which events are missing at the begin or end of a time; -1: of none. @param {number} from @param {number} to */
  lost(from, to) {
    return this.cpus.find((cpu) => [from + 1, to].some((time) => {
      const piece = this.ofCpu(cpu, time);
      return piece?.what === KIND.loss && piece.end > from;
    })) ?? -1;
  }

  /** Who woke a thread at a time. @param {number} thread @param {number} time @returns {Wakeup | null} */
  wakeup(thread, time) {
    /** @type {Wakeup | null} */
    let found = null;
    for (const place of this.#placesOf(thread)) {
      eachOverlay(this.overlays, LIST.wokenBy, place, { t0: time, t1: time }, (o, i) => {
        if (o.start[i] !== time) return;
        found = { cpu: o.cpu[i], time };
        return true;
      });
    }
    return found;
  }

  /** The call that a thread was in when it began to wait, '' for none. @param {Piece} wait */
  async callOf(wait) {
    const numbers = this.store.touching(-Infinity, wait.begin + 1).reverse().slice(0, MOST_PARTS);
    /** @type {{time: number, name: string} | null} */
    let last = null;
    let known = false;
    for (const number of numbers) {
      const slab = await this.store.load(number);
      for (const place of slab ? this.#placesOf(wait.thread) : []) {
        const found = this.#callBefore(/** @type {import('../model/slab.js').Slab} */ (slab), place, wait.begin);
        if (found && (!last || found.time > last.time)) last = found;
      }
      // Parts may overlap a little, so the one before is looked at, too.
      if (known) break;
      known = last !== null;
    }
    return last?.name ?? '';
  }

  /** What tells the call that a thread was in at a time: the last begin of one, or of its own code. @param {import('../model/slab.js').Slab} slab @param {number} place @param {number} time */
  #callBefore(slab, place, time) {
    const spans = threadSpans(slab, place);
    if (!spans || !spans.order) return null;
    let steps = 0;
    for (let n = Math.min(firstAfter(spans, time), spans.last - 1); n >= spans.first && steps < MOST_STEPS; n--, steps++) {
      const p = spans.order[n];
      const what = this.trace.what[slab.kind[p]];
      if (slab.start[p] >= time) continue;
      const inCall = what === KIND.syscall || what === KIND.trap;
      if (inCall || what === KIND.user || what === KIND.kernelThread) return { time: slab.start[p], name: inCall ? this.trace.name(slab.kind[p]) : '' };
    }
    return null;
  }
}

/** @param {Piece | null} piece @param {number} time */
const ending = (piece, time) => (piece && piece.end === time ? piece : null);
