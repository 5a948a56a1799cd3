// SPDX-License-Identifier: BSD-3-Clause
// The time axis, in SVG through d3: ticks of the view, the base they count from, losses as bars.
import { axisTop } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { durationText, exactTime, timeTicks, wallText } from '../layout/time_text.js';

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
  root.select('.losses').selectAll('rect').data(on ? [] : trace.losses.slice(0, 2000)).join('rect')
    .attr('x', (/** @type {any} */ l) => scale(l.begin - zero)).attr('y', 0).attr('height', 5)
    .attr('width', (/** @type {any} */ l) => Math.max(2, scale(l.end - zero) - scale(l.begin - zero)));
  const wall = wallText(trace.wallMs(base), base % 1e9 === 0 ? 0 : base % 1e6 === 0 ? 3 : 6);
  baseElement.textContent = on ? `row’s begin + ${base === 0 ? '' : exactTime(base)}` : base === 0 ? `0 = ${wall}` : `${exactTime(base)} +`;
  baseElement.title = `Ticks count from ${exactTime(base)} after the start of the recording, ${wall}. `
    + `The view is ${durationText(view.t1 - view.t0)} long.`;
}
