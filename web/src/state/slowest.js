// SPDX-License-Identifier: BSD-3-Clause
// From the slowest call, mark or RPC of a name to the next one, longest first. In: what one of them is; out:
// the longest of all of its name, wherever they are, of which one after the other is gone to.
import { isCall } from '../model/calls.js';
import { methodOf, questionOf, questionText } from '../model/intervals.js';
import { compileQuery } from '../model/query.js';
import { FirstHits, noMatches, searchCalls, searchOverlays } from '../model/scan.js';
import { makeScope } from '../model/scope.js';
import { KIND, OBJECT } from '../model/tables.js';
import { countText } from '../model/number_text.js';
import { durationText } from '../layout/time_text.js';

/** So many are gone through; then the first one comes again. */
const MOST = 100;
/** @type {import('../model/scan.js').Order} */
const LONGEST = { by: 'duration', up: false };

/**
 * @typedef {import('../model/scan.js').Hit} Hit
 * @typedef {{t0: number, t1: number, scope: import('../model/scope.js').Scope | null}} Within  calls that end in this time, on these rows
 * @typedef {{name: string, hits: Hit[], count: number, at: number, key: string}} Slow  count: of all; at: the one that was gone to
 */

/** @param {Hit} a @param {Hit} b */
const slower = (a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start;

export class Slowest {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {Slow | null} */
    this.list = null;
    this.run = 0;
  }

  /** Whether there are others of its name to compare it with. @param {number} kind of the dictionary */
  knows(kind) {
    const { trace } = this.app;
    return (isCall(trace.what[kind]) && trace.hasCalls) || questionOf(trace, kind) !== null;
  }

  /** What all of its name are called: "fsync", "mark work", "rpc get". @param {number} kind of the dictionary */
  nameOf(kind) {
    const { trace } = this.app;
    const question = questionOf(trace, kind);
    return question ? questionText(question) : trace.name(kind);
  }

  /** The one that was gone to, as told of a span; null: it is another one. @param {{start: number, end: number, kind: number}} found */
  placeOf({ start, end, kind }) {
    const { list, app: { trace } } = this;
    const hit = list?.hits[list.at];
    if (list && hit && list.name === this.nameOf(kind) && questionOf(trace, kind)?.asked === 'rpc') return start >= hit.start && end <= hit.end ? list : null;
    return list && hit?.start === start && trace.name(hit.kind) === trace.name(kind) ? list : null;
  }

  /** To the longest of a name, or from one of them to the next longest. @param {number} kind of the dictionary @param {number} [step] */
  async ofKind(kind, step = 1) {
    const { trace } = this.app;
    if (!this.knows(kind)) {
      this.app.tell('This is no call, no mark with a label and no RPC.');
      return;
    }
    const question = questionOf(trace, kind);
    if (!question) await this.ofCalls(trace.name(kind), null, step);
    else if (question.asked === 'rpc') await this.ofMethod(question.name, step);
    else await this.#go(questionText(question), step, () => this.app.requests.find(question, MOST));
  }

  /** @param {string} name of calls @param {Within | null} within @param {number} [step] */
  async ofCalls(name, within, step = 1) {
    await this.#go(name, step, () => this.#calls(name, within), within ? `${within.t0} ${within.t1} ${within.scope?.ids.join() ?? ''}` : '');
  }

  /** Among the RPCs of a row's method. @param {import('../layout/rows.js').Row} row @param {number} [step] */
  async ofRpc(row, step = 1) {
    await this.ofMethod(methodOf(this.app.trace.objects[row.object].name), step);
  }

  /** Of a method: as their rows have them. @param {string} method @param {number} [step] */
  async ofMethod(method, step = 1) {
    const { trace, rowList, navigation } = this.app;
    const hits = trace.objects.flatMap((object, i) => (object.sort === OBJECT.rpc && methodOf(object.name) === method && !Number.isNaN(object.begin)
      ? [{ start: object.begin, end: object.end, kind: 0, cpu: -1, thread: 0, object: i }] : [])).sort(slower);
    await this.#go(`rpc ${method}`, step, async () => ({ hits, count: hits.length }), '', (hit) => {
      const found = rowList.rows.find((one) => one.object === /** @type {any} */ (hit).object);
      if (found) navigation.revealRow(found);
      navigation.show(hit.start, hit.end);
    });
  }

  /**
   * @param {string} name @param {number} step @param {() => Promise<{hits: Hit[], count: number} | null>} make @param {string} [where]
   * @param {(hit: Hit) => void} [look]
   */
  async #go(name, step, make, where = '', look = (hit) => this.#look(hit)) {
    const key = `${name} ${where}`;
    const run = ++this.run;
    if (this.list?.key !== key) {
      const made = await make();
      if (!made || run !== this.run) return;
      this.list = { name, ...made, at: step > 0 ? -1 : 0, key };
    }
    const { list } = this;
    const { length } = list.hits;
    if (length === 0) {
      this.app.tell(`There is no whole ${name}.`);
      return;
    }
    list.at = (list.at + step + length) % length;
    const hit = list.hits[list.at];
    look(hit);
    this.app.tell(`${name}: ${list.at === 0 ? 'the slowest' : `number ${list.at + 1} of the slowest`} of ${countText(list.count)}, ${durationText(hit.end - hit.start)}`);
  }

  /** All hits of a query, the first ones in an order. @param {import('../model/query.js').Query} query @param {import('../model/scan.js').Order} order @param {number} most */
  async #first(query, order, most) {
    const { app, run } = this;
    await app.whole;
    const first = new FirstHits(order, null, most);
    const matches = noMatches();
    searchOverlays(app.longOverlays, query, matches, first);
    searchCalls(app.longCalls, query, matches, first);
    const task = { kind: 'first', query, order, last: first.last, most };
    const done = await app.store.scan(app.store.touching(query.from, query.to), task, (/** @type {{hits: Hit[], count: number}} */ part) => {
      for (const hit of part.hits) first.add(hit);
      matches.count += part.count;
      task.last = first.last;
    }, () => run !== this.run);
    return done ? { hits: first.hits.slice(0, most), count: matches.count } : null;
  }

  /** @param {string} name @param {Within | null} within */
  async #calls(name, within) {
    const { trace, overview } = this.app;
    const query = /** @type {import('../model/query.js').Query} */ (compileQuery('min:0', trace, overview));
    query.kinds = query.kinds.map((_, k) => Number(isCall(trace.what[k]) && trace.name(k) === name));
    if (within) Object.assign(query, { endsFrom: within.t0, endsTo: within.t1, rows: within.scope });
    return this.#first(query, LONGEST, MOST);
  }

  /** A call is pinned; from mark to mark is a range of its thread. @param {Hit} hit */
  #look(hit) {
    const { app } = this;
    if (app.trace.what[hit.kind] !== KIND.mark) {
      app.search.look(hit);
      return;
    }
    app.search.look({ ...hit, end: hit.start, cpu: /** @type {import('../model/intervals.js').Interval} */ (hit).from ?? hit.cpu });
    app.range.select(hit.start, hit.end, true, makeScope(app.trace, [], [hit.thread]));
    const room = (hit.end - hit.start) * 0.1;
    app.navigation.setView(hit.start - room, hit.end + room);
  }
}
