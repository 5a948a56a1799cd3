// SPDX-License-Identifier: BSD-3-Clause
// Rows of things that are neither CPU nor thread: locks, queues, frequencies, the network, marks; and
// what an RPC's row has beside its bars. In: a frame and a row; out: pixels and text.
import { CAPTURED, KIND, OBJECT, RX_MESSAGE, RX_PACKET, RX_USER } from '../model/tables.js';
import { LIST, eachOverlay } from '../model/overlays.js';
import { countText } from '../model/number_text.js';
import { drawMarks, marksOf } from './marks.js';
import { fitText } from './overlay.js';
import { mix, pixelOf } from './palette.js';

/** @typedef {import('./picture.js').Frame} Frame @typedef {import('./picture.js').Band} Band */
/** @typedef {import('../layout/columns.js').Columns} Columns */
/** @typedef {import('../model/trace.js').TraceObject} TraceObject */

/** @param {Frame} frame @param {import('../layout/rows.js').Row} row @param {Columns} columns */
export function drawObjectRow(frame, row, columns) {
  const object = frame.trace.objects[row.object];
  const band = frame.band(row);
  switch (object.sort) {
    case OBJECT.rpc:
      return drawQueuedAndMessages(frame, object, band);
    case OBJECT.lock:
      return drawLock(frame, object, band);
    case OBJECT.queue:
      return drawDepth(frame, LIST.queue, object.id, band, columns);
    case OBJECT.frequency:
      return drawFrequency(frame, object, band, columns);
    case OBJECT.network:
      return drawNetwork(frame, band);
    default:
      return drawMarks(frame, marksOf(frame, LIST.marks, object.id, band, false), band);
  }
}

/** @param {Frame} frame @param {number} x0 @param {number} x1 CSS pixels @param {string} text @param {number} y */
function textInside(frame, x0, x1, text, y) {
  const { c, palette, width } = frame;
  const left = Math.max(0, x0);
  const fitting = fitText(text, Math.min(width, x1) - left - 6);
  if (!fitting) return;
  c.font = '10px system-ui, sans-serif';
  c.textBaseline = 'middle';
  c.fillStyle = palette.css.ink;
  c.fillText(fitting, left + 3, y);
}

// An RPC waits in queues (dashed) and travels as messages (solid) while no thread works on it.
/** @param {Frame} frame @param {TraceObject} object @param {Band} band */
function drawQueuedAndMessages(frame, object, band) {
  const { raster, ratio, trace, palette: { pixel } } = frame;
  const middle = Math.round((band.top + band.height * 0.6) * ratio);
  const top = Math.round(band.top * ratio);
  eachOverlay(frame.parts, LIST.rpc, object.id, frame.view, (o, i) => {
    const kind = trace.what[o.kind[i]];
    const x0 = frame.x(o.start[i]) * ratio;
    const x1 = Math.max(x0 + 1, frame.x(o.end[i]) * ratio);
    if (kind === KIND.queued) {
      raster.dashed(x0, x1, middle - 2, middle + 2, pixel.held, 0xfff0);
    } else if (kind === KIND.message) {
      const rx = trace.event[o.kind[i]] === RX_MESSAGE;
      raster.fill(x0, x1, top, top + Math.round(4 * ratio), rx ? pixel.rx : pixel.tx);
    } else if (kind === KIND.point) {
      raster.fill(x0, x0 + ratio, top, top + Math.round(band.height * ratio), pixel.text);
    }
  });
}

// Who held it, in the colour of his process; under it, how many wanted it at once.
/** @param {Frame} frame @param {TraceObject} object @param {Band} band */
function drawLock(frame, object, band) {
  const { raster, ratio, trace, palette } = frame;
  const top = Math.round(band.top * ratio);
  const high = Math.round(band.height * ratio);
  /** @type {number[]} ends of those that want it now, one line each */
  const lines = [];
  eachOverlay(frame.parts, LIST.lock, object.id, frame.view, (o, i) => {
    const x0 = frame.x(o.start[i]) * ratio;
    const x1 = Math.max(x0 + 1, frame.x(o.end[i]) * ratio);
    if (trace.what[o.kind[i]] === KIND.lockHeld) {
      const hue = frame.hue(o.thread[i]);
      raster.fill(x0, x1, top, top + (high >> 1), palette.user[hue]);
      raster.fill(x0, x1, top + (high >> 1) - 2, top + (high >> 1), palette.userLow[hue]);
      textInside(frame, x0 / ratio, x1 / ratio, trace.threadLabel(o.thread[i]), band.top + band.height / 4);
    } else {
      let line = lines.findIndex((end) => end <= o.start[i]);
      if (line < 0) line = lines.length;
      lines[line] = o.end[i];
      const y = top + (high >> 1) + 1 + Math.round(3 * Math.min(line, 2) * ratio);
      raster.dashed(x0, x1, y, y + Math.round(2 * ratio), palette.pixel.wanted, 0x7777);
    }
  });
}

/**
 * How many at once, as steps; the most is printed.
 * @param {Frame} frame @param {number} list @param {number} id @param {Band} band @param {Columns} columns
 */
function drawDepth(frame, list, id, band, columns) {
  const { raster, ratio, palette } = frame;
  const { width } = columns;
  const change = new Int32Array(width + 1);
  eachOverlay(frame.parts, list, id, frame.view, (o, i) => {
    const from = Math.max(0, Math.floor(frame.x(o.start[i]) * ratio));
    const to = Math.min(width - 1, Math.floor(frame.x(o.end[i]) * ratio));
    change[from]++;
    change[to + 1]--;
  });
  let depth = 0;
  let most = 0;
  for (let x = 0; x < width; x++) most = Math.max(most, depth += change[x]);
  if (most === 0) return;
  depth = 0;
  const base = Math.round((band.top + band.height) * ratio);
  const body = pixelOf(mix(palette.css.line, palette.css.back, 0.55));
  for (let x = 0; x < width; x++) {
    depth += change[x];
    if (depth === 0) continue;
    const top = base - Math.max(2, Math.round(depth / most * band.height * ratio));
    raster.fill(x, x + 1, top, base, body);
    raster.fill(x, x + 1, top, top + Math.round(1.5 * ratio), palette.pixel.line);
  }
  maximumText(frame, band, `${countText(most)} at once`);
}

/** @param {Frame} frame @param {Band} band @param {string} text */
function maximumText(frame, band, text) {
  const { c, palette } = frame;
  c.font = '10px system-ui, sans-serif';
  c.textBaseline = 'middle';
  const wide = c.measureText(text).width + 6;
  c.fillStyle = palette.css.back;
  c.globalAlpha = 0.8;
  c.fillRect(2, band.top, wide, 12);
  c.globalAlpha = 1;
  c.fillStyle = palette.css.text;
  c.fillText(text, 5, band.top + 6);
}

/** @param {Frame} frame @param {TraceObject} object @param {Band} band @param {Columns} columns */
function drawFrequency(frame, object, band, columns) {
  const { raster, ratio, palette, trace } = frame;
  const { width } = columns;
  const sum = new Float32Array(width);
  const time = new Float32Array(width);
  eachOverlay(frame.parts, LIST.frequency, object.id, frame.view, (o, i) => {
    const x0 = frame.x(o.start[i]) * ratio;
    const x1 = frame.x(o.end[i]) * ratio;
    const to = Math.min(width - 1, Math.floor(x1));
    for (let x = Math.max(0, Math.floor(x0)); x <= to; x++) {
      const part = Math.max(1e-6, Math.min(x1, x + 1) - Math.max(x0, x));
      sum[x] += part * (o.arg ? o.arg[i] : 0);
      time[x] += part;
    }
  });
  const highest = Math.max(...trace.objects.filter((other) => other.sort === OBJECT.frequency)
    .map((other) => other.highest));
  const base = Math.round((band.top + band.height) * ratio);
  const body = pixelOf(mix(palette.css.line, palette.css.back, 0.75));
  let last = -1;
  for (let x = 0; x < width; x++) {
    if (time[x] === 0) {
      last = -1;
      continue;
    }
    // From 0, so that half the height is half the speed.
    const y = base - Math.round(sum[x] / time[x] / highest * (band.height - 1) * ratio);
    raster.fill(x, x + 1, y, base, body);
    const from = last < 0 ? y : Math.min(last, y);
    raster.fill(x, x + 1, from, Math.max(y, last) + Math.round(1.5 * ratio), palette.pixel.line);
    last = y;
  }
}

// Messages as bars, received above, sent below; packets as ticks that come down or go up, upright where only a capture
// has them.
/** @param {Frame} frame @param {Band} band */
function drawNetwork(frame, band) {
  const { raster, ratio, trace, palette: { pixel } } = frame;
  const half = band.height / 2;
  const last = [-1, -1];  // column of the last packet sent and received
  eachOverlay(frame.parts, LIST.network, 0, frame.view, (o, i) => {
    const event = trace.event[o.kind[i]];
    const x0 = frame.x(o.start[i]) * ratio;
    const x1 = Math.max(x0 + 1, frame.x(o.end[i]) * ratio);
    const rx = event === RX_MESSAGE || event === RX_PACKET || event === RX_USER;
    const top = Math.round((band.top + (rx ? 0 : half + 1)) * ratio);
    const high = Math.round((half - 2) * ratio);
    if (trace.what[o.kind[i]] === KIND.message) {
      raster.fill(x0, x1, top + 2, top + high, rx ? pixel.rx : pixel.tx);
      textInside(frame, x0 / ratio, x1 / ratio, messageText(trace, o, i), (top + high / 2) / ratio);
      return;
    }
    if (event === CAPTURED) {
      raster.fill(x0, x0 + ratio, Math.round((band.top + 2) * ratio), Math.round((band.top + band.height - 2) * ratio), pixel.text);
      return;
    }
    if (last[Number(rx)] === Math.floor(x0)) return;
    last[Number(rx)] = Math.floor(x0);
    for (let d = 0; d < high; d++) {
      const x = Math.floor(x0) + Math.round((rx ? d - high : -d) / 3);
      if (x >= 0 && x < raster.width) raster.dot(x, top + d, rx ? pixel.rx : pixel.tx);
    }
  });
}

/** @param {import('../model/trace.js').Trace} trace @param {import('../model/slab.js').Overlays} o @param {number} i */
function messageText(trace, o, i) {
  const rpc = o.rpc ? o.rpc[i] : 0;
  return `${trace.kindName[o.kind[i]] || 'RPC'}${rpc > 0 ? ` ${rpc & 0xffff}` : ''}`;
}
