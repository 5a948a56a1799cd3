// SPDX-License-Identifier: BSD-3-Clause
// Wheel, drag and click on the plot. d3-zoom is the source of gestures; the view object stays the
// truth: every gesture becomes a change of it, and d3's own transform is put back each time.
import { pointer, pointers, select } from 'd3-selection';
import { zoom, zoomIdentity } from 'd3-zoom';

export const CLICK_PIXELS = 4;

/**
 * @typedef {object} PlotActions
 * @property {(x: number, factor: number) => void} zoomAt
 * @property {(dx: number, dy: number) => void} pan
 * @property {(dy: number) => void} scroll
 * @property {(x: number, y: number) => void} hover
 * @property {() => void} leave
 * @property {(x: number, y: number, more: boolean) => void} click  more: beside what is pinned
 * @property {(x0: number, x1: number, done: boolean, y0: number, y1: number) => void} select
 * @property {(x: number, y: number) => void} enlarge
 * @property {(x: number, y: number, event: MouseEvent) => void} menu
 * @property {() => boolean} wheelZooms  how the wheel and a plain drag are taken: true: they zoom and
 *                                       move; false: they scroll rows and select
 */

/** @param {WheelEvent} event */
const sideways = (event) => Math.abs(event.deltaX) > Math.abs(event.deltaY);

/** @param {HTMLElement} plot @param {PlotActions} actions */
export function listenToPlot(plot, actions) {
  const drag = { moved: 0 };
  zooming(plot, actions, drag);
  selecting(plot, actions, drag);
  const root = select(plot);
  root.on('wheel.pan', (event) => {
    const pans = event.shiftKey || sideways(event);
    if (event.ctrlKey || (!pans && actions.wheelZooms())) return;
    event.preventDefault();
    if (pans) actions.pan(-(event.deltaX || event.deltaY), 0);
    else actions.scroll(event.deltaY);
  }, { passive: false });
  root.on('dblclick', (event) => actions.enlarge(...pointer(event, plot)));
  root.on('contextmenu', (event) => {
    event.preventDefault();
    const [x, y] = pointer(event, plot);
    actions.menu(x, y, event);
  });
  root.on('pointerleave.hover', () => actions.leave());
  root.on('click.pin', (event) => {
    if (drag.moved > CLICK_PIXELS || event.defaultPrevented || event.detail > 1) return;
    const [x, y] = pointer(event, plot);
    actions.click(x, y, event.shiftKey || event.ctrlKey || event.metaKey);
  });
}

/** @param {HTMLElement} plot @param {PlotActions} actions @param {{moved: number}} drag */
function zooming(plot, actions, drag) {
  let last = zoomIdentity;
  const takes = (/** @type {any} */ event) => {
    if (event.type === 'wheel') return event.ctrlKey || (actions.wheelZooms() && !event.shiftKey && !sideways(event));
    if (event.type.startsWith('touch')) return true;
    return event.button === 0 && !event.ctrlKey && event.shiftKey !== actions.wheelZooms();
  };
  const behaviour = zoom().filter(takes).clickDistance(CLICK_PIXELS)
    .on('start', () => { drag.moved = 0; })
    .on('zoom', (event) => {
      const { k, x, y } = event.transform;
      if (k !== last.k) {
        const all = pointers(event.sourceEvent ?? event, plot);  // of fingers, the place between them
        actions.zoomAt(all.reduce((sum, [px]) => sum + px, 0) / all.length, last.k / k);
      } else {
        drag.moved += Math.abs(x - last.x) + Math.abs(y - last.y);
        actions.pan(x - last.x, y - last.y);
      }
      last = event.transform;
    })
    .on('end', () => {
      last = zoomIdentity;
      /** @type {any} */ (plot).__zoom = zoomIdentity;
    });
  select(plot).call(/** @type {any} */ (behaviour)).on('dblclick.zoom', null);
}

/** @param {HTMLElement} plot @param {PlotActions} actions @param {{moved: number}} drag */
function selecting(plot, actions, drag) {
  const root = select(plot);
  let from = -1;
  let above = -1;
  root.on('pointerdown.select', (event) => {
    if (event.button !== 0 || event.pointerType === 'touch' || event.shiftKey !== actions.wheelZooms()) return;
    [from, above] = pointer(event, plot);
    drag.moved = 0;
    plot.setPointerCapture(event.pointerId);
  });
  root.on('pointermove.hover', (event) => {
    const [x, y] = pointer(event, plot);
    if (from < 0) {
      actions.hover(x, y);
      return;
    }
    drag.moved = Math.max(drag.moved, Math.abs(x - from));
    if (drag.moved > CLICK_PIXELS) actions.select(from, x, false, above, y);
  });
  root.on('pointerup.select pointercancel.select', (event) => {
    const [x, y] = pointer(event, plot);
    if (from >= 0 && drag.moved > CLICK_PIXELS) actions.select(from, x, true, above, y);
    from = -1;
  });
}

/**
 * Dragging selects; a drag that begins at an edge of the range moves that edge.
 * @param {SVGSVGElement} axis
 * @param {{edges: () => number[], select: (x0: number, x1: number, done: boolean, edge: boolean) => void}} actions
 *   edges: pixels of the selected range, or none; edge: it is one of these that moves
 */
export function listenToAxis(axis, actions) {
  /** The other end, which may be out of view; null: nothing is dragged. @type {number | null} */
  let from = null;
  let to = 0;
  let edge = false;
  const select = (/** @type {boolean} */ done) => {
    if (from !== null && Math.abs(to - from) > CLICK_PIXELS) actions.select(from, to, done, edge);
  };
  const stop = () => {
    select(true);
    from = null;
  };
  const x = (/** @type {PointerEvent} */ event) => event.clientX - axis.getBoundingClientRect().left;
  axis.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const [a, b] = actions.edges();
    to = x(event);
    from = Math.abs(to - a) <= 6 ? b : Math.abs(to - b) <= 6 ? a : to;
    edge = from !== to;
    axis.setPointerCapture(event.pointerId);
  });
  axis.addEventListener('pointermove', (event) => {
    to = x(event);
    select(false);
  });
  axis.addEventListener('pointerup', (event) => {
    to = x(event);
    stop();
  });
  axis.addEventListener('pointercancel', stop);
}

/**
 * @param {HTMLElement} map
 * @param {(x: number, start: boolean) => void} go
 */
export function listenToMinimap(map, go) {
  let down = false;
  map.addEventListener('pointerdown', (event) => {
    down = true;
    map.setPointerCapture(event.pointerId);
    go(event.offsetX, true);
  });
  map.addEventListener('pointermove', (event) => { if (down) go(event.offsetX, false); });
  for (const end of ['pointerup', 'pointercancel']) map.addEventListener(end, () => { down = false; });
}
