// SPDX-License-Identifier: BSD-3-Clause
// A place for one thing at a time, by name: the side at the right, the drawer below.
import { byId, keepFocus } from '../base/dom.js';

/** @typedef {(app: import('../app.js').App) => Node} Maker */

/** @type {Record<string, string>} */
const LABELS = { details: 'Details of the pinned span', legend: 'Legend', about: 'About this trace', options: 'Options',
  views: 'Views and notes', matches: 'Matches', path: 'Critical path', requests: 'Requests', range: 'Selected range' };

export class Panel {
  /**
   * @param {import('../app.js').App} app
   * @param {string} id       of the element; its body is `id`-body, its closing button `id`-close
   * @param {Record<string, Maker>} makers  of what it can show by itself
   */
  constructor(app, id, makers) {
    this.app = app;
    this.id = id;
    this.makers = makers;
    /** Name of what is shown, '' if nothing is. */
    this.panel = '';
    byId(`${id}-close`).addEventListener('click', () => this.close());
  }

  /** @param {string} name @param {Node} [content] of what this does not make itself */
  open(name, content) {
    const was = this.panel;
    this.panel = name;
    if (was === '') this.app.hover?.hide();
    byId(this.id).hidden = name === '';
    byId(this.id).setAttribute('aria-label', LABELS[name] ?? name);
    const body = byId(`${this.id}-body`);
    keepFocus(body, () => body.replaceChildren(content ?? this.makers[name]?.(this.app) ?? ''));
    if ((was === '') !== (name === '')) this.app.resize();
    this.app.schedule();
  }

  close() {
    if (this.panel === '') return;
    const inside = byId(this.id).contains(document.activeElement);
    this.open('');
    if (inside) byId('plot').focus();
  }

  /** @param {string} name */
  toggle(name) {
    this.open(this.panel === name ? '' : name);
  }

  /** Something it shows has changed. What someone is choosing in stays as it is. */
  redraw() {
    const choosing = byId(this.id).contains(document.activeElement);
    if (this.makers[this.panel] && !choosing) this.open(this.panel);
  }
}
