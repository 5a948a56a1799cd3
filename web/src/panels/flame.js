// SPDX-License-Identifier: BSD-3-Clause
// The flame graph of a range: every frame as wide as its time with what lay within it. A click makes
// a frame the whole width, a click on what it stands on goes back.
import { select } from 'd3-selection';
import { callsIn } from '../model/flame.js';
import { userColour } from '../model/hues.js';
import { counted, durationText, countText } from '../layout/time_text.js';

const LINE = 21;
const LEAST = 0.7;  // px of a frame that is drawn
const LETTER = 6.4;

/** @typedef {import('../model/flame.js').Frame} Frame @typedef {{frame: Frame, depth: number}} Place */

/** @param {import('../app.js').App} app @param {Frame} frame @param {number} depth @param {(key: number) => string} rootName */
function colourOf(app, frame, depth, rootName) {
  const { palette, trace } = app;
  if (depth === 0) return palette.css.header;
  if (depth === 1) {
    const thread = trace.threads[frame.key];
    return palette.userCss[userColour(thread ? (thread.process >= 0 ? thread.process : thread.pid) : rootName(frame.key).length)];
  }
  return palette.classes[trace.what[frame.key]] ?? palette.css.idle;
}

/**
 * @param {import('../app.js').App} app
 * @param {Frame} root       of all; its children are groups of threads
 * @param {(key: number) => string} rootName  of a child of the root
 * @param {number} width
 */
export function flameGraph(app, root, rootName, width) {
  const svg = select(document.createElementNS('http://www.w3.org/2000/svg', 'svg')).attr('class', 'flame').attr('width', width);
  const node = /** @type {SVGSVGElement} */ (svg.node());
  /** @type {Frame[]} from the root to what is widest */
  let path = [root];
  const name = (/** @type {Place} */ { frame, depth }) => (depth === 0 ? 'all work' : depth === 1
    ? rootName(frame.key) : app.trace.name(frame.key));
  const draw = () => {
    svg.selectAll('*').remove();
    let deepest = 0;
    const box = (/** @type {Place} */ place, /** @type {number} */ x, /** @type {number} */ wide, /** @type {Frame[]} */ above) => {
      const { frame, depth } = place;
      deepest = Math.max(deepest, depth);
      drawFrame(svg, { x, y: depth * LINE, wide, text: name(place), colour: colourOf(app, frame, depth, rootName),
        ink: depth === 0 ? app.palette.css.text : app.palette.css.ink, title: told(name(place), frame, root, app.trace.hasCalls) },
      () => { path = above; draw(); });
    };
    path.forEach((frame, depth) => box({ frame, depth }, 0, width, path.slice(0, depth + 1)));
    const inside = (/** @type {Frame[]} */ above, /** @type {number} */ x, /** @type {number} */ scale) => {
      const children = [...above[above.length - 1].inner.values()].sort((a, b) => b.time - a.time);
      for (const frame of children) {
        const wide = frame.time * scale;
        if (wide < LEAST) break;
        box({ frame, depth: above.length }, x, wide, [...above, frame]);
        inside([...above, frame], x, scale);
        x += wide;
      }
    };
    inside(path, 0, width / Math.max(1, path[path.length - 1].time));
    svg.attr('height', (deepest + 1) * LINE);
  };
  draw();
  return node;
}

/** @param {string} name @param {Frame} frame @param {Frame} root @param {boolean} calls  whether the trace tells of calls */
function told(name, frame, root, calls) {
  const count = callsIn(frame);
  return `${name}\n${durationText(frame.time)} with all within, ${
  (frame.time / Math.max(1, root.time) * 100).toFixed(2)} % of all work\n${durationText(frame.own)} in itself${
  count === 0 ? '' : calls ? `\n${counted(count, 'call')}` : `\n${countText(count)} times begun, or gone on with`}`;
}

/**
 * @param {import('d3-selection').Selection<any, unknown, null, undefined>} svg
 * @param {{x: number, y: number, wide: number, text: string, colour: string, ink: string, title: string}} box
 * @param {() => void} click
 */
function drawFrame(svg, box, click) {
  const group = svg.append('g').attr('transform', `translate(${box.x},${box.y})`).attr('tabindex', 0).attr('role', 'button')
    .attr('aria-label', box.title).on('click', click)
    .on('keydown', (/** @type {KeyboardEvent} */ e) => { if (e.key === 'Enter' || e.key === ' ') click(); });
  group.append('rect').attr('width', Math.max(0.6, box.wide - 0.5)).attr('height', LINE - 1).attr('rx', box.wide > 6 ? 2 : 0)
    .attr('fill', box.colour);
  const fits = Math.floor((box.wide - 8) / LETTER);
  if (fits >= 3) {
    group.append('text').attr('x', 5).attr('y', 14).attr('fill', box.ink)
      .text(box.text.length > fits ? `${box.text.slice(0, fits - 1)}…` : box.text);
  }
  group.append('title').text(box.title);
}
