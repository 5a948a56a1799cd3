// SPDX-License-Identifier: BSD-3-Clause
// Requests of one kind, longest first, with what each passed with. In: a question; out: the slowest of all intervals
// that it is about, as `kutrace why` finds them, and for those that are listed the parts of their critical paths.
import { WAITS } from '../draw/palette.js';
import { gatherLong } from '../model/gather.js';
import { InOrder, IntervalFinder, endOfLabel, kindsOf, labelOf, methodOf, questionText } from '../model/intervals.js';
import { FirstHits } from '../model/scan.js';
import { inScope } from '../model/scope.js';
import { KIND, RPC_REQUEST } from '../model/tables.js';
import { Turns } from '../model/breathe.js';
import { CriticalPath } from './critical_path.js';
import { Happenings } from './happenings.js';

/** @typedef {import('../model/intervals.js').Question} Question @typedef {import('../model/intervals.js').Interval} Interval */
/** @typedef {import('./range.js').Selection} Selection */
/** @typedef {Map<string, number>} Parts  ns by what it passed with: one of PARTS, or the letter of a wait */

/** So many are kept, and so many of them are listed and walked at a time: the browser lays all of a table out at once. */
const MOST = 2000;
export const PAGE = 50;
/** Parts of the page that are held at a time. */
const AT_ONCE = 8;
const TURN_MS = 8;
/** From one look at the clock to the next. */
const STEPS = 256;
/** From one picture of the table to the next while its parts come. */
const REDRAW_MS = 1000;
/** @type {import('../model/scan.js').Order} */
const LONGEST = { by: 'duration', up: false };

/** What an interval's thread did itself, by the cause. @type {Record<string, string>} */
const OWN = { user: 'running', call: 'running', fault: 'running', scheduler: 'running', interrupt: 'interrupted', softirq: 'interrupted',
  ready: 'ready', ready_interrupt: 'ready', wakeup: 'ready', idle_exit: 'ready', unknown: 'unknown' };
/** In the order of the table. @type {[string, string][]} */
export const PARTS = [['running', 'on a CPU'], ['interrupted', 'interrupted'], ['ready', 'ready'],
  ...Object.entries(WAITS).filter(([letter]) => letter !== 'c').map(([letter, [name]]) => /** @type {[string, string]} */ ([letter, name])), ['unknown', 'not known']];

/** While it waited, what others did is part of that wait. @param {import('./critical_path.js').PathPiece[]} pieces @returns {Parts} */
function partsOfPath(pieces) {
  /** @type {Parts} */
  const parts = new Map();
  for (const { begin, end, cause } of pieces) {
    const key = cause.waited || OWN[cause.kind];
    parts.set(key, (parts.get(key) ?? 0) + end - begin);
  }
  return parts;
}

/** Calls of which a thread's requests may be made, first those that serve connections. */
const USUAL = [['recvfrom', 'sendto'], ['recvmsg', 'sendmsg'], ['read', 'write'], ['accept4', 'close'], ['accept', 'close'], ['epoll_wait', 'next'], ['epoll_pwait', 'next'], ['poll', 'next']];

export class Requests {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** What the trace has of the usual kinds; whether that was asked for, and all of it looked through. @type {Question[]} */
    this.offered = [];
    this.lookedFor = false;
    this.looked = false;
    /** @type {Question | null} */
    this.question = null;
    /** Those that begin in this time, on these rows; null: all. @type {Selection | null} */
    this.within = null;
    /** Longest first. @type {Interval[]} */
    this.list = [];
    this.count = 0;
    this.cut = 0;
    this.done = true;
    /** Share of the trace that was looked through. */
    this.share = 0;
    /** @type {Map<Interval, Parts>} */
    this.parts = new Map();
    /** How many are passed over before those that are listed. */
    this.from = 0;
    /** The one that was gone to. @type {Interval | null} */
    this.chosen = null;
    this.run = 0;
    /** Ends when nothing is looked for any more. @type {Promise<unknown>} */
    this.finding = Promise.resolve();
  }

  /** What may be asked of this trace, as far as its names tell. @returns {{questions: Question[], calls: string[]}} */
  get kinds() {
    const { trace } = this.app;
    const [methods, labels, calls] = [new Set(), new Set(), new Set()];
    for (let k = 0; k < trace.kindCount; k++) {
      const name = trace.name(k);
      if (trace.what[k] === KIND.point && trace.event[k] === RPC_REQUEST) methods.add(methodOf(name));
      if (trace.what[k] === KIND.mark && name.includes('=')) labels.add(labelOf(name, 0));
      if (trace.what[k] === KIND.syscall) calls.add(name);
    }
    const ask = (/** @type {Question['asked']} */ asked, /** @type {string} */ name, until = '') => ({ asked, name, until });
    const usual = trace.hasCalls ? USUAL.filter(([name, until]) => calls.has(name) && (until === 'next' || calls.has(until))) : [];
    return { questions: [...[...methods].sort().map((name) => ask('rpc', name)), ...[...labels].sort().filter((name) => labels.has(endOfLabel(name))).map((name) => ask('mark', name)),
      ...usual.map(([name, until]) => ask('request', name, until))], calls: trace.hasCalls ? [...calls].sort() : [] };
  }

  /** Looks through the trace, once, for what there is of each usual kind. */
  async look() {
    if (this.lookedFor) return;
    this.lookedFor = true;
    const { trace } = this.app;
    const { questions } = this.kinds;
    /** @type {Set<Question>} */
    const found = new Set();
    const finders = questions.map((question) => ({ kinds: kindsOf(question, trace), finder: new IntervalFinder(question, trace, () => {
      if (found.has(question)) return;
      found.add(question);
      this.offered = questions.filter((one) => found.has(one));
      this.#show();
    }) }));
    await this.#goThrough('look', finders, () => found.size === questions.length);
    this.looked = true;
    this.#show();
  }

  /**
   * All intervals of a question, the slowest ones of them kept; one question after the other.
   * @param {Question} question @param {number} most @param {() => boolean} [cancelled] @param {(share: number) => void} [told]
   * @param {(interval: Interval) => boolean} [wanted]  which of them count
   */
  async find(question, most, cancelled = () => false, told = () => {}, wanted = () => true) {
    const before = this.finding;
    const found = before.then(() => this.#find(question, most, cancelled, told, wanted));
    this.finding = found.catch(() => {});
    return found;
  }

  /** @param {Question} question @param {number} most @param {() => boolean} cancelled @param {(share: number) => void} told @param {(interval: Interval) => boolean} wanted */
  async #find(question, most, cancelled, told, wanted) {
    const { trace } = this.app;
    const first = new FirstHits(LONGEST, null, most);
    let count = 0;
    const finder = new IntervalFinder(question, trace, (interval) => {
      if (!wanted(interval)) return;
      count++;
      first.add(interval);
    });
    const whole = await this.#goThrough('gather', [{ kinds: kindsOf(question, trace), finder }], cancelled, told);
    return whole ? { hits: first.hits.slice(0, most), count, cut: finder.cut } : null;
  }

  /**
   * Hands all of the trace to finders, each what is of its kinds.
   * @param {'gather' | 'look'} work  one of each at a time @param {{kinds: Uint8Array, finder: IntervalFinder}[]} finders
   * @param {() => boolean} cancelled @param {(share: number) => void} [told] @returns {Promise<boolean>} whether it went through all
   */
  async #goThrough(work, finders, cancelled, told = () => {}) {
    const { trace, store } = this.app;
    await this.app.whole;
    const kinds = Uint8Array.from({ length: trace.kindCount }, (_, k) => Number(finders.some((one) => one.kinds[k] === 1)));
    const inOrder = new InOrder();
    inOrder.add(gatherLong(this.app.longCalls, this.app.longOverlays, kinds));
    const order = slabsByBegin(trace);
    for (let at = 0; at < order.length || at === 0; at += AT_ONCE) {
      const whole = await store.scan(order.slice(at, at + AT_ONCE).map(({ number }) => number), { kind: work, kinds }, (part) => inOrder.add(part), cancelled);
      if (!whole) return false;
      const turns = new Turns(TURN_MS);
      let steps = 0;
      for (const [events, i] of inOrder.until(order[at + AT_ONCE]?.begin ?? Infinity)) {
        for (const one of finders) if (one.kinds[events.kind[i]] === 1) one.finder.take(events, i);
        if (++steps % STEPS > 0 || !turns.over) continue;
        await turns.end();
        if (cancelled()) return false;
      }
      told(Math.min(1, (at + AT_ONCE) / order.length));
    }
    return true;
  }

  /** Asks the same of what is selected by now, where that is something else. */
  renew() {
    if (this.question && !isSame(this.within, this.app.range.within)) this.ask(this.question);
  }

  /** Of all of the trace, or of the selected range. @param {Question} question */
  async ask(question) {
    const run = ++this.run;
    const { within } = this.app.range;
    Object.assign(this, { question, within, list: [], count: 0, cut: 0, done: false, share: 0, from: 0, chosen: null });
    this.parts = new Map();
    this.#show();
    const found = await this.find(question, MOST, () => run !== this.run, (share) => {
      this.share = share;
      this.#show();
    }, (interval) => isWithin(within, interval));
    if (!found || run !== this.run) return;
    Object.assign(this, { list: found.hits, count: found.count, cut: found.cut, done: true });
    this.#show();
    this.app.say(`${questionText(question)}: ${found.count} found`);
    await this.#walkListed(run);
  }

  /** Longest first. */
  get listed() {
    return this.list.slice(this.from, this.from + PAGE);
  }

  /** To those that were faster (1), or slower (-1). @param {number} step */
  turn(step) {
    const from = this.from + step * PAGE;
    if (from < 0 || from >= this.list.length) return;
    this.from = from;
    this.#show();
    this.#walkListed(++this.run);
  }

  /** What those that are listed passed with; by time, since neighbours lie in the same parts of the page. @param {number} run */
  async #walkListed(run) {
    const listed = this.listed.filter((interval) => !this.parts.has(interval)).sort((a, b) => a.start - b.start);
    let shown = performance.now();
    const turns = new Turns(TURN_MS);
    for (const interval of listed) {
      const pieces = await this.pathOf(interval, () => run !== this.run);
      if (run !== this.run) return;
      if (pieces) this.parts.set(interval, partsOfPath(pieces));
      if (!turns.over) continue;
      if (performance.now() - shown >= REDRAW_MS) {
        this.#show();
        shown = performance.now();
      }
      await turns.end();
    }
    this.#show();
  }

  /** @param {{start: number, end: number, thread: number}} interval @param {() => boolean} [cancelled] @param {(share: number) => void} [told] */
  async pathOf({ start, end, thread }, cancelled, told) {
    const happenings = new Happenings(this.app, { t0: start, t1: end });
    return new CriticalPath(happenings).walk({ begin: start, end, thread }, cancelled, told);
  }

  #show() {
    this.app.requestsChanged();
  }

  /** To one of the list. @param {Interval} interval */
  async goTo(interval) {
    this.chosen = interval;
    this.app.looking.unpinAll();
    await this.app.path.show(interval, this.question ? questionText(this.question) : '');
    this.#show();
  }

  /** To the next longest (1), or back (-1). @param {number} step */
  step(step) {
    const at = this.chosen ? this.list.indexOf(this.chosen) : -1;
    const next = this.list[(at + step + this.list.length) % Math.max(1, this.list.length)];
    if (!next) return;
    const from = Math.floor(this.list.indexOf(next) / PAGE) * PAGE;
    if (from !== this.from) this.turn((from - this.from) / PAGE);
    this.goTo(next);
  }
}

/** Whether it begins in what is selected, on its rows; null: all do. @param {Selection | null} within @param {Interval} interval */
const isWithin = (within, { start, cpu, thread }) => within === null || (start >= within.t0 && start < within.t1 && inScope(within.scope, cpu, thread));
/** @param {Selection | null} a @param {Selection | null} b */
const isSame = (a, b) => a === b || (a !== null && b !== null && a.t0 === b.t0 && a.t1 === b.t1 && a.scope?.ids.join() === b.scope?.ids.join());

/** @param {import('../model/trace.js').Trace} trace */
function slabsByBegin({ slabs }) {
  return slabs.map(({ sections, overlays }, number) => ({ number, begin: Math.min(overlays[0] > 0 ? overlays[1] : Infinity, ...sections.map((s) => s[2])) }))
    .sort((a, b) => a.begin - b.begin);
}
