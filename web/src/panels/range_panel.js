// SPDX-License-Identifier: BSD-3-Clause
// The drawer for a selected range: tables by name, kind, thread, process, CPU and wait with the
// durations of the chosen row, a flame graph, and all of it beside a second range.
import { noDurations } from '../model/durations.js';
import { workBy } from '../model/flame.js';
import { countText, counted, percentText } from '../model/number_text.js';
import { durationText, exactTime } from '../layout/time_text.js';
import { scopeText } from '../model/scope.js';
import { keep, recall } from '../state/memory.js';
import { byId, copyText, el, keepFocus } from '../base/dom.js';
import { callLook, flameGraph } from './flame.js';
import { histogram } from './histogram.js';
import { sortedTable } from './sorted_table.js';
import { STACK_FLAMES, STACK_LIMITS, stackFrames, stackLook } from './stack_flames.js';
import { DIMENSIONS, countedOf, figures, usageCsv, usageTables } from './usage_rows.js';

/**
 * @typedef {import('../state/range.js').Told} Told
 * @typedef {import('./usage_rows.js').UsageRow} UsageRow
 * @typedef {{label: string, now: UsageRow, before: UsageRow | null}} Pair
 */

/** Share of the work that the busiest process must have to be a frame worth looking at. */
const WIDE_ENOUGH = 0.08;
const HISTOGRAM = { width: 400, height: 170 };

/** @type {[string, string, (thread: number, trace: import('../model/trace.js').Trace) => number][]} */
const FLAMES = [
  ['thread', 'by thread', (thread) => thread],
  ['process', 'by process', (thread, trace) => {
    const { process = -1, pid = -1 } = trace.threads[thread] ?? {};
    return trace.threadOfPid.get(process >= 0 ? process : pid) ?? thread;
  }],
  ['all', 'all threads as one', () => -1],
];

export class RangePanel {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    this.tab = 'name';
    /** Empty until someone chooses. */
    this.flameBy = '';
    /** What the flame graph is of: calls, or stacks. */
    this.flameOf = 'calls';
    /** Once they were asked for. @type {import('../model/backtraces.js').Backtraces | null} */
    this.backtraces = null;
    /** @type {Record<string, {by: string, up: boolean}>} */
    this.orders = {};
    this.chosen = '';
    this.reading = false;
    /** Ranges whose frames were asked for. @type {WeakSet<Told>} */
    this.asked = new WeakSet();
    this.asking = Promise.resolve();
    /** What was drawn of them last. @type {{which: string, root: import('../model/flame.js').Frame, look: import('./flame.js').Look} | null} */
    this.stacks = null;
    this.withIdle = recall('range-idle') !== 'no';
  }

  /** The tables of a range. @param {Omit<Told, 'tables'>} told @param {import('../model/breathe.js').Turns} turns */
  tablesOf({ usage, t0, t1, scope }, turns) {
    return usageTables(this.app.trace, usage, t1 - t0, scope !== null, turns);
  }

  /** @param {Told} told @param {Told | null} reference */
  make(told, reference) {
    this.told = told;
    this.reference = reference === told ? null : reference;
    this.waiting = reference === told;
    this.tables = told.tables;
    this.before = this.reference?.tables ?? null;
    this.element = el('div', { class: 'range' });
    this.#fill();
    return this.element;
  }

  #fill() {
    const { element } = this;
    if (element) keepFocus(element, () => element.replaceChildren(this.#head(), this.#tabs(), this.tab === 'flame' ? this.#flames() : this.#table()));
  }

  #head() {
    const { app, told, reference } = this;
    if (!told) return '';
    const only = told.only ? `, of what “${told.only}” finds` : '';
    const on = (/** @type {Told} */ r) => (r.scope ? `, ${scopeText(app.trace, r.scope)}` : '');
    const length = (/** @type {Told} */ r) => `${durationText(r.t1 - r.t0)} from ${exactTime(r.t0)}`;
    const text = reference ? [el('b', { class: 'range-a' }, 'A '), `${length(reference)}${on(reference)}\u2003`, el('b', { class: 'range-b' }, 'B '), `${length(told)}${on(told)}`]
      : [el('b', {}, 'Where the time went: '), `${length(told)}${on(told) || `, ${app.trace.cpusText}`}${only}`];
    const copy = el('button', { id: 'copy-csv', onclick: () => this.#copy(copy) }, 'Copy as CSV');
    return el('div', { class: 'range-head' }, el('span', {}, ...text),
      this.waiting ? el('span', { class: 'note', role: 'status' }, 'Now select the range to compare with.') : null,
      el('span', { class: 'buttons' },
        el('button', { onclick: () => app.navigation.show(told.t0, told.t1) }, 'Zoom to it (F)'),
        told.scope ? el('button', { id: 'all-rows', onclick: () => app.range.selectRows(null) }, 'All rows') : null,
        reference || this.waiting ? el('button', { onclick: () => app.range.stopComparing() }, 'Stop comparing')
          : el('button', { id: 'compare', onclick: () => app.range.compare() }, 'Compare with… (V)'),
        copy, el('button', { onclick: () => app.range.clear() }, 'Clear (Esc)')));
  }

  /** Idle time is true, but often not what is looked for. */
  #idleSwitch() {
    const box = /** @type {HTMLInputElement} */ (el('input', { type: 'checkbox', id: 'with-idle', checked: this.withIdle, onchange: () => {
      this.withIdle = box.checked;
      keep('range-idle', box.checked ? '' : 'no');
      this.#fill();
      byId('with-idle').focus();
    } }));
    return el('label', { class: 'switch' }, box, ' idle time, too');
  }

  /** There is something to restrict to only while something is searched for. */
  #matchSwitch() {
    const { app, told } = this;
    if (!app.query && !told?.only) return null;
    const box = /** @type {HTMLInputElement} */ (el('input', { type: 'checkbox', id: 'only-matches', checked: app.range.onlyMatches,
      onchange: () => app.range.setOnlyMatches(box.checked) }));
    return el('label', { class: 'switch' }, box, ' only what the search finds');
  }

  /** @param {HTMLElement} button */
  async #copy(button) {
    const { tables, before } = this;
    if (!tables) return;
    const ranges = before ? [{ name: 'A', tables: before }, { name: 'B', tables }] : [{ name: 'A', tables }];
    button.textContent = await copyText(usageCsv(ranges)) ? 'Copied' : 'Copying was refused';
  }

  #tabs() {
    const tabs = [...DIMENSIONS.map(([id, title]) => [id, title]), ['flame', 'Flame graph']];
    const choose = (/** @type {string} */ id) => {
      this.tab = id;
      this.chosen = '';
      this.#fill();
      byId(`tab-${id}`).focus();
    };
    const go = (/** @type {KeyboardEvent} */ e, /** @type {number} */ i) => {
      const d = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
      if (d === 0) return;
      e.stopPropagation();
      choose(tabs[(i + d + tabs.length) % tabs.length][0]);
    };
    return el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Where the time went' }, ...tabs.map(([id, title], i) => (
      el('button', { id: `tab-${id}`, role: 'tab', 'aria-selected': String(id === this.tab), tabindex: id === this.tab ? 0 : -1,
        onclick: () => choose(id), onkeydown: (/** @type {KeyboardEvent} */ e) => go(e, i) }, title))),
    el('span', { class: 'switches' }, this.#matchSwitch(), this.#idleSwitch()));
  }

  #table() {
    const dimension = DIMENSIONS.find(([id]) => id === this.tab) ?? DIMENSIONS[0];
    const pairs = this.#pairs(dimension[0]);
    const chosen = pairs.find((p) => p.label === this.chosen) ?? pairs[0] ?? null;
    const order = this.orders[this.tab] ??= { by: '', up: false };
    const { hasCalls } = this.app.trace;
    const whole = this.told?.scope ? dimension[2].replace('all CPU time', 'these rows’ time') : dimension[2];
    const columns = this.before ? comparing(dimension[0], hasCalls) : plain((p) => this.#slowest(p), dimension[0], whole, hasCalls);
    const table = sortedTable(columns, pairs, order, {
      chosen, changed: () => this.#fill(), rest: ' (in the CSV)', usual: 1,
      choose: (pair) => { this.chosen = pair.label; this.#chose(); },
    });
    return el('div', { class: 'range-body', role: 'tabpanel' }, el('div', { class: 'scroller' }, table),
      chosen ? this.#durations(chosen) : el('p', { class: 'quiet' }, 'Nothing of this in the range.'));
  }

  /** To the slowest calls of a line. @param {Pair} pair */
  #slowest(pair) {
    const { app, told } = this;
    if (this.tab !== 'name' || !pair.now.calls || !told || told.only) return null;
    return () => { app.slowest.ofCalls(pair.label, told); };
  }

  /** The table stays where it was scrolled to. */
  #chose() {
    const { scrollTop = 0 } = this.element?.querySelector('.scroller') ?? {};
    this.#fill();
    this.element?.querySelector('.scroller')?.scrollTo(0, scrollTop);
  }

  /** Rows of both ranges by label. @param {import('./usage_rows.js').Dimension} dimension @returns {Pair[]} */
  #pairs(dimension) {
    const shown = (/** @type {UsageRow} */ row) => this.withIdle || !row.idle;
    const now = (this.tables?.[dimension] ?? []).filter(shown);
    if (!this.before) return now.map((row) => ({ label: row.label, now: row, before: null }));
    const before = new Map(this.before[dimension].map((row) => [row.label, row]));
    const none = (/** @type {UsageRow} */ row) => ({ ...row, durations: noDurations(), calls: row.calls && noDurations(), share: 0 });
    const pairs = now.map((row) => ({ label: row.label, now: row, before: before.get(row.label) ?? none(row) }));
    const seen = new Set(now.map((row) => row.label));
    for (const row of this.before[dimension].filter(shown)) if (!seen.has(row.label)) pairs.push({ label: row.label, now: none(row), before: row });
    return pairs;
  }

  /** @param {Pair} pair */
  #durations(pair) {
    const { app, told } = this;
    const { css } = app.palette;
    const { find } = pair.now;
    const search = (/** @type {string} */ bounds) => {
      if (told) app.search.set(`${find} ${bounds} ${timesOf(told, Boolean(pair.now.calls))}${told.scope ? ` row:${told.scope.ids.join()}` : ''}`.replace(/ +/g, ' '));
    };
    const ask = (/** @type {number} */ min, /** @type {number} */ max) => { if (find) search(`min:${min}ns max:${max - 1}ns`); };
    const both = pair.before ? [countedOf(pair.before), countedOf(pair.now)] : [countedOf(pair.now)];
    return el('div', { class: 'durations' }, el('b', {}, pair.label), el('span', { class: 'quiet' }, ` ${told && app.trace.hasCalls ? `${pair.now.calls ? 'calls' : 'pieces'} ` : ''}by duration`),
      histogram(both, { ...HISTOGRAM, colours: pair.before ? [css.muted, css.accent] : [css.accent] }, ask),
      find ? el('p', { class: 'quiet' }, 'A click on a bar lights up its spans. ',
        el('button', { onclick: () => search('') }, 'Find all')) : null);
  }

  /** By process, unless these are too many to see. */
  #flameGroups() {
    const busy = this.tables?.process.filter((row) => !row.idle) ?? [];
    const whole = busy.reduce((sum, row) => sum + row.share, 0);
    return busy.length > 0 && busy[0].share > whole * WIDE_ENOUGH ? 'process' : 'all';
  }

  #flames() {
    const { told, reference, app } = this;
    if (!told) return '';
    const { trace } = app;
    const by = this.flameBy || this.#flameGroups();
    const [, , group] = FLAMES.find(([id]) => id === by) ?? FLAMES[0];
    const name = (/** @type {number} */ key) => (key < 0 ? 'all threads' : trace.threadLabel(key));
    const both = reference ? [reference, told] : [told];
    const width = Math.floor((byId('drawer-body').clientWidth - 26 - 16 * (both.length - 1)) / both.length);
    const pick = (/** @type {string} */ label, /** @type {string[][]} */ choices, /** @type {string} */ chosen, /** @type {(id: string) => void} */ choose) => (
      el('select', { 'aria-label': label, onchange: (/** @type {any} */ e) => {
        choose(e.target.value);
        this.#fill();
      } }, ...choices.map(([id, text]) => el('option', { value: id, selected: id === chosen }, text))));
    const pickers = [pick('Flame graph by', FLAMES.map(([id, text]) => [id, text]), by, (id) => { this.flameBy = id; })];
    if (trace.hasBacktraces) pickers.unshift(pick('Flame graph of', [['calls', 'calls'], ...STACK_FLAMES], this.flameOf, (id) => { this.flameOf = id; }));
    const note = this.flameOf === 'calls' ? 'A frame lies on what it interrupted or what called it. Click one to widen it.'
      : `${told.only ? 'What the search finds does not restrict stacks. ' : ''}${STACK_LIMITS}`;
    return el('div', { class: 'range-flames', role: 'tabpanel' },
      el('p', {}, ...pickers, el('span', { class: 'quiet' }, `  ${note}`)),
      el('div', { class: 'flames' }, ...both.map((one) => this.#flame(one, (thread) => group(thread, trace), name, width))));
  }

  /** @param {Told} told @param {(thread: number) => number} group @param {(key: number) => string} rootName @param {number} width */
  #flame(told, group, rootName, width) {
    const { app, flameOf, backtraces } = this;
    if (flameOf === 'calls') {
      if (told.flame) return flameGraph(app, workBy(told.flame, group), callLook(app, rootName), width);
      this.#askFlame(told);
      return el('p', { class: 'quiet', role: 'status' }, 'putting frames together…');
    }
    if (!backtraces) {
      this.#readBacktraces();
      return el('p', { class: 'quiet', role: 'status' }, 'reading the stacks…');
    }
    this.stacks = { which: flameOf, root: stackFrames(backtraces, flameOf, told, group), look: stackLook(app, backtraces, flameOf, rootName) };
    return flameGraph(app, this.stacks.root, this.stacks.look, width);
  }

  /** One after the other: a scan takes the place of one like it. @param {Told} told */
  #askFlame(told) {
    if (this.asked.has(told)) return;
    this.asked.add(told);
    this.asking = this.asking.then(() => this.app.range.addFlame(told));
  }

  async #readBacktraces() {
    if (this.reading) return;
    this.reading = true;
    try {
      this.backtraces = await this.app.store.block('backtraces');
    } catch (error) {
      this.flameOf = 'calls';
      this.app.store.problem(`The stacks cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
    }
    this.reading = false;
    if (this.tab === 'flame') this.#fill();
  }
}

/** What finds what a table counted: calls where they ended, pieces where any of them lies in the range. @param {Told} told @param {boolean} calls */
const timesOf = ({ t0, t1 }, calls) => (calls ? `ends:${seconds(t0)}-${seconds(t1)}` : `from:${seconds(t0 + 1)} to:${seconds(t1 - 1)}`);

/** All digits, and no exponent. @param {number} ns */
const seconds = (ns) => (ns / 1e9).toFixed(9).replace(/\.?0+$/, '');

/** @param {number} ns */
const time = (ns) => (Number.isNaN(ns) ? '–' : durationText(ns));

/** What the time of a table is, of the range; its shares are of that. @param {string} dimension */
const timeOf = (dimension) => (dimension === 'wait' ? { head: 'waited', hint: 'Time waited in the range' }
  : { head: 'CPU time', hint: 'Time on a CPU in the range; of a call without what it waited for and what interrupted it' });

/** What durations are of. @param {boolean} calls  whether the trace tells of calls */
const durationHint = (calls) => (calls ? 'Of whole calls: from entry to return, waits and interruptions included. Of pieces: their own time' : 'Of spans: their own time');

/** @param {(p: Pair) => (() => void) | null} slowest @param {string} dimension @param {string} whole @param {boolean} calls  whether the trace tells of calls @returns {import('./sorted_table.js').Column<Pair>[]} */
const plain = (slowest, dimension, whole, calls) => [
  { head: 'name', text: (p) => p.label, value: (p) => p.label },
  { ...timeOf(dimension), text: (p) => time(p.now.durations.time), value: (p) => p.now.durations.time },
  { head: whole, text: (p) => percentText(p.now.share), value: (p) => p.now.share, bar: (p) => p.now.share },
  { head: calls ? 'count' : 'spans', text: (p) => countText(countedOf(p.now).count), value: (p) => countedOf(p.now).count },
  .../** @type {import('./sorted_table.js').Column<Pair>[]} */ (calls ? [{ head: 'of', text: unitOf, value: unitOf }] : []),
  .../** @type {const} */ ([['average', 'average'], ['p50', 'p50'], ['p99', 'p99'], ['longest', 'longest']]).map(([head, key]) => ({
    head, hint: durationHint(calls), text: (/** @type {Pair} */ p) => time(figures(p.now)[key]),
    value: (/** @type {Pair} */ p) => figures(p.now)[key],
    ...(key === 'longest' ? { act: slowest, title: 'To the slowest of the range; again: to the next one' } : {}) })),
];

/** @param {Pair} p */
function unitOf(p) {
  return p.now.calls ? 'whole calls' : 'pieces';
}

/** @param {string} dimension @param {boolean} calls @returns {import('./sorted_table.js').Column<Pair>[]} */
function comparing(dimension, calls) {
  const share = (/** @type {UsageRow | null} */ row) => row?.share ?? 0;
  const change = (/** @type {Pair} */ p) => share(p.now) - share(p.before);
  const none = { label: '', durations: noDurations(), share: 0, find: '', idle: false };
  /** @type {(head: string, of: (row: UsageRow | null) => number, text: (n: number) => string, hint?: string) => import('./sorted_table.js').Column<Pair>[]} */
  const both = (head, of, text, hint) => [
    { head: `A ${head}`, hint, text: (p) => text(of(p.before)), value: (p) => of(p.before) },
    { head: `B ${head}`, hint, text: (p) => text(of(p.now)), value: (p) => of(p.now) },
  ];
  const spent = timeOf(dimension);
  const long = durationHint(calls);
  return [
    { head: 'name', text: (p) => p.label, value: (p) => p.label },
    { head: 'share B − A', text: (p) => `${change(p) > 0 ? '+' : ''}${(change(p) * 100).toFixed(2)} pp`, value: (p) => Math.abs(change(p)) },
    ...both('share', share, percentText),
    ...both(spent.head, (row) => (row ?? none).durations.time, time, spent.hint),
    ...both(calls ? 'count' : 'spans', (row) => countedOf(row ?? none).count, countText),
    ...both('p50', (row) => figures(row ?? none).p50, time, long),
    ...both('p99', (row) => figures(row ?? none).p99, time, long),
    ...both('longest', (row) => figures(row ?? none).longest, time, long),
  ];
}
