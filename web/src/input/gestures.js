// SPDX-License-Identifier: BSD-3-Clause
// Wheel, drag and click on the plot. d3-zoom is the source of gestures; the view object stays the
// truth: every gesture becomes a change of it, and d3's own transform is put back each time.
import { pointer, select } from 'd3-selection';
import { zoom, zoomIdentity } from 'd3-zoom';

const CLICK_PIXELS = 4;

/**
 * @param {HTMLElement} plot
 * @param {any} actions zoomAt(x, factor), pan(dx, dy), click(x, y), hover(x, y) or hover(null),
 *                      select(x0, x1, done), whole()
 */
export function listenToPlot(plot, actions) {
  let last = zoomIdentity;
  /** @type {[number, number] | null} */
  let selecting = null;
  let moved = 0;
  const behaviour = zoom()
    .filter((event) => !event.shiftKey && !event.ctrlKey && (event.type === 'wheel' ? !horizontal(event) : event.button === 0))
    .clickDistance(CLICK_PIXELS)
    .on('start', () => { moved = 0; })
    .on('zoom', (event) => {
      const { k, x, y } = event.transform;
      if (k !== last.k) {
        const [px] = pointer(event.sourceEvent ?? event, plot);
        actions.zoomAt(px, last.k / k);
      } else {
        moved += Math.abs(x - last.x) + Math.abs(y - last.y);
        actions.pan(x - last.x, y - last.y);
      }
      last = event.transform;
    })
    .on('end', () => {
      last = zoomIdentity;
      /** @type {any} */ (plot).__zoom = zoomIdentity;
    });
  const root = select(plot);
  root.call(/** @type {any} */ (behaviour)).on('dblclick.zoom', null);
  root.on('wheel.pan', (event) => {
    if (!event.shiftKey && !horizontal(event)) return;
    event.preventDefault();
    actions.pan(-(event.deltaX || event.deltaY), 0);
  }, { passive: false });
  root.on('dblclick', () => actions.whole());
  root.on('pointermove.hover', (event) => {
    const [x, y] = pointer(event, plot);
    if (selecting) actions.select(selecting[0], x, false);
    else actions.hover(x, y);
  });
  root.on('pointerleave.hover', () => actions.hover(null));
  root.on('pointerdown.select', (event) => {
    if (!event.shiftKey || event.button !== 0) return;
    const [x, y] = pointer(event, plot);
    selecting = [x, y];
    plot.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  root.on('pointerup.select', (event) => {
    if (!selecting) return;
    const [x] = pointer(event, plot);
    const from = selecting[0];
    selecting = null;
    if (Math.abs(x - from) > CLICK_PIXELS) actions.select(from, x, true);
  });
  root.on('click.pin', (event) => {
    if (event.shiftKey || moved > CLICK_PIXELS || event.defaultPrevented) return;
    const [x, y] = pointer(event, plot);
    actions.click(x, y);
  });
}

const horizontal = (/** @type {WheelEvent} */ event) => Math.abs(event.deltaX) > Math.abs(event.deltaY);

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
  map.addEventListener('pointerup', () => { down = false; });
}
