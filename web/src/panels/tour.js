// SPDX-License-Identifier: BSD-3-Clause
// Five steps for someone who sees such a page for the first time. Dismissed once, it never comes
// back by itself; the options can start it again.
import { keep, recall } from '../state/memory.js';
import { byId, el } from '../base/dom.js';

/** What a step points at, its title and text. @type {[string, string, string][]} */
const STEPS = [
  ['minimap', 'All of it', 'This strip is the whole trace: how busy the CPUs were, and with what. The frame is what you see below. Click or drag here to go somewhere.'],
  ['plot', 'Every nanosecond of every CPU', 'A row for each CPU shows what it did; below are threads, where they ran and what they waited for. Turn the wheel to zoom, drag to move; W A S D do the same.'],
  ['plot', 'What is this?', 'Point at anything to see what it is. Click to pin it and see all of it: arguments, result, who woke the thread and why it had waited. B goes on to what woke it.'],
  ['axis', 'Where did the time go?', 'Drag along the time axis. A drawer opens with totals by name, thread and CPU, durations and a flame graph, and compares two ranges side by side.'],
  ['search', 'Find it, keep it, ask for help', 'Search by name, thread, CPU, duration or time. Save views and notes under Views. The legend (L) tells what each shape means, and ? lists everything.'],
];

/** Tab stays among its buttons. @param {KeyboardEvent} event */
function within(event) {
  if (event.key !== 'Tab') return;
  const buttons = [...byId('tour').querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement);
  event.preventDefault();
  buttons[(at + (event.shiftKey ? -1 : 1) + buttons.length) % buttons.length].focus();
}

export class Tour {
  constructor() {
    this.step = -1;
    /** @type {Element | null} */
    this.before = null;
  }

  /**
   * For first visits, where nothing else was asked for: when somebody is there, who points or goes from control
   * to control. Who knows a key already has been here.
   * @param {AbortSignal} signal
   */
  offer(signal) {
    if (recall('tour') === 'seen' || location.hash !== '') return;
    const met = new AbortController();
    const begin = (/** @type {Event} */ event) => {
      if (event instanceof KeyboardEvent && event.key !== 'Tab') return;
      met.abort();
      if (recall('tour') !== 'seen') this.start();
    };
    for (const sign of ['pointermove', 'pointerdown', 'keydown']) addEventListener(sign, begin, { signal: met.signal });
    signal.addEventListener('abort', () => met.abort());
  }

  start() {
    this.before = document.activeElement;
    this.#go(0);
  }

  end() {
    if (this.step < 0) return;
    this.step = -1;
    keep('tour', 'seen');
    byId('tour').hidden = true;
    byId('tour-frame').hidden = true;
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  /** @param {number} step */
  #go(step) {
    if (step >= STEPS.length) {
      this.end();
      return;
    }
    this.step = step;
    const [, title, text] = STEPS[step];
    byId('tour-frame').hidden = false;
    const next = el('button', { class: 'main', onclick: () => this.#go(step + 1) }, step + 1 < STEPS.length ? 'Next' : 'Start');
    byId('tour').replaceChildren(el('h2', { id: 'tour-title' }, title), el('p', {}, text),
      el('div', { class: 'buttons' }, el('span', { class: 'quiet' }, `${step + 1} of ${STEPS.length}`),
        el('button', { onclick: () => this.end() }, 'Do not show again'),
        step > 0 ? el('button', { onclick: () => this.#go(step - 1) }, 'Back') : null, next));
    byId('tour').hidden = false;
    byId('tour').onkeydown = within;
    this.place();
    next.focus();
  }

  /** Below what it points at, or in its middle where that is large. */
  place() {
    if (this.step < 0) return;
    const at = byId(STEPS[this.step][0]).getBoundingClientRect();
    const card = byId('tour');
    const { style } = byId('tour-frame');
    style.left = `${at.left}px`;
    style.top = `${at.top}px`;
    style.width = `${at.width}px`;
    style.height = `${at.height}px`;
    const box = card.getBoundingClientRect();
    const low = at.bottom + 12 + box.height > innerHeight;
    const left = Math.min(Math.max(12, at.left + at.width / 2 - box.width / 2), innerWidth - box.width - 12);
    card.style.left = `${left}px`;
    const top = low ? at.top + at.height / 2 - box.height / 2 : at.bottom + 12;
    card.style.top = `${Math.max(8, Math.min(top, innerHeight - box.height - 8))}px`;
  }
}
