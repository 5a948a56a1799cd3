// SPDX-License-Identifier: BSD-3-Clause
// The time axis, in SVG through d3: ticks of the view, the base they count from, losses as one shape.
import { axisTop } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { durationText, exactTime, timeTicks, wallText } from '../layout/time_text.js';

const LOSS_HEIGHT = 5;
const LEAST_LOSS = 2;  // CSS pixels

/**
 * All losses in view as one shape: there may be tens of thousands, most of them in the same pixels.
 * @param {import('../model/trace.js').Loss[]} losses @param {{t0: number, t1: number}} view @param {number} width CSS pixels
 */
export function lossPath(losses, { t0, t1 }, width) {
  const scale = width / (t1 - t0);
  const lost = new Uint8Array(Math.ceil(width));
  for (const { begin, end } of losses) {
    if (begin > t1 || end < t0) continue;
    const x0 = Math.floor(Math.max(0, (begin - t0) * scale));
    lost.fill(1, x0, Math.max(x0 + LEAST_LOSS, Math.ceil((end - t0) * scale)));
  }
  let path = '';
  for (let x = lost.indexOf(1); x >= 0;) {
    const free = lost.indexOf(0, x);
    const stop = free < 0 ? lost.length : free;
    path += `M${x} 0H${stop}V${LOSS_HEIGHT}H${x}z`;
    x = lost.indexOf(1, stop);
  }
  return path;
}

/**
 * @param {SVGSVGElement} svg
 * @param {HTMLElement} baseElement
 * @param {any} app
 * @param {number} width
 */
export function drawAxis(svg, baseElement, app, width) {
  const { view, trace } = app;
  const { zero, on } = app.alignment;
  const { ticks, base } = timeTicks(view.t0 - zero, view.t1 - zero, width / 110);
  const labels = new Map(ticks.map((t) => [t.time, t.label]));
  const scale = scaleLinear([view.t0 - zero, view.t1 - zero], [0, width]);
  const axis = axisTop(scale).tickValues(ticks.map((t) => t.time)).tickSizeOuter(0)
    .tickFormat((t) => labels.get(Number(t)) ?? '');
  const root = select(svg).attr('width', width);
  root.select('.ticks').attr('transform', 'translate(0,27)').call(/** @type {any} */ (axis));
  // Labels at the edges stay inside.
  root.selectAll('.ticks text').attr('text-anchor', (t) => {
    const x = scale(Number(t));
    return x < 28 ? 'start' : x > width - 28 ? 'end' : 'middle';
  });
  root.select('.losses').attr('d', on ? '' : lossPath(trace.losses, view, width));
  const wall = wallText(trace.wallUsec(base), base % 1e9 === 0 ? 0 : base % 1e6 === 0 ? 3 : 6);
  baseElement.textContent = on ? `row’s begin + ${base === 0 ? '' : exactTime(base)}` : base === 0 ? `0 = ${wall || 'start'}` : `${exactTime(base)} +`;
  baseElement.title = `Ticks count from ${exactTime(base)} after the start of the recording${wall ? `, ${wall}` : ', of which the date is not known'}. `
    + `The view is ${durationText(view.t1 - view.t0)} long.`;
}
