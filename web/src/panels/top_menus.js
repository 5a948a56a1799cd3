// SPDX-License-Identifier: BSD-3-Clause
// The menus of the bar at the top: what is drawn over the bars, and what can be taken away from here.
import { KIND } from '../model/kinds.js';
import { copyText } from './dom.js';
import { saveCopy } from './save_copy.js';

const IPC_OR_LLC = 0xa0;  // flags of the trace

/** Option, text, key, and which kinds of span it shows; none: any trace has it.
 *  @type {[keyof import('../state/settings.js').Switches, string, string, number[]][]} */
const SWITCHES = [
  ['arcs', 'Wakeups, interrupts to other CPUs', 'Y', [KIND.wakeupArc, KIND.ipiArc]],
  ['waits', 'Why threads wait', 'Q', [KIND.wait]],
  ['marks', 'Marks of programs', '', [KIND.mark]],
  ['locks', 'Locks, held and wanted', '', [KIND.lockHeld, KIND.lockWanted]],
  ['samples', 'Program counter samples', '', [KIND.sample]],
  ['ipc', 'Instructions per cycle', 'I', []],
];

/** Whether the trace has what a switch shows. @param {import('../model/trace.js').Trace} trace @param {string} name */
export function hasData(trace, name) {
  if (name === 'ipc') return (trace.header.flags & IPC_OR_LLC) !== 0;
  const kinds = SWITCHES.find(([option]) => option === name)?.[3] ?? [];
  return trace.what.some((what) => kinds.includes(what));
}

/** @param {import('../app.js').App} app @returns {import('./menu.js').Item[]} */
export const showItems = (app) => SWITCHES.map(([name, text, key]) => ({
  text, key, checked: app.options[name], disabled: hasData(app.trace, name) ? undefined : 'Not in this trace',
  act: () => app.toggle(name),
}));

/** @param {import('../app.js').App} app @returns {(import('./menu.js').Item | null)[]} */
export const exportItems = (app) => [
  { text: 'Copy a link to this view', act: async () => app.say(await copyText(app.keeping.link()) ? 'Copied' : 'Copying was refused') },
  { text: 'Save a copy of this page, with views and notes', act: () => saveCopy(app) },
];
