// SPDX-License-Identifier: BSD-3-Clause
// Which rows there are now: what is folded, filtered, sorted by what; laid out again when it changes.
import { EXECUTION_KINDS, KIND } from '../model/kinds.js';
import { layOutRows } from '../layout/rows.js';
import { byId } from '../panels/dom.js';

const SORTS = ['time', 'name', 'pid'];

export class RowList {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {any} */
    this.options = { folded: /** @type {Set<string>} */ (new Set()), rowFilter: '', sort: 'time',
      cpuBusy: cpuBusy(app.trace, app.overview), pinned: /** @type {string[]} */ ([]),
      hidden: /** @type {Set<string>} */ (new Set()), order: /** @type {Map<string, string[]>} */ (new Map()) };
    this.rows = layOutRows(app.trace, this.options);
  }

  layOut() {
    this.rows = layOutRows(this.app.trace, this.options);
    this.app.navigation.rowsChanged();
  }

  /** @param {number} y pixels from the top of all rows */
  at(y) {
    return this.rows.find((row) => y >= row.top && y < row.top + row.height);
  }

  /** The row where something is best shown. @param {number} cpu @param {number} thread */
  of(cpu, thread) {
    return this.rows.find((r) => (cpu >= 0 ? r.cpu === cpu : r.thread === thread));
  }

  /** @param {string} id */
  byId(id) {
    return this.rows.find((row) => /** @type {any} */ (row).id === id);
  }

  /** How far a row is scrolled up, px. @param {import('../layout/rows.js').Row} _row */
  shift(_row) {
    return this.app.view.top;
  }

  /** @param {import('../model/saved.js').RowState} state */
  restore(state) {
    const { options } = this;
    options.folded = new Set(state.folded);
    options.hidden = new Set(state.hidden);
    options.pinned = state.pinned ?? [];
    options.order = new Map(state.order);
    options.rowFilter = state.filter ?? '';
    options.sort = SORTS.find((sort) => sort === state.sort) ?? SORTS[0];
    byId('row-filter').value = options.rowFilter;
    this.layOut();
  }

  /** @param {string} key */
  fold(key) {
    const { folded } = this.options;
    if (!folded.delete(key)) folded.add(key);
    this.layOut();
  }

  /** @param {string} text */
  filter(text) {
    this.options.rowFilter = text;
    this.layOut();
  }

  nextSort() {
    this.options.sort = SORTS[(SORTS.indexOf(this.options.sort) + 1) % SORTS.length];
    this.layOut();
  }
}

/**
 * Each CPU's share of time that was neither idle nor lost.
 * @param {import('../model/trace.js').Trace} trace
 * @param {import('../model/overview.js').Overview} overview
 */
function cpuBusy(trace, overview) {
  const busy = new Map();
  for (const [cpu, { shares, size }] of overview.cpus) {
    let sum = 0;
    for (let k = 0; k < EXECUTION_KINDS; k++) {
      if (k === KIND.idle || k === KIND.idleLowPower || k === KIND.cExit || k === KIND.loss) continue;
      for (let b = 0; b < size; b++) sum += shares[k][b];
    }
    busy.set(cpu, Math.min(1, sum / 255 * overview.cpuWidth / trace.duration));
  }
  return busy;
}
