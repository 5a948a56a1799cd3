// SPDX-License-Identifier: BSD-3-Clause
// Lets the input have its turn, so that no step of a long piece of work blocks it.

/** @returns {Promise<unknown>} */
export const breathe = () => /** @type {any} */ (globalThis).scheduler?.yield?.() ?? new Promise((resume) => setTimeout(resume));
