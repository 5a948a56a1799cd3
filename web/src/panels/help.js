// SPDX-License-Identifier: BSD-3-Clause
// The help overlay: every gesture, key and search word, from the lists that drive them. What is
// typed filters it; a command can be clicked, or run with Enter.
import { GESTURES, GESTURES_ALWAYS } from './gesture_list.js';
import { SEARCH_WORDS } from '../model/query.js';
import { byId, el } from '../base/dom.js';

/** @param {import('../app.js').App} app */
export function openHelp(app) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('help'));
  byId('help-filter').value = '';
  fill(app, '');
  dialog.showModal();
}

/** @param {import('../app.js').App} app */
export function wireHelp(app) {
  const filter = byId('help-filter');
  filter.addEventListener('input', () => fill(app, filter.value));
  filter.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== 'Enter') return;
    e.preventDefault();
    byId('help-body').querySelector('button')?.click();
  });
}

/** @param {import('../app.js').App} app @param {string} wanted */
function fill(app, wanted) {
  const word = wanted.trim().toLowerCase();
  const fits = (/** @type {string} */ text) => text.toLowerCase().includes(word);
  const plain = (/** @type {string} */ title, /** @type {[string, string][]} */ list) => section(title, list
    .filter((pair) => fits(pair.join(' '))).map(([keys, text]) => [el('dt', {}, el('kbd', {}, keys)), el('dd', {}, text)]));
  const groups = [...new Set(app.commands.map((c) => c.group))];
  const done = groups.map((group) => section(group, app.commands
    .filter((c) => c.group === group && fits(`${c.shown} ${c.text}`))
    .map((c) => [el('dt', {}, el('kbd', {}, c.shown)), el('dd', {}, commandButton(c))])));
  byId('help-body').replaceChildren(...[
    ...done, plain('Mouse and touchpad', [...GESTURES[app.options.wheel], ...GESTURES_ALWAYS]),
    plain('Search words', SEARCH_WORDS)].filter((s) => s !== null));
}

/** @param {string} title @param {Node[][]} pairs */
const section = (title, pairs) => (pairs.length === 0 ? null
  : el('section', {}, el('h3', {}, title), el('dl', {}, ...pairs.flat())));

/** @param {import('../input/commands.js').Command} command */
const commandButton = (command) => el('button', { class: 'plain', onclick: () => {
  byId('help').close();
  command.run();
} }, command.text);
