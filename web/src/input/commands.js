// SPDX-License-Identifier: BSD-3-Clause
// What each key does.
import { byId } from '../panels/dom.js';

const ZOOM = 0.7;
const LINE = 60;  // px of rows

/** @param {import('../app.js').App} app @returns {Record<string, (event: KeyboardEvent) => void>} */
export function keyActions(app) {
  const { navigation: nav, looking, search, range, rowList, hover, view } = app;
  const x = () => (hover.pointer.x >= 0 ? hover.pointer.x : nav.width / 2);
  const far = (/** @type {KeyboardEvent} */ e) => nav.width * (e.shiftKey ? 0.6 : 0.12);
  const right = (/** @type {KeyboardEvent} */ e) => nav.pan(-far(e), 0);
  const left = (/** @type {KeyboardEvent} */ e) => nav.pan(far(e), 0);
  const near = () => nav.zoomAt(x(), ZOOM);
  const away = () => nav.zoomAt(x(), 1 / ZOOM);
  const page = () => app.picture.height * 0.9;
  return {
    w: near, s: away, '+': near, '-': away, a: left, d: right, arrowleft: left, arrowright: right,
    arrowup: () => nav.setTop(view.top - LINE), arrowdown: () => nav.setTop(view.top + LINE),
    pageup: () => nav.setTop(view.top - page()), pagedown: () => nav.setTop(view.top + page()),
    home: () => nav.setTop(0), end: () => nav.setTop(Infinity),
    0: () => nav.whole(),
    f: () => {
      const pin = looking.pins.at(-1);
      const target = range.selection ?? (pin && { t0: pin.start, t1: pin.end });
      if (target) nav.show(target.t0, target.t1);
    },
    m: () => range.select(view.t0, view.t1, true),
    z: () => nav.undo(), x: () => nav.redo(),
    '/': () => byId('query').focus(), n: (e) => search.step(e.shiftKey ? -1 : 1),
    ',': () => looking.step(-1), '.': () => looking.step(1), '[': () => looking.goToWaker(),
    y: () => app.toggle('arcs'), q: () => app.toggle('waits'), i: () => app.toggle('ipc'),
    l: () => app.toggle('legend'), t: () => app.toggle('theme'), c: () => app.toggle('safe'),
    r: () => rowList.nextSort(), '?': () => app.toggle('help'), escape: () => app.escape(),
  };
}
