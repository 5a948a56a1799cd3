// SPDX-License-Identifier: BSD-3-Clause
// Rows from their own beginnings: what threads and RPCs did, as if all had begun together. In: rows,
// the view; out: how much earlier a row is drawn than it was, and which slabs that takes.

/** @typedef {{id: string, cpu: number, thread: number, type: string, object: number, objectId: number}} Row */

export class Alignment {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** When a row's first span began; undefined: not looked up, null: being looked up. @type {Map<string, number | null>} */
    this.starts = new Map();
  }

  get on() {
    return this.app.options.aligned;
  }

  /** By how many ns a row is drawn earlier than it was. @param {Row} row */
  of(row) {
    if (!this.on || (row.thread < 0 && row.type !== 'rpc')) return 0;
    const start = this.starts.get(row.id);
    if (start === undefined) this.#find(row);
    return typeof start === 'number' ? start - this.app.trace.begin : 0;
  }

  /** @param {Row} row */
  async #find(row) {
    this.starts.set(row.id, null);
    const { trace, looking } = this.app;
    const told = (row.thread >= 0 ? trace.threads[row.thread] : trace.objects[row.object])?.begin ?? NaN;
    const begin = Number.isNaN(told) ? trace.begin : told;
    const first = await looking.finder.along(row, begin - 1, 1, () => true);
    this.starts.set(row.id, first?.start ?? begin);
    this.app.schedule();
  }

  /** The time from which the axis counts. */
  get zero() {
    return this.on ? this.app.trace.begin : 0;
  }

  /** Slabs that hold what the rows show. @param {Row[]} rows @returns {number[]} */
  touching(rows) {
    const { store, view } = this.app;
    const needed = store.touching(view.t0, view.t1);
    if (!this.on) return needed;
    const all = new Set(needed);
    for (const by of new Set(rows.map((row) => this.of(row)))) {
      for (const slab of store.touching(view.t0 + by, view.t1 + by)) all.add(slab);
    }
    return [...all];
  }

  /** Whether what needs one time for all rows can be done; says so where it cannot. */
  refuses() {
    if (this.on) this.app.tell('Rows begin together now: a range needs one time for all (Show ▾).');
    return this.on;
  }
}
