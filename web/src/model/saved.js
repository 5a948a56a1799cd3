// SPDX-License-Identifier: BSD-3-Clause
// Views and notes that people keep: as text for the address, for a copy of the page and for this
// browser; and those that came with a page of KUtrace's own viewer. What is read is not trusted:
// wrong types are left out, texts stay texts.
import { FACT } from './tables.js';
import { parsePlace } from './query.js';

/**
 * What is seen; all but the times may be absent.
 * @typedef {object} ViewState
 * @property {number} t0  ns
 * @property {number} t1
 * @property {number} [top]
 * @property {string} [query]
 * @property {boolean} [invert]
 * @property {[number, number]} [range]  ns, the selected one
 * @property {string[]} [of]  rows of that range; not there: all
 * @property {RowState} [rows]
 * @property {{pid: number, start: number, end: number, title: string}} [why]  the interval whose critical path is shown
 * @property {string} [asks]  which requests are listed
 * @property {string[]} [off]   of what is drawn, what is switched off
 * @property {string[]} [on]
 *
 * @typedef {object} RowState
 * @property {string[]} [folded]
 * @property {string[]} [hidden]
 * @property {string[]} [pinned]
 * @property {[string, string[]][]} [order]
 * @property {string} [filter]
 * @property {{of: string, ids: string[]}} [only]
 * @property {string} [sort]
 * @property {string} [by]  what threads stand together by
 *
 * @typedef {{name: string, state: ViewState}} SavedView
 * @typedef {{time: number, row: string, text: string, dx: number, dy: number}} Note
 *   at a time, on a row ('': above all), the bubble moved by px
 * @typedef {{views: (SavedView | null)[], notes: Note[], stamp: number, first?: ViewState}} Saved  views: by place, null: none there
 *   stamp: ms when it was changed; first: what a copy of the page shows at first
 */

const MOST_VIEWS = 50;
const MOST_NOTES = 500;
/** What is longer is refused: part of a text would say something else. */
const LONGEST_TEXT = 2 ** 20;

/** @param {unknown} value @returns {value is number} */
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
/** @param {unknown} value */
const text = (value) => (typeof value === 'string' && value.length <= LONGEST_TEXT ? value : '');
/** @param {unknown} value @returns {string[] | undefined} */
const texts = (value) => (Array.isArray(value) ? value.map(text) : undefined);

/** @param {any} rows @returns {RowState | undefined} */
function readRows(rows) {
  if (typeof rows !== 'object' || rows === null) return undefined;
  return {
    folded: texts(rows.folded), hidden: texts(rows.hidden), pinned: texts(rows.pinned), filter: text(rows.filter),
    sort: text(rows.sort), by: text(rows.by), only: rows.only && typeof rows.only === 'object' ? { of: text(rows.only.of), ids: texts(rows.only.ids) ?? [] } : undefined,
    order: Array.isArray(rows.order) ? rows.order.filter((/** @type {any} */ o) => Array.isArray(o) && o.length === 2)
      .map((/** @type {any} */ o) => [text(o[0]), texts(o[1]) ?? []]) : undefined,
  };
}

/** @param {any} why @returns {ViewState['why']} */
const readWhy = (why) => (typeof why === 'object' && why !== null && isNumber(why.pid) && isNumber(why.start) && isNumber(why.end) && why.end > why.start
  ? { pid: why.pid, start: why.start, end: why.end, title: text(why.title) } : undefined);

/** @param {any} state @returns {ViewState | null} */
function readView(state) {
  if (typeof state !== 'object' || state === null || !isNumber(state.t0) || !isNumber(state.t1) || state.t1 <= state.t0 || state.query?.length > LONGEST_TEXT) return null;
  const { range } = state;
  return {
    t0: state.t0, t1: state.t1, top: isNumber(state.top) ? state.top : 0,
    query: text(state.query), invert: state.invert === true, rows: readRows(state.rows),
    range: Array.isArray(range) && isNumber(range[0]) && isNumber(range[1]) && range[0] <= range[1] ? [range[0], range[1]] : undefined,
    why: readWhy(state.why), asks: text(state.asks), of: texts(state.of), off: texts(state.off), on: texts(state.on),
  };
}

/** @param {any} note @returns {Note | null} */
function readNote(note) {
  if (typeof note !== 'object' || note === null || !isNumber(note.time)) return null;
  return { time: note.time, row: text(note.row), text: text(note.text), dx: isNumber(note.dx) ? note.dx : 0,
    dy: isNumber(note.dy) ? note.dy : 0 };
}

/** @param {any} list @param {number} most @returns {any[]} */
const some = (list, most) => (Array.isArray(list) ? list.slice(0, most) : []);

/** Places behind the last view are none. @param {Saved['views']} views */
export const withoutEnd = (views) => views.slice(0, views.reduce((end, view, i) => (view ? i + 1 : end), 0));

/** @param {string} json @returns {Saved | null} null: not what this page wrote */
export function readSaved(json) {
  /** @type {any} */
  let value = null;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const views = withoutEnd(some(value.views, MOST_VIEWS).map((view) => {
    const state = readView(view?.state);
    return state && { name: text(view.name) || 'view', state };
  }));
  return { views, notes: some(value.notes, MOST_NOTES).flatMap((note) => readNote(note) ?? []),
    stamp: isNumber(value.stamp) ? value.stamp : 0, first: readView(value.first) ?? undefined };
}

/** @returns {Saved} */
export const noneSaved = () => ({ views: [], notes: [], stamp: 0 });

/**
 * Takes in what others have changed since all was as it is known; what was changed here, too, stays, and
 * nothing is lost. @param {Saved} own @param {Saved} known @param {Saved} theirs
 */
export function takeIn(own, known, theirs) {
  takeInNotes(own, known, theirs);
  const keys = (/** @type {Saved} */ { views }) => views.map((view) => JSON.stringify(view && { name: view.name, state: readView({ ...view.state }) }));
  const [mine, before, now] = [own, known, theirs].map(keys);
  theirs.views.forEach((view, i) => {
    if (now[i] === mine[i] || now[i] === before[i]) return;
    if (!own.views[i] || mine[i] === before[i]) own.views[i] = view;
    else if (view && !mine.includes(now[i])) own.views[freePlace(own.views)] = view;
  });
  known.views.forEach((_, i) => { if (i >= theirs.views.length && mine[i] === before[i]) own.views[i] = null; });
  own.views = withoutEnd(Array.from(own.views, (view) => view ?? null));
}

/** The first place that has no view. @param {Saved['views']} views */
export function freePlace(views) {
  const free = views.findIndex((view) => !view);
  return free < 0 ? views.length : free;
}

/** @param {Saved} own @param {Saved} known @param {Saved} theirs */
function takeInNotes(own, known, theirs) {
  const key = (/** @type {Note} */ note) => JSON.stringify(readNote(note));
  const [before, now] = [known, theirs].map(({ notes }) => new Set(notes.map(key)));
  own.notes = own.notes.filter((note) => !before.has(key(note)) || now.has(key(note)));
  const mine = new Set(own.notes.map(key));
  own.notes.push(...theirs.notes.filter((note) => !before.has(key(note)) && !mine.has(key(note))));
}

/** JSON that can stand in a script element. @param {Saved} saved */
export const savedText = (saved) => JSON.stringify(saved).replaceAll('<', '\\u003c');

// ---- the address ---------------------------------------------------------------------------

/** A view as the part of an address after #. @param {ViewState} state @param {Saved} [saved] sent along */
export function toHash(state, saved) {
  const words = new URLSearchParams();
  words.set('t', `${Math.round(state.t0)},${Math.round(state.t1)}`);
  if (state.top) words.set('y', String(state.top));
  if (state.query) words.set(state.invert ? 'not' : 'q', state.query);
  if (state.range) words.set('range', state.range.map(Math.round).join(','));
  if (state.range && state.of?.length) words.set('of', state.of.join(','));
  if (state.why) words.set('why', [state.why.pid, Math.round(state.why.start), Math.round(state.why.end), state.why.title].join(','));
  if (state.asks) words.set('asks', state.asks);
  if (state.rows) words.set('rows', JSON.stringify(state.rows));
  if (state.off?.length) words.set('off', state.off.join(','));
  if (state.on?.length) words.set('on', state.on.join(','));
  if (saved && saved.views.length + saved.notes.length > 0) words.set('saved', JSON.stringify(saved));
  return `#${words}`;
}

/** What else a link may say without times. */
const WITHOUT_TIMES = ['q', 'not', 'range', 'why', 'asks', 'rows', 'off', 'on'];

/** @param {string} hash @param {{t0: number, t1: number} | null} [view]  where a link without times stays @returns {{state: ViewState | null, saved: Saved | null}} */
export function fromHash(hash, view = null) {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  if (view && !words.has('t') && WITHOUT_TIMES.some((word) => words.has(word))) words.set('t', `${view.t0},${view.t1}`);
  const pair = (/** @type {string} */ name) => words.get(name)?.split(',').map(Number);
  const list = (/** @type {string} */ name) => words.get(name)?.split(',');
  const [t0, t1] = pair('t') ?? [];
  const [pid, start, end, ...title] = list('why') ?? [];
  let rows;
  try {
    rows = JSON.parse(words.get('rows') ?? 'null') ?? undefined;
  } catch { /* then rows stay as they are */ }
  const state = readView({ t0, t1, top: Number(words.get('y') ?? 0), query: words.get('q') ?? words.get('not') ?? '',
    invert: words.has('not'), range: pair('range'), of: list('of'), rows,
    why: { pid: Number(pid ?? NaN), start: Number(start), end: Number(end), title: title.join(',') }, asks: words.get('asks') ?? '', off: list('off'), on: list('on') });
  return { state, saved: readSaved(words.get('saved') ?? 'null') };
}

// ---- pages of KUtrace's viewer -------------------------------------------------------------

/** What its buttons without a name are called there. @type {Record<string, string>} */
const BUTTONS = { '&#x21d0;': '⇐ left behind', '&#x2780;': '➀', '&#x2781;': '➁', '&#x2782;': '➂', '&#x2783;': '➃' };
const UNIT_NS = [1e3, 1, 1e6];  // its button: usec, nsec, msec
const CALLOUT = -4;

/** @param {any} view */
function importedSearch(view) {
  const unit = UNIT_NS[view.minmax_units_value] ?? 1e3;
  const words = [];
  // A time that was gone to is in the view already.
  if (text(view.search_text) && !parsePlace(view.search_text)) words.push(`/${text(view.search_text).replace(/\//g, '\\/')}/`);
  if (view.usec_lo_time > 0) words.push(`min:${view.usec_lo_time * unit}ns`);
  if (view.usec_hi_time > 0) words.push(`max:${view.usec_hi_time * unit}ns`);
  return words.join(' ');
}

/** @param {[string, any]} record label, state */
function importedView([label, view]) {
  if (typeof view !== 'object' || view === null) return [];
  const groups = some(view.groupcompress, 4);
  const folded = ['cpus', 'threads', 'rs'].filter((_, i) => groups[i] === 0);
  const state = readView({ t0: view.xleft_ts * 1e9, t1: view.xright_ts * 1e9, query: importedSearch(view),
    invert: view.searchnot_value === 1, rows: { folded, sort: 'time', filter: '' } });
  return state ? [{ name: (Object.hasOwn(BUTTONS, label) ? BUTTONS[label] : '') || text(label), state }] : [];
}

/** @param {any} r a span's ten fields: seconds, duration, CPU, thread, RPC, event, dx, rows up, -, text */
function importedNote(r) {
  if (!Array.isArray(r) || r[5] !== CALLOUT || !isNumber(r[0])) return [];
  const row = r[2] >= 0 && !(r[3] > 0) ? `c${r[2]}` : r[3] > 0 ? `t${r[3]}` : r[2] >= 0 ? `c${r[2]}` : '';
  return [{ time: Math.round(r[0] * 1e9), row, text: text(r[9]), dx: isNumber(r[6]) ? r[6] : 0, dy: 0 }];
}

/** What the page that this one was made of had. @param {[string, string][]} meta of the header @returns {Saved} */
export function importedSaved(meta) {
  const all = (/** @type {string} */ key) => meta.filter(([k]) => k === key).flatMap(([, json]) => {
    try {
      return some(JSON.parse(json), MOST_NOTES);
    } catch {
      return [];
    }
  });
  const own = meta.find(([k]) => k === FACT.saved);
  const saved = own && readSaved(own[1]);
  if (saved) return saved;
  return { views: all(FACT.savedView).flatMap(importedView).slice(0, MOST_VIEWS),
    notes: [...all(FACT.extra), ...all(FACT.callouts)].flatMap(importedNote).slice(0, MOST_NOTES), stamp: 0 };
}
