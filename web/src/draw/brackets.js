// SPDX-License-Identifier: BSD-3-Clause
// Brackets under the bars of a thread: they join the pieces of one call, from its begin to its end. In: a frame,
// a row, calls; out: lines on the second canvas.
import { bracketsOf } from '../layout/brackets.js';

/** @typedef {import('./picture.js').Frame} Frame @typedef {import('../layout/rows.js').Row} Row */

/** CSS pixels from one line to the next, where there is room for two. */
const STEP = 2;
const MOST_DEPTH = 2;
const TICK = 4;

/** The line of a row that brackets stand on. @param {Frame} frame @param {Row} row */
const bottomOf = (frame, row) => row.top - frame.view.top + row.height - 4;

/**
 * @param {Frame} frame @param {{start: number, end: number}} call
 * @param {number} y  of its line @param {number} high @param {number} thick  CSS pixels
 */
function drawBracket({ c, x, width, ratio }, { start, end }, y, high, thick) {
  const sharp = (/** @type {number} */ css) => Math.round(css * ratio) / ratio;
  const [x0, x1] = [sharp(x(start)), sharp(x(end))];
  const [left, right] = [Math.max(0, x0), Math.min(width, Math.max(x1, x0 + 2 * thick))];
  if (right <= left) return;
  c.fillRect(left, y, right - left, thick);
  if (x0 >= 0) c.fillRect(left, y + thick - high, thick, high - thick);
  if (x1 <= width) c.fillRect(right - thick, y + thick - high, thick, high - thick);
}

/** Those of all calls that have room; tells how many. @param {Frame} frame @param {Row} row @param {import('../model/calls.js').Calls[]} parts */
export function drawBrackets(frame, row, parts) {
  const { c, palette, scale, view } = frame;
  const bottom = bottomOf(frame, row);
  const { top, height } = frame.band(row);
  const depths = Math.max(0, Math.min(MOST_DEPTH - 1, Math.floor((bottom - top - height * 0.9) / STEP))) + 1;
  c.fillStyle = palette.bracket;
  const brackets = bracketsOf(parts, row.thread, view, scale).filter(({ depth }) => depth < depths);
  for (const bracket of brackets) drawBracket(frame, bracket, bottom - bracket.depth * STEP, TICK, 1);
  return brackets.length;
}

/** That of a call that is looked at. @param {Frame} frame @param {Row} row @param {{start: number, end: number}} call */
export function drawChosenBracket(frame, row, call) {
  frame.c.fillStyle = frame.palette.css.accent;
  drawBracket(frame, call, bottomOf(frame, row), 2 * TICK, 2);
}
