// SPDX-License-Identifier: BSD-3-Clause
// Counts the turns in which a page's thread does its work, so that a test need not time them. In: a page that is
// about to be opened; out: `turns.count` in it.

/**
 * What workers bring is a turn, and so is each time that work gives way to the input. A clock that runs ahead ends each
 * of them as soon as anybody looks at it. Runs in the page before its scripts.
 */
export function countTurns() {
  const turns = { count: 0, ahead: 0 };
  const { now } = performance;
  performance.now = () => now.call(performance) + (turns.ahead += 1000);
  const { scheduler } = /** @type {any} */ (globalThis);
  const give = scheduler.yield;
  scheduler.yield = function counted() {
    turns.count++;
    return give.call(scheduler);
  };
  const Real = Worker;
  window.Worker = class extends Real {
    /** @param {ConstructorParameters<typeof Real>} words */
    constructor(...words) {
      super(...words);
      this.addEventListener('message', () => { turns.count++; });
    }
  };
  Object.assign(window, { turns });
}
