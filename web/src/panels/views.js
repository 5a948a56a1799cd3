// SPDX-License-Identifier: BSD-3-Clause
// Saved views and notes as lists, and ways to hand them on: a link, a copy of the page.
import { durationText, exactTime } from '../layout/time_text.js';
import { copyText, el } from '../base/dom.js';
import { saveCopy } from './save_copy.js';

/** @param {import('../app.js').App} app */
export function viewsPanel(app) {
  const { keeping } = app;
  const name = /** @type {HTMLInputElement} */ (el('input', { id: 'view-name', placeholder: 'Name of this view', 'aria-label': 'Name of this view',
    autocomplete: 'off' }));
  const link = el('button', { onclick: async () => {
    link.textContent = await copyText(keeping.link()) ? 'Copied' : 'Copying was refused';
  } }, 'Copy link');
  return el('div', { class: 'views' }, el('h2', {}, 'Views and notes'),
    el('form', { class: 'line', onsubmit: (/** @type {Event} */ e) => {
      e.preventDefault();
      keeping.saveView(keeping.freePlace, name.value.trim());
      app.side.open('views');
    } }, name, el('button', { id: 'view-save' }, 'Save this view')),
    keeping.views.length > 0 ? el('ol', { class: 'plain' }, ...keeping.views.flatMap((view, i) => (view ? [viewLine(app, view, i)] : [])))
      : el('p', { class: 'quiet' }, 'No views yet. Keys 1 to 9 go to a saved view, Shift and the digit saves what is seen there.'),
    el('h3', {}, 'Notes'),
    keeping.notes.length > 0 ? el('ul', { class: 'plain' }, ...keeping.notes.map((note) => noteLine(app, note)))
      : el('p', { class: 'quiet' }, 'No notes yet. E writes one at the pointer or the pinned span.'),
    el('p', { class: 'buttons' }, el('button', { onclick: () => app.noteLayer.write() }, 'Write a note (E)')),
    el('h3', {}, 'Hand them on'),
    el('p', { class: 'quiet' }, 'This browser remembers views and notes of this trace. A link carries them and what is seen now; '
      + 'a copy is a new page that holds the whole trace with them.'),
    el('p', { class: 'buttons' }, link, el('button', { id: 'save-copy', onclick: () => saveCopy(app) }, 'Save a copy of this page')));
}

/** @param {import('../app.js').App} app @param {import('../model/saved.js').SavedView} view @param {number} i */
function viewLine(app, view, i) {
  const { keeping } = app;
  const { t0, t1 } = view.state;
  const rename = /** @type {HTMLInputElement} */ (el('input', { value: view.name, 'aria-label': `Name of view ${i + 1}`,
    onchange: () => keeping.renameView(i, rename.value) }));
  return el('li', {}, el('button', { class: 'number', title: `${i < 9 ? `Key ${i + 1}: ` : ''}go there`,
    'aria-label': `Go to view ${view.name}`, onclick: () => keeping.goToView(i) }, String(i + 1)), rename,
  el('span', { class: 'quiet' }, `${durationText(t1 - t0)} at ${exactTime(t0)}`), remover(`view ${view.name}`, () => {
    keeping.removeView(i);
    app.side.open('views');
  }));
}

/** @param {import('../app.js').App} app @param {import('../model/saved.js').Note} note */
function noteLine(app, note) {
  const half = (app.view.t1 - app.view.t0) / 2;
  return el('li', {}, el('button', { class: 'plain', onclick: () => {
    const time = app.noteLayer.timeOf(note);
    app.navigation.setView(time - half, time + half);
    const row = app.rowList.byId(note.row);
    if (row) app.navigation.revealRow(row);
  } }, note.text), el('span', { class: 'quiet' }, exactTime(note.time)), remover('note', () => {
    app.keeping.removeNote(note);
    app.side.open('views');
  }));
}

/** @param {string} what @param {() => void} remove */
const remover = (what, remove) => el('button', { class: 'remove', title: 'Remove', 'aria-label': `Remove ${what}`, onclick: remove }, '×');
