// SPDX-License-Identifier: BSD-3-Clause
// One search over the whole trace: its matches, and which of them is looked at.
import { compileQuery, noMatchText, parsePlace, placeText } from '../model/query.js';
import { BY_TIME, FirstHits, addMatches, noMatches, searchCalls, searchOverlays, totalsOf } from '../model/scan.js';
import { countText } from '../model/number_text.js';
import { durationText, exactTime } from '../layout/time_text.js';
import { byId, el } from '../base/dom.js';
import { keep, recall } from './memory.js';

const MOST_RECENT = 20;
/** Each takes as long as going through a part of the page. */
const REDRAW_MS = 250;

/** @typedef {import('../model/scan.js').Hit} Hit @typedef {import('../model/scan.js').Order} Order */

/** @param {Hit} a @param {Hit | null} b */
const sameHit = (a, b) => b !== null && a.start === b.start && a.end === b.end && a.kind === b.kind && a.cpu === b.cpu && a.thread === b.thread;

export class Search {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {import('../model/query.js').Query | null} */
    this.query = null;
    /** @type {import('../model/scan.js').Matches | null} */
    this.matches = null;
    /** What is known of all matches before they are found. @type {ReturnType<typeof totalsOf>} */
    this.totals = null;
    /** Place among the hits of the match that was gone to, -1: not among them. */
    this.at = -1;
    /** The match that was gone to. @type {Hit | null} */
    this.here = null;
    /** All matches were gone through for these, the first in an order. @type {{order: Order, hits: Hit[]} | null} */
    this.list = null;
    this.run = 0;
    this.invert = false;
    this.#offerRecent();
  }

  /** Types into the box, too. @param {string} text */
  set(text) {
    byId('query').value = text;
    this.start(text);
  }

  get text() {
    return /** @type {string} */ (byId('query').value);
  }

  /** Lights up the spans of a row beside those of other rows, or no longer. @param {import('../layout/rows.js').Row} row */
  toggleRow(row) {
    const word = row.cpu >= 0 ? 'cpu:' : 'pid:';
    const ids = row.cpu >= 0 ? [row.cpu] : this.app.rowList.threadsOf(row).map((t) => this.app.trace.threads[t].pid);
    if (ids.length === 0) return;
    const words = this.text.split(/\s+/).filter(Boolean);
    const at = words.findIndex((w) => w.startsWith(word));
    const lit = new Set(at < 0 ? [] : words.splice(at, 1)[0].slice(word.length).split(',').map(Number));
    const off = ids.every((id) => lit.has(id));
    for (const id of ids) off ? lit.delete(id) : lit.add(id);
    this.set([...words, ...lit.size > 0 ? [`${word}${[...lit].join(',')}`] : []].join(' '));
  }

  /** Whether all that does not match is meant. @param {boolean} invert */
  setInvert(invert) {
    this.invert = invert;
    byId('invert').setAttribute('aria-pressed', String(invert));
  }

  /** What is typed: words to search for, or a time to go to. @param {string} text */
  async start(text) {
    const { app } = this;
    const run = ++this.run;
    this.at = -1;
    this.here = null;
    this.list = null;
    this.matches = null;
    this.totals = null;
    this.query = null;
    document.body.classList.toggle('searching', text !== '');
    app.schedule();
    if (text.includes('@@')) {
      this.set(text.replace('@@', placeText(app.view)));
      return;
    }
    this.query = this.#went(text) ? null : this.#compile(text);
    app.range.searched();
    if (!this.query) {
      if (app.side.panel === 'matches') app.side.open('matches');
      return;
    }
    const { query } = this;
    const matches = noMatches();
    this.matches = matches;
    this.totals = totalsOf(app.trace, query);
    if (this.totals) this.tell();
    else this.#tell('searching…');
    await app.whole;
    if (run !== this.run) return;
    const first = new FirstHits(BY_TIME);
    searchOverlays(app.longOverlays, query, matches, first);
    searchCalls(app.longCalls, query, matches, first);
    matches.hits = first.hits;
    const slabs = await this.#slabsFor(query);
    if (run !== this.run) return;
    const task = { kind: 'search', query, order: BY_TIME, last: first.last };
    let drawn = performance.now();
    const done = await app.store.scan(slabs, task, (part) => {
      addMatches(matches, part, first);
      task.last = first.last;
      if (performance.now() - drawn < REDRAW_MS) return;
      app.schedule();
      drawn = performance.now();
    }, () => run !== this.run);
    if (!done) return;
    this.tell();
    if (app.side.panel === 'matches') app.side.open('matches');
    app.schedule();
  }

  /**
   * Slabs that may hold matches: of a run whose sums are told, those that have one of its kinds.
   * @param {import('../model/query.js').Query} query @returns {Promise<number[]>}
   */
  async #slabsFor(query) {
    const { trace, store } = this.app;
    const all = trace.slabs.map((_, i) => i);
    if (query.invert || trace.runs.length === 0 || query.kinds.every((matches) => matches === 1)) return all;
    try {
      /** @type {boolean[]} */
      const found = await store.block('runs', { kind: 'runs-with', kinds: query.kinds });
      const without = new Set(trace.slabsOfRuns(trace.runs.flatMap((_, i) => (found[i] ? [] : [i]))));
      return all.filter((slab) => !without.has(slab));
    } catch {
      return all;  // whoever needs sums says so
    }
  }

  /** @param {string} text @returns {boolean} whether it was a time */
  #went(text) {
    const place = parsePlace(text);
    if (!place) return false;
    const { trace, navigation } = this.app;
    const outside = place.t1 < trace.begin || place.t0 > trace.end;
    this.#tell(outside ? `outside of the trace: ${exactTime(trace.begin)} to ${exactTime(trace.end)}` : '', outside);
    if (!outside) navigation.setView(place.t0, place.t1);
    return true;
  }

  /** @param {string} text @param {boolean} [bad] */
  #tell(text, bad = false) {
    byId('found').textContent = text;
    byId('found').classList.toggle('bad', bad);
  }

  /** Searches that were used, for the box to offer again. */
  #offerRecent() {
    byId('recent').replaceChildren(...this.#recent().map((text) => el('option', { value: text })));
  }

  /** @returns {string[]} */
  #recent() {
    try {
      const list = JSON.parse(recall('searches') ?? '[]');
      return Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
    } catch {
      return [];
    }
  }

  /** What is in the box was worth it. */
  remember() {
    const text = this.text.trim();
    if (!text) return;
    keep('searches', JSON.stringify([text, ...this.#recent().filter((other) => other !== text)].slice(0, MOST_RECENT)));
    this.#offerRecent();
  }

  /** @param {string} text */
  #compile(text) {
    this.#tell('');
    try {
      return compileQuery(text, this.app.trace, this.app.overview, this.invert);
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error), true);
      return null;
    }
  }

  tell() {
    const { matches } = this;
    if (!matches) return;
    const at = this.at >= 0 ? `${countText(this.at + 1)} of ` : '';
    const { count, total, min, max } = this.totals ?? matches;
    byId('found').classList.remove('bad');
    if (count === 0) byId('found').textContent = noMatchText(this.text);
    else {
      byId('found').replaceChildren(el('span', {}, `${at}${countText(count)} · total ${durationText(total)}`), ' ',
        el('span', {}, `min ${durationText(min)} · max ${durationText(max)}`));
    }
    byId('found').title = count > matches.hits.length
      ? `Stepping goes through the first ${countText(matches.hits.length)} matches` : '';
  }

  /**
   * The first of all matches in an order; it takes another look at the whole trace where there are more
   * than are held. @param {Order} order
   */
  async makeList(order) {
    const { app, run, query } = this;
    if (!query) return;
    await app.whole;
    const first = new FirstHits(order);
    const matches = noMatches();
    searchOverlays(app.longOverlays, query, matches, first);
    searchCalls(app.longCalls, query, matches, first);
    const task = { kind: 'list', query, order, last: first.last };
    const done = await app.store.scan(await this.#slabsFor(query), task, (/** @type {Hit[]} */ hits) => {
      for (const hit of hits) first.add(hit);
      task.last = first.last;
    }, () => run !== this.run);
    if (!done) return;
    this.list = { order, hits: first.hits };
    if (app.side.panel === 'matches') app.side.open('matches');
  }

  /** To the next (1) or previous (-1) match. @param {number} d */
  step(d) {
    const hits = this.matches?.hits ?? [];
    if (hits.length === 0) return;
    const next = this.at < 0 ? this.#nearest(hits, d) : this.at + d;
    this.goTo(hits[(next + hits.length) % hits.length]);
  }

  /** Where stepping begins: behind the match that was gone to, else at the first one in view. @param {Hit[]} hits @param {number} d */
  #nearest(hits, d) {
    const { here, app } = this;
    const after = hits.findIndex((hit) => (here ? hit.start > here.start : hit.start >= app.view.t0));
    if (d > 0) return Math.max(0, after);
    return (here && after >= 0 ? after : hits.length) - 1;
  }

  /** @param {Hit} hit */
  goTo(hit) {
    this.here = hit;
    this.at = this.matches?.hits.findIndex((other) => sameHit(other, hit)) ?? -1;
    this.look(hit);
    this.tell();
    if (this.app.side.panel === 'matches') this.app.side.open('matches');
  }

  /** Whether it is the match that was gone to. @param {Hit} hit */
  isHere(hit) {
    return sameHit(hit, this.here);
  }

  /** To where it is, and pins it. @param {import('../model/scan.js').Hit} hit */
  look(hit) {
    const { navigation, rowList, looking, view } = this.app;
    const length = hit.end - hit.start;
    const span = view.t1 - view.t0;
    // Close enough to see it: a match takes a hundredth of the view or more.
    const wanted = length === 0 ? Math.min(span, 100_000) : Math.min(Math.max(span, length * 1.5), length * 60);
    const row = rowList.open(hit.cpu, hit.thread);
    const middle = (hit.start + hit.end) / 2 - (row ? this.app.alignment.of(row) : 0);
    navigation.setView(middle - wanted / 2, middle + wanted / 2);
    if (!row) return;
    navigation.revealRow(row);
    looking.pinMatch(hit, row);
  }
}
