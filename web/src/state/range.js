// SPDX-License-Identifier: BSD-3-Clause
// The selected range of time, on all rows or on some, what happened in it, and the range it is compared with.
import { UsageTally, addUsage, noUsage } from '../model/usage.js';
import { Turns } from '../model/breathe.js';
import { makeScope, scopeOf, scopeText } from '../model/scope.js';
import { addFrames, newFrame } from '../model/flame.js';
import { exactTime } from '../layout/time_text.js';
import { el } from '../base/dom.js';

/** @typedef {import('../model/scope.js').Scope} Scope
 * @typedef {{t0: number, t1: number, scope: Scope | null}} Selection  scope: on these rows; null: on all
 * @typedef {Selection & {selection: Selection, usage: import('../model/usage.js').Usage, only: string, query: import('../model/query.js').Query | null,
 *   tables: import('../panels/usage_rows.js').UsageTables, flame: import('../model/flame.js').Frame | null}} Told  selection: of which it is, the times above are in the trace; only, query: a search, '' and null for all; flame: once asked for */

const TURN_MS = 12;

export class Range {
  /** @param {import('../app.js').App} app @param {import('../panels/range_panel.js').RangePanel} view */
  constructor(app, view) {
    this.app = app;
    /** @type {Selection | null} */
    this.selection = null;
    /** A moment that waits for its other end, ns. @type {number | null} */
    this.marked = null;
    /** Of what is selected, once it is added up. @type {Told | null} */
    this.told = null;
    /** The first of two ranges that are compared, and what was selected for it. @type {Told | null} */
    this.reference = null;
    /** @type {Selection | null} */
    this.referenceSelection = null;
    this.run = 0;
    /** Whether only what the search finds is added up. */
    this.onlyMatches = false;
    this.view = view;
  }

  /** The first call marks, the second selects from there to here. @param {number} time */
  mark(time) {
    if (this.app.alignment.refuses()) return;
    const { marked } = this;
    if (marked === null) {
      this.run++;  // what is being added up is wanted no more
      this.told = null;
      if (this.app.drawer.panel === 'range') this.app.drawer.close();
      this.marked = time;
      this.selection = { t0: time, t1: time, scope: null };
      this.app.tell(`Marked ${exactTime(time)}. M again selects up to there.`);
      this.app.schedule();
    } else {
      this.select(marked, time, true);
    }
  }

  /** @param {number} t0 @param {number} t1 @param {boolean} done @param {Scope | null} [scope]  only on these rows */
  select(t0, t1, done, scope = null) {
    if (this.app.alignment.refuses()) return;
    this.selection = { t0: Math.round(Math.min(t0, t1)), t1: Math.round(Math.max(t0, t1)), scope };
    this.marked = null;
    this.app.schedule();
    if (done) this.tell();
  }

  /** The same time on other rows. @param {Scope | null} scope */
  selectRows(scope) {
    const { selection } = this;
    if (selection && selection.t1 > selection.t0) this.select(selection.t0, selection.t1, true, scope);
    else this.select(this.app.view.t0, this.app.view.t1, true, scope);
  }

  /** Only this row of the range, or one row more, or one less. @param {import('../layout/rows.js').Row} row */
  toggleRow(row) {
    const { trace, rowList } = this.app;
    const scope = makeScope(trace, row.cpu >= 0 ? [row.cpu] : [], rowList.threadsOf(row));
    if (!scope) {
      this.app.tell('This row is not of a CPU or of threads.');
      return;
    }
    const now = new Set(this.selection?.scope?.ids);
    const off = scope.ids.every((id) => now.has(id));
    for (const id of scope.ids) off ? now.delete(id) : now.add(id);
    this.selectRows(scopeOf(trace, [...now]));
    this.app.say(this.selection?.scope ? `Selected: ${scopeText(trace, this.selection.scope)}` : 'Selected: all rows');
  }

  /** What is selected, if that is more than a moment. @returns {Selection | null} */
  get within() {
    const { selection } = this;
    return selection && selection.t1 > selection.t0 ? selection : null;
  }

  clear() {
    this.selection = null;
    this.marked = null;
    this.told = null;
    this.reference = null;
    this.referenceSelection = null;
    this.run++;
    if (this.app.drawer.panel === 'range') this.app.drawer.close();
    if (this.app.drawer.panel === 'requests') this.app.requests.renew();
    this.app.schedule();
  }

  /** From now on, what is selected is compared with this range. */
  compare() {
    if (!this.told) {
      this.app.tell(this.within ? 'It is still being added up.' : 'Select a range first.');
      return;
    }
    this.reference = this.told;
    this.referenceSelection = this.told.selection;
    this.app.say('Select the range to compare with.');  // the drawer shows it to all others
    this.#show();
  }

  stopComparing() {
    this.reference = null;
    this.referenceSelection = null;
    this.app.schedule();
    this.#show();
  }

  /** Adds up the selected range and shows it. */
  async tell() {
    const { trace, drawer, store } = this.app;
    const { selection } = this;
    if (!selection) return;
    const [t0, t1] = [selection.t0, selection.t1].map((time) => Math.max(trace.begin, Math.min(trace.end, time)));
    const run = ++this.run;
    this.told = null;
    if (t1 <= t0) {
      drawer.open('range', el('p', { class: 'quiet' }, 'Nothing of the trace is selected.'));
      return;
    }
    const usage = noUsage();
    const only = this.onlyMatches ? this.app.query : null;
    const { scope } = selection;
    const text = only ? this.app.search.text : '';
    const progress = el('p', { class: 'quiet' }, 'adding up…');
    drawer.open('range', progress);
    await this.app.whole;
    if (run !== this.run) return;
    const reasons = trace.hasBacktraces;
    const turns = new Turns(TURN_MS);
    const others = new UsageTally({ what: trace.what, event: trace.event, threads: trace.threads.length }, { t0, t1, only, scope, reasons });
    const cancelled = () => run !== this.run;
    let added = others.partOfLong(this.app.longOverlays, this.app.longCalls, turns, cancelled).then((part) => addUsage(usage, part, turns));
    added.catch(() => {});  // who waits for it below hears of it
    const { runs, within } = only || scope ? { runs: [], within: [] } : this.#summed(t0, t1);
    const sums = runs.length > 0 ? this.#sumsOf(runs, reasons) : null;
    const task = { kind: 'usage', t0, t1, only, scope, reasons };
    let left = store.touching(t0, t1);
    let parts = 0;
    const unpack = (/** @type {number[]} */ slabs) => store.scan(slabs, task, (part, count) => {
      added = added.then(() => addUsage(usage, part, turns));
      added.catch(() => {});
      parts += count;
      progress.textContent = `adding up… ${Math.round(100 * parts / left.length)} %`;
    }, cancelled);
    left = left.filter((slab) => !within.includes(slab));
    let done = await unpack(left);
    const part = await sums;
    if (!part && done) done = await unpack(within);
    await added;
    if (part) await addUsage(usage, part, turns);
    const told = { t0, t1, scope, selection, usage, only: text, query: only, flame: null };
    const tables = done && run === this.run ? await this.view.tablesOf(told, turns) : null;
    if (!tables || run !== this.run) return;
    this.told = { ...told, tables };
    if (drawer.panel === 'range') this.#show();  // else something else was opened meanwhile
  }

  /** Runs of slabs that lie in a range and whose sums are told, and these slabs. @param {number} t0 @param {number} t1 */
  #summed(t0, t1) {
    const all = this.app.trace.runs;
    const runs = all.flatMap(({ begin, end }, i) => (t0 <= begin && end <= t1 ? [i] : []));
    return { runs, within: this.app.trace.slabsOfRuns(runs) };
  }

  /**
   * What slabs add up to without being unpacked; null: that cannot be read, which is said.
   * @param {number[]} runs @param {boolean} reasons @returns {Promise<import('../model/usage.js').Part | null>}
   */
  async #sumsOf(runs, reasons) {
    try {
      return await this.app.store.block('runs', { kind: 'runs', runs, reasons });
    } catch (error) {
      this.app.store.problem(`Its sums cannot be read, so tables take longer: ${error instanceof Error ? error.message : String(error)}.`);
      return null;
    }
  }

  /** Adds the frames of a flame graph, which take longer than all else. @param {Told} told */
  async addFlame(told) {
    const { store } = this.app;
    const { t0, t1, scope, query: only } = told;
    const flame = newFrame(-1);
    const gone = () => told !== this.told && told !== this.reference;
    const done = await store.scan(store.touching(t0, t1), { kind: 'flame', t0, t1, only, scope }, (part) => addFrames(flame, part), gone);
    if (!done) return;
    told.flame = flame;
    this.redraw();
  }

  /** @param {boolean} only */
  setOnlyMatches(only) {
    this.onlyMatches = only;
    this.tell();
  }

  /** What is searched for has changed. */
  searched() {
    if (this.app.drawer.panel !== 'range') return;
    if (this.onlyMatches) this.tell();
    else this.#show();
  }

  #show() {
    if (!this.told) return;
    this.app.drawer.open('range', this.view.make(this.told, this.reference));
  }

  /** Sizes or colours changed. */
  redraw() {
    if (this.told && this.app.drawer.panel === 'range') this.#show();
  }
}
