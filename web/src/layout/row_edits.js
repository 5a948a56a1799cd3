// SPDX-License-Identifier: BSD-3-Clause
// What a person does to rows: pin, hide, fold, open, move. In: the row options, rows or ids; out: the options
// changed in place. layOutRows then places the rows anew.

import { rowTree } from './row_tree.js';

/** @typedef {import('./row_tree.js').RowNode} RowNode @typedef {import('./rows.js').RowOptions} RowOptions @typedef {import('./rows.js').Row} Row */

/** @param {RowOptions} options @param {string} id */
export function togglePinned(options, id) {
  const pinned = options.pinned ?? [];
  options.pinned = pinned.includes(id) ? pinned.filter((other) => other !== id) : [...pinned, id];
}

/** @param {RowOptions} options @param {string} id */
export function hideRow(options, id) {
  options.hidden = new Set(options.hidden ?? []).add(id);
  options.pinned = (options.pinned ?? []).filter((other) => other !== id);
}

/** @param {RowOptions} options */
export function showAllRows(options) {
  options.hidden = new Set();
}

/** @param {RowOptions} options @param {string} id of a group or process */
export function toggleFolded(options, id) {
  if (!options.folded.delete(id)) options.folded.add(id);
}

/** Threads that stand together: each such group one row, or none of them. @param {RowOptions} options @param {RowNode[]} tree @param {boolean} folded */
export function foldThreads(options, tree, folded) {
  for (const { type, id, rows } of tree) {
    if (type === 'process' || type === 'crowd') {
      if (folded) options.folded.add(id);
      else options.folded.delete(id);
    }
    foldThreads(options, rows, folded);
  }
}

/** @param {RowNode} node @returns {number[]} */
export const cpusWithin = (node) => (node.cpu >= 0 ? [node.cpu] : node.rows.flatMap(cpusWithin));

/**
 * Unfolds what a CPU's or thread's row stands in.
 * @param {RowOptions} options @param {import('../model/trace.js').Trace} trace @param {number} cpu @param {number} thread
 * @returns {boolean} whether anything was folded
 */
export function openAround(options, trace, cpu, thread) {
  const holds = (/** @type {RowNode} */ row) => (cpu >= 0 ? row.cpu === cpu : row.thread === thread);
  const around = (/** @type {RowNode} */ node) => /** @type {string[] | null} */ (holds(node) ? []
    : node.rows.reduce((/** @type {string[] | null} */ path, row) => {
      const below = path ? null : around(row);
      return path ?? (below && [node.id, ...below]);
    }, null));
  const path = rowTree(trace, options).map(around).find((found) => found !== null) ?? [];
  return path.filter((id) => options.folded.delete(id)).length > 0;
}

/**
 * Moves a row to where another of the same parent stands; pinned rows among the pinned ones.
 * @param {RowOptions} options @param {Row[]} rows as laid out @param {string} id @param {string} to
 */
export function moveRow(options, rows, id, to) {
  const row = rows.find((r) => r.id === id);
  const target = rows.find((r) => r.id === to);
  if (!row || !target || row.parent !== target.parent || id === to) return;
  const ids = rows.filter((r) => r.parent === row.parent).map((r) => r.id);
  const from = ids.indexOf(id);
  const place = ids.indexOf(to);
  ids.splice(from, 1);
  ids.splice(place, 0, id);
  if (row.parent === 'pinned') options.pinned = ids;
  else options.order = new Map(options.order ?? []).set(row.parent, ids);
}
