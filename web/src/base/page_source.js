// SPDX-License-Identifier: BSD-3-Clause
// The page itself as the source of a trace's blocks.

/** @type {import('../model/source.js').Source} */
export const pageSource = { block: (id) => document.getElementById(id)?.textContent ?? null };
