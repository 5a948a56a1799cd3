// SPDX-License-Identifier: BSD-3-Clause
// What one wait went to, as `kutrace blame` tells it: the critical path of the wait, which ends at the one who ended
// it. In: a wait; out: parts with a sentence each, most time first, that add up to the wait exactly.
import { CauseText, OF_MANY } from './cause_text.js';
import { CriticalPath } from './critical_path.js';
import { Happenings } from './happenings.js';

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

  /** @param {Wait} wait @param {() => boolean} [cancelled] @returns {Promise<Part[] | null>} null: cancelled */
  async of({ start, end, thread }, cancelled) {
    const pieces = await new CriticalPath(new Happenings(this.app), 0).walk({ begin: start, end, thread }, cancelled);
    const text = new CauseText(this.app.trace);
    return pieces && partsOf(pieces, (cause) => text.words(cause, thread, OF_MANY));
  }
}
