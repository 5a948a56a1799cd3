// SPDX-License-Identifier: BSD-3-Clause
// Finding and pinning spans: what is under a pixel, its neighbours on the row, who woke its thread.
import { KIND } from '../model/kinds.js';
import { neighbour, overlayAt, spanAt, wakerOf } from '../layout/hit.js';
import { rowAt } from '../layout/rows.js';
import { durationText } from '../layout/time_text.js';
import { detailsPanel, spanTitle } from '../panels/details.js';

const MOST_PINS = 50;

export class Looking {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {any[]} */
    this.pins = [];
  }

  /** What can be asked now: the spans that are decoded for the view. */
  get #slabs() {
    return this.app.picture.lastPlan.slabs;
  }

  /** @returns {import('../model/slab.js').Overlays[]} */
  get #overlays() {
    return [this.app.longOverlays, ...this.#slabs.map((s) => s.overlays)];
  }

  /** @param {number} y pixels from the top of the plot */
  rowAt(y) {
    return rowAt(this.app.rows, this.app.view.top, y);
  }

  /** @param {number} x @param {number} y */
  find(x, y) {
    const { navigation, trace, view } = this.app;
    const row = this.rowAt(y);
    if (!row) return null;
    const perPixel = (view.t1 - view.t0) / navigation.width;
    const time = navigation.timeAt(x);
    const mark = overlayAt(this.#overlays, row, time, perPixel * 4, trace.what);
    if (mark && trace.what[mark.kind] === KIND.mark) return mark;
    const span = spanAt(this.#slabs, row, time, perPixel, trace.what);
    return span ?? (row.cpu < 0 ? mark : null);
  }

  /** Pins a span, or takes its pin away. @param {any} found */
  pin(found) {
    const same = this.pins.findIndex((p) => p.start === found.start && p.kind === found.kind
      && p.row.cpu === found.row.cpu && p.row.thread === found.row.thread);
    if (same >= 0) {
      this.pins.splice(same, 1);
      this.app.side.close();
      return;
    }
    this.#add(found);
    this.showDetails(found);
  }

  /** @param {any} found */
  #add(found) {
    const { trace } = this.app;
    const length = found.end > found.start ? `  ${durationText(found.end - found.start)}` : '';
    found.text = `${spanTitle(trace, found)}${length}`;
    this.pins.push(found);
    if (this.pins.length > MOST_PINS) this.pins.shift();
    this.app.schedule();
  }

  /** The one match that was gone to. @param {any} hit @param {any} row */
  pinMatch(hit, row) {
    this.pins = this.pins.filter((p) => !p.search);
    this.#add({ ...hit, arg: 0, result: 0, ipc: -1, rpc: 0, row, folded: 1, search: true });
  }

  unpinAll() {
    this.pins = [];
  }

  /** @param {any} found */
  showDetails(found) {
    const { app } = this;
    const waker = found.thread > 1 ? wakerOf(this.#overlays, found.thread, found.start, app.trace.what) : null;
    app.side.open('details', detailsPanel(app, found, {
      waker, show: (t0, t1) => app.navigation.show(t0, t1), step: (d) => this.step(d),
    }));
    app.say(found.text);
  }

  /** Moves the last pin along its row, or pins the first span of the first row. @param {number} d */
  step(d) {
    const { navigation, picture } = this.app;
    const pin = this.pins.at(-1);
    if (!pin) {
      const row = picture.visible.find((r) => r.cpu >= 0 || r.thread >= 0);
      this.#pinAt(row, navigation.timeAt(navigation.width / 2));
      return;
    }
    const next = neighbour(this.#slabs, pin, d);
    if (!next) return;
    this.pins.pop();
    navigation.reveal(next.start, next.end);
    this.pin(next);
  }

  /** The same moment on the row above (-1) or below (1). @param {number} d */
  changeRow(d) {
    const { rows } = this.app;
    const pin = this.pins.at(-1);
    if (!pin) {
      this.step(d);
      return;
    }
    const at = rows.findIndex((r) => r.cpu === pin.row.cpu && r.thread === pin.row.thread && r.type === pin.row.type);
    const { t0, t1 } = this.app.view;
    const time = Math.min(Math.max(pin.start, t0), t1);
    for (let i = at + d; i >= 0 && i < rows.length; i += d) {
      if (this.#pinAt(rows[i], time, true)) return;
    }
  }

  /** @param {any} row @param {number} time @param {boolean} [instead] of the last pin */
  #pinAt(row, time, instead = false) {
    const { view, trace, navigation } = this.app;
    if (!row || (row.cpu < 0 && row.thread < 0)) return false;
    const found = spanAt(this.#slabs, row, time, (view.t1 - view.t0) / navigation.width, trace.what);
    if (!found) return false;
    if (instead) this.pins.pop();
    navigation.revealRow(row);
    this.pin(found);
    return true;
  }

  goToWaker() {
    const { trace, rowList, navigation, view } = this.app;
    const pin = this.pins.at(-1);
    if (!pin || pin.thread < 2) return;
    const waker = wakerOf(this.#overlays, pin.thread, pin.start, trace.what);
    if (!waker) return;
    const row = rowList.of(-1, waker.thread) ?? rowList.of(waker.cpu, -1);
    const span = row && spanAt(this.#slabs, row, waker.start, 1, trace.what);
    if (!span) return;
    if (waker.start < view.t0) navigation.show(waker.start, pin.end);
    this.pin(span);
  }
}
