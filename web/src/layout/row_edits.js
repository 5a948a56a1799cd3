// SPDX-License-Identifier: BSD-3-Clause
// What a person does to rows: pin, hide, fold, move. In: the row options, rows or ids; out: the options
// changed in place. layOutRows then places the rows anew.

/** @typedef {import('./rows.js').RowOptions} RowOptions @typedef {import('./rows.js').Row} Row */

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

/** @param {RowOptions} options @param {Row[]} rows @param {boolean} folded */
export function foldProcesses(options, rows, folded) {
  for (const row of rows) {
    if (row.type !== 'process') continue;
    if (folded) options.folded.add(row.id);
    else options.folded.delete(row.id);
  }
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
