// SPDX-License-Identifier: BSD-3-Clause
// Joins gestures and controls of the page to the state they change.
import { byId } from '../base/dom.js';
import { openPlotMenu } from '../panels/plot_menu.js';
import { foldItems, openRowMenu } from '../panels/row_menu.js';
import { keep, recall } from '../state/memory.js';
import { listenToLabels } from './label_gestures.js';
import { listenToAxis, listenToMinimap, listenToPlot } from './gestures.js';

/** @param {import('../app.js').App} app */
export function wire(app) {
  const { navigation, hover, looking, range, search } = app;
  listenToPlot(byId('plot'), {
    zoomAt: (x, factor) => navigation.zoomAt(x, factor),
    pan: (dx, dy) => navigation.pan(dx, dy),
    scroll: (dy) => navigation.setTop(app.view.top + dy),
    hover: (x, y) => hover.show(x, y),
    leave: () => hover.hide(),
    click: (x, y, more) => looking.click(x, y, more),
    select: (a, b, done, y0, y1) => range.select(navigation.timeAt(a), navigation.timeAt(b), done, app.rowList.scopeBetween(y0, y1)),
    enlarge: (x, y) => looking.enlarge(x, y),
    menu: (x, y, event) => openPlotMenu(app, x, y, event),
    wheelZooms: () => app.options.wheel === 'zoom',
  });
  listenToAxis(byId('axis'), {
    edges: () => (range.selection ? [navigation.xOf(range.selection.t0), navigation.xOf(range.selection.t1)] : []),
    select: (a, b, done, edge) => range.select(navigation.timeAt(a), navigation.timeAt(b), done, edge ? range.selection?.scope : null),
  });
  listenToMinimap(byId('minimap'), (x, start) => goToMinimap(app, x, start));
  wireRows(app);
  byId('query').addEventListener('input', () => search.start(search.text));
  byId('search').addEventListener('submit', (/** @type {Event} */ e) => {
    e.preventDefault();
    search.remember();
    search.step(1);
  });
  byId('invert').addEventListener('click', () => {
    search.setInvert(!search.invert);
    search.start(search.text);
  });
  byId('match-list').addEventListener('click', () => app.side.toggle('matches'));
  byId('next').addEventListener('click', () => search.step(1));
  byId('previous').addEventListener('click', () => search.step(-1));
  wireEdges(app);
}

/** @param {import('../app.js').App} app @param {number} x @param {boolean} start */
function goToMinimap(app, x, start) {
  const { trace, navigation, view } = app;
  const middle = trace.begin + trace.duration * x / navigation.width;
  let span = view.t1 - view.t0;
  if (start && span > trace.duration * 0.9) span = trace.duration / 10;
  navigation.setView(middle - span / 2, middle + span / 2);
}

/** @param {import('../app.js').App} app */
function wireRows(app) {
  const { navigation, rowList, view } = app;
  listenToLabels(byId('gutter'), {
    scroll: (dy) => navigation.setTop(view.top + dy),
    rowAt: (y) => app.looking.rowAt(y),
    hover: (row, dropOn) => app.hover.overLabel(row, dropOn),
    click: (row, shift) => {
      if (shift) app.search.toggleRow(row);
      else if (row.key) rowList.fold(row.key);
      else if (row.type === 'rpc') rowList.keepTakers(row);
    },
    move: (row, to) => rowList.move(row.id, to.id),
    menu: (row, x, y) => openRowMenu(app, row, x, y),
  });
  byId('row-more').addEventListener('click', () => {
    const row = app.focusRow();
    const box = byId('row-more').getBoundingClientRect();
    if (row) openRowMenu(app, row, box.left, box.bottom);
  });
  byId('row-filter').addEventListener('input', () => rowList.filter(byId('row-filter').value));
  byId('fold-rows').addEventListener('click', () => app.menu.openBelow('Fold threads', foldItems(rowList), byId('fold-rows')));
  byId('hidden-rows').addEventListener('click', () => rowList.showHidden());
  byId('scroll').addEventListener('scroll', () => {
    const { scrollTop } = byId('scroll');
    if (Math.abs(scrollTop - view.top) > 1) navigation.setTop(scrollTop);
  });
}

/**
 * An edge that can be dragged, or moved with the arrows.
 * @param {HTMLElement} edge
 * @param {{grow: string, shrink: string, size: () => number, sizeAt: (e: PointerEvent) => number, least: number, most: () => number,
 *   set: (size: string) => void, done: () => void}} part  grow, shrink: names of the keys; sizes in px
 */
function wireEdge(edge, part) {
  const tell = () => {
    edge.setAttribute('aria-valuenow', String(Math.round(part.size())));
    edge.setAttribute('aria-valuemin', String(part.least));
    edge.setAttribute('aria-valuemax', String(Math.round(part.most())));
  };
  const set = (/** @type {number} */ px) => {
    part.set(`${Math.round(Math.max(part.least, Math.min(part.most(), px)))}px`);
    tell();
  };
  tell();
  edge.addEventListener('focus', tell);
  edge.addEventListener('pointerdown', (e) => edge.setPointerCapture(e.pointerId));
  edge.addEventListener('pointermove', (e) => { if (edge.hasPointerCapture(e.pointerId)) set(part.sizeAt(e)); });
  edge.addEventListener('pointerup', () => part.done());
  edge.addEventListener('keydown', (e) => {
    const d = e.key === part.grow ? 40 : e.key === part.shrink ? -40 : 0;
    if (d === 0) return;
    e.stopPropagation();
    e.preventDefault();
    set(part.size() + d);
    part.done();
  });
}

/** @param {import('../app.js').App} app */
function wireEdges(app) {
  const drawer = byId('drawer');
  drawer.style.height = recall('drawer') ?? '';
  wireEdge(byId('drawer-edge'), {
    grow: 'ArrowUp', shrink: 'ArrowDown', size: () => drawer.offsetHeight,
    sizeAt: (e) => drawer.getBoundingClientRect().bottom - e.clientY,
    least: 140, most: () => window.innerHeight * 0.75,
    set: (size) => { drawer.style.height = size; },
    done: () => {
      keep('drawer', drawer.style.height);
      app.range.redraw();
    },
  });
  const { style } = document.documentElement;
  const labels = byId('labels');
  if (recall('labels')) style.setProperty('--gutter', recall('labels'));
  wireEdge(byId('labels-edge'), {
    grow: 'ArrowRight', shrink: 'ArrowLeft', size: () => labels.offsetWidth,
    sizeAt: (e) => e.clientX - labels.getBoundingClientRect().left,
    least: 120, most: () => window.innerWidth * 0.5,
    set: (size) => style.setProperty('--gutter', size),
    done: () => keep('labels', style.getPropertyValue('--gutter')),
  });
}
