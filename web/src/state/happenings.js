// SPDX-License-Identifier: BSD-3-Clause
// What every CPU and every thread did in a window of time, so that it can be walked backwards, as
// src/reports/happenings.h has it. In: the page's slabs, which come when they are asked about; out: pieces, looked up
// where they lie. However long the window is, no more slabs are held than the store keeps.
import { cpuSpans, firstAfter, threadSpans } from '../layout/columns.js';
import { LIST, eachOverlay, lastOverlay } from '../model/overlays.js';
import { firstPlace } from '../model/calls.js';
import { isIdle, letterOf } from '../model/kinds.js';
import { cpuOf } from '../model/slab.js';
import { KIND } from '../model/tables.js';

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
 * @typedef {{hash: number, cpu: number, time: number}} Packet  as the kernel handed it to a network card, or took it from one
 * @typedef {{t0: number, t1: number}} Window
 */

/** Parts in front of a wait, and spans in each, that are gone back through for the call that it is in. */
const MOST_PARTS = 8;
const MOST_STEPS = 5000;
/** Threads up to this number are none. */
const IDLE = 1;

/**
 * When a slab's CPUs did something, and, `last`, until when anything of it reaches.
 * @typedef {{number: number, begin: number, end: number, first: number, last: number}} Part
 * @typedef {{trace: import('../model/trace.js').Trace, store: import('../model/store.js').Store, longOverlays: import('../model/slab.js').Overlays}} App
 * @typedef {import('../model/slab.js').Slab} Slab
 */

export class Happenings {
  /** @param {App} app @param {Window} [window]  pieces that do not touch it are left out */
  constructor({ trace, store, longOverlays }, window = { t0: -Infinity, t1: Infinity }) {
    this.trace = trace;
    this.store = store;
    this.window = window;
    this.longOverlays = longOverlays;
    this.cpus = [...trace.cpus].sort((a, b) => a - b);
    const parts = trace.slabs.map(partOf);
    /** @type {Part[]} */
    this.byBegin = [...parts].sort((a, b) => a.begin - b.begin);
    /** The latest first. @type {Part[]} */
    this.byLast = [...parts].sort((a, b) => b.last - a.last);
    /** The slabs of each CPU, by begin. @type {Map<number, {begin: number, number: number}[]>} */
    this.ofCpus = new Map(this.cpus.map((cpu) => [cpu, []]));
    trace.slabs.forEach(({ sections }, number) => sections.forEach(([cpu, , begin]) => this.ofCpus.get(cpu)?.push({ begin, number })));
    for (const list of this.ofCpus.values()) list.sort((a, b) => a.begin - b.begin);
    /** Slabs on their way. @type {Map<number, Promise<Slab | null>>} */
    this.coming = new Map();
    /** Places in the page's table, of threads that got another number. @type {Map<number, number[]>} */
    this.renumbered = new Map();
    trace.threads.forEach(({ first }, i) => {
      if (first !== i) this.renumbered.set(first, [...this.renumbered.get(first) ?? [first], i]);
    });
  }

  /** The way goes back, so the one before comes, too. @param {number} number @returns {Promise<Slab | null>} */
  async #slab(number) {
    const found = this.store.get(number);
    if (found) return found;
    const before = this.byBegin[this.byBegin.findIndex((part) => part.number === number) - 1];
    const wanted = this.#load(number);
    if (before && before.end >= this.window.t0 && !this.store.get(before.number)) this.#load(before.number);
    return wanted;
  }

  /** @param {number} number @returns {Promise<Slab | null>} */
  #load(number) {
    const known = this.coming.get(number);
    if (known) return known;
    const coming = this.store.load(number);
    this.coming.set(number, coming);
    coming.then(() => this.coming.delete(number));
    return coming;
  }

  /** Whose work a piece is; 0: nobody's. @param {number} what @param {number} thread */
  #owner(what, thread) {
    return thread > IDLE && what !== KIND.loss && !isIdle(what) ? this.trace.threads[thread].first : 0;
  }

  /** All places of a thread in the page's table. @param {number} thread */
  #placesOf(thread) {
    return this.renumbered.get(thread) ?? [thread];
  }

  /** @param {Slab} slab @param {number} p @param {number} cpu @returns {Piece} */
  #piece(slab, p, cpu) {
    const kind = slab.kind[p];
    const what = this.trace.what[kind];
    return { begin: slab.start[p], end: slab.end[p], cpu, thread: this.#owner(what, slab.thread[p]), what, name: this.trace.name(kind), letter: '', arg: slab.arg[p] };
  }

  /** Whether it goes on where the trace ends. @param {Piece} wait */
  lastsToEnd(wait) {
    return wait.end >= this.trace.end;
  }

  /** @param {Piece | null} piece */
  #inWindow(piece) {
    return piece && piece.end >= this.window.t0 && piece.begin <= this.window.t1 ? piece : null;
  }

  /**
   * The last execution in a slab that begins before a time.
   * @param {Slab} slab @param {import('../layout/columns.js').RowSpans | null} spans @param {number} time @param {boolean} owned
   * @returns {Piece | null}
   */
  #executed(slab, spans, time, owned) {
    if (!spans) return null;
    for (let n = Math.min(firstAfter(spans, time - 1), spans.last - 1); n >= spans.first; n--) {
      const p = spans.order ? spans.order[n] : n;
      if (slab.start[p] >= time || slab.end[p] <= slab.start[p]) continue;
      if (owned && this.#owner(this.trace.what[slab.kind[p]], slab.thread[p]) === 0) continue;
      return this.#piece(slab, p, cpuOf(slab, p));
    }
    return null;
  }

  /** The last piece of a CPU that begins before a time. @param {number} cpu @param {number} time @returns {Promise<Piece | null>} */
  async ofCpu(cpu, time) {
    const list = this.ofCpus.get(cpu) ?? [];
    for (let at = firstPlace(list.length, (i) => list[i].begin >= time) - 1; at >= 0; at--) {
      const slab = await this.#slab(list[at].number);
      const piece = slab && this.#executed(slab, cpuSpans(slab, cpu), time, false);
      if (piece) return this.#inWindow(piece);
    }
    return null;
  }

  /** The same of a thread. Its pieces do not overlap, so one that reaches up to that time is the last. @param {number} thread @param {number} time @returns {Promise<Piece | null>} */
  async ofThread(thread, time) {
    const places = this.#placesOf(thread);
    /** @type {Piece | null} */
    let last = null;
    const look = (/** @type {Piece | null} */ piece) => {
      if (piece && (!last || piece.begin > last.begin)) last = piece;
    };
    const isLast = () => last !== null && last.end >= time;
    for (const place of places) look(this.#waited(this.longOverlays, place, time));
    /** @type {Set<number>} */
    const seen = new Set();
    const lookInto = async (/** @type {Part} */ { number }) => {
      if (seen.has(number)) return;
      seen.add(number);
      const slab = await this.#slab(number);
      for (const place of slab ? places : []) {
        look(this.#executed(/** @type {Slab} */ (slab), threadSpans(/** @type {Slab} */ (slab), place), time, true));
        look(this.#waited(/** @type {Slab} */ (slab).overlays, place, time));
      }
    };
    // Most often it is where the CPUs' time is.
    for (let at = firstPlace(this.byBegin.length, (i) => this.byBegin[i].begin >= time) - 1; at >= 0 && !isLast(); at--) {
      if (this.byBegin[at].end < time) break;
      await lookInto(this.byBegin[at]);
    }
    for (const part of this.byLast) {
      const { first, last: reach } = part;
      if (isLast() || reach < Math.max(this.window.t0, /** @type {Piece | null} */ (last)?.begin ?? -Infinity)) break;
      if (first < time) await lookInto(part);
    }
    return this.#inWindow(last);
  }

  /** @param {import('../model/slab.js').Overlays} overlays @param {number} thread @param {number} time @returns {Piece | null} */
  #waited(overlays, thread, time) {
    for (let before = time; ;) {
      const found = lastOverlay([overlays], LIST.waits, thread, before - 1);
      if (!found) return null;
      const { o, i } = found;
      const what = this.trace.what[o.kind[i]];
      if (what === KIND.wait && o.end[i] > o.start[i]) {
        const letter = letterOf(this.trace.event[o.kind[i]]);
        return { begin: o.start[i], end: o.end[i], cpu: -1, thread: this.trace.threads[thread].first, what, name: '', letter, arg: 0 };
      }
      before = o.start[i];
    }
  }

  /** The piece of a thread, or of a CPU, that ends where another one begins. @param {Piece} piece @returns {Promise<Piece | null>} */
  async beforeInThread(piece) {
    return ending(await this.ofThread(piece.thread, piece.begin), piece.begin);
  }

  /** @param {Piece} piece @returns {Promise<Piece | null>} */
  async beforeOnCpu(piece) {
    return ending(await this.ofCpu(piece.cpu, piece.begin), piece.begin);
  }

  /** The piece of a thread that begins where another one ends. @param {Piece} piece @returns {Promise<Piece | null>} */
  async afterInThread(piece) {
    const next = await this.ofThread(piece.thread, piece.end + 1);
    return next && next.begin === piece.end ? next : null;
  }

  /** A CPU of which events are missing at the begin or end of a time; -1: of none. @param {number} from @param {number} to */
  async lost(from, to) {
    for (const cpu of this.cpus) {
      for (const time of [from + 1, to]) {
        const piece = await this.ofCpu(cpu, time);
        if (piece?.what === KIND.loss && piece.end > from) return cpu;
      }
    }
    return -1;
  }

  /** Who woke a thread at a time. @param {number} thread @param {number} time @returns {Promise<Wakeup | null>} */
  async wakeup(thread, time) {
    /** @type {Wakeup | null} */
    let found = null;
    const look = (/** @type {import('../model/slab.js').Overlays} */ overlays) => {
      for (const place of this.#placesOf(thread)) {
        eachOverlay([overlays], LIST.wokenBy, place, { t0: time, t1: time }, (o, i) => {
          if (o.start[i] !== time) return;
          found = { cpu: o.cpu[i], time };
          return true;
        });
      }
    };
    look(this.longOverlays);
    for (const { number, first, last } of found ? [] : this.byBegin) {
      if (found || first > time || last < time) continue;
      const slab = await this.#slab(number);
      if (slab) look(slab.overlays);
    }
    return found;
  }

  /** Packets of an event in a time, both ends included, by time. @param {number} event @param {number} from @param {number} to */
  async packets(event, from, to) {
    /** @type {Packet[]} */
    const found = [];
    const look = (/** @type {import('../model/slab.js').Overlays} */ overlays) => {
      eachOverlay([overlays], LIST.network, 0, { t0: from, t1: to }, (o, i) => {
        if (this.trace.event[o.kind[i]] === event && o.start[i] >= from) found.push({ hash: o.arg?.[i] ?? 0, cpu: o.cpu[i], time: o.start[i] });
      });
    };
    look(this.longOverlays);
    for (const { number, first, last } of this.byBegin) {
      if (first > to || last < from) continue;
      const slab = await this.#slab(number);
      if (slab) look(slab.overlays);
    }
    return found.sort((a, b) => a.time - b.time);
  }

  /** The call that a thread was in when it began to wait, '' for none. @param {Piece} wait */
  async callOf(wait) {
    const numbers = this.store.touching(-Infinity, wait.begin + 1).reverse().slice(0, MOST_PARTS);
    /** @type {{time: number, name: string} | null} */
    let last = null;
    let known = false;
    for (const number of numbers) {
      const slab = await this.#slab(number);
      for (const place of slab ? this.#placesOf(wait.thread) : []) {
        const found = this.#callBefore(/** @type {Slab} */ (slab), place, wait.begin);
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

/** @param {import('../model/trace.js').Trace['slabs'][number]} slab @param {number} number @returns {Part} */
function partOf({ sections, overlays: [count, from, to] }, number) {
  const begin = Math.min(...sections.map((s) => s[2]));
  const end = Math.max(...sections.map((s) => s[3]));
  return { number, begin, end, first: count > 0 ? Math.min(begin, from) : begin, last: count > 0 ? Math.max(end, to) : end };
}
