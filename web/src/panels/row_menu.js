// SPDX-License-Identifier: BSD-3-Clause
// What can be done to one row, as a menu beside its label.
import { isHeading } from '../layout/rows.js';
import { byId, el } from './dom.js';

/** @typedef {import('../layout/rows.js').Row} Row @typedef {[string, string, () => void]} Item text, key, action */

export class RowMenu {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {Element | null} */
    this.before = null;
    const menu = byId('row-menu');
    menu.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => this.#key(e));
    window.addEventListener('pointerdown', (e) => {
      if (!menu.hidden && e.target instanceof Node && !menu.contains(e.target)) this.close();
    });
  }

  /** Beside the label. @param {Row} row */
  openAt(row) {
    const box = byId('gutter').getBoundingClientRect();
    const { top } = this.app.view;
    this.open(row, box.left + 60, box.top + row.top - (row.pinned && row.top < top ? 0 : top) + row.height);
  }

  /** @param {Row} row @param {number} x @param {number} y in the window */
  open(row, x, y) {
    const menu = byId('row-menu');
    this.before = document.activeElement;
    menu.replaceChildren(el('b', {}, row.label), ...this.#items(row).map((item) => (item === null ? el('hr', {})
      : el('button', { role: 'menuitem', tabindex: -1, onclick: () => { this.close(); item[2](); } }, item[0], el('span', {}, item[1])))));
    menu.hidden = false;
    const box = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 8))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - box.height - 8))}px`;
    menu.querySelector('button')?.focus();
  }

  close() {
    byId('row-menu').hidden = true;
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  /** @param {Row} row @returns {(Item | null)[]} null: a line between them */
  #items(row) {
    const { rowList, search, trace, looking } = this.app;
    const { options } = rowList;
    const heading = isHeading(row);
    const find = row.cpu >= 0 ? `cpu:${row.cpu}` : row.thread >= 0 ? `pid:${trace.threads[row.thread].pid}` : '';
    /** @type {(Item | null)[]} */
    const items = [];
    if (heading) items.push([row.folded ? 'Unfold' : 'Fold', 'K', () => rowList.fold(row.key)]);
    if (!heading) items.push([row.pinned ? 'No longer pinned' : 'Pin to the top', 'P', () => rowList.pin(row.id)]);
    items.push(['Hide', 'H', () => rowList.hide(row.id)]);
    items.push(['Move up', 'Alt+↑', () => rowList.moveBy(row, -1)], ['Move down', 'Alt+↓', () => rowList.moveBy(row, 1)]);
    if (find) items.push(null, ['Light up its spans', '', () => search.set(find)], ['First span of it in view', ']', () => looking.pinFirst(row)]);
    items.push(null, ['Fold all processes', '', () => rowList.foldAll(true)], ['Unfold all processes', '', () => rowList.foldAll(false)],
      ['Sort threads otherwise', 'R', () => rowList.nextSort()]);
    if (options.hidden.size > 0) items.push([`Show ${options.hidden.size} hidden`, 'Shift+H', () => rowList.showHidden()]);
    return items;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const items = [...byId('row-menu').querySelectorAll('button')];
    const at = items.findIndex((item) => item === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items[(to + items.length) % items.length].focus();
    else if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
