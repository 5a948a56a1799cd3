// SPDX-License-Identifier: BSD-3-Clause
// The selected range of time, and the adding up of what happened in it.
import { addUsage, noUsage, usageOfOverlays } from '../model/scan.js';
import { exactTime } from '../layout/time_text.js';
import { byId, el } from '../panels/dom.js';
import { usagePanel } from '../panels/usage.js';

export class Range {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {{t0: number, t1: number} | null} */
    this.selection = null;
    /** A moment that waits for its other end, ns. @type {number | null} */
    this.marked = null;
    this.run = 0;
  }

  /** The first call marks, the second selects from there to here. @param {number} time */
  mark(time) {
    const { marked } = this;
    this.marked = marked === null ? time : null;
    if (marked === null) {
      this.selection = { t0: time, t1: time };
      this.app.say(`Marked ${exactTime(time)}. M again selects up to there.`);
    } else {
      this.select(marked, time, true);
    }
    this.app.schedule();
  }

  /** @param {number} t0 @param {number} t1 @param {boolean} done */
  select(t0, t1, done) {
    this.selection = { t0: Math.min(t0, t1), t1: Math.max(t0, t1) };
    this.app.schedule();
    if (done) this.tell();
  }

  clear() {
    this.selection = null;
    this.marked = null;
    this.run++;
    if (this.app.side.panel === 'usage') this.app.side.close();
    this.app.schedule();
  }

  async tell() {
    const { trace, side, store, longOverlays } = this.app;
    if (!this.selection) return;
    const t0 = Math.max(trace.begin, this.selection.t0);
    const t1 = Math.min(trace.end, this.selection.t1);
    const run = ++this.run;
    const usage = noUsage();
    usageOfOverlays(longOverlays, t0, t1, usage);
    side.open('usage', el('p', {}, 'adding up…'));
    const slabs = store.touching(t0, t1);
    let parts = 0;
    const done = await store.scan(slabs, { kind: 'usage', t0, t1 }, (part) => {
      addUsage(usage, part);
      parts++;
      if (parts % 8 === 0) byId('side-body').replaceChildren(`adding up… ${Math.round(100 * parts / slabs.length)} %`);
    }, () => run !== this.run);
    if (done && this.selection) side.open('usage', usagePanel(this.app, usage, { t0, t1 }));
  }
}
