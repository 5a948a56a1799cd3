// SPDX-License-Identifier: BSD-3-Clause
// Marks that programs placed: flags that never print over each other. What finds no room shows its
// staff only. In: which marks; out: strokes and text.
import { eachOverlay } from '../model/overlays.js';
import { MARK_A, MARK_D } from '../model/tables.js';

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

/**
 * @param {import('./picture.js').Frame} frame
 * @param {number} list  of LIST
 * @param {number} id
 * @param {import('./picture.js').Band} band
 * @param {boolean} quiet  flags only if they are few: the bars under them matter more
 */
export function drawMarks(frame, list, id, band, quiet) {
  const { c, palette, trace } = frame;
  const marks = [];
  eachOverlay(frame.parts, list, id, frame.view, (o, i) => {
    const x = frame.x(o.start[i]);
    marks.push({ x, o, i });
    return frame.view.t0 + (Math.floor(x) + 1) / frame.scale;  // one for each column
  });
  const flags = !quiet || (band.height >= LEAST_BAND && marks.length * ROOM <= frame.width);
  c.font = '11px system-ui, sans-serif';
  c.textBaseline = 'middle';
  let free = -Infinity;
  let lastStaff = -Infinity;
  marks.sort((a, b) => a.x - b.x);
  for (const { x, o, i } of marks) {
    c.fillStyle = palette.marks[(trace.event[o.kind[i]] - MARK_A) & 3];
    if (x - lastStaff >= 1) c.fillRect(x, band.top, 1.5, flags ? band.height : Math.min(TICK, band.height));
    lastStaff = x;
    if (!flags || x < free) continue;
    const text = markText(trace, o, i);
    const wide = c.measureText(text).width + 8;
    free = x + wide + 2;
    const high = Math.min(FLAG_HEIGHT, band.height);
    c.fillRect(x, band.top, wide, high);
    c.fillStyle = '#ffffff';
    c.fillText(text, x + 4, band.top + high / 2);
  }
}
