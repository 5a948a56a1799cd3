// SPDX-License-Identifier: BSD-3-Clause
// Finds the intervals that a question is about, as src/reports/interval_finder.cpp does. In: a question, then calls,
// marks and points, each thread's in order; out: each interval, once it is over.
import { isError } from './errno.js';
import { timesOff } from './group_times.js';
import { fitting } from './wildcards.js';
import { INFERRED, KIND, NAMES_FILE, RETURNS_FILE, RPC_MIDDLE, RPC_REQUEST, RPC_RESPONSE, SUCCESS } from './tables.js';

/**
 * call: of this name; mark: from a mark to the one that ends it; rpc: from the request of a method to its response;
 * request: from the return of call `name` to that of call `until`, of a thread and, where both say which, of a file.
 * @typedef {{asked: 'call' | 'mark' | 'rpc' | 'request', name: string, until: string}} Question
 * @typedef {{start: number, end: number, kind: number, cpu: number, thread: number, from?: number, begins?: number}} Interval
 *   kind: of the call, the mark or the point that names it; cpu, thread: where it ended; from: of a mark, the CPU on
 *   which it stands; begins: the thread by which it began
 * @typedef {import('./trace.js').Trace} Trace @typedef {import('./gather.js').Events} Events
 */

const ANY_FILE = -1;
export const NEXT = 'next';
const BETWEEN = '..';
/** Marks and RPCs are recorded with them. */
const CALLS = 'syscalls';
/** Requests of one number that wait for a response; who never answers has no more. */
const MOST_OPEN = 1024;
/** A label of six letters of base 40: the "/" of the mark that ends one takes the place of the last. */
const SIX_LETTERS = /^[a-z0-9./-]{6}$/;

/** "request read..write", "rpc get", "mark work", "call fsync". @param {Question} question */
export const questionText = ({ asked, name, until }) => `${asked} ${name}${asked === 'request' ? BETWEEN + until : ''}`;

/** @param {string} text @returns {Question | null} null: it is none */
export function readQuestion(text) {
  const [, asked = '', rest = ''] = /^(call|mark|rpc|request) (.+)$/.exec(text) ?? [];
  const [name, until, more] = asked === 'request' ? rest.split(BETWEEN) : [rest, ''];
  if (!name || more !== undefined || (asked === 'request' && !until)) return null;
  return { asked: /** @type {Question['asked']} */ (asked), name, until: until ?? '' };
}

/** "work" of "mark_a=work"; of a mark with a number, that. @param {string} name @param {number} arg */
export const labelOf = (name, arg) => /=(.*)$/s.exec(name)?.[1] ?? String(arg);
/** @param {string} label */
export const endOfLabel = (label) => `/${label}`.slice(0, SIX_LETTERS.test(label) ? 6 : undefined);
/** "get" of "get.17". @param {string} name */
export const methodOf = (name) => name.replace(/\.[^.]*$/, '');

/** What is asked of others like a mark or an RPC's request, or the end of one; null: of no others. @param {Trace} trace @param {number} kind @returns {Question | null} */
export function questionOf(trace, kind) {
  const name = trace.name(kind);
  if (trace.what[kind] === KIND.mark && name.includes('=')) return { asked: 'mark', name: labelOf(name, 0).replace(/^\//, ''), until: '' };
  const isRpc = trace.what[kind] === KIND.point && trace.event[kind] >= RPC_REQUEST && trace.event[kind] <= RPC_MIDDLE;
  return isRpc && methodOf(name) ? { asked: 'rpc', name: methodOf(name), until: '' } : null;
}

/** The same of patterns with commas between them. @param {string} patterns @returns {(name: string) => boolean} */
function fittingAny(patterns) {
  const all = patterns.split(',').map(fitting);
  return (name) => all.some((fits) => fits(name));
}

/** @param {Question} question @param {Trace} trace @returns {Uint8Array} per kind of the dictionary, 1: of these it is asked */
export function kindsOf({ asked, name, until }, trace) {
  const byFile = isByFile(name, until);
  const [isName, isUntil] = [asked === 'call' ? fittingAny(name) : fitting(name), fitting(until)];
  const ends = endOfLabel(name);
  const wanted = (/** @type {number} */ k) => {
    const own = trace.name(k);
    switch (trace.what[k]) {
      case KIND.syscall: return (asked === 'call' && isName(own)) || (asked === 'request' && (isName(own) || isUntil(own) || (byFile && (own === 'close' || RETURNS_FILE.has(own)))));
      case KIND.mark: return asked === 'mark' && (!own.includes('=') || [name, ends].includes(labelOf(own, 0)));
      case KIND.point: return asked === 'rpc' && ((trace.event[k] === RPC_REQUEST && isName(methodOf(own))) || trace.event[k] === RPC_RESPONSE);
      default: return false;
    }
  };
  return Uint8Array.from({ length: trace.kindCount }, (_, k) => Number(wanted(k)));
}

/** @param {string} call */
const saysFile = (call) => NAMES_FILE.has(call) || RETURNS_FILE.has(call);
/** Whether requests from one call to another are told apart by the file. @param {string} name @param {string} until */
const isByFile = (name, until) => until !== NEXT && saysFile(name) && saysFile(until);

export class IntervalFinder {
  /** @param {Question} question @param {Trace} trace @param {(interval: Interval) => void} found */
  constructor(question, trace, found) {
    this.question = question;
    this.trace = trace;
    this.found = found;
    this.byFile = question.asked === 'request' && isByFile(question.name, question.until);
    this.ending = endOfLabel(question.name);
    const matching = (/** @type {string} */ pattern) => {
      const fits = fitting(pattern);
      return Uint8Array.from({ length: trace.kindCount }, (_, k) => Number(fits(trace.name(k))));
    };
    this.isName = matching(question.name);
    this.isUntil = matching(question.until);
    /** Calls that fit but begin or end outside of the recording; a new thread's way out of one is none. */
    this.cut = 0;
    /** What is open: of marks by thread, outermost first; of requests by thread and file. @type {Map<number, {start: number, kind: number, cpu: number}[]>} */
    this.marks = new Map();
    /** @type {Map<string | number, {start: number, kind: number, cpu: number}>} */
    this.open = new Map();
    /** By number. @type {Map<number, {start: number, thread: number}[]>} */
    this.rpcs = new Map();
    /** Threads, by their first numbers, some of whose time is not told: it may lie in a loss. */
    this.inDoubt = new Set(trace.threads.flatMap(({ unknown, first }) => (unknown === 0 ? [] : [first])));
    /** Ends of losses, in order; how many of them are over, and the last of those. */
    this.losses = trace.losses.map(({ end }) => end).sort((a, b) => a - b);
    this.lossesOver = 0;
    this.lostUntil = -Infinity;
    /** When what bounds intervals may be missing: calls stand for themselves. */
    this.off = question.asked === 'call' ? [] : timesOff(trace.header.meta ?? [], CALLS, Math.max(1, trace.machines.all.length));
  }

  /** Losses that were over by a time, which only grows. @param {number} time */
  #reach(time) {
    while (this.losses[this.lossesOver] <= time) this.lostUntil = this.losses[this.lossesOver++];
  }

  /** @param {number} start @param {number} end */
  #isSeenWhole(start, end) {
    return !this.off.some((time) => time.begin < end && time.end > start);
  }

  /** @param {number} start @param {number} end @param {Events} e @param {number} i  what ended it @param {number} [kind] @param {number} [from] @param {number} [begins] */
  #found(start, end, { kind: kinds, cpu, thread }, i, kind = kinds[i], from = cpu[i], begins = thread[i]) {
    if (end > start && this.#isSeenWhole(start, end)) this.found({ start, end, kind, cpu: cpu[i], thread: thread[i], from, begins });
  }

  /** The next call, mark or point. @param {Events} e @param {number} i */
  take(e, i) {
    switch (this.question.asked) {
      case 'call':
        if (e.inferred[i]) this.cut += 1 - e.birth[i];
        else this.#found(e.start[i], e.end[i], e, i);
        break;
      case 'mark':
        this.#mark(e, i);
        break;
      case 'rpc':
        this.#rpc(e, i);
        break;
      case 'request':
        if (!(e.inferred[i] & INFERRED.end)) this.#request(e, i);
    }
  }

  /** @param {Events} e @param {number} i */
  #mark(e, i) {
    const { marks, question } = this;
    const label = labelOf(this.trace.name(e.kind[i]), e.arg[i]);
    const thread = e.thread[i];
    if (label === question.name) {
      const begun = marks.get(thread) ?? [];
      if (begun.length === MOST_OPEN) begun.shift();
      begun.push({ start: e.start[i], kind: e.kind[i], cpu: e.cpu[i] });
      marks.set(thread, begun);
    } else if (label === this.ending) {
      const begin = marks.get(thread)?.pop();
      if (begin) this.#found(begin.start, e.start[i], e, i, begin.kind, begin.cpu);
    }
  }

  /** The response may come from another thread than the request went to. @param {Events} e @param {number} i */
  #rpc(e, i) {
    const id = e.arg[i] & 0xffff;
    if (id === 0) return;
    const waiting = this.rpcs.get(id) ?? [];
    if (this.trace.event[e.kind[i]] === RPC_REQUEST) {
      if (waiting.length === MOST_OPEN) waiting.shift();
      waiting.push({ start: e.start[i], thread: e.thread[i] });
      this.rpcs.set(id, waiting);
      return;
    }
    const own = waiting.findIndex(({ thread }) => thread === e.thread[i]);
    const [answered] = waiting.splice(own >= 0 ? own : waiting.length - 1, 1);
    if (answered) this.#found(answered.start, e.start[i], e, i, undefined, undefined, answered.thread);
  }

  /** What was under way on a file that the call closes, or that had the number of a new one. @param {number} thread @param {string} name @param {Events} e @param {number} i */
  #forgetFile(thread, name, e, i) {
    if (failed(e, i) || this.isUntil[e.kind[i]]) return;
    if (name === 'close') this.open.delete(`${thread} ${e.arg[i]}`);
    if (RETURNS_FILE.has(name) && e.result[i] > 0) this.open.delete(`${thread} ${fileReturned(e, i)}`);
  }

  /** @param {Events} e @param {number} i */
  #request(e, i) {
    const { question, open } = this;
    this.#reach(e.end[i]);
    const name = this.trace.name(e.kind[i]);
    // Not its number: another thread of the process may take that over by calling exec.
    const thread = this.trace.threads[e.thread[i]].first;
    const toNext = question.until === NEXT;
    const byFile = this.byFile && saysFile(name);
    const key = (/** @type {boolean} */ begins) => `${thread} ${!byFile ? ANY_FILE : begins && RETURNS_FILE.has(name) ? fileReturned(e, i) : e.arg[i]}`;
    if (byFile) this.#forgetFile(thread, name, e, i);
    if ((toNext ? this.isName : this.isUntil)[e.kind[i]]) {
      const begin = open.get(key(false));
      if (begin) {
        this.#found(begin.start, toNext ? e.start[i] : e.end[i], e, i);
        open.delete(key(false));
        if (!toNext) return;
      }
    }
    if (!this.isName[e.kind[i]] || failed(e, i) || isOfNothing(name, e, i)) return;
    const begun = open.get(key(true));
    // Of one that began before a loss the end may be lost.
    if (!begun || (begun.start < this.lostUntil && this.inDoubt.has(thread))) open.set(key(true), { start: e.end[i], kind: e.kind[i], cpu: e.cpu[i] });
  }
}

/** @param {Events} e @param {number} i */
const failed = (e, i) => e.result[i] > 0 && isError(e.result[i] - 1);
/** @param {Events} e @param {number} i */
const fileReturned = (e, i) => (e.result[i] - 1) % SUCCESS;
/** A read of no bytes is the end of a file or connection. @param {string} name @param {Events} e @param {number} i */
const isOfNothing = (name, e, i) => /^(read|recv)/.test(name) && e.result[i] === 1;

/** Parts, each in order of their ends, as one. Only those parts are held whose time it is. */
export class InOrder {
  /** @type {{e: Events, at: number}[]} */
  #parts = [];

  /** @param {Events} e */
  add(e) {
    if (e.count > 0) this.#parts.push({ e, at: 0 });
  }

  /** Hands over what ends before a time. @param {number} time @returns {Generator<[Events, number]>} */
  * until(time) {
    for (;;) {
      /** @type {{e: Events, at: number} | null} */
      let first = null;
      for (const part of this.#parts) if (!first || part.e.end[part.at] < first.e.end[first.at]) first = part;
      if (!first || first.e.end[first.at] >= time) return;
      yield [first.e, first.at++];
      if (first.at === first.e.count) this.#parts.splice(this.#parts.indexOf(first), 1);
    }
  }
}
