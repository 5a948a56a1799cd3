// SPDX-License-Identifier: BSD-3-Clause
// Notes over the plot: bubbles with a pointer to their time and row. Bubbles are dragged, written in
// and removed where they are; dragging the foot moves what a note is about.
import { byId, el } from '../base/dom.js';

const MOST_SHOWN = 100;
const LIFT = 34;  // px from the foot up to the bubble
/** What a note keeps from the plot under it. */
const OWN = ['pointerdown', 'mousedown', 'touchstart', 'click', 'dblclick'];

/** @typedef {import('../model/saved.js').Note} Note */

export class NoteLayer {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {Map<Note, HTMLElement>} */
    this.shown = new Map();
  }

  /**
   * A new one, ready to be typed into; where one looks, unless a place is given.
   * @param {number} [time] @param {import('../layout/rows.js').Row | null} [row]
   */
  write(time = this.app.focusTime(), row = this.app.focusRow() ?? null) {
    const { app } = this;
    const { t0, t1 } = app.view;
    // What is pinned may reach out of the view, or be scrolled away: the note must be seen.
    time = Math.max(t0 + (t1 - t0) * 0.02, Math.min(t1 - (t1 - t0) * 0.1, time));
    if (row && !row.pinned) app.navigation.revealRow(row);
    /** @type {Note} */
    const note = { time: time + (row ? app.alignment.of(row) : 0), row: row?.id ?? '', text: '', dx: 0, dy: 0 };
    app.keeping.addNote(note);
    this.draw();
    this.shown.get(note)?.querySelector('textarea')?.focus();
  }

  /** Where on the axis it stands, if its row is drawn earlier than it was. @param {Note} note */
  timeOf(note) {
    const row = this.app.rowList.byId(note.row);
    return note.time - (row ? this.app.alignment.of(row) : 0);
  }

  /** Puts every note that is in view in its place. */
  draw() {
    const { app, shown } = this;
    const { t0, t1 } = app.view;
    const near = app.keeping.notes.filter((note) => {
      const time = this.timeOf(note);
      return time >= t0 && time <= t1;
    }).slice(0, MOST_SHOWN);
    const here = new Set(near);
    for (const [note, element] of shown) {
      if (here.has(note)) continue;
      element.remove();
      shown.delete(note);
    }
    for (const note of near) {
      let element = shown.get(note);
      if (!element) {
        element = this.#make(note);
        shown.set(note, element);
        byId('notes').append(element);
      }
      this.#place(note, element);
    }
  }

  /** @param {Note} note @param {HTMLElement} element */
  #place(note, element) {
    const { app } = this;
    const row = app.rowList.byId(note.row);
    const y = row ? row.top + row.height / 2 - app.rowList.shift(row) : 12;
    element.hidden = row !== undefined && (y < 0 || y > app.picture.height);
    element.style.transform = `translate(${Math.round(app.navigation.xOf(this.timeOf(note)))}px, ${Math.round(y)}px)`;
    const bubble = /** @type {HTMLElement} */ (element.firstElementChild);
    const up = Math.max(note.dy - LIFT, 4 - y);
    bubble.style.transform = `translate(${note.dx}px, ${up}px)`;
    const tail = /** @type {HTMLElement} */ (element.children[1]);
    const [dx, dy] = [note.dx + 14, up + 14];
    tail.style.width = `${Math.hypot(dx, dy)}px`;
    tail.style.transform = `rotate(${Math.atan2(dy, dx)}rad)`;
  }

  /** @param {Note} note */
  #make(note) {
    const { keeping } = this.app;
    const area = /** @type {HTMLTextAreaElement} */ (el('textarea', { rows: 1, 'aria-label': 'Note', placeholder: 'Write a note; Esc ends it',
      maxlength: 2000, spellcheck: 'false' }));
    area.value = note.text;
    const fit = () => {
      area.style.width = `${Math.min(36, Math.max(12, ...area.value.split('\n').map((line) => line.length + 2)))}ch`;
      area.style.height = 'auto';
      area.style.height = `${area.scrollHeight}px`;
    };
    area.addEventListener('input', () => {
      note.text = area.value;
      fit();
    });
    area.addEventListener('change', () => keeping.changed());
    area.addEventListener('blur', () => { if (note.text.trim() === '') keeping.removeNote(note); });
    const remove = el('button', { class: 'remove', title: 'Remove', 'aria-label': 'Remove note', onclick: () => keeping.removeNote(note) }, '×');
    const bubble = el('div', { class: 'bubble' }, area, remove);
    const foot = el('i', { class: 'foot', title: 'Drag to what the note is about' });
    this.#drag(bubble, (dx, dy) => { note.dx += dx; note.dy += dy; });
    this.#drag(foot, (dx, dy, e) => this.#moveFoot(note, dx, e));
    requestAnimationFrame(fit);
    const element = el('div', { class: 'note' }, bubble, el('i', { class: 'tail' }), foot);
    for (const type of OWN) element.addEventListener(type, (event) => event.stopPropagation());
    return element;
  }

  /** @param {Note} note @param {number} dx @param {PointerEvent} event */
  #moveFoot(note, dx, event) {
    const { app } = this;
    note.time += dx / app.navigation.width * (app.view.t1 - app.view.t0);
    const row = app.looking.rowAt(event.clientY - byId('plot').getBoundingClientRect().top);
    if (row) note.row = row.id;
  }

  /** @param {HTMLElement} element @param {(dx: number, dy: number, e: PointerEvent) => void} move */
  #drag(element, move) {
    let [x, y] = [0, 0];
    element.addEventListener('pointerdown', (e) => {
      if (e.target !== element) return;
      [x, y] = [e.clientX, e.clientY];
      element.setPointerCapture(e.pointerId);
    });
    element.addEventListener('pointermove', (e) => {
      if (!element.hasPointerCapture(e.pointerId)) return;
      move(e.clientX - x, e.clientY - y, e);
      [x, y] = [e.clientX, e.clientY];
      this.draw();
    });
    element.addEventListener('pointerup', (e) => { if (element.hasPointerCapture(e.pointerId)) this.app.keeping.changed(); });
  }
}
