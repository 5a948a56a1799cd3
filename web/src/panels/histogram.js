// SPDX-License-Identifier: BSD-3-Clause
// How long spans lasted, as bars over a logarithmic axis; one or two ranges, the second downwards. A
// logarithm has no place for 0: spans without length are told beside it.
// A click on a bar asks for the spans of that length.
import { axisBottom } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import { bucketBegin, bucketOf } from '../model/durations.js';
import { countText } from '../model/number_text.js';
import { durationText } from '../layout/time_text.js';

const MARGIN = 20;
const HEAD = 12;   // px above the bars, for what is told of them
const LABEL = 46;  // px of a tick's text, and room beside it

/** @typedef {import('../model/durations.js').Durations} Durations */

/**
 * @param {Durations[]} ranges  one or two
 * @param {{width: number, height: number, colours: string[]}} look
 * @param {(min: number, max: number) => void} ask
 */
export function histogram(ranges, look, ask) {
  const { width, height, colours } = look;
  const filled = ranges.filter((d) => d.count > 0);
  const svg = select(document.createElementNS('http://www.w3.org/2000/svg', 'svg'))
    .attr('width', width).attr('height', height).attr('class', 'histogram').attr('role', 'img')
    .attr('aria-label', 'How many spans lasted how long');
  const node = /** @type {SVGSVGElement} */ (svg.node());
  if (filled.length === 0) return node;
  const first = bucketOf(Math.max(1, Math.min(...filled.map((d) => d.min))));
  const last = bucketOf(Math.max(1, ...filled.map((d) => d.max)));
  const x = scaleLog([bucketBegin(first) || 1, bucketBegin(last + 1)], [MARGIN, width - MARGIN]);
  const room = (height - 24 - HEAD) / ranges.length;
  const middle = HEAD + room;
  ranges.forEach((durations, r) => {
    const most = Math.max(1, ...durations.buckets);
    for (let b = first; b <= last; b++) {
      const n = durations.buckets[b] ?? 0;
      if (n === 0) continue;
      const high = Math.max(2, n / most * (room - 6));
      const from = x(bucketBegin(b) || 1);
      svg.append('rect').attr('x', from).attr('width', Math.max(1, x(bucketBegin(b + 1)) - from - 0.5))
        .attr('y', r === 0 ? middle - high : middle + 1).attr('height', high).attr('fill', colours[r])
        .on('click', () => ask(bucketBegin(b), bucketBegin(b + 1)))
        .append('title').text(`${countText(n)} of ${durationText(bucketBegin(b))} to ${durationText(bucketBegin(b + 1))}`);
    }
  });
  const most = Math.max(...filled.flatMap((d) => d.buckets));
  svg.append('text').attr('x', width - MARGIN).attr('y', 10).attr('text-anchor', 'end').text(`highest: ${countText(most)}`);
  const without = ranges.map((d) => d.buckets[0] ?? 0);
  if (without.some((n) => n > 0)) svg.append('text').attr('x', MARGIN).attr('y', 10).text(`without length: ${without.map(countText).join(' and ')}`);
  svg.append('g').attr('transform', `translate(0,${height - 22})`)
    .call(axisBottom(x).tickValues(ticksApart(x.ticks(), x)).tickFormat((t) => shortDuration(Number(t))));
  svg.append('line').attr('x1', MARGIN).attr('x2', width - MARGIN).attr('y1', middle).attr('y2', middle);
  return node;
}

/** Powers of ten before 5 and 2, none that would touch another. @param {number[]} ticks @param {(t: number) => number} x */
function ticksApart(ticks, x) {
  /** @type {number[]} */
  const kept = [];
  for (const lead of ['1', '5', '2', '3', '4', '7']) {
    for (const t of ticks) {
      if (t.toExponential()[0] === lead && kept.every((k) => Math.abs(x(k) - x(t)) >= LABEL)) kept.push(t);
    }
  }
  return kept;
}

/** @param {number} ns */
const shortDuration = (ns) => durationText(ns).replace(/\.0+ /, ' ');
