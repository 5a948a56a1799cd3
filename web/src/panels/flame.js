// SPDX-License-Identifier: BSD-3-Clause
// The flame graph of a range: every frame as wide as its time with what lay within it. A click makes
// a frame the whole width, a click on what it stands on goes back.
import { select } from 'd3-selection';
import { callsIn } from '../model/flame.js';
import { userColour } from '../model/hues.js';
import { counted, countText, percentText } from '../model/number_text.js';
import { durationText } from '../layout/time_text.js';

const LINE = 21;
const LEAST = 0.7;  // px of a frame that is drawn
const LETTER = 6.4;

/** @typedef {import('../model/flame.js').Frame} Frame @typedef {{frame: Frame, depth: number}} Place */

/**
 * @typedef {object} Look  what frames stand for
 * @property {string} all                                  the name of the root
 * @property {(key: number) => string} rootName            of a child of the root
 * @property {(key: number) => string} name                of all others
 * @property {(key: number) => string} colour              of all others
 * @property {(frame: Frame, root: Frame) => string[]} told  what a frame says of itself below its name
 * @property {(frame: Frame) => number} size               what its width stands for
 */

/** @param {import('../app.js').App} app @param {Frame} frame @param {number} depth @param {Look} look */
function colourOf({ palette, trace }, frame, depth, look) {
  if (depth === 0) return palette.css.header;
  if (depth === 1) {
    const thread = trace.threads[frame.key];
    return palette.userCss[userColour(thread ? (thread.process >= 0 ? thread.process : thread.pid) : look.rootName(frame.key).length)];
  }
  return look.colour(frame.key);
}

/** Calls, and what they interrupted. @param {import('../app.js').App} app @param {(key: number) => string} rootName @returns {Look} */
export const callLook = ({ palette, trace }, rootName) => ({
  all: 'all work', rootName, name: (key) => trace.name(key), colour: (key) => palette.classes[trace.what[key]] ?? palette.css.idle,
  told: (frame, root) => toldOfCalls(frame, root, trace.hasCalls), size: (frame) => frame.time,
});

/**
 * @param {import('../app.js').App} app
 * @param {Frame} root       of all; its children are groups of threads
 * @param {Look} look
 * @param {number} width
 */
export function flameGraph(app, root, look, width) {
  const svg = select(document.createElementNS('http://www.w3.org/2000/svg', 'svg')).attr('class', 'flame').attr('width', width);
  const node = /** @type {SVGSVGElement} */ (svg.node());
  /** @type {Frame[]} from the root to what is widest */
  let path = [root];
  const name = (/** @type {Place} */ { frame, depth }) => (depth === 0 ? look.all : depth === 1
    ? look.rootName(frame.key) : look.name(frame.key));
  const draw = () => {
    svg.selectAll('*').remove();
    let deepest = 0;
    const box = (/** @type {Place} */ place, /** @type {number} */ x, /** @type {number} */ wide, /** @type {Frame[]} */ above) => {
      const { frame, depth } = place;
      deepest = Math.max(deepest, depth);
      drawFrame(svg, { x, y: depth * LINE, wide, text: name(place), colour: colourOf(app, frame, depth, look),
        ink: depth === 0 ? app.palette.css.text : app.palette.css.ink, title: [name(place), ...look.told(frame, root)].join('\n') },
      () => {
        path = above;
        draw();
        node.querySelectorAll('g')[above.length - 1]?.focus();
      });
    };
    path.forEach((frame, depth) => box({ frame, depth }, 0, width, path.slice(0, depth + 1)));
    const inside = (/** @type {Frame[]} */ above, /** @type {number} */ x, /** @type {number} */ scale) => {
      const children = [...above[above.length - 1].inner.values()].sort((a, b) => look.size(b) - look.size(a));
      for (const frame of children) {
        const wide = look.size(frame) * scale;
        if (wide < LEAST) break;
        box({ frame, depth: above.length }, x, wide, [...above, frame]);
        inside([...above, frame], x, scale);
        x += wide;
      }
    };
    inside(path, 0, width / Math.max(1, look.size(path[path.length - 1])));
    svg.attr('height', (deepest + 1) * LINE);
  };
  draw();
  return node;
}

/** @param {Frame} frame @param {Frame} root @param {boolean} calls  whether the trace tells of calls */
function toldOfCalls(frame, root, calls) {
  const count = callsIn(frame);
  const lines = [`${durationText(frame.time)} with all within, ${percentText(frame.time / Math.max(1, root.time))} of all work`,
    `${durationText(frame.own)} in itself`];
  if (count > 0) lines.push(calls ? counted(count, 'call') : `${countText(count)} times begun, or gone on with`);
  return lines;
}

/**
 * @param {import('d3-selection').Selection<any, unknown, null, undefined>} svg
 * @param {{x: number, y: number, wide: number, text: string, colour: string, ink: string, title: string}} box
 * @param {() => void} click
 */
function drawFrame(svg, box, click) {
  const group = svg.append('g').attr('transform', `translate(${box.x},${box.y})`).attr('tabindex', 0).attr('role', 'button')
    .attr('aria-label', box.title).on('click', click)
    .on('keydown', (/** @type {KeyboardEvent} */ e) => { 
      if (e.key !== 'Enter' && e.key !== ' ') return;
      e.preventDefault();
      click();
    });
  group.append('rect').attr('width', Math.max(0.6, box.wide - 0.5)).attr('height', LINE - 1).attr('rx', box.wide > 6 ? 2 : 0)
    .attr('fill', box.colour);
  const fits = Math.floor((box.wide - 8) / LETTER);
  if (fits >= 3) {
    group.append('text').attr('x', 5).attr('y', 14).attr('fill', box.ink)
      .text(box.text.length > fits ? `${box.text.slice(0, fits - 1)}…` : box.text);
  }
  group.append('title').text(box.title);
}
