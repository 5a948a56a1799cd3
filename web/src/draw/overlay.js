// SPDX-License-Identifier: BSD-3-Clause
// What lies over the bars: names, wait lines' reasons, arcs, marks, pins, the selected range.
// In: what the frame found; out: strokes and text on the second canvas.
import { KIND, LOSS_REASONS } from '../model/kinds.js';
import { KIND_HEIGHT } from './raster.js';
import { durationText } from '../layout/time_text.js';

const FONT = '11px system-ui, sans-serif';

/** Text that is cut to fit, or nothing. @param {CanvasRenderingContext2D} c */
export function fitText(c, text, width) {
  const size = 6.1;
  if (text.length * size <= width) return text;
  const fits = Math.floor(width / size) - 1;
  return fits >= 2 ? `${text.slice(0, fits)}…` : '';
}

/**
 * @param {CanvasRenderingContext2D} c
 * @param {import('../layout/columns.js').Label[]} labels  in device pixels
 * @param {{top: number, height: number}} band  CSS pixels
 * @param {any} frame
 */
export function drawLabels(c, labels, band, frame) {
  const { trace, palette, ratio, width } = frame;
  c.font = FONT;
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
    const high = KIND_HEIGHT[what] * area;
    if (high < 9) continue;
    const text = fitText(c, trace.fullName(label.kind, label.arg, label.result), x1 - x0 - 6);
    if (!text) continue;
    c.fillStyle = palette.css.ink;
    c.fillText(text, x0 + 3, band.top + area - high / 2);
    if (frame.options.ipc && label.ipc > 0 && x1 - x0 > 60) drawIpc(c, x1 - 14, band, label.ipc, palette);
  }
}

/** IPC as an arrow: flat is 0, upright is the most that is told apart. */
function drawIpc(c, x, band, ipc, palette) {
  const angle = (Math.PI / 2) * (ipc & 15) / 15;
  const y = band.top + band.height * 0.85;
  c.strokeStyle = palette.css.ink;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(x + 10 * Math.cos(angle), y - 10 * Math.sin(angle));
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
 * @param {CanvasRenderingContext2D} c
 * @param {{x0: number, y0: number, x1: number, y1: number, ipi: boolean}[]} arcs
 * @param {any} frame
 */
export function drawArcs(c, arcs, frame) {
  c.lineWidth = arcs.length > 60 ? 0.8 : 1.25;
  c.globalAlpha = arcs.length > 60 ? 0.7 : 1;
  for (const arc of arcs) {
    c.strokeStyle = arc.ipi ? frame.palette.css.ipi : frame.palette.css.arc;
    c.setLineDash(arc.ipi ? [2, 3] : []);
    const bend = Math.min(40, 10 + Math.abs(arc.x1 - arc.x0) / 3);
    c.beginPath();
    c.moveTo(arc.x0, arc.y0);
    c.bezierCurveTo(arc.x0 + bend * 0.2, arc.y0 - bend, arc.x1 - bend * 0.4, arc.y1 - bend, arc.x1, arc.y1);
    c.stroke();
    c.setLineDash([]);
    c.fillStyle = c.strokeStyle;
    c.beginPath();
    c.moveTo(arc.x1, arc.y1 + 1);
    c.lineTo(arc.x1 - 5, arc.y1 - 6);
    c.lineTo(arc.x1 + 2, arc.y1 - 7);
    c.fill();
  }
  c.globalAlpha = 1;
}

/**
 * Flags that never print over each other: what finds no room shows its staff only.
 * @param {CanvasRenderingContext2D} c
 * @param {{x: number, band: {top: number, height: number}, text: string, event: number,
 *           onCpu: boolean}[]} marks
 * @param {boolean} few  flags on CPU rows, too
 * @param {any} frame
 */
export function drawMarks(c, marks, few, frame) {
  /** @type {Map<number, number>} */
  const taken = new Map();
  c.font = FONT;
  c.textBaseline = 'middle';
  marks.sort((a, b) => a.x - b.x);
  for (const mark of marks) {
    const colour = ['#d6336c', '#1c7ed6', '#2b8a3e', '#6b4fbb'][(mark.event - 0x20a) & 3];
    const y = mark.band.top;
    c.fillStyle = colour;
    c.fillRect(mark.x, y, 1.5, mark.band.height);
    if (mark.onCpu && !few) continue;
    const wide = c.measureText(mark.text).width + 8;
    if (mark.x < (taken.get(y) ?? -Infinity)) continue;
    taken.set(y, mark.x + wide + 2);
    c.fillRect(mark.x, y, wide, 14);
    c.fillStyle = '#ffffff';
    c.fillText(mark.text, mark.x + 4, y + 7);
  }
}

/**
 * @param {CanvasRenderingContext2D} c
 * @param {{x0: number, x1: number, y: number, reason: string, colour: string}[]} waits
 * @param {any} frame
 */
export function drawWaitNames(c, waits, frame) {
  c.font = '10px system-ui, sans-serif';
  c.textBaseline = 'middle';
  for (const wait of waits) {
    const text = `waits: ${wait.reason}`;
    const x0 = Math.max(0, wait.x0);
    const room = Math.min(frame.width, wait.x1) - x0;
    const wide = c.measureText(text).width + 6;
    if (room < wide + 12) continue;
    c.fillStyle = frame.palette.css.back;
    c.fillRect(x0 + 6, wait.y - 6, wide, 12);
    c.fillStyle = frame.palette.css.text;
    c.fillText(text, x0 + 9, wait.y);
  }
}

/** The range that was selected, with its length. @param {CanvasRenderingContext2D} c */
export function drawSelection(c, selection, frame) {
  const x0 = frame.x(selection.t0);
  const x1 = frame.x(selection.t1);
  c.fillStyle = `${frame.palette.css.select}22`;
  c.fillRect(x0, 0, x1 - x0, frame.height);
  c.fillStyle = frame.palette.css.select;
  c.fillRect(x0, 0, 1, frame.height);
  c.fillRect(x1, 0, 1, frame.height);
  const text = durationText(selection.t1 - selection.t0);
  c.font = 'bold 12px system-ui, sans-serif';
  const wide = c.measureText(text).width + 10;
  const x = Math.max(0, Math.min(frame.width - wide, (x0 + x1 - wide) / 2));
  c.fillRect(x, 2, wide, 18);
  c.fillStyle = frame.palette.css.back;
  c.textBaseline = 'middle';
  c.fillText(text, x + 5, 11);
}

/**
 * Pinned spans: a frame around the span and a card with its name.
 * @param {CanvasRenderingContext2D} c
 * @param {{x0: number, x1: number, band: {top: number, height: number}, text: string}[]} pins
 * @param {any} frame
 */
export function drawPins(c, pins, frame) {
  c.font = 'bold 11px system-ui, sans-serif';
  c.textBaseline = 'middle';
  /** @type {{x: number, y: number, wide: number}[]} */
  const cards = [];
  for (const pin of pins) {
    const wide = Math.max(2, pin.x1 - pin.x0);
    c.strokeStyle = frame.palette.css.text;
    c.lineWidth = 1.5;
    c.strokeRect(pin.x0, pin.band.top + 0.5, wide, pin.band.height - 2);
    const room = c.measureText(pin.text).width + 12;
    const x = Math.max(0, Math.min(frame.width - room, pin.x0));
    let y = pin.band.top + pin.band.height + 1;
    while (cards.some((card) => Math.abs(card.y - y) < 18 && x < card.x + card.wide && card.x < x + room)) y += 18;
    cards.push({ x, y, wide: room });
    c.fillStyle = frame.palette.css.text;
    c.fillRect(x, y, room, 17);
    c.fillStyle = frame.palette.css.back;
    c.fillText(pin.text, x + 6, y + 9);
  }
}
