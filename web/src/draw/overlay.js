// SPDX-License-Identifier: BSD-3-Clause
// What lies over the bars: names, instructions per cycle, reasons of waits, pins, the selected range.
// In: what the frame found; out: strokes and text on the second canvas.
import { KIND, LOSS_REASONS } from '../model/tables.js';
import { MOST_IPC, counterOf, ipcOf, stepsOf } from '../model/ipc.js';
import { barHeight } from './raster.js';
import { besideMarks } from './marks.js';
import { durationText } from '../layout/time_text.js';

/** @typedef {import('./picture.js').Frame} Frame @typedef {import('./picture.js').Band} Band */

const FONT = '11px system-ui, sans-serif';
const LOW_FONT = '9px system-ui, sans-serif';  // of rows that are too low for the other one
const LEAST_BAR = 9;      // CSS pixels that hold a name
const LEAST_LOW_BAR = 7;
const LOW_BAND = 14;
const LEAST_COST = 6;  // CSS pixels
const FEWEST_LETTERS = 4;  // before an ellipsis
const DIAL_SPACE = 24;  // CSS pixels from one dial to the next

/** Text that is cut to fit, or nothing. @param {string} text @param {number} width */
export function fitText(text, width) {
  const size = 6.5;
  if (text.length * size <= width) return text;
  const fits = Math.floor(width / size) - 1;
  return fits >= FEWEST_LETTERS ? `${text.slice(0, fits)}…` : '';
}

/**
 * Names inside the bars, the wave out of a C-state, what was lost.
 * @param {Frame} frame
 * @param {import('../layout/columns.js').Label[]} labels  in device pixels
 * @param {Band} band
 * @param {import('./marks.js').Mark[]} flags  that names keep clear of
 */
export function drawLabels(frame, labels, band, flags) {
  const { trace, palette, ratio, width, c } = frame;
  const low = band.height < LOW_BAND;
  c.font = low ? LOW_FONT : FONT;
  c.textBaseline = 'middle';
  for (const label of labels) {
    const x0 = Math.max(0, label.x0 / ratio);
    const x1 = Math.min(width, label.x1 / ratio);
    const what = trace.what[label.kind];
    if (what === KIND.cExit) drawWave(c, x0, x1, band, palette);
    if (what === KIND.loss) drawLoss(c, x0, x1, band, label, palette);
    if (what === KIND.idle || what === KIND.idleLowPower || what === KIND.cExit
      || what === KIND.loss) continue;
    const area = band.height * 0.9;
    const high = barHeight(what, band.height) * area;
    if (high < (low ? LEAST_LOW_BAR : LEAST_BAR)) continue;
    const [from, to] = besideMarks(flags, x0, x1);
    const text = fitText(trace.fullName(label.kind, label.arg, label.result), to - from - 6);
    if (!text) continue;
    c.fillStyle = palette.css.ink;
    c.fillText(text, from + 3, band.top + area - high / 2);
  }
}

/**
 * What recording itself cost, as hatching at the begin of spans, where one zooms in that far.
 * @param {Frame} frame
 * @param {import('../layout/columns.js').Label[]} labels  in device pixels
 * @param {Band} band
 * @param {number} cost  ns an event
 */
export function drawCost(frame, labels, band, cost) {
  const { c, ratio, palette, scale, trace } = frame;
  const wide = cost * scale;
  if (wide < LEAST_COST) return;
  const area = band.height * 0.9;
  c.strokeStyle = palette.css.back;
  c.lineWidth = 1;
  for (const label of labels) {
    const what = trace.what[label.kind];
    if (what >= KIND.idle) continue;
    const x0 = label.x0 / ratio;
    const x1 = Math.min(label.x1 / ratio, x0 + wide);
    const high = barHeight(what, band.height) * area;
    c.beginPath();
    for (let x = x0; x < x1 - 1; x += 4) {
      const across = Math.min(high / 2, x1 - x);
      c.moveTo(x, band.top + area);
      c.lineTo(x + across, band.top + area - 2 * across);
    }
    c.stroke();
  }
}

/**
 * What was counted as dials over spans that have room: left is 0, upright half, right the most.
 * @param {Frame} frame
 * @param {import('../layout/columns.js').Label[]} labels
 * @param {Band} band
 */
export function drawIpcDials(frame, labels, band) {
  const { c, ratio, width, palette } = frame;
  const counter = counterOf(frame.trace.header.flags);
  const radius = Math.min(10, band.height / 2);
  const y = band.top + radius + 1;
  let free = -Infinity;
  for (const label of labels) {
    if (label.ipc <= 0) continue;
    const x0 = Math.max(0, label.x0 / ratio);
    const x = (x0 + Math.min(width, label.x1 / ratio)) / 2;
    if (x < free || label.x1 - label.x0 < DIAL_SPACE * ratio) continue;
    free = x + DIAL_SPACE;
    const { ipc, misses } = stepsOf(label.ipc, counter);
    if (ipc >= 0) drawDial(c, x, y, radius, ipcOf(ipc) / MOST_IPC, palette.css.text, palette.css.back);
    if (misses >= 0) drawDial(c, x, y, radius, misses / 15, palette.css.misses, palette.css.back);
  }
}

/**
 * @param {CanvasRenderingContext2D} c
 * @param {number} x @param {number} y @param {number} radius
 * @param {number} part  of the scale
 * @param {string} colour @param {string} edge
 */
function drawDial(c, x, y, radius, part, colour, edge) {
  const angle = Math.PI * (1 - Math.min(1, part));
  const tip = [x + radius * Math.cos(angle), y - radius * Math.sin(angle)];
  const side = [radius * 0.25 * Math.sin(angle), radius * 0.25 * Math.cos(angle)];
  c.beginPath();
  c.moveTo(tip[0], tip[1]);
  c.lineTo(x - side[0], y - side[1]);
  c.lineTo(x + side[0], y + side[1]);
  c.closePath();
  c.fillStyle = colour;
  c.fill();
  c.strokeStyle = edge;
  c.lineWidth = 0.75;
  c.stroke();
}

function drawWave(c, x0, x1, band, palette) {
  const middle = band.top + band.height * 0.62;
  c.strokeStyle = palette.classes[KIND.cExit];
  c.lineWidth = 2;
  c.beginPath();
  for (let x = x0; x <= x1; x += 2) {
    const y = middle - Math.sin((x - x0) / (x1 - x0) * 2 * Math.PI) * band.height * 0.28;
    if (x === x0) c.moveTo(x, y);
    else c.lineTo(x, y);
  }
  c.stroke();
}

function drawLoss(c, x0, x1, band, label, palette) {
  const text = `LOST: ${LOSS_REASONS[label.arg & 255] ?? 'unknown'}`;
  const wide = c.measureText(text).width + 8;
  if (x1 - x0 < wide) return;
  const x = (x0 + x1 - wide) / 2;
  c.fillStyle = palette.css.lossB;
  c.fillRect(x - 3, band.top + band.height / 2 - 9, wide + 6, 17);
  c.fillStyle = palette.css.lossA;
  c.fillText(text, x + 4, band.top + band.height / 2);
}

/**
 * @param {Frame} frame
 * @param {{x0: number, x1: number, style: {name: string, pale: boolean}}[]} waits
 * @param {number} y  CSS pixels
 * @param {import('./marks.js').Mark[]} flags
 */
export function drawWaitNames(frame, waits, y, flags) {
  const { c, palette, width } = frame;
  c.font = '10px system-ui, sans-serif';
  c.textBaseline = 'middle';
  let last = 0;  // end of the name before
  for (const wait of waits) {
    const text = `waits: ${wait.style.name}`;
    const [x0, x1] = besideMarks(flags, Math.max(0, wait.x0), Math.min(width, wait.x1));
    const wide = c.measureText(text).width + 6;
    if (x0 < last || x1 - x0 < wide + 12) continue;
    last = x0 + 6 + wide;
    c.fillStyle = palette.css.back;
    c.fillRect(x0 + 6, y - 6, wide, 12);
    c.fillStyle = wait.style.pale ? palette.css.muted : palette.css.text;
    c.fillText(text, x0 + 9, y);
  }
}

/**
 * The range that was selected, on all rows or on some, with its length.
 * @param {CanvasRenderingContext2D} c @param {import('../state/range.js').Selection} selection @param {Frame} frame
 * @param {string} [name]  of one of two @param {string} [colour]
 */
export function drawSelection(c, selection, frame, name = '', colour = frame.palette.css.select) {
  // Zoomed far in, its ends are too far away to be drawn to.
  const [x0, x1] = [selection.t0, selection.t1].map((time) => Math.max(-2, Math.min(frame.width + 2, frame.x(time))));
  const bands = selectedBands(selection.scope, frame);
  for (const { top, height } of bands) {
    c.fillStyle = `${colour}22`;
    c.fillRect(x0, top, x1 - x0, height);
    c.fillStyle = colour;
    c.fillRect(x0, top, 1, height);
    c.fillRect(x1, top, 1, height);
    if (!selection.scope) continue;
    c.fillRect(x0, top, x1 - x0 + 1, 1);
    c.fillRect(x0, top + height - 1, x1 - x0 + 1, 1);
  }
  const text = `${name}${durationText(selection.t1 - selection.t0)}`;
  c.font = 'bold 12px system-ui, sans-serif';
  const wide = c.measureText(text).width + 10;
  const x = Math.max(0, Math.min(frame.width - wide, (x0 + x1 - wide) / 2));
  const y = Math.max(2, (bands[0]?.top ?? 0) - (selection.scope ? 18 : 0));
  c.fillRect(x, y, wide, 18);
  c.fillStyle = frame.palette.css.back;
  c.textBaseline = 'middle';
  c.fillText(text, x + 5, y + 9);
}

/** Rows that are selected, those that touch as one. @param {import('../model/scope.js').Scope | null} scope @param {Frame} frame @returns {Band[]} */
function selectedBands(scope, { visible, view, height }) {
  if (!scope) return [{ top: 0, height }];
  /** @type {Band[]} */
  const bands = [];
  for (const row of visible.filter((one) => isSelected(scope, one)).sort((a, b) => a.top - b.top)) {
    const top = row.top - view.top;
    const last = bands.at(-1);
    if (last && Math.abs(last.top + last.height - top) < 1) last.height += row.height;
    else bands.push({ top, height: row.height });
  }
  return bands;
}

/** A heading is where all that is folded under it is. @param {import('../model/scope.js').Scope} scope @param {import('../layout/rows.js').Row} row */
function isSelected(scope, row) {
  const holds = (/** @type {import('../layout/row_tree.js').RowNode} */ node) => /** @type {boolean} */ (node.rows.length > 0 ? node.rows.every(holds)
    : scope.threads[node.thread] === 1 || scope.cpus[node.cpu] === 1);
  return row.rows.length > 0 ? row.folded && holds(row) : holds(row);
}

/**
 * Pinned spans: a frame around the span and a card with its name.
 * @param {Frame} frame
 * @param {any[]} pins
 * @param {(row: import('../layout/rows.js').Row) => Frame} at  the frame as a row has it
 */
export function drawPins(frame, pins, at) {
  const { c, palette, width } = frame;
  c.font = 'bold 11px system-ui, sans-serif';
  c.textBaseline = 'middle';
  /** @type {{x: number, y: number, wide: number}[]} */
  const cards = [];
  for (const pin of pins) {
    const row = frame.visible.find((r) => r.id === pin.row.id);
    if (!row) continue;
    const { view, x: xOf } = at(row);
    if (pin.end < view.t0 || pin.start > view.t1) continue;
    const band = frame.band(row);
    const x0 = Math.max(-4, xOf(pin.start));
    const wide = Math.max(2, Math.min(width + 4, xOf(pin.end)) - x0);
    c.strokeStyle = palette.css.text;
    c.lineWidth = 1.5;
    c.strokeRect(x0, band.top + 0.5, wide, band.height - 2);
    const room = c.measureText(pin.text).width + 12;
    const x = Math.max(0, Math.min(width - room, x0));
    let y = band.top + band.height + 1;
    while (cards.some((card) => Math.abs(card.y - y) < 18 && x < card.x + card.wide && card.x < x + room)) y += 18;
    cards.push({ x, y, wide: room });
    c.fillStyle = palette.css.text;
    c.fillRect(x, y, room, 17);
    c.fillStyle = palette.css.back;
    c.fillText(pin.text, x + 6, y + 9);
  }
}
