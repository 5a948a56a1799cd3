// SPDX-License-Identifier: BSD-3-Clause
// What one wait went to, as `kutrace blame` tells it (src/reports/critical_path.cpp): while the thread was ready,
// what the CPU did that it waited for; while it was blocked, who or what ended that. In: a wait; out: parts with a
// sentence each, most time first, that add up to the wait exactly.
import { cpuSpans, firstAfter, threadSpans } from '../layout/columns.js';
import { LIST, eachOverlay } from '../model/overlays.js';
import { isIdle, isWaitForCpu } from '../model/kinds.js';
import { KIND, WAIT_FIRST } from '../model/tables.js';
import { breathe } from './breathe.js';

/** @typedef {{text: string, ns: number}} Part @typedef {{begin: number, end: number, kind: number, thread: number, arg: number}} Piece */
/** @typedef {{start: number, end: number, kind: number, thread: number}} Wait */

/** A wait that is over more parts of the page than these is not looked into. */
const MOST_SLABS = 60;
/** Threads up to this number are none. */
const IDLE = 1;
/** Pieces before a wakeup that interrupts may go back through. */
const BEHIND = 50;
/** Spans that are gone back through for the call that a wait is in. */
const MOST_STEPS = 5000;

/** Soft interrupts of disks and timers, by the kernel's numbers: they are never work of a thread's call. */
const ENDS_REQUESTS = new Set([1, 4, 5, 7, 8, 9]);

/** @type {Record<string, string>} */
const FOR = { d: 'the disk', k: 'another task', l: 'a lock', m: 'memory', n: 'a message on a socket', p: 'a pipe', r: 'RCU', s: 'the scheduler', t: 'a timer' };

/** @param {number} what */
const isInterrupt = (what) => what === KIND.irq || what === KIND.softirq;
/** @param {number} what */
const isUser = (what) => what === KIND.user || what === KIND.kernelThread;

export class Blamer {
  /** @param {import('../app.js').App} app */
  constructor({ trace, store, longOverlays }) {
    this.trace = trace;
    this.store = store;
    this.long = longOverlays;
  }

  /** @param {Wait} wait @returns {Promise<Part[] | null>} null: it is too long to be looked into */
  async of(wait) {
    const ready = isWaitForCpu(this.trace.event[wait.kind]);
    const numbers = ready ? this.store.touching(wait.start - 1, wait.end + 1) : this.store.touching(wait.end - 1, wait.end + 1);
    if (numbers.length > MOST_SLABS) return null;
    const slabs = [];
    for (const number of numbers) {
      const slab = await this.store.load(number);
      if (slab) slabs.push(slab);
    }
    /** @type {Map<string, number>} */
    const sums = new Map();
    if (ready) await this.#ready(wait, slabs, (text, ns) => sums.set(text, (sums.get(text) ?? 0) + ns));
    else sums.set(await this.#blocked(wait, slabs), wait.end - wait.start);
    return [...sums].map(([text, ns]) => ({ text, ns })).sort((a, b) => b.ns - a.ns);
  }

  /** Who has a piece of a CPU; 0: nobody. @param {Piece} piece */
  #owner({ kind, thread }) {
    const what = this.trace.what[kind];
    return thread > IDLE && what !== KIND.loss && !isIdle(what) ? thread : 0;
  }

  /** @param {number} thread */
  #name(thread) {
    return this.trace.threads[thread].name || 'a thread without a name';
  }

  /** What a CPU did, by begin; `behind` pieces more before. @param {import('../model/slab.js').Slab[]} slabs @param {number} cpu @param {number} t0 @param {number} t1 */
  async #track(slabs, cpu, t0, t1, behind = 0) {
    /** @type {Piece[]} */
    const pieces = [];
    for (const slab of slabs) {
      const spans = cpuSpans(slab, cpu);
      if (!spans) continue;
      const { start, end, kind, thread, arg } = slab;
      for (let p = Math.max(spans.first, firstAfter(spans, t0) - behind); p < spans.last && start[p] <= t1; p++) {
        if (end[p] > start[p]) pieces.push({ begin: start[p], end: end[p], kind: kind[p], thread: thread[p], arg: arg[p] });
      }
      await breathe();
    }
    return pieces.sort((a, b) => a.begin - b.begin);
  }

  /** The CPU on which a thread ran up to a time, or from it on; -1: it did not. @param {import('../model/slab.js').Slab[]} slabs @param {number} thread @param {number} time @param {'start' | 'end'} edge */
  #ranAt(slabs, thread, time, edge) {
    for (const slab of slabs) {
      const spans = threadSpans(slab, thread);
      if (!spans || !spans.order) continue;
      for (let n = firstAfter(spans, time - 1); n < spans.last && slab.start[spans.order[n]] <= time; n++) {
        const p = spans.order[n];
        if (slab[edge][p] === time && slab.end[p] > slab.start[p]) return slab.sections.find((s) => p >= s.first && p < s.first + s.count)?.cpu ?? -1;
      }
    }
    return -1;
  }

  /** @param {Wait} wait @param {import('../model/slab.js').Slab[]} slabs @param {(text: string, ns: number) => void} add */
  async #ready(wait, slabs, add) {
    const next = this.#ranAt(slabs, wait.thread, wait.end, 'start');
    const before = this.#ranAt(slabs, wait.thread, wait.start, 'end');
    const left = before >= 0 ? before : next;
    const tracks = [];
    for (const cpu of left === next ? [next] : [left, next]) {
      const pieces = cpu >= 0 ? await this.#track(slabs, cpu, wait.start, wait.end) : [];
      tracks.push({ cpu, pieces, at: pieces.length - 1 });
    }
    for (let now = wait.end; now > wait.start;) {
      let from = wait.start;
      /** @type {Piece | null} */
      let had = null;
      for (const track of tracks) {
        while (track.at >= 0 && track.pieces[track.at].begin >= now) track.at--;
        const piece = track.at >= 0 ? track.pieces[track.at] : null;
        if (!piece) continue;
        const told = piece.end >= now;
        from = Math.max(from, told ? piece.begin : piece.end);
        if (told && (track.cpu === next || this.#owner(piece) > 0 || isInterrupt(this.trace.what[piece.kind]))) {
          had = piece;
          break;
        }
      }
      add(this.#inFront(wait, had), now - from);
      now = from;
    }
  }

  /** @param {Wait} wait @param {Piece | null} had  null: nothing is told of that time */
  #inFront(wait, had) {
    if (!had) return 'not known';
    const { trace } = this;
    const what = trace.what[had.kind];
    const owner = this.#owner(had);
    if (isInterrupt(what)) return `it was ready, and its CPU handled ${trace.name(had.kind)}`;
    if (what === KIND.cExit) return 'it was ready, and its CPU had to leave an idle state';
    if (isIdle(what) || (what === KIND.scheduler && owner === 0)) return 'it was ready, and its CPU, idle, had yet to switch to it';
    return owner === 0 || owner === wait.thread ? 'not known' : `it was ready, and its CPU ran ${this.#name(owner)}`;
  }

  /** The call that a thread was in when it began to wait, '' for none. @param {Wait} wait */
  async #callOf(wait) {
    for (const number of this.store.touching(wait.start - 1, wait.start + 1).reverse()) {
      const slab = await this.store.load(number);
      const spans = slab && threadSpans(slab, wait.thread);
      if (!slab || !spans || !spans.order) continue;
      let steps = 0;
      for (let n = Math.min(firstAfter(spans, wait.start), spans.last - 1); n >= spans.first && steps < MOST_STEPS; n--, steps++) {
        const p = spans.order[n];
        const what = this.trace.what[slab.kind[p]];
        if (slab.start[p] >= wait.start) continue;
        if (isUser(what)) return '';
        if (what === KIND.syscall || what === KIND.trap) return this.trace.name(slab.kind[p]);
      }
    }
    return '';
  }

  /** @param {Wait} wait @param {import('../model/slab.js').Slab[]} slabs */
  async #blocked(wait, slabs) {
    const { trace } = this;
    const letter = String.fromCharCode(97 + trace.event[wait.kind] - WAIT_FIRST);
    const call = await this.#callOf(wait);
    const within = call ? ` in ${call}` : '';
    const what = `it waited for ${FOR[letter] ?? 'something'}${within}`;
    const nobody = `${what}; who ended that is not known`;
    let cpu = -1;
    eachOverlay([this.long, ...slabs.map((slab) => slab.overlays)], LIST.wokenBy, wait.thread, { t0: wait.end, t1: wait.end }, (o, i) => {
      if (o.start[i] !== wait.end) return;
      cpu = o.cpu[i];
      return true;
    });
    if (cpu < 0) return letter === 'z' && !call ? 'not known' : nobody;
    const pieces = await this.#track(slabs, cpu, wait.end - 1, wait.end, BEHIND);
    let at = pieces.length - 1;
    while (at >= 0 && pieces[at].begin > wait.end) at--;
    if (at < 0 || pieces[at].end < wait.end) return nobody;
    const by = pieces[at];
    const source = trace.what[by.kind] === KIND.softirq ? this.#bornOf(pieces, at) : by;
    if (isInterrupt(trace.what[by.kind]) && (!source || isInterrupt(trace.what[source.kind]))) {
      const slept = { t: 'it slept', d: 'it waited for the disk', n: 'it waited for the network' }[letter] ?? 'it waited';
      return `${slept}${within}, until ${trace.name(by.kind)} ended it`;
    }
    const waker = source ? this.#owner(source) : 0;
    if (!source || waker === 0) return nobody;
    const kind = trace.what[source.kind];
    return `${what}, until ${this.#name(waker)} ended it${isUser(kind) ? '' : ` in ${trace.name(source.kind)}`}`;
  }

  /** Whose work a soft interrupt does: that of the interrupt behind which it began, or of a thread in a call. @param {Piece[]} pieces @param {number} at */
  #bornOf(pieces, at) {
    const what = (/** @type {number} */ i) => this.trace.what[pieces[i].kind];
    let first = at;
    while (first > 0 && isInterrupt(what(first - 1)) && pieces[first - 1].end === pieces[first].begin) first--;
    if (what(first) === KIND.irq) return pieces[first];
    if (ENDS_REQUESTS.has(pieces[at].arg)) return null;
    const before = first > 0 ? pieces[first - 1] : null;
    return before && before.end === pieces[first].begin && this.#owner(before) > 0 && what(first - 1) !== KIND.user ? before : null;
  }
}
