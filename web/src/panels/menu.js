// SPDX-License-Identifier: BSD-3-Clause
// One small menu at a time: over a place of the window, walked with the arrows, left with Escape.
import { byId, el } from '../base/dom.js';

/**
 * @typedef {object} Item
 * @property {string} text
 * @property {string} [key]        shown at the right
 * @property {boolean} [checked]   of a switch
 * @property {string} [disabled]   why it cannot be chosen now
 * @property {() => void} act
 */

export class Menu {
  /** @param {AbortSignal} signal  ends it */
  constructor(signal) {
    /** @type {Element | null} */
    this.before = null;
    const menu = byId('menu');
    menu.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => this.#key(e));
    window.addEventListener('pointerdown', (e) => {
      if (!menu.hidden && e.target instanceof Node && !menu.contains(e.target)) menu.hidden = true;
    }, { signal });
  }

  /**
   * @param {string} title
   * @param {(Item | null)[]} items  null: a line between them
   * @param {number} x @param {number} y  where its corner shall be
   */
  open(title, items, x, y) {
    const menu = byId('menu');
    this.before = document.activeElement;
    menu.setAttribute('aria-label', title);
    menu.replaceChildren(el('b', {}, title), ...items.map((item) => (item ? this.#entry(item) : el('hr', { role: 'separator' }))));
    menu.hidden = false;
    const box = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 8))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - box.height - 8))}px`;
    menu.querySelector('button:not(:disabled)')?.focus();
  }

  /** Below a button. @param {string} title @param {(Item | null)[]} items @param {HTMLElement} button */
  openBelow(title, items, button) {
    const box = button.getBoundingClientRect();
    this.open(title, items, box.left, box.bottom + 4);
  }

  /** @param {Item} item */
  #entry(item) {
    const isSwitch = item.checked !== undefined;
    return el('button', { role: isSwitch ? 'menuitemcheckbox' : 'menuitem', 'aria-checked': isSwitch ? String(item.checked) : false,
      tabindex: -1, disabled: item.disabled !== undefined, title: item.disabled, onclick: () => {
        this.close();
        item.act();
      } }, isSwitch ? el('i', {}, item.checked ? '✓' : '') : null, item.text, el('span', {}, item.key ?? ''));
  }

  close() {
    byId('menu').hidden = true;
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const items = [...byId('menu').querySelectorAll('button:not(:disabled)')];
    const at = items.findIndex((item) => item === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items[(to + items.length) % items.length].focus();
    else if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
