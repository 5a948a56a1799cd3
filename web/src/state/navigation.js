// SPDX-License-Identifier: BSD-3-Clause
// Moving the view: time by pixels or ranges, rows by pixels. The view object is the one truth of
// what is seen; gestures, keys, links and panels all come here.
import { rowsHeight } from '../layout/rows.js';
import { byId } from '../base/dom.js';
import { History } from './history.js';

const SHORTEST_VIEW = 20;  // ns
/** Room below the last row, px. */
const BELOW_ROWS = 30;

export class Navigation {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    const pad = app.trace.duration * 0.005;
    this.view = { t0: app.trace.begin - pad, t1: app.trace.end + pad, top: 0 };
    this.history = new History();
  }

  get width() {
    return this.app.picture.width;
  }

  /** @param {number} x pixels from the left of the plot */
  timeAt(x) {
    return this.view.t0 + (this.view.t1 - this.view.t0) * x / this.width;
  }

  /** @param {number} time @returns {number} pixels */
  xOf(time) {
    return (time - this.view.t0) / (this.view.t1 - this.view.t0) * this.width;
  }

  /** What is no time goes nowhere. @param {number} t0 @param {number} t1 */
  setView(t0, t1) {
    if (!Number.isFinite(t0) || !Number.isFinite(t1)) return;
    const { trace } = this.app;
    const pad = trace.duration * 0.02;
    const span = Math.max(SHORTEST_VIEW, Math.min(t1 - t0, trace.duration + 2 * pad));
    const begin = Math.max(trace.begin - pad, Math.min(t0, trace.end + pad - span));
    this.app.schedule();
    if (begin === this.view.t0 && begin + span === this.view.t1) return;
    this.history.remember(this.view, performance.now());
    this.view.t0 = begin;
    this.view.t1 = begin + span;
  }

  /** @param {number} x @param {number} factor */
  zoomAt(x, factor) {
    const { t0, t1 } = this.view;
    const at = this.timeAt(x);
    const span = Math.max(SHORTEST_VIEW, (t1 - t0) * factor);
    const ratio = span / (t1 - t0);
    this.setView(at - (at - t0) * ratio, at - (at - t0) * ratio + span);
  }

  /** @param {number} dx @param {number} dy pixels */
  pan(dx, dy) {
    const step = (this.view.t1 - this.view.t0) / this.width;
    if (dx !== 0) this.setView(this.view.t0 - dx * step, this.view.t1 - dx * step);
    if (dy !== 0) this.setTop(this.view.top - dy);
  }

  /** A range with some room around it. @param {number} t0 @param {number} t1 */
  show(t0, t1) {
    const room = Math.max((t1 - t0) * 0.25, 100);
    this.history.endBurst();
    this.setView(t0 - room, t1 + room);
  }

  /** Brings a span into view without more change than it needs. @param {number} t0 @param {number} t1 */
  reveal(t0, t1) {
    const { view } = this;
    if (t0 >= view.t0 && t1 <= view.t1) return;
    const middle = (t0 + t1) / 2;
    const span = Math.max(view.t1 - view.t0, (t1 - t0) * 1.2);
    this.setView(middle - span / 2, middle + span / 2);
  }

  whole() {
    this.show(this.app.trace.begin, this.app.trace.end);
  }

  /** @param {number} top */
  setTop(top) {
    const { app, view } = this;
    const most = Math.max(0, rowsHeight(app.rows) + BELOW_ROWS - app.picture.height);
    view.top = Math.max(0, Math.min(most, Math.round(top)));
    byId('scroll').scrollTop = view.top;
    app.schedule();
  }

  /** @param {{top: number, height: number}} row */
  revealRow(row) {
    const { top } = this.view;
    const { height } = this.app.picture;
    if (row.top < top || row.top + row.height > top + height) this.setTop(row.top - height / 3);
  }

  /** Tells the scroll bar how much there is. */
  rowsChanged() {
    byId('scroll').firstElementChild.style.height = `${rowsHeight(this.app.rows) + BELOW_ROWS}px`;
    this.setTop(this.view.top);
  }

  undo() {
    this.#go(this.history.undo(this.view));
  }

  redo() {
    this.#go(this.history.redo(this.view));
  }

  /** @param {import('./history.js').View | null} view */
  #go(view) {
    if (!view) return;
    Object.assign(this.view, view);
    this.setTop(view.top);
  }
}
