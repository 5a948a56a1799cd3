// SPDX-License-Identifier: BSD-3-Clause
// What can be done to one row.
import { byId } from '../base/dom.js';

/** @typedef {import('../layout/rows.js').Row} Row @typedef {import('./menu.js').Item} Item */

/** @param {import('../app.js').App} app @param {Row} row @param {number} x @param {number} y in the window */
export function openRowMenu(app, row, x, y) {
  app.menu.open(row.label, rowItems(app, row), x, y);
}

/** Beside the label. @param {import('../app.js').App} app @param {Row} row */
export function openRowMenuAt(app, row) {
  const box = byId('gutter').getBoundingClientRect();
  const { top } = app.view;
  openRowMenu(app, row, box.left + 60, box.top + row.top - (row.pinned && row.top < top ? 0 : top) + row.height);
}

/** @param {import('../app.js').App} app @param {Row} row @returns {(Item | null)[]} */
function rowItems({ rowList, range, slowest, search, trace, looking }, row) {
  const { hidden: { size }, only } = rowList.options;
  const find = row.cpu >= 0 ? `cpu:${row.cpu}` : row.thread >= 0 ? `pid:${trace.threads[row.thread].pid}` : '';
  // As far as the name tells a family of threads.
  const like = row.thread >= 0 ? /^[\w-]*[a-z_-]/i.exec(trace.threads[row.thread].name)?.[0] ?? '' : '';
  return [
    ...(row.key ? [{ text: row.folded ? 'Unfold' : 'Fold', key: 'K', act: () => rowList.fold(row.key) }] : []),
    { text: row.pinned ? 'No longer pinned' : 'Pin to the top', key: 'P', act: () => rowList.pin(row.id) },
    ...(row.type === 'rpc' && only?.of !== row.id ? [{ text: 'Only the rows that took part', act: () => { rowList.keepTakers(row); } }] : []),
    ...(row.cpu >= 0 || rowList.threadsOf(row).length > 0 ? [{ text: 'This row in the selected range, or no longer', key: 'Shift+V', act: () => range.toggleRow(row) }] : []),
    ...(row.type === 'rpc' ? [{ text: 'The slowest of this method, then the next', key: 'Shift+T', act: () => { slowest.ofRpc(row); } }] : []),
    { text: 'Hide', key: 'H', act: () => rowList.hide(row.id) },
    { text: 'Move up', key: 'Alt+↑', act: () => rowList.moveBy(row, -1) },
    { text: 'Move down', key: 'Alt+↓', act: () => rowList.moveBy(row, 1) },
    ...(find ? [null, { text: 'Light up its spans, too', key: 'Shift+L', act: () => search.toggleRow(row) },
      ...(like ? [{ text: `Light up all threads named ${like}…`, act: () => search.set(`thread:/^${like}/`) }] : []),
      { text: 'A span of it in view', key: ']', act: () => { looking.pinFirst(row); } }] : []),
    null,
    { text: 'Only threads that ran in view', key: 'Shift+K', act: () => rowList.keepActive() },
    ...foldItems(rowList),
    { text: 'Sort threads and RPCs otherwise', key: 'R', act: () => rowList.nextSort() },
    ...(only ? [{ text: 'Show all rows', key: 'Shift+H', act: () => rowList.showHidden() }] : size > 0 ? [{ text: `Show ${size} hidden`, key: 'Shift+H', act: () => rowList.showHidden() }] : []),
  ];
}

/** How all threads are folded. @param {import('../state/row_list.js').RowList} rowList @returns {Item[]} */
export const foldItems = (rowList) => [...rowList.foldings, null].map((by) => ({
  text: by ? `Fold threads by ${by}` : 'Do not fold threads', key: by ? undefined : 'Shift+G', checked: rowList.foldedBy === by, act: () => rowList.foldBy(by),
}));
