// SPDX-License-Identifier: BSD-3-Clause
// Marks that programs placed: flags that never print over each other. What finds no room shows its
// staff only. In: which marks; out: strokes and text.
import { eachOverlay } from '../model/overlays.js';
import { MARK_A, MARK_D } from '../model/tables.js';

const FONT = '11px system-ui, sans-serif';
const FLAG_HEIGHT = 14;
const TICK = 6;  // CSS pixels of a mark that has no flag
const ROOM = 40; // CSS pixels a flag needs where they must be few
const LEAST_BAND = 14;  // CSS pixels; in a lower one a flag would hide the bars

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/slab.js').Overlays} o @param {number} i */
function markText(trace, o, i) {
  const event = trace.event[o.kind[i]];
  if (event === MARK_D) return String(o.arg ? o.arg[i] : 0);
  return trace.name(o.kind[i]).replace(/^mark_[abc]=/, '');
}

/** @typedef {{x: number, colour: string, text: string, wide: number}} Mark  wide: of its flag, 0 for none */

/**
 * Where marks of a row stand, by place.
 * @param {import('./picture.js').Frame} frame
 * @param {number} list  of LIST
 * @param {number} id
 * @param {import('./picture.js').Band} band
 * @param {boolean} quiet  flags only if they are few: the bars under them matter more
 * @returns {{marks: Mark[], flags: boolean}}
 */
export function marksOf(frame, list, id, band, quiet) {
  const { c, palette, trace } = frame;
  /** @type {{x: number, o: import('../model/slab.js').Overlays, i: number}[]} */
  const found = [];
  eachOverlay(frame.parts, list, id, frame.view, (o, i) => {
    const x = frame.x(o.start[i]);
    found.push({ x, o, i });
    return frame.view.t0 + (Math.floor(x) + 1) / frame.scale;  // one for each column
  });
  const flags = !quiet || (band.height >= LEAST_BAND && found.length * ROOM <= frame.width);
  c.font = FONT;
  let free = -Infinity;
  found.sort((a, b) => a.x - b.x);
  const marks = found.map(({ x, o, i }) => {
    const text = flags && x >= free ? markText(trace, o, i) : '';
    const wide = text ? c.measureText(text).width + 8 : 0;
    if (text) free = x + wide + 2;
    return { x, colour: palette.marks[(trace.event[o.kind[i]] - MARK_A) & 3], text, wide };
  });
  return { marks, flags };
}

/** Staffs first: none runs through a flag. @param {import('./picture.js').Frame} frame @param {ReturnType<typeof marksOf>} of @param {import('./picture.js').Band} band */
export function drawMarks({ c }, { marks, flags }, band) {
  let lastStaff = -Infinity;
  for (const { x, colour } of marks) {
    c.fillStyle = colour;
    if (x - lastStaff >= 1) c.fillRect(x, band.top, 1.5, flags ? band.height : Math.min(TICK, band.height));
    lastStaff = x;
  }
  c.font = FONT;
  c.textBaseline = 'middle';
  const high = Math.min(FLAG_HEIGHT, band.height);
  for (const { x, colour, text, wide } of marks) {
    if (!text) continue;
    c.fillStyle = colour;
    c.fillRect(x, band.top, wide, high);
    c.fillStyle = '#ffffff';
    c.fillText(text, x + 4, band.top + high / 2);
  }
}

/** The widest part of a stretch in which no flag or staff stands. @param {Mark[]} marks  by place @param {number} x0 @param {number} x1 @returns {[number, number]} */
export function besideMarks(marks, x0, x1) {
  /** @type {[number, number]} */
  let widest = [x0, x0];
  let from = x0;
  const end = (/** @type {number} */ to) => { if (to - from > widest[1] - widest[0]) widest = [from, to]; };
  for (const { x, wide } of marks) {
    if (x >= x1) break;
    end(x - 1);
    from = Math.max(from, x + Math.max(2, wide));
  }
  end(x1);
  return widest;
}
