// SPDX-License-Identifier: BSD-3-Clause
// Lets the input have its turn, so that no step of a long piece of work blocks it.

/** @returns {Promise<unknown>} */
export const breathe = () => /** @type {any} */ (globalThis).scheduler?.yield?.() ?? new Promise((resume) => setTimeout(resume));

/** The turns in which a long piece of work is done. */
export class Turns {
  /** @param {number} ms  that one may take */
  constructor(ms) {
    this.ms = ms;
    this.since = performance.now();
  }

  /** How long this one has taken, ms. */
  get took() {
    return performance.now() - this.since;
  }

  /** Whether it is time to give way to the input. */
  get over() {
    return this.took >= this.ms;
  }

  /** Ends one; the next begins when the input has had its turn. */
  async end() {
    await breathe();
    this.since = performance.now();
  }
}
