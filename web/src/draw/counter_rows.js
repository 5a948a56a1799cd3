// SPDX-License-Identifier: BSD-3-Clause
// Rows of counters of the machine and of processes: a line of steps. In: a frame and a row; out: pixels.
// The foot of a row is the lowest value of the trace, of rates and of tasks 0; its top the highest,
// of shares of time at least 1 %.
import { rangeOf, stepAt } from '../model/readings.js';
import { mix, pixelOf } from './palette.js';

/** @param {import('./picture.js').Frame} frame @param {import('../layout/rows.js').Row} row */
export function drawCounterRow(frame, row) {
  const { raster, ratio, palette, trace, view } = frame;
  const counter = trace.counters[row.objectId];
  const band = frame.band(row);
  const [lowest, highest] = rangeOf(counter);
  const range = highest - lowest || 1;
  const base = Math.round((band.top + band.height) * ratio);
  const line = Math.max(1, Math.round(1.5 * ratio));
  const body = pixelOf(mix(palette.css.line, palette.css.back, 0.75));
  const yOf = (/** @type {number} */ value) => base - line - Math.round((value - lowest) / range * (band.height * ratio - line - 1));
  let last = NaN;
  let reached = -1;  // column up to which the line has been drawn
  for (let i = Math.max(0, stepAt(counter, view.t0)); i < counter.at.length && counter.at[i] < view.t1; i++) {
    const until = Math.min(view.t1, counter.at[i + 1] ?? trace.end);
    const from = Math.max(0, Math.floor(frame.x(counter.at[i]) * ratio));
    const to = Math.min(raster.width, Math.max(from + 1, Math.floor(frame.x(until) * ratio)));
    if (!Number.isNaN(counter.value[i])) {
      const y = yOf(counter.value[i]);
      // Many steps in one column: each leaves its mark, the body is filled once.
      if (to > reached) raster.fill(Math.max(from, reached), to, y, base, body);
      raster.fill(from, to, y, y + line, palette.pixel.line);
      if (!Number.isNaN(last) && last !== y) raster.fill(from, from + line, Math.min(last, y), Math.max(last, y) + line, palette.pixel.line);
      last = y;
    } else {
      last = NaN;
    }
    reached = Math.max(reached, to);
  }
}
