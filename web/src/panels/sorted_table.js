// SPDX-License-Identifier: BSD-3-Clause
// A table that is sorted by clicking on a head, with one row that is chosen. Long ones show their
// first rows and say how many more there are.
import { el } from '../base/dom.js';

const MOST_ROWS = 200;

/**
 * @template R
 * @typedef {object} Column
 * @property {string} head
 * @property {(row: R) => string} text
 * @property {(row: R) => number | string} value  to sort by
 * @property {(row: R) => number} [bar]  0 to 1: a bar behind the text
 * @property {(row: R) => (() => void) | null} [act]  what a click on the text does; null: nothing of its own
 * @property {string} [title]  of what it does
 * @property {string} [hint]  on the head: what the column holds
 */

/**
 * @template R
 * @param {Column<R>[]} columns
 * @param {R[]} rows
 * @param {{by: string, up: boolean}} order  by: a head; changed when one is clicked
 * @param {{chosen: R | null, choose: (row: R) => void, changed: () => void, rest?: string, usual?: number}} state  rest: where the others
 *   are; usual: the column that sorts, most first, while there is none of the order's head
 */
export function sortedTable(columns, rows, order, state) {
  const at = columns.findIndex(({ head }) => head === order.by);
  const by = at < 0 ? state.usual ?? 0 : at;
  const up = at >= 0 && order.up;
  const { value } = columns[by];
  const inOrder = [...rows].sort((a, b) => compare(value(a), value(b)) * (up ? 1 : -1));
  const sortBy = (/** @type {number} */ i) => {
    order.up = by === i ? !up : i === 0;
    order.by = columns[i].head;
    state.changed();
  };
  const heads = columns.map((column, i) => el('th', { scope: 'col', title: column.hint,
    'aria-sort': by === i ? (up ? 'ascending' : 'descending') : 'none' },
  el('button', { class: 'plain', onclick: () => sortBy(i) }, column.head, by === i ? (up ? ' ▴' : ' ▾') : '')));
  const body = inOrder.slice(0, MOST_ROWS).map((row) => {
    const cells = columns.map((column) => {
      const act = column.act?.(row);
      const cell = el('td', {}, act ? el('button', { class: 'plain act', title: column.title, onclick: (/** @type {Event} */ e) => {
        e.stopPropagation();
        act();
      }, onkeydown: (/** @type {Event} */ e) => e.stopPropagation() }, column.text(row)) : column.text(row));
      const part = column.bar?.(row) ?? 0;
      if (part > 0) cell.style.backgroundSize = `${Math.min(100, part * 100).toFixed(1)}% 100%`;
      if (column.bar) cell.classList.add('bar');
      return cell;
    });
    const choose = () => state.choose(row);
    return el('tr', { class: 'link', tabindex: 0, 'aria-selected': String(row === state.chosen), onclick: choose,
      onkeydown: (/** @type {KeyboardEvent} */ e) => rowKey(e, choose) }, ...cells);
  });
  const more = rows.length > MOST_ROWS
    ? el('caption', { class: 'quiet' }, `and ${rows.length - MOST_ROWS} more${state.rest ?? ''}`) : null;
  return el('table', { class: 'sorted' }, more, el('thead', {}, el('tr', {}, ...heads)), el('tbody', {}, ...body));
}

/** Arrows go from row to row. @param {KeyboardEvent} event @param {() => void} choose */
function rowKey(event, choose) {
  const row = /** @type {HTMLElement} */ (event.currentTarget);
  const to = event.key === 'ArrowDown' ? row.nextElementSibling : event.key === 'ArrowUp' ? row.previousElementSibling : null;
  if (event.key === 'Enter' || event.key === ' ') choose();
  else if (to instanceof HTMLElement) to.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Names as people sort them. @param {number | string} a @param {number | string} b */
export const compare = (a, b) => (typeof a === 'number' && typeof b === 'number'
  ? (Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b) : String(a).localeCompare(String(b)));
