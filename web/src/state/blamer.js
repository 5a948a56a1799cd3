// SPDX-License-Identifier: BSD-3-Clause
// What one wait went to, as `kutrace blame` tells it: the critical path of the wait, which ends at the one who ended
// it. In: a wait; out: parts with a sentence each, most time first, that add up to the wait exactly.
import { isWaitForCpu } from '../model/kinds.js';
import { CauseText, OF_MANY } from './cause_text.js';
import { CriticalPath } from './critical_path.js';
import { happeningsIn } from './happenings.js';

/** @typedef {{text: string, ns: number}} Part */
/** @typedef {{start: number, end: number, kind: number, thread: number}} Wait */

/** Sums by sentence, most time first. @param {import('./critical_path.js').PathPiece[]} pieces @param {(cause: import('./critical_path.js').Cause) => string} words @returns {Part[]} */
export function partsOf(pieces, words) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { begin, end, cause } of pieces) {
    const text = words(cause);
    sums.set(text, (sums.get(text) ?? 0) + end - begin);
  }
  return [...sums].map(([text, ns]) => ({ text, ns })).sort((a, b) => b.ns - a.ns);
}

export class Blamer {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
  }

  /** @param {Wait} wait @returns {Promise<Part[] | null>} null: it is too long to be looked into */
  async of({ start, end, kind, thread }) {
    const { trace } = this.app;
    // Of one that was blocked, all but its end is told by the trace's waits.
    const happenings = await happeningsIn(this.app, { t0: isWaitForCpu(trace.event[kind]) ? start : end, t1: end });
    const pieces = await (happenings && new CriticalPath(happenings, 0).walk({ begin: start, end, thread }));
    const text = new CauseText(trace);
    return pieces && partsOf(pieces, (cause) => text.words(cause, thread, OF_MANY));
  }
}
