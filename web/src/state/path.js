// SPDX-License-Identifier: BSD-3-Clause
// The critical path that is shown: why an interval of a thread took so long. In: an interval; out: its pieces, which
// the picture draws over the rows, and what they sum up to, which the side tells.
import { el } from '../base/dom.js';
import { percentText } from '../model/number_text.js';
import { durationText } from '../layout/time_text.js';
import { partsOf } from './blamer.js';
import { CauseText } from './cause_text.js';

/**
 * @typedef {{start: number, end: number, thread: number}} Interval
 * @typedef {import('./critical_path.js').PathPiece} PathPiece
 * @typedef {{begin: number, end: number, cpu: number, thread: number, text: string}} Step  thread: 0: none
 */

export class Path {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    this.text = new CauseText(app.trace);
    /** What it is the path of. @type {(Interval & {title: string}) | null} */
    this.asked = null;
    /** The first one first. @type {PathPiece[]} */
    this.pieces = [];
    /** Whether it is walked; else it is under way. */
    this.done = false;
    /** How far it is. */
    this.progress = el('span', { id: 'path-progress' });
    this.run = 0;
  }

  /** As a pin on the thread's row. */
  get pin() {
    const { asked, app } = this;
    const row = asked && app.rowList.of(-1, asked.thread);
    return asked && row ? { start: asked.start, end: asked.end, row, text: `${asked.title}  ${durationText(asked.end - asked.start)}` } : null;
  }

  /** Walks it, goes there and tells it. @param {Interval} interval @param {string} title @param {boolean} [go]  else the view stays */
  async show({ start, end, thread }, title, go = true) {
    const { app } = this;
    const run = ++this.run;
    Object.assign(this, { asked: { start, end, thread, title }, pieces: [], done: false });
    this.progress.textContent = '';
    const row = app.rowList.open(-1, thread);
    if (go) {
      const by = row ? app.alignment.of(row) : 0;
      app.navigation.show(start - by, end - by);
      if (row) app.navigation.revealRow(row);
    }
    app.side.open('path');
    const pieces = await app.requests.pathOf({ start, end, thread }, () => run !== this.run, (share) => {
      this.progress.textContent = percentText(share);
    });
    if (!pieces || run !== this.run) return;
    Object.assign(this, { pieces: pieces.reverse(), done: true });
    if (app.side.panel === 'path') app.side.open('path');
    app.say(`${title}: ${this.parts[0]?.text ?? ''}`);
    app.schedule();
  }

  /** What it passed with, most time first. */
  get parts() {
    return partsOf([...this.pieces].reverse(), (cause) => this.#words(cause));
  }

  /** What led to its end, the first first. @returns {Step[]} */
  get steps() {
    return this.pieces.map(({ begin, end, cpu, cause }) => ({ begin, end, cpu, thread: cause.thread, text: this.#words(cause) }));
  }

  /** @param {import('./critical_path.js').Cause} cause */
  #words(cause) {
    return this.text.words(cause, this.app.trace.threads[this.asked?.thread ?? 0].first);
  }

  clear() {
    if (!this.asked) return;
    this.run++;
    this.asked = null;
    this.pieces = [];
    if (this.app.side.panel === 'path') this.app.side.close();
    this.app.schedule();
  }
}
