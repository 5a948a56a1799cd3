// SPDX-License-Identifier: BSD-3-Clause
// Saved views and notes: where they come from, changes to them, and where they stay. This browser
// keeps them by trace; a link and a copy of the page carry them elsewhere.
import { freePlace, fromHash, importedSaved, noneSaved, readSaved, savedText, takeIn, toHash, withoutEnd } from '../model/saved.js';
import { keep, listenToMemory, recall } from './memory.js';
import { captureView, restoreView } from './view_state.js';

const HASH_DELAY = 400;  // ms

export class Keeping {
  /**
   * @param {import('../app.js').App} app
   * @param {string} embedded  text of what the page itself carries, '' if it carries nothing
   */
  constructor(app, embedded) {
    this.app = app;
    const { trace } = app;
    this.key = `saved-${trace.header.wall_usec}-${trace.spans}-${trace.duration}`;
    this.linked = fromHash(location.hash, app.view);
    const own = readSaved(embedded);
    this.first = this.linked.state ?? own?.first;
    const ofPage = own ?? importedSaved(trace.header.meta);
    const text = recall(this.key) ?? '';
    const kept = readSaved(text);
    /** What the page has is in what this browser keeps of it, unless it is newer. */
    this.saved = kept && kept.stamp >= ofPage.stamp ? kept : ofPage;
    /** As this browser has it, for all its windows. */
    this.known = readSaved(text) ?? noneSaved();
    if (kept && this.saved !== kept) takeIn(this.saved, noneSaved(), kept);
    this.hashTimer = 0;
    this.lastHash = location.hash;
    /** Of the navigation, of which the browser's history has an entry each. */
    this.steps = 0;
  }

  get views() {
    return this.saved.views;
  }

  get notes() {
    return this.saved.notes;
  }

  /** Shows what the link that opened this page says, or what a copy was made of. */
  start() {
    const { app } = this;
    if (this.first) restoreView(app, this.first);
    this.steps = app.navigation.history.steps;
    this.#receive(this.linked.saved);
    listenToMemory(this.key, (text) => {
      this.#readAgain(text);
      this.#shown();
    }, app.ending.signal);
    // A link that was opened in this page, or the browser's Back and Forward.
    window.addEventListener('hashchange', () => {
      const { state, saved } = fromHash(location.hash, app.view);
      if (location.hash === this.lastHash) return;
      this.#receive(saved);
      if (!state) return;
      restoreView(app, state);
      this.lastHash = location.hash;
      this.steps = app.navigation.history.steps;
    }, { signal: app.ending.signal });
  }

  changed() {
    this.#readAgain(recall(this.key) ?? '');
    this.saved.stamp = Date.now();
    const text = savedText(this.saved);
    keep(this.key, text);
    this.known = readSaved(text) ?? noneSaved();
    this.#shown();
  }

  #shown() {
    this.app.side.redraw();
    this.app.schedule();
  }

  /** Takes in what another window has changed. @param {string} text */
  #readAgain(text) {
    const theirs = readSaved(text);
    if (!theirs) return;
    takeIn(this.saved, this.known, theirs);
    this.known = readSaved(text) ?? noneSaved();
  }

  /** Takes in what a link carries, and keeps it: the address will not. @param {import('../model/saved.js').Saved | null} saved */
  #receive(saved) {
    if (!saved) return;
    takeIn(this.saved, noneSaved(), saved);
    this.changed();
  }

  // ---- views -------------------------------------------------------------------------------

  /** The first place, from 0, that has no view. */
  get freePlace() {
    return freePlace(this.views);
  }

  /** @param {number} place from 0 @param {string} [name] */
  saveView(place, name) {
    const called = name || this.views[place]?.name || `View ${place + 1}`;
    while (this.views.length < place) this.views.push(null);
    this.views[place] = { name: called, state: captureView(this.app) };
    this.changed();
    this.app.tell(`Saved as ${place + 1}: ${called}`);
  }

  /** @param {number} place */
  goToView(place) {
    const view = this.views[place];
    if (!view) {
      this.app.tell(`There is no view ${place + 1}.`);
      return;
    }
    restoreView(this.app, view.state);
    this.app.tell(`${place + 1}: ${view.name}`);
  }

  /** @param {number} place @param {string} name */
  renameView(place, name) {
    const view = this.views[place];
    if (!view || name.trim() === '') return;
    view.name = name.trim();
    this.changed();
  }

  /** The others stay at their places. @param {number} place */
  removeView(place) {
    this.views[place] = null;
    this.saved.views = withoutEnd(this.views);
    this.changed();
  }

  // ---- notes -------------------------------------------------------------------------------

  /** @param {import('../model/saved.js').Note} note */
  addNote(note) {
    this.notes.push(note);
    this.changed();
  }

  /** @param {import('../model/saved.js').Note} note */
  removeNote(note) {
    const at = this.notes.indexOf(note);
    if (at >= 0) this.notes.splice(at, 1);
    this.changed();
  }

  // ---- links -------------------------------------------------------------------------------

  /** This page with what is seen, views and notes in its address. */
  link() {
    return `${location.href.replace(/#.*/, '')}${toHash(captureView(this.app), this.saved)}`;
  }

  /** Keeps the address in step with what is seen, soon. */
  mirror() {
    clearTimeout(this.hashTimer);
    this.hashTimer = window.setTimeout(() => this.#write(), HASH_DELAY);
  }

  /** A step of the navigation is one that the browser's Back undoes; all else changes where it stands. */
  #write() {
    if (this.app.ending.signal.aborted) return;  // the address is of another trace now
    const hash = toHash(captureView(this.app));
    if (hash === this.lastHash) return;
    const { steps } = this.app.navigation.history;
    try {
      if (steps === this.steps) history.replaceState(null, '', hash);
      else history.pushState(null, '', hash);
      this.lastHash = hash;
      this.steps = steps;
    } catch { /* a browser may refuse too many changes; the next one counts */ }
  }
}
