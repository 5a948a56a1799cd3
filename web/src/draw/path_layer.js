// SPDX-License-Identifier: BSD-3-Clause
// A critical path over the rows: a line on the row of the thread that it leads through at that time, whole while the
// thread runs and dashed while it waits, and an upright one where it leads from one thread to another. In: a frame,
// the path's pieces by time; out: strokes on the second canvas.

/** @typedef {import('./picture.js').Frame} Frame @typedef {import('../layout/rows.js').Row} Row @typedef {import('../state/critical_path.js').PathPiece} PathPiece */

const THICK = 4;  // CSS pixels
const EDGE = 1.5;
const DASH = [5, 3];
/** Pieces that are shorter than this, in CSS pixels, are seen as part of the one before on that row. */
const LEAST = 0.5;

/** @typedef {{x0: number, x1: number, y: number, runs: boolean}} Stroke */

/** The line of a row that the path stands on. @param {Frame} frame @param {Row} row */
const lineOf = (frame, row) => row.top - frame.view.top + row.height - 3;

/**
 * @param {Frame} frame @param {PathPiece[]} pieces @param {Row[]} rows  all of them, also out of sight @param {(row: Row) => Frame} at  the frame as a row has it
 * @returns {Stroke[]} those in view, by time
 */
function strokesOf(frame, pieces, rows, at) {
  /** @type {Map<number, Row>} */
  const threads = new Map();
  /** @type {Map<number, Row>} */
  const cpus = new Map();
  for (const row of [...rows, ...frame.visible]) {  // one that is pinned to the top stands there
    if (row.thread >= 0) threads.set(row.thread, row);
    if (row.cpu >= 0) cpus.set(row.cpu, row);
  }
  /** @type {Stroke[]} */
  const strokes = [];
  for (const { begin, end, cpu, cause } of pieces) {
    const row = threads.get(cause.thread) ?? cpus.get(cpu);
    if (!row) continue;
    const { x, view } = at(row);
    if (end < view.t0 || begin > view.t1) continue;
    const stroke = { x0: x(begin), x1: x(end), y: lineOf(frame, row), runs: cpu >= 0 && !cause.kind.startsWith('ready') && cause.kind !== 'wakeup' && cause.kind !== 'idle_exit' };
    const last = strokes.at(-1);
    const joins = last && last.y === stroke.y && (last.runs === stroke.runs || stroke.x1 - stroke.x0 < LEAST) && stroke.x0 - last.x1 < LEAST;
    if (last && joins) last.x1 = stroke.x1;
    else strokes.push(stroke);
  }
  return strokes;
}

/** @param {CanvasRenderingContext2D} c @param {Stroke[]} strokes @param {number} width */
function trace(c, strokes, width) {
  strokes.forEach(({ x0, x1, y, runs }, i) => {
    c.setLineDash(runs ? [] : DASH);
    c.beginPath();
    c.moveTo(Math.max(-10, x0), y);
    c.lineTo(Math.min(width + 10, Math.max(x1, x0 + 1)), y);
    c.stroke();
    const next = strokes[i + 1];
    if (!next || next.y === y || next.x0 - x1 > LEAST) return;
    c.setLineDash([]);
    c.beginPath();
    c.moveTo(next.x0, y);
    c.lineTo(next.x0, next.y);
    c.stroke();
  });
}

/** @param {Frame} frame @param {PathPiece[]} pieces @param {Row[]} rows @param {(row: Row) => Frame} at */
export function drawPath(frame, pieces, rows, at) {
  const strokes = strokesOf(frame, pieces, rows, at);
  const { c, palette, width } = frame;
  c.save();
  c.lineWidth = THICK + 2 * EDGE;
  c.strokeStyle = palette.css.back;
  trace(c, strokes, width);
  c.lineWidth = THICK;
  c.strokeStyle = palette.css.path;
  trace(c, strokes, width);
  c.restore();
}
