// SPDX-License-Identifier: BSD-3-Clause
// The menus of the bar at the top: what is drawn over the bars, and what can be taken away from here.
import { hasData } from '../model/has_data.js';
import { copyText } from '../base/dom.js';
import { saveCopy } from './save_copy.js';
import { savePicture } from './save_picture.js';

/** Option, text, key. @type {[keyof import('../state/settings.js').Switches, string, string][]} */
const SWITCHES = [
  ['arcs', 'Wakeups, interrupts to other CPUs', 'Y'], ['allArcs', 'All of these at once, the longest first', ''],
  ['waits', 'Why threads wait', 'Q'],
  ['marks', 'Marks of programs', ''], ['locks', 'Locks, held and wanted', ''],
  ['samples', 'Program counter samples', ''], ['ipc', 'Instructions per cycle, cache misses', 'I'],
  ['pale', 'Pale bars, so that what lies over them stands out', ''],
  ['aligned', 'Threads and RPCs from their own begin', 'Shift+R'],
];

/** @param {import('../app.js').App} app @returns {import('./menu.js').Item[]} */
export const showItems = (app) => SWITCHES.map(([name, text, key]) => ({
  text, key, checked: app.options[name], disabled: hasData(app.trace, name) ? undefined : 'Not in this trace',
  act: () => app.toggle(name),
}));

/** @param {import('../app.js').App} app @returns {(import('./menu.js').Item | null)[]} */
export const exportItems = (app) => [
  { text: 'Picture of this view as SVG', key: 'Shift+S', act: () => savePicture(app, 'svg') },
  { text: 'Picture of this view as PNG', act: () => savePicture(app, 'png') }, null,
  { text: 'Copy a link to this view', act: async () => app.tell(await copyText(app.keeping.link()) ? 'Copied' : 'Copying was refused') },
  { text: 'Save a copy of this page, with views and notes', act: () => saveCopy(app) },
];
