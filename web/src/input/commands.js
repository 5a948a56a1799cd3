// SPDX-License-Identifier: BSD-3-Clause
// Everything the page can be told to do, as one list: keys, the help overlay and menus read it.
import { byId } from '../base/dom.js';
import { savePicture } from '../panels/save_picture.js';
import { openRowMenuAt } from '../panels/row_menu.js';

/**
 * @typedef {object} Command
 * @property {string} group
 * @property {string[]} keys   as keyName tells them
 * @property {string} shown    the keys as people read them
 * @property {string} text     what it does
 * @property {(event?: KeyboardEvent) => void} run
 */

const ZOOM = 0.7;
const LINE = 60;       // px of rows
const NEAR = 0.12;     // of the width
const FAR = 0.6;

/** @param {string} group @param {[string[], string, string, (event?: KeyboardEvent) => void][]} list @returns {Command[]} */
const grouped = (group, list) => list.map(([keys, shown, text, run]) => ({ group, keys, shown, text, run }));

/** @param {import('../app.js').App} app @returns {Command[]} */
function moving(app) {
  const { navigation: nav, view } = app;
  const page = () => app.picture.height * 0.9;
  const pan = (/** @type {number} */ part) => () => nav.pan(-part * nav.width, 0);
  const scroll = (/** @type {() => number} */ by) => () => nav.setTop(view.top + by());
  return grouped('Move', [
    [['w', '+', '='], 'W', 'zoom in, where the pointer or the pinned span is', () => nav.zoomAt(app.focusX(), ZOOM)],
    [['s', '-'], 'S', 'zoom out', () => nav.zoomAt(app.focusX(), 1 / ZOOM)],
    [['a', 'arrowleft'], 'A  ←', 'earlier', pan(-NEAR)],
    [['d', 'arrowright'], 'D  →', 'later', pan(NEAR)],
    [['shift+a', 'shift+arrowleft'], 'Shift+A', 'much earlier', pan(-FAR)],
    [['shift+d', 'shift+arrowright'], 'Shift+D', 'much later', pan(FAR)],
    [['arrowup'], '↑', 'rows above', scroll(() => -LINE)],
    [['arrowdown'], '↓', 'rows below', scroll(() => LINE)],
    [['pageup'], 'Page ↑', 'a page of rows up', scroll(() => -page())],
    [['pagedown'], 'Page ↓', 'a page of rows down', scroll(page)],
    [['home'], 'Home', 'first row', () => nav.setTop(0)],
    [['end'], 'End', 'last row', () => nav.setTop(Infinity)],
    [['f'], 'F', 'fit the selected range or the pinned span, else the whole trace', () => fit(app)],
    [['0'], '0', 'the whole trace', () => nav.whole()],
    [['shift+0'], 'Shift+0', 'everything as at first: view, rows, switches, search', () => app.reset()],
    [['z', 'ctrl+z', 'alt+arrowleft'], 'Z', 'back to the view before', () => nav.undo()],
    [['x', 'shift+z', 'ctrl+y', 'ctrl+shift+z', 'alt+arrowright'], 'X', 'forward again', () => nav.redo()],
  ]);
}

/** @param {import('../app.js').App} app */
function fit(app) {
  const pin = app.looking.pins.at(-1);
  const selection = app.range.within;
  const { asked } = app.path;
  if (selection) app.navigation.show(selection.t0, selection.t1);
  else if (pin) app.looking.show(pin);
  else if (asked) app.navigation.show(asked.start, asked.end);
  else app.navigation.whole();
}

/** @param {import('../app.js').App} app @returns {Command[]} */
function looking(app) {
  const look = app.looking;
  return grouped('Look at a span', [
    [[']', '.'], ']', 'next span on the row', () => look.step(1)],
    [['[', ','], '[', 'span before it', () => look.step(-1)],
    [['}'], '}', 'next span of the same kind on the row', () => look.stepSame(1)],
    [['{'], '{', 'the one of the same kind before it', () => look.stepSame(-1)],
    [['shift+arrowup'], 'Shift+↑', 'same moment on the row above', () => look.changeRow(-1)],
    [['shift+arrowdown'], 'Shift+↓', 'same moment on the row below', () => look.changeRow(1)],
    [['shift+t'], 'Shift+T', 'to the slowest call, mark, RPC or request of the same name; again: to the next slowest', () => {
      const pin = look.pins.at(-1);
      const row = app.focusRow();
      if (row?.type === 'rpc') app.slowest.ofRpc(row);
      else if (pin) app.slowest.ofKind(pin.kind);
      else if (app.requests.list.length > 0) app.requests.step(1);
      else app.tell('Pin a call, a mark or an RPC’s point first: click it, or press ].');
    }],
    [['shift+w'], 'Shift+W', 'why did it take so long? The critical path of the pinned call, wait or mark, drawn over the rows', () => look.explain()],
    [['b'], 'B', 'because of whom? To what woke this thread or had its CPU; again and again', () => look.goToCause()],
    [['shift+b'], 'Shift+B', 'to what this thread woke next', () => look.goToNextWoken()],
    [['escape'], 'Esc', 'close, unpin, clear: what lies uppermost', () => app.escape()],
  ]);
}

/** @param {import('../app.js').App} app @returns {Command[]} */
function rowCommands(app) {
  const { rowList } = app;
  const withRow = (/** @type {(row: import('../layout/rows.js').Row) => void} */ act) => () => {
    const row = app.focusRow();
    if (row) act(row);
  };
  return grouped('Rows', [
    [['u', 'contextmenu', 'shift+f10'], 'U', 'menu of the row that is pointed at or holds the pinned span', withRow((row) => openRowMenuAt(app, row))],
    [['p'], 'P', 'pin the row to the top, or no longer', withRow((row) => rowList.pin(row.id))],
    [['h'], 'H', 'hide the row', withRow((row) => rowList.hide(row.id))],
    [['shift+k'], 'Shift+K', 'keep only the threads that ran in view; Shift+H brings the others back', () => rowList.keepActive()],
    [['shift+h'], 'Shift+H', 'show all hidden rows, first those that took no part in a chosen RPC', () => rowList.showHidden()],
    [['k'], 'K', 'fold or unfold the row’s group', withRow((row) => rowList.fold(row.key || row.parent))],
    [['shift+g'], 'Shift+G', 'threads into one row: all of a process, of a name, of a parent, of a control group, container or pod; then each its own again', () => rowList.nextFolding()],
    [['alt+arrowup'], 'Alt+↑', 'move the row up', withRow((row) => rowList.moveBy(row, -1))],
    [['alt+arrowdown'], 'Alt+↓', 'move the row down', withRow((row) => rowList.moveBy(row, 1))],
    [['shift+r'], 'Shift+R', 'threads and RPCs from their own begin, one below the other', () => app.toggle('aligned')],
    [['r'], 'R', 'threads by CPU time, name or number; RPCs by latency, name or start', () => rowList.nextSort()],
    [['shift+l'], 'Shift+L', 'light up the row’s spans, and those of more rows; all else turns pale', withRow((row) => app.search.toggleRow(row))],
    [['j'], 'J', 'filter rows by name', () => byId('row-filter').select()],
  ]);
}

/** @param {import('../app.js').App} app @returns {Command[]} */
function asking(app) {
  const { range, search } = app;
  return grouped('Ask', [
    [['m'], 'M', 'mark this moment; a second time: select from mark to mark', () => range.mark(app.focusTime())],
    [['shift+m'], 'Shift+M', 'select what is in view', () => range.select(app.view.t0, app.view.t1, true)],
    [['shift+v'], 'Shift+V', 'only this row of the selected range, or of what is in view; again on other rows: these, too', () => {
      const row = app.focusRow();
      if (row) range.toggleRow(row);
    }],
    [['v'], 'V', 'compare the selected range with another one', () => range.compare()],
    [['/', 'ctrl+f'], '/', 'search', () => byId('query').select()],
    [['n'], 'N', 'next match', () => search.step(1)],
    [['shift+n'], 'Shift+N', 'match before it', () => search.step(-1)],
    [['shift+q'], 'Shift+Q', 'the slowest RPCs, marks and requests, and what each passed with', () => app.toggle('requests')],
    [['shift+j'], 'Shift+J', 'all matches as a list, also by duration', () => app.side.toggle('matches')],
  ]);
}

/** @param {import('../app.js').App} app @returns {Command[]} */
function showing(app) {
  const toggle = (/** @type {string} */ id) => () => app.toggle(id);
  return grouped('Show', [
    [['y'], 'Y', 'wakeups and interrupts to other CPUs, as arcs', toggle('arcs')],
    [['q'], 'Q', 'why threads wait', toggle('waits')],
    [['i'], 'I', 'instructions per cycle, cache misses', toggle('ipc')],
    [['l'], 'L', 'legend: what each shape means', toggle('legend')],
    [['o'], 'O', 'about this trace: machine, losses, cost', toggle('about')],
    [['t'], 'T', 'light or dark', () => app.settings.nextTheme()],
    [['c'], 'C', 'colours: full, for colour-blind eyes, grey', () => app.settings.nextPalette()],
    [['?', 'f1', 'ctrl+k'], '?', 'this help', toggle('help')],
  ]);
}

/** @param {import('../app.js').App} app @returns {Command[]} */
function keepingCommands(app) {
  const { keeping } = app;
  /** The place that a key stands for; without one, as from the help, another. @param {KeyboardEvent | undefined} e @param {number} otherwise */
  const place = (e, otherwise) => Number(/\d/.exec(e?.code ?? '')?.[0] ?? otherwise + 1) - 1;
  const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  return grouped('Keep', [
    [digits, '1 … 9', 'go to a saved view', (e) => keeping.goToView(place(e, 0))],
    [digits.map((d) => `shift+${d}`), 'Shift+1 … 9', 'save what is seen as that view', (e) => keeping.saveView(place(e, keeping.freePlace))],
    [['e'], 'E', 'write a note here', () => app.noteLayer.write()],
    [['shift+s'], 'Shift+S', 'the visible picture as SVG', () => savePicture(app, 'svg')],
    [['g'], 'G', 'views and notes; links and copies of this page', () => app.toggle('views')],
  ]);
}

/** @param {import('../app.js').App} app @returns {Command[]} */
export const makeCommands = (app) => [
  ...moving(app), ...looking(app), ...rowCommands(app), ...asking(app), ...keepingCommands(app), ...showing(app),
];
