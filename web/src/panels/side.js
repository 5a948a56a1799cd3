// SPDX-License-Identifier: BSD-3-Clause
// The panel at the right: one thing at a time, by name.
import { aboutPanel } from './about.js';
import { byId } from './dom.js';
import { legendPanel } from './legend.js';
import { optionsPanel } from './options.js';

export class Side {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** Name of what is shown, '' if nothing is. */
    this.panel = '';
  }

  /** @param {string} name @param {Node} [content] of panels that this does not make itself */
  open(name, content) {
    const was = this.panel;
    this.panel = name;
    byId('side').hidden = name === '';
    byId('side-body').replaceChildren(content ?? this.#make(name));
    if ((was === '') !== (name === '')) this.app.resize();
    this.app.schedule();
  }

  close() {
    this.open('');
  }

  /** @param {string} name */
  toggle(name) {
    this.open(this.panel === name ? '' : name);
  }

  /** Colours changed. A panel in which someone is choosing stays as it is. */
  redraw() {
    const choosing = byId('side').contains(document.activeElement);
    if (this.panel === 'legend' || (this.panel === 'options' && !choosing)) this.open(this.panel);
  }

  /** @param {string} name @returns {Node | string} */
  #make(name) {
    if (name === 'legend') return legendPanel(this.app);
    if (name === 'options') return optionsPanel(this.app);
    return name === 'about' ? aboutPanel(this.app) : '';
  }
}
