// SPDX-License-Identifier: BSD-3-Clause
// What is seen now as plain data, and back: for saved views, links and copies of the page.
import { questionText, readQuestion } from '../model/intervals.js';
import { scopeOf } from '../model/scope.js';
import { SWITCHES } from './settings.js';

/** @typedef {import('../model/saved.js').ViewState} ViewState @typedef {import('../model/saved.js').RowState} RowState */

/** @param {Set<string>} a @param {Set<string>} b */
const sameSet = (a, b) => a.size === b.size && [...a].every((id) => b.has(id));

/** @param {import('./row_list.js').RowList} list @returns {RowState | undefined} undefined: as at first */
function captureRows({ options, firstFolded }) {
  /** @type {RowState} */
  const rows = {};
  if (!sameSet(options.folded, firstFolded)) rows.folded = [...options.folded];
  if (options.hidden?.size) rows.hidden = [...options.hidden];
  if (options.pinned?.length) rows.pinned = [...options.pinned];
  if (options.order?.size) rows.order = [...options.order];
  if (options.only) rows.only = options.only;
  if (options.rowFilter) rows.filter = options.rowFilter;
  if (options.sort !== 'time') rows.sort = options.sort;
  if (options.by !== 'process') rows.by = options.by;
  return Object.keys(rows).length ? rows : undefined;
}

/** @param {import('../app.js').App} app @returns {ViewState['why']} */
function captureWhy({ path: { asked }, trace }) {
  return asked ? { pid: trace.threads[asked.thread].pid, start: Math.round(asked.start), end: Math.round(asked.end), title: asked.title } : undefined;
}

/** @param {import('../app.js').App} app @param {NonNullable<ViewState['why']>} why */
function restoreWhy({ path, trace }, { pid, start, end, title }) {
  const { asked } = path;
  if (asked && asked.start === start && asked.end === end && trace.threads[asked.thread].pid === pid) return;
  // Of several that had one number in turn, the one that lived then.
  const then = trace.threads.findIndex((thread) => thread.pid === pid && thread.begin < end && thread.end >= end);
  const thread = then >= 0 ? then : trace.threadOfPid.get(pid) ?? -1;
  if (thread > 1) path.show({ start, end, thread }, title, false);
}

/** @param {import('../app.js').App} app @returns {ViewState} */
export function captureView(app) {
  const { view, search, selection, rowList } = app;
  const options = /** @type {Record<string, any>} */ (app.options);
  const off = Object.entries(SWITCHES).filter(([name, first]) => first && !options[name]).map(([name]) => name);
  const on = Object.entries(SWITCHES).filter(([name, first]) => !first && options[name]).map(([name]) => name);
  return {
    t0: Math.round(view.t0), t1: Math.round(view.t1), top: view.top,
    query: search.text, invert: search.invert, rows: captureRows(rowList),
    range: selection && selection.t1 > selection.t0 ? [Math.round(selection.t0), Math.round(selection.t1)] : undefined,
    of: selection?.scope?.ids, why: captureWhy(app), asks: app.requests.question && app.drawer.panel === 'requests' ? questionText(app.requests.question) : undefined, off, on,
  };
}

/** @param {import('../app.js').App} app @param {ViewState} state */
export function restoreView(app, state) {
  const options = /** @type {Record<string, any>} */ (app.options);
  for (const [name, first] of Object.entries(SWITCHES)) {
    options[name] = first ? !state.off?.includes(name) : state.on?.includes(name) === true;
  }
  app.rowList.restore(state.rows ?? {});
  app.navigation.history.endBurst();
  app.navigation.setView(state.t0, state.t1);
  app.navigation.setTop(state.top ?? 0);
  const { query = '', invert = false } = state;
  if (query !== app.search.text || invert !== app.search.invert) {
    app.search.setInvert(invert);
    app.search.set(query);
  }
  if (state.range) app.range.select(state.range[0], state.range[1], true, state.of ? scopeOf(app.trace, state.of) : null);
  else if (app.selection) app.range.clear();
  if (state.why) restoreWhy(app, state.why);
  else app.path.clear();
  const question = readQuestion(state.asks ?? '');
  if (question && (!app.requests.question || questionText(question) !== questionText(app.requests.question))) app.requests.ask(question);
  if (question) app.drawer.open('requests');
  else if (app.drawer.panel === 'requests') app.drawer.close();
  app.schedule();
}
