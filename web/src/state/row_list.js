// SPDX-License-Identifier: BSD-3-Clause
// Which rows there are now: what is folded, filtered, sorted by what; laid out again when it changes.
import { EXECUTION_KINDS, KIND } from '../model/tables.js';
import { foldThreads, hideRow, openAround, cpusWithin, moveRow, showAllRows, toggleFolded, togglePinned } from '../layout/row_edits.js';
import { firstAfter, threadSpans } from '../layout/columns.js';
import { foldedAtFirst, rowTree, threadsWithin } from '../layout/row_tree.js';
import { threadOverview } from '../model/overview.js';
import { isHeading, layOutRows, rowsBetween } from '../layout/rows.js';
import { CGROUP_PARTS } from '../model/cgroups.js';
import { makeScope } from '../model/scope.js';
import { counted } from '../model/number_text.js';
import { addTakers, noTakers, takersAmong } from '../model/takers.js';
import { byId } from '../base/dom.js';

const SORTS = ['time', 'name', 'pid'];
/** @type {import('../layout/row_tree.js').GroupBy[]} */
const GROUPS = ['process', 'name', 'parent', ...CGROUP_PARTS];

/** How threads stand until someone chooses. */
export const FIRST_ROWS = { sort: SORTS[0], by: GROUPS[0] };

export class RowList {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {Required<import('../layout/rows.js').RowOptions>} */
    this.options = { folded: new Set(), rowFilter: '', ...FIRST_ROWS, cpuBusy: cpuBusy(app.trace, app.overview),
      pinned: [], hidden: new Set(), order: new Map(), only: null, scale: 1 };
    /** Until someone chooses. */
    this.firstFolded = foldedAtFirst(rowTree(app.trace, this.options));
    this.options.folded = new Set(this.firstFolded);
    this.rows = layOutRows(app.trace, this.options);
    /** What was asked for last, for traces where no two threads have it in common. @type {import('../layout/row_tree.js').GroupBy | null} */
    this.asFolded = null;
    /** RPCs whose rows were asked for; only the last one's are shown. */
    this.asked = 0;
  }

  layOut() {
    this.rows = layOutRows(this.app.trace, this.options);
    const { hidden: { size }, only } = this.options;
    const back = byId('hidden-rows');
    back.hidden = size === 0 && !only;
    back.textContent = only ? 'show all rows' : `show ${size} hidden`;
    back.title = only ? `Only the rows of ${this.byId(only.of)?.label ?? 'one RPC'} are there; Esc shows the others, too` : 'Show the rows that were hidden';
    back.classList.toggle('chosen', only !== null);
    this.app.navigation.rowsChanged();
  }

  /** The row where something is best shown. @param {number} cpu @param {number} thread */
  of(cpu, thread) {
    return this.rows.find((r) => (cpu >= 0 ? r.cpu === cpu : r.thread === thread));
  }

  /** The same; what is folded around it is opened. @param {number} cpu @param {number} thread */
  open(cpu, thread) {
    const found = this.of(cpu, thread);
    if (found) return found;
    if (!openAround(this.options, this.app.trace, cpu, thread)) return undefined;
    this.layOut();
    return this.of(cpu, thread);
  }

  /** The threads that a row stands for: its own, or those of its process. @param {import('../layout/rows.js').Row} row */
  threadsOf(row) {
    return row.thread >= 0 ? [row.thread] : row.type === 'group' ? [] : threadsWithin(row);
  }

  /** What stands between two heights of the plot; null: neither CPUs nor threads. @param {number} y0 @param {number} y1 px */
  scopeBetween(y0, y1) {
    const rows = rowsBetween(this.rows, this.app.view.top, Math.min(y0, y1), Math.max(y0, y1));
    // A heading stands for what is folded under it, and alone for all that is.
    const meant = rows.some((row) => !isHeading(row)) ? rows.filter((row) => !isHeading(row) || row.folded) : rows;
    return makeScope(this.app.trace, meant.flatMap((row) => cpusWithin(row)), meant.flatMap((row) => (row.thread >= 0 ? [row.thread] : threadsWithin(row))));
  }

  /** Hides the threads that did not run in the view. */
  keepActive() {
    const { app, options } = this;
    const active = threadsIn(app);
    let left = 0;
    for (const [thread, { spans }] of app.trace.threads.entries()) {
      if (spans === 0 || thread < 2) continue;
      if (active(thread)) left++;
      else options.hidden.add(app.trace.threadRowId(thread));
    }
    this.layOut();
    app.tell(`${left} threads ran in view; ${options.hidden.size} rows are hidden`);
  }

  /** @param {string} id */
  byId(id) {
    return this.rows.find((row) => row.id === id);
  }

  /** How far a row is scrolled up, px. @param {import('../layout/rows.js').Row} row */
  shift(row) {
    return row.pinned ? 0 : this.app.view.top;
  }

  /** How high rows are. @param {number} scale */
  setScale(scale) {
    if (scale === this.options.scale) return;
    this.options.scale = scale;
    this.layOut();
  }

  /** @param {import('../model/saved.js').RowState} state */
  restore(state) {
    const { options } = this;
    options.folded = new Set(state.folded ?? this.firstFolded);
    options.hidden = new Set(state.hidden);
    options.pinned = state.pinned ?? [];
    options.order = new Map(state.order);
    options.only = state.only ?? null;
    options.rowFilter = state.filter ?? '';
    options.sort = SORTS.find((sort) => sort === state.sort) ?? SORTS[0];
    options.by = this.foldings.find((by) => by === state.by) ?? GROUPS[0];
    byId('row-filter').value = options.rowFilter;
    this.layOut();
  }

  /** @param {string} id of a group, process or crowd */
  fold(id) {
    toggleFolded(this.options, id);
    this.layOut();
  }

  /** By what threads can be folded: not by what this trace does not tell. */
  get foldings() {
    const told = this.app.trace.cgroups.parts;
    return GROUPS.filter((by) => told.some((part) => part === by) || !CGROUP_PARTS.some((part) => part === by));
  }

  /** Every group of threads into one row each, or none. @param {boolean} folded */
  foldAll(folded) {
    foldThreads(this.options, rowTree(this.app.trace, this.options), folded);
    this.layOut();
  }

  /** Threads that have this in common into one row each; null: all of them have their own. @param {import('../layout/row_tree.js').GroupBy | null} by */
  foldBy(by) {
    const { options } = this;
    this.asFolded = by;
    options.by = by ?? GROUPS[0];
    options.order.delete('threads');
    this.foldAll(by !== null);
    const rows = this.rows.filter((row) => row.members.length > 0);
    this.app.tell(by ? `Threads are folded by ${by}: ${counted(rows.reduce((sum, row) => sum + row.members.length, 0), 'thread')} in ${counted(rows.length, 'row')}`
      : 'Every thread has a row of its own');
  }

  /** By what all threads are folded now, null: they are not. @returns {import('../layout/row_tree.js').GroupBy | null} */
  get foldedBy() {
    const groups = this.rows.filter((row) => row.type === 'process');
    if (groups.length === 0) return this.asFolded;
    return groups.every((row) => row.folded) ? this.options.by : null;
  }

  /** On to the next way to fold all threads; the last one is not at all. */
  nextFolding() {
    const now = this.foldedBy;
    this.foldBy(now === null ? GROUPS[0] : this.foldings[this.foldings.indexOf(now) + 1] ?? null);
  }

  /** @param {string} id */
  pin(id) {
    togglePinned(this.options, id);
    this.layOut();
  }

  /** @param {string} id */
  hide(id) {
    hideRow(this.options, id);
    this.layOut();
  }

  /** Brings back first what the choice of an RPC took away, then what was hidden row by row. */
  showHidden() {
    if (this.options.only) this.options.only = null;
    else showAllRows(this.options);
    this.layOut();
  }

  /** Leaves only the rows that took part in an RPC; all others come back if these are left already. @param {import('../layout/rows.js').Row} row */
  async keepTakers(row) {
    const { app, options } = this;
    if (options.only?.of === row.id) {
      this.showHidden();
      return;
    }
    const { begin, end } = app.trace.objects[row.object];
    const asked = ++this.asked;
    const takers = await takersOfRpc(app, row, () => asked !== this.asked);
    if (!takers) return;
    const { threads, cpus } = takers;
    const ids = [...[...threads].map((thread) => app.trace.threadRowId(thread)), ...[...cpus].map((cpu) => `c${cpu}`)];
    options.only = { of: row.id, ids: [row.id, ...ids] };
    this.layOut();
    app.navigation.setTop(0);
    if (!Number.isNaN(begin)) app.navigation.reveal(begin, end);
    app.tell(`${counted(threads.size, 'thread')} and ${counted(cpus.size, 'CPU')} took part in ${row.label}; Esc shows all rows`);
  }

  /** To where another row of the same group stands. @param {string} id @param {string} to */
  move(id, to) {
    moveRow(this.options, this.rows, id, to);
    this.layOut();
  }

  /** One place up (-1) or down (1) among its like. @param {import('../layout/rows.js').Row} row @param {number} d */
  moveBy(row, d) {
    const like = this.rows.filter((r) => r.parent === row.parent);
    const other = like[like.findIndex((r) => r.id === row.id) + d];
    if (other) this.move(row.id, other.id);
  }

  /** @param {string} text */
  filter(text) {
    this.options.rowFilter = text;
    this.layOut();
  }

  nextSort() {
    this.options.sort = SORTS[(SORTS.indexOf(this.options.sort) + 1) % SORTS.length];
    this.options.order.delete('threads');
    this.options.order.delete('rs');
    this.layOut();
  }
}

/**
 * Who took part in the RPC of a row, wherever that was.
 * @param {import('../app.js').App} app @param {import('../layout/rows.js').Row} row @param {() => boolean} cancelled
 */
async function takersOfRpc(app, { object, objectId }, cancelled) {
  await app.whole;
  const { trace, store, longOverlays } = app;
  const { begin, end } = trace.objects[object];
  const slabs = Number.isNaN(begin) ? trace.slabs.map((_, i) => i) : store.touching(begin - 1, end + 1);
  const takers = noTakers();
  takersAmong(longOverlays, objectId, takers);
  const done = await store.scan(slabs, { kind: 'takers', rpc: objectId, end: Number.isNaN(end) ? Infinity : end }, (part) => addTakers(takers, part), cancelled);
  return done ? takers : null;
}

/**
 * Which threads ran in the view: by their spans where those are drawn, else by the overview.
 * @param {import('../app.js').App} app @returns {(thread: number) => boolean}
 */
function threadsIn({ view, picture, overview }) {
  const { detailed, slabs } = picture.lastPlan;
  if (detailed) {
    return (thread) => slabs.some((slab) => {
      const spans = threadSpans(slab, thread);
      if (!spans || !spans.order) return false;
      const n = firstAfter(spans, view.t0);
      return n < spans.last && slab.start[spans.order[n]] < view.t1;
    });
  }
  const bucketOf = (/** @type {number} */ t) => Math.floor((t - overview.begin) / overview.threadWidth);
  const [first, last] = [bucketOf(view.t0), bucketOf(view.t1)];
  return (thread) => {
    const ran = threadOverview(overview, thread);
    return ran?.bucket.some((b, i) => b >= first && b <= last && ran.user[i] + ran.kernel[i] + ran.interrupt[i] > 0) ?? false;
  };
}

/** @type {number[]} */
const NOT_BUSY = [KIND.idle, KIND.idleLowPower, KIND.cExit, KIND.hidden, KIND.loss];

/**
 * Each CPU's share of time that was neither idle, left out nor lost.
 * @param {import('../model/trace.js').Trace} trace
 * @param {import('../model/overview.js').Overview} overview
 */
function cpuBusy(trace, overview) {
  const busy = new Map();
  for (const [cpu, { shares, size }] of overview.cpus) {
    let sum = 0;
    for (let k = 0; k < EXECUTION_KINDS; k++) {
      if (NOT_BUSY.includes(k)) continue;
      for (let b = 0; b < size; b++) sum += shares[k][b];
    }
    busy.set(cpu, Math.min(1, sum / 255 * overview.cpuWidth / trace.duration));
  }
  return busy;
}
