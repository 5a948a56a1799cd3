// SPDX-License-Identifier: BSD-3-Clause
// Choices that are remembered: theme, colours, what wheel and drag do.
import { forgetAll } from '../state/memory.js';
import { el } from '../base/dom.js';
import { SHAPES } from './save_picture.js';

/**
 * @param {string} title
 * @param {string} name
 * @param {[string, string][]} choices  value, text
 * @param {string} now
 * @param {(value: any) => void} choose
 */
function choice(title, name, choices, now, choose) {
  return el('fieldset', { role: 'radiogroup' }, el('legend', {}, title),
    ...choices.map(([value, text]) => el('label', {},
      el('input', { type: 'radio', name, value, checked: value === now, onchange: () => choose(value) }), ` ${text}`)));
}

/** @param {import('../app.js').App} app */
export function optionsPanel(app) {
  const { settings, options } = app;
  const forget = el('button', { title: 'Views, notes, searches and options of all pages', onclick: () => {
    forgetAll();
    forget.textContent = 'Forgotten';
  } }, 'Forget what this browser remembers');
  return el('div', {}, el('h2', {}, 'Options'),
    el('p', { class: 'quiet' }, 'This browser remembers them for every page.'),
    choice('Theme', 'theme', [['system', 'as the system'], ['light', 'light'], ['dark', 'dark']],
      settings.themeChoice, (value) => settings.setTheme(value)),
    choice('Colours', 'scheme', [['full', 'full'], ['safe', 'for colour-blind eyes'], ['grey', 'grey, for printing']],
      options.scheme, (value) => settings.choose('scheme', value)),
    choice('Wheel and touchpad', 'wheel', [
      ['zoom', 'wheel zooms, drag moves, Shift + drag selects (as KUtrace)'],
      ['scroll', 'wheel scrolls rows, Ctrl + wheel or pinch zooms, drag selects (as Perfetto)']],
    options.wheel, (value) => settings.choose('wheel', value)),
    choice('Rows', 'rows', [['low', 'low: more of them fit'], ['normal', 'normal'], ['high', 'high: for a room full of people']],
      options.rows, (value) => settings.choose('rows', value)),
    choice('Exported pictures, width to height', 'shape', SHAPES, options.shape, (value) => settings.choose('shape', value)),
    el('p', { class: 'buttons' }, el('button', { onclick: () => app.tour.start() }, 'Show the tour of five steps'), forget));
}
