// SPDX-License-Identifier: BSD-3-Clause
// What can be done at one place of the plot.
import { spanTitle } from '../draw/span_title.js';
import { searchOfKind } from './usage_rows.js';

/** @param {import('../app.js').App} app @param {number} x @param {number} y in the plot @param {MouseEvent} event */
export function openPlotMenu(app, x, y, event) {
  const { looking, search, range, navigation, noteLayer, trace } = app;
  const found = looking.find(x, y);
  const time = navigation.timeAt(x);
  /** @type {(import('./menu.js').Item | null)[]} */
  const ofSpan = found ? [
    { text: 'Pin and tell all of it', act: () => looking.pin(found) },
    { text: 'Find all of this kind', act: () => search.set(searchOfKind(trace, found.kind)) },
    { text: 'Zoom to it', act: () => looking.show(found) },
    { text: 'Select its time as a range', act: () => range.select(found.start, found.end, true) }, null] : [];
  app.menu.open(found ? spanTitle(trace, found) : 'Here', [...ofSpan,
    { text: range.marked === null ? 'Begin a range here' : 'Select up to here', key: 'M', act: () => range.mark(time) },
    { text: 'Write a note here', key: 'E', act: () => noteLayer.write(time, looking.rowAt(y)) },
    { text: 'The whole trace', key: '0', act: () => navigation.whole() }], event.clientX, event.clientY);
}
