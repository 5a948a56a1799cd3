// SPDX-License-Identifier: BSD-3-Clause
// Finding and pinning spans: what is under a pixel, its neighbours on the row, who woke its thread.
import { questionOf, questionText } from '../model/intervals.js';
import { KIND } from '../model/tables.js';
import { callOver } from '../layout/brackets.js';
import { overlayAt, spanAt } from '../layout/hit.js';
import { laneAt, levelAt } from '../layout/lanes.js';
import { isHeading, rowAt } from '../layout/rows.js';
import { durationText, exactTime } from '../layout/time_text.js';
import { spanTitle } from '../draw/span_title.js';
import { Blamer } from './blamer.js';
import { Finder, MOST_SLABS } from './finder.js';

const MOST_PINS = 50;

export class Looking {
  /**
   * @param {import('../app.js').App} app
   * @param {typeof import('../panels/details.js').detailsPanel} details  makes what is shown of a span
   */
  constructor(app, details) {
    this.app = app;
    this.details = details;
    /** @type {any[]} */
    this.pins = [];
    this.finder = new Finder(app);
    this.blamer = new Blamer(app);
    /** Spans that were asked for, by a click or as a match; only the last one is pinned. */
    this.asked = 0;
    /** Spans that were left for their causes, and what these were. @type {{found: any, how: string}[]} */
    this.chain = [];
  }

  /** What can be asked now: the spans that are decoded for the view. */
  get #slabs() {
    return this.app.picture.lastPlan.slabs;
  }

  /** @returns {import('../model/slab.js').Overlays[]} */
  get #overlays() {
    return [this.app.longOverlays, ...this.#slabs.map((s) => s.overlays)];
  }

  /** @returns {import('../model/calls.js').Calls[]} */
  get #calls() {
    return [this.app.longCalls, ...this.#slabs.map((slab) => slab.calls)];
  }

  /** @param {number} y pixels from the top of the plot */
  rowAt(y) {
    return rowAt(this.app.rows, this.app.view.top, y);
  }

  /** @param {number} x @param {number} y */
  find(x, y) {
    const { navigation, trace, view, alignment } = this.app;
    const row = this.rowAt(y);
    if (!row) return null;
    const perPixel = (view.t1 - view.t0) / navigation.width;
    const time = navigation.timeAt(x) + alignment.of(row);
    const inside = y - (row.top - view.top);
    const shown = this.app.shownLanes();
    const lane = laneAt(row, inside, shown);
    const inLane = lane && overlayAt(this.#overlays, row, time, perPixel * 2, trace.what, lane, levelAt(row, inside, shown));
    if (inLane) return inLane;
    const mark = overlayAt(this.#overlays, row, time, perPixel * 4, trace.what);
    if (mark && trace.what[mark.kind] === KIND.mark) return mark;
    const span = spanAt(this.#slabs, row, time, perPixel, trace.what);
    if (span || row.cpu >= 0) return span;
    if (mark && trace.what[mark.kind] === KIND.wait) mark.joined = callOver(this.#calls, mark.thread, mark);
    return mark;
  }

  /** What is under a pixel, decoded for it where only the overview is drawn. @param {number} x @param {number} y */
  async seek(x, y) {
    const { navigation, view, picture } = this.app;
    const row = this.rowAt(y);
    const slack = (view.t1 - view.t0) / navigation.width;
    return this.find(x, y)
      ?? (row && !picture.lastPlan.detailed ? await this.finder.at(row, navigation.timeAt(x) + this.app.alignment.of(row), slack) : null);
  }

  /** Pins what is under a pixel; nothing there: nothing is pinned any more. @param {number} x @param {number} y @param {boolean} more  beside what is */
  async click(x, y, more) {
    const asked = more ? this.asked : ++this.asked;
    const found = await this.seek(x, y);
    if (asked !== this.asked) return;
    if (found) this.pin(found, more);
    else if (!more && this.pins.length > 0) {
      this.unpinAll();
      if (this.app.side.panel === 'details') this.app.side.close();
      this.app.schedule();
    }
  }

  /** Shows a span as large as it can be. @param {number} x @param {number} y */
  async enlarge(x, y) {
    const asked = ++this.asked;
    const found = await this.seek(x, y);
    if (asked !== this.asked) return;
    if (!found) {
      this.app.navigation.whole();
      return;
    }
    this.unpinAll();
    this.pin(found);
    this.show(found);
  }

  /** Fits a span of a row. @param {{start: number, end: number, row: any}} found */
  show({ start, end, row }) {
    const by = this.app.alignment.of(row);
    this.app.navigation.show(start - by, end - by);
  }

  /** Pins a span, or takes its pin away. @param {any} found @param {boolean} [more]  beside what is pinned */
  pin(found, more = false) {
    const same = this.pins.findIndex((p) => p.start === found.start && p.kind === found.kind
      && p.row.cpu === found.row.cpu && p.row.thread === found.row.thread);
    if (same >= 0) {
      this.pins.splice(same, 1);
      this.app.side.close();
      this.app.schedule();
      return;
    }
    if (!more) this.pins = [];
    this.chain = [];
    this.#add(found);
    this.showDetails(found);
  }

  /** @param {any} found */
  #add(found) {
    this.#name(found);
    this.pins.push(found);
    if (this.pins.length > MOST_PINS) this.pins.shift();
    this.app.schedule();
  }

  /** What stands at a pin. @param {any} found */
  #name(found) {
    const length = found.end > found.start ? `  ${durationText(found.end - found.start)}` : '';
    found.text = `${spanTitle(this.app.trace, found)}${length}`;
  }

  /** The one match that was gone to, as it is in the trace. @param {import('../model/scan.js').Hit} hit @param {any} row */
  async pinMatch(hit, row) {
    const asked = ++this.asked;
    const found = await this.finder.matched(hit, row);
    if (!found || asked !== this.asked) return;
    this.pins = this.pins.filter((p) => !p.search);
    this.chain = [];
    this.#add(Object.assign(found, { search: true }));
    this.showDetails(found, this.app.side.panel !== 'matches');
  }

  unpinAll() {
    this.pins = [];
    this.chain = [];
    this.asked++;
  }

  /** Another span in place of the last pin. @param {any} found */
  #goTo(found) {
    const { navigation, rowList } = this.app;
    this.pins.pop();
    const by = this.app.alignment.of(found.row);
    navigation.reveal(found.start - by, found.end - by);
    const row = rowList.byId(found.row.id);
    if (row && !row.pinned) navigation.revealRow(row);
    this.#add(found);
    this.showDetails(found);
  }

  /** All that is known at once, then what has to be looked up. @param {any} found @param {boolean} [open]  the panel, too */
  async showDetails(found, open = true) {
    const { app, finder } = this;
    app.say(`${found.text}, on ${found.row.label}${found.cpu >= 0 && found.row.cpu < 0 ? `, CPU ${found.cpu}` : ''}`);
    if (open) app.side.open('details', this.details(app, found, null));
    await this.#findResult(found);
    if (found.thread < 2 || !open) return;
    const cause = await this.#causeOf(found);
    const waits = await finder.waitsBefore(found.thread, Math.min(cause.run, app.trace.end));
    const woke = this.#isWait(found) ? [] : await finder.wakesIn(found.thread, found.start, found.end);
    const blame = app.trace.what[found.kind] === KIND.wait ? await this.blamer.of(found, () => this.pins.at(-1) !== found) : null;
    if (this.pins.at(-1) !== found || app.side.panel !== 'details') return;
    app.side.open('details', this.details(app, found, { ...cause, waits, woke, blame }));
  }

  /** @param {import('../layout/hit.js').Found} found */
  #isWait(found) {
    const what = this.app.trace.what[found.kind];
    return what === KIND.wait || what === KIND.lockWanted;
  }

  /** The result of a call of which this is a piece, and its file. @param {any} found */
  async #findResult(found) {
    if (this.app.trace.what[found.kind] !== KIND.syscall) return;
    found.file = await this.app.files.of(found);
    found.result = await this.finder.resultOf(found);
    found.sought = true;
    this.#name(found);
    this.app.schedule();
  }

  /**
   * What let a span's thread run when it did, or what ended a wait.
   * @param {import('../layout/hit.js').Found} found @returns {Promise<import('./finder.js').Cause>}
   */
  async #causeOf(found) {
    const { finder, app: { trace } } = this;
    if (trace.what[found.kind] === KIND.lockWanted) {
      return { run: found.end, waker: null, sender: null, before: null, holder: await finder.holderOf(found) };
    }
    if (this.#isWait(found)) return finder.causeOfWait(found);
    return finder.causeOf(found.thread, found.cpu, await finder.runStart(found.thread, found.start));
  }

  /** Along the row of the last pin, or to the first span of the first row. @param {number} d */
  async step(d) {
    const pin = this.pins.at(-1);
    if (!pin) {
      const row = this.app.picture.visible.find((r) => r.cpu >= 0 || r.thread >= 0);
      if (row) await this.pinFirst(row);
      return;
    }
    this.#stepped(await this.finder.along(pin.row, pin.start, d, () => true));
  }

  /** To the next or last span of the same kind on the row. @param {number} d */
  async stepSame(d) {
    const pin = this.pins.at(-1);
    if (!pin) {
      this.app.tell('Pin a span first: click it, or press ].');
      return;
    }
    this.#stepped(await this.finder.along(pin.row, pin.start, d, (slab, p) => slab.kind[p] === pin.kind));
  }

  /** @param {any} found */
  #stepped(found) {
    if (!found) {
      this.app.tell(this.finder.gaveUp ? `None is in the nearest ${MOST_SLABS} parts of the trace; a search looks through all.` : 'There is no other.');
      return;
    }
    this.chain = [];
    this.#goTo(found);
  }

  /** The middle of the view, on a row. @param {import('../layout/rows.js').Row} row */
  async pinFirst(row) {
    const { view, navigation } = this.app;
    const by = this.app.alignment.of(row);
    const middle = navigation.timeAt(navigation.width / 2) + by;
    const slack = (view.t1 - view.t0) / navigation.width;
    const found = await this.finder.at(row, middle, slack) ?? await this.finder.along(row, view.t0 + by, 1, () => true);
    if (found) this.pin(found);
  }

  /** The same moment on the row above (-1) or below (1). @param {number} d */
  async changeRow(d) {
    const { rows, view, navigation } = this.app;
    const pin = this.pins.at(-1);
    if (!pin) {
      await this.step(d);
      return;
    }
    const { alignment } = this.app;
    const time = Math.min(Math.max(pin.start - alignment.of(pin.row), view.t0), view.t1);
    const slack = (view.t1 - view.t0) / navigation.width;
    for (let i = rows.findIndex((r) => r.id === pin.row.id) + d; i >= 0 && i < rows.length; i += d) {
      const found = isHeading(rows[i]) ? null : await this.finder.at(rows[i], time + alignment.of(rows[i]), slack);
      if (!found) continue;
      this.chain = [];
      this.#goTo(found);
      return;
    }
  }

  /** The range from a mark to the one that ends it, else to the next one. @param {any} found */
  async selectFromMark(found) {
    const { trace } = this.app;
    const interval = await this.#intervalOf(found);
    const end = interval && interval.start === found.start ? interval.end : await this.finder.markAfter(found.start) ?? trace.end;
    this.app.range.select(found.start, end, true);
    this.app.navigation.reveal(found.start, end);
  }

  /** Why the pinned call, wait or mark took so long. */
  async explain() {
    const { app } = this;
    const pin = this.pins.at(-1);
    const interval = pin && this.explains(pin) ? await this.#intervalOf(pin) : null;
    if (interval) app.path.show(interval, interval.title, false);
    else app.tell(pin ? 'Only whole calls, waits, marks and RPCs have a begin and an end to be walked between.' : 'Pin a call, a wait or a mark first: click it, or press ].');
  }

  /** Whether a span has a critical path of its own. @param {{kind: number, thread: number}} found */
  explains({ kind, thread }) {
    const { trace } = this.app;
    return (thread > 1 && (trace.what[kind] === KIND.wait || (trace.what[kind] === KIND.syscall && trace.hasCalls))) || questionOf(trace, kind) !== null;
  }

  /** @param {any} pin @returns {Promise<{start: number, end: number, thread: number, title: string} | null>} */
  async #intervalOf(pin) {
    const { trace, requests } = this.app;
    const { thread, call } = pin;
    if (trace.what[pin.kind] === KIND.wait) return { start: pin.start, end: pin.end, thread, title: 'this wait' };
    if (trace.what[pin.kind] === KIND.syscall) return { start: call?.start ?? pin.start, end: call?.end ?? pin.end, thread, title: trace.name(pin.kind) };
    const question = questionOf(trace, pin.kind);
    if (!question) return null;
    const found = await requests.find(question, 1, undefined, undefined, ({ start, end, thread: ends, begins }) => (
      (start === pin.start && begins === thread) || (end === pin.start && ends === thread)));
    return found?.hits[0] ? { ...found.hits[0], title: questionText(question) } : null;
  }

  /** One step back along what led to the last pin. */
  async goToCause() {
    const { app } = this;
    const pin = this.pins.at(-1);
    if (!pin || pin.thread < 2) {
      app.tell(pin ? 'No thread runs in this span: pin one of a thread.' : 'Pin a span first: click it, or press ].');
      return;
    }
    const { run, waker, sender, before, holder } = await this.#causeOf(pin);
    const from = sender ?? waker;
    const span = from ? await this.#rowSpan(from.cpu, from.thread, from.start)
      : holder ? await this.#rowSpan(holder.cpu, holder.thread, Math.min(holder.end, pin.end) - 1)
        : before && await this.#rowSpan(before.cpu, before.thread, run - 1);
    if (!span) {
      app.tell('What this thread had waited for was not recorded.');
      return;
    }
    this.chain.push({ found: pin, how: from ? `woken at ${exactTime(from.start)} by` : holder ? `wanted a lock until ${exactTime(pin.end)} that was held by`
      : `ready, but until ${exactTime(run)} its CPU ran` });
    if (!app.alignment.on && span.start < app.view.t0) app.navigation.show(Math.max(span.start, app.trace.begin), pin.end);
    this.#goTo(span);
  }

  /** What a thread, or a CPU if it has no row, did at a time. @param {number} cpu @param {number} thread @param {number} time */
  async #rowSpan(cpu, thread, time) {
    const { rowList } = this.app;
    const row = (thread > 1 ? rowList.of(-1, thread) : null) ?? rowList.of(cpu, -1);
    return row ? this.finder.at(row, time, 0) : null;
  }

  /** To what a wakeup let run. @param {import('./finder.js').Woken} woken */
  async goToWoken({ thread, cpu, run }) {
    const span = await this.#rowSpan(cpu, thread, run);
    if (!span) {
      this.app.tell('It did not run in this recording.');
      return;
    }
    this.chain = [];
    this.#goTo(span);
  }

  /** Forward: to what the last pin's thread woke next. */
  async goToNextWoken() {
    const pin = this.pins.at(-1);
    const [next] = pin && pin.thread >= 2 ? await this.finder.wakesIn(pin.thread, pin.start, this.app.trace.end) : [];
    if (next) await this.goToWoken(next);
    else this.app.tell(pin ? 'It woke nobody from here on, as far as was looked.' : 'Pin a span first: click it, or press ].');
  }

  /** Back to a span from which the chain of wakeups came. @param {number} link */
  backInChain(link) {
    const { found } = this.chain[link];
    this.chain.length = link;
    this.#goTo(found);
  }
}
