// SPDX-License-Identifier: BSD-3-Clause
// Undo and redo of navigation. In: the view before each movement; out: views to go back to, and how many
// steps were taken, of which each is one of the browser's own. Movements that follow each other closely are
// one step.

const MOST_STEPS = 200;
const BURST_MS = 700;

/** @typedef {{t0: number, t1: number, top: number}} View */

export class History {
  /** @type {View[]} */
  past = [];
  /** @type {View[]} */
  future = [];
  lastMove = -Infinity;
  steps = 0;

  /** To be told before every movement. @param {View} view @param {number} now ms */
  remember(view, now) {
    if (now - this.lastMove > BURST_MS) {
      this.past.push({ ...view });
      this.steps++;
      if (this.past.length > MOST_STEPS) this.past.shift();
      this.future = [];
    }
    this.lastMove = now;
  }

  /** The next movement is a step of its own. */
  endBurst() {
    this.lastMove = -Infinity;
  }

  /** @param {View} now @returns {View | null} where to go */
  undo(now) {
    return this.#travel(this.past, this.future, now);
  }

  /** @param {View} now @returns {View | null} */
  redo(now) {
    return this.#travel(this.future, this.past, now);
  }

  /** @param {View[]} from @param {View[]} to @param {View} now */
  #travel(from, to, now) {
    const view = from.pop();
    if (!view) return null;
    to.push({ ...now });
    this.steps++;
    this.endBurst();
    return view;
  }
}
