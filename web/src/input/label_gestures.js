// SPDX-License-Identifier: BSD-3-Clause
// Pointing at, clicking, dragging and right-clicking the labels of rows.
import { CLICK_PIXELS } from './gestures.js';

/** @typedef {import('../layout/rows.js').Row} Row */

/**
 * @typedef {object} LabelActions
 * @property {(dy: number) => void} scroll
 * @property {(y: number) => Row | null} rowAt
 * @property {(row: Row | null, dropOn?: string) => void} hover  dropOn: id of the row a dragged one would replace
 * @property {(row: Row, shift: boolean) => void} click
 * @property {(row: Row, to: Row) => void} move
 * @property {(row: Row, x: number, y: number) => void} menu  at a place of the window
 */

/** @param {HTMLElement} labels @param {LabelActions} actions */
export function listenToLabels(labels, actions) {
  /** @type {{row: Row, y: number, moving: boolean} | null} */
  let held = null;
  const at = (/** @type {PointerEvent | MouseEvent} */ e) => actions.rowAt(e.clientY - labels.getBoundingClientRect().top);
  labels.addEventListener('wheel', (e) => {
    e.preventDefault();
    actions.scroll(e.deltaY);
  }, { passive: false });
  labels.addEventListener('pointerdown', (e) => {
    const row = e.button === 0 ? at(e) : null;
    if (!row) return;
    held = { row, y: e.clientY, moving: false };
    labels.setPointerCapture(e.pointerId);
  });
  labels.addEventListener('pointermove', (e) => {
    if (held && Math.abs(e.clientY - held.y) > CLICK_PIXELS) held.moving = true;
    const row = at(e);
    actions.hover(row, held?.moving && row?.parent === held.row.parent ? row.id : '');
    labels.style.cursor = held?.moving ? 'grabbing' : 'pointer';
  });
  labels.addEventListener('pointerup', (e) => {
    const row = at(e);
    if (held && row && !held.moving) actions.click(row, e.shiftKey);
    else if (held?.moving && row) actions.move(held.row, row);
    held = null;
    actions.hover(row);
    labels.style.cursor = 'pointer';
  });
  labels.addEventListener('pointercancel', () => { held = null; });
  labels.parentElement?.addEventListener('pointerleave', () => actions.hover(null));
  labels.addEventListener('contextmenu', (e) => {
    e.preventDefault();
    const row = at(e);
    if (row) actions.menu(row, e.clientX, e.clientY);
  });
}
