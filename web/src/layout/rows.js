// SPDX-License-Identifier: BSD-3-Clause
// Where each row stands. In: the tree of rows and what is folded, filtered, pinned, hidden or moved;
// out: a flat list with a top and a height each, of which only the visible ones are drawn.
import { readPattern } from '../model/patterns.js';
import { functionsHeight } from './lanes.js';
import { rowTree, threadsWithin } from './row_tree.js';

/**
 * @typedef {object} RowOptions
 * @property {Set<string>} folded   ids of groups, processes and crowds
 * @property {string} rowFilter     text of the label, or /regular expression/
 * @property {string} sort          of threads: time, name, pid
 * @property {import('./row_tree.js').GroupBy} [by]  what threads stand together by; process unless told
 * @property {Map<number, number>} cpuBusy
 * @property {string[]} [pinned]    ids, in order; they stay at the top
 * @property {Set<string>} [hidden] ids
 * @property {Only | null} [only]  if not null, only these rows are there
 * @property {number} [scale]  of the height of rows that are no headings
 * @property {Map<string, string[]>} [order]  by parent id: ids in the order a person chose
 *
 * @typedef {{of: string, ids: string[]}} Only  of: id of the row for which they were chosen; ids: without headings
 *
 * @typedef {import('./row_tree.js').RowNode & {key: string, parent: string, indent: number,
 *   top: number, height: number, levels: number, folded: boolean, pinned: boolean, members: number[]}} Row
 *   key: id of what a click on the label folds, '' for rows that fold nothing
 *   members: threads that are one row now, together; none on any other row
 */

const HEADER_HEIGHT = 22;
/** Of a row that is not of several threads. @type {number[]} */
const NONE = [];

/** @param {number} cpus */
const cpuHeight = (cpus) => (cpus <= 4 ? 50 : cpus <= 8 ? 38 : cpus <= 24 ? 28 : cpus <= 48 ? 18 : 12);

/** @type {Record<string, number>} */
const HEIGHT = { group: HEADER_HEIGHT, process: HEADER_HEIGHT, crowd: HEADER_HEIGHT, thread: 24, rpc: 24, lock: 24, queue: 28,
  frequency: 26, network: 32, marks: 20, counter: 26 };

/** Whether other rows stand under it. @param {{type: string}} row */
const isFamily = (row) => row.type === 'group' || row.type === 'process' || row.type === 'crowd';

/** Rows that show no data of their own; threads that are folded into one row do. @param {{type: string, members: number[]}} row */
export const isHeading = (row) => isFamily(row) && row.members.length === 0;

/** @param {string} text @returns {(label: string) => boolean} */
function labelTest(text) {
  const regex = /^\/(.+)\/(i?)$/.exec(text);
  if (regex) {
    try {
      const pattern = readPattern(regex[1], regex[2]);
      return (label) => pattern.test(label);
    } catch {
      return () => true;  // not finished typing, or refused
    }
  }
  const lower = text.toLowerCase();
  return (label) => label.toLowerCase().includes(lower);
}

/**
 * Children of `parent` in the order a person chose, where one did.
 * @param {import('./row_tree.js').RowNode[]} rows @param {string} parent @param {RowOptions} options
 */
function ordered(rows, parent, options) {
  const order = options.order?.get(parent);
  if (!order) return rows;
  const place = new Map(order.map((id, i) => [id, i]));
  return [...rows].sort((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity) || 0);
}

/**
 * @param {import('../model/trace.js').Trace} trace
 * @param {RowOptions} options
 * @returns {Row[]}
 */
export function layOutRows(trace, options) {
  /** @type {Row[]} */
  const rows = [];
  const tree = rowTree(trace, options);
  const pins = options.pinned ?? [];
  const matches = options.rowFilter ? labelTest(options.rowFilter) : null;
  // What was chosen one by one does not stand folded among others.
  const isFolded = (/** @type {import('./row_tree.js').RowNode} */ { id, type }) => options.folded.has(id) && (!options.only || type === 'group');
  let top = 0;
  const add = (/** @type {import('./row_tree.js').RowNode} */ node, /** @type {string} */ parent,
    /** @type {number} */ indent, pinned = false) => {
    const folded = isFamily(node) && (pinned || isFolded(node));
    const members = folded && node.type !== 'group' ? threadsWithin(node) : NONE;
    const usual = node.type === 'cpu' ? cpuHeight(trace.cpus.length) : HEIGHT[members.length > 0 ? 'thread' : node.type];
    const scaled = isHeading({ type: node.type, members }) ? usual : Math.round(usual * (options.scale ?? 1));
    const { type, id, label, note, cpu, thread, object, sort, objectId, busy, levels = 0 } = node;
    const height = scaled + functionsHeight(levels);
    rows.push({ type, id, label, note, cpu, thread, object, sort, objectId, busy, levels, rows: node.rows,
      key: isFamily(node) ? id : '', parent, indent, top, height, pinned, folded, members });
    top += height;
  };
  const chosen = options.only ? new Set(options.only.ids) : null;
  const isChosen = (/** @type {import('./row_tree.js').RowNode} */ node) => chosen === null
    || (isFamily(node) ? node.rows.some(isChosen) : chosen.has(node.id));
  const shown = (/** @type {import('./row_tree.js').RowNode} */ node) => !pins.includes(node.id)
    && !options.hidden?.has(node.id) && isChosen(node);
  const kept = (/** @type {import('./row_tree.js').RowNode} */ node, inherited = false) => {
    if (!shown(node)) return false;
    if (!matches || node.type === 'cpu' || inherited) return true;
    return matches(node.label) || node.rows.some((row) => kept(row));
  };
  const walk = (/** @type {import('./row_tree.js').RowNode} */ node, /** @type {string} */ parent,
    /** @type {number} */ indent, inherited = false) => {
    if (!kept(node, inherited)) return;
    add(node, parent, indent);
    if (isFolded(node)) return;
    const whole = inherited || (node.type === 'process' && matches !== null && matches(node.label));
    for (const row of ordered(node.rows, node.id, options)) walk(row, node.id, indent + 1, whole);
  };
  const nodes = pins.length > 0 ? nodesById(tree) : null;
  for (const id of pins) {
    const node = nodes?.get(id);
    if (node) add(node, 'pinned', 0, true);
  }
  for (const group of ordered(tree, '', options)) walk(group, '', 0);
  return rows;
}

/** @param {import('./row_tree.js').RowNode[]} tree */
function nodesById(tree) {
  /** @type {Map<string, import('./row_tree.js').RowNode>} */
  const out = new Map();
  const visit = (/** @type {import('./row_tree.js').RowNode} */ node) => {
    out.set(node.id, node);
    node.rows.forEach(visit);
  };
  tree.forEach(visit);
  return out;
}

/** @param {Row[]} rows */
export const rowsHeight = (rows) => {
  const last = rows.at(-1);
  return last ? last.top + last.height : 0;
};

/** How much of the plot's top the pinned rows take. @param {Row[]} rows */
export function pinnedHeight(rows) {
  let height = 0;
  for (let i = 0; i < rows.length && rows[i].pinned; i++) height = rows[i].top + rows[i].height;
  return height;
}

/**
 * Rows that are at least partly inside [top, bottom). Pinned ones come last, since they are drawn
 * over the others, moved to where they stand on the screen: row.top - top is right for all of them.
 * @param {Row[]} rows @param {number} top @param {number} bottom
 */
export function visibleRows(rows, top, bottom) {
  const covered = pinnedHeight(rows);
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle].top + rows[middle].height <= top + covered) low = middle + 1;
    else high = middle;
  }
  const out = [];
  for (let i = low; i < rows.length && rows[i].top < bottom; i++) {
    if (!rows[i].pinned) out.push(rows[i]);
  }
  for (let i = 0; i < rows.length && rows[i].pinned; i++) out.push({ ...rows[i], top: rows[i].top + top });
  return out;
}

/**
 * Rows that are at least partly between two heights of the plot, pinned ones too.
 * @param {Row[]} rows @param {number} top  scroll position @param {number} y0 @param {number} y1  CSS pixels
 */
export const rowsBetween = (rows, top, y0, y1) => {
  const covered = pinnedHeight(rows);
  return visibleRows(rows, top, top + y1 + 1).filter((row) => {
    const from = row.pinned ? row.top - top : Math.max(row.top - top, covered);
    return from <= y1 && row.top - top + row.height > y0;
  });
};

/**
 * The row under a height of the plot.
 * @param {Row[]} rows @param {number} viewTop scroll position @param {number} y CSS pixels
 * @returns {Row | null} top is moved as visibleRows moves it
 */
export function rowAt(rows, viewTop, y) {
  for (let i = 0; i < rows.length && rows[i].pinned; i++) {
    if (y < rows[i].top + rows[i].height) return { ...rows[i], top: rows[i].top + viewTop };
  }
  const at = viewTop + y;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle].top + rows[middle].height <= at) low = middle + 1;
    else high = middle;
  }
  return low < rows.length && rows[low].top <= at ? rows[low] : null;
}
