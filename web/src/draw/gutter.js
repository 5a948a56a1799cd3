// SPDX-License-Identifier: BSD-3-Clause
// Row labels left of the plot, on a canvas: name, fold mark, and a small bar for CPU time.
import { fitted } from './fitted.js';
import { isHeading, visibleRows } from '../layout/rows.js';
import { counted } from '../model/number_text.js';

/**
 * @param {HTMLCanvasElement} canvas
 * @param {any} app
 * @param {number} width
 * @param {number} height
 * @param {number} [ratio]  device pixels per CSS pixel
 */
export function drawGutter(canvas, app, width, height, ratio = Math.min(2, window.devicePixelRatio || 1)) {
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const { css } = app.palette;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.fillStyle = css.back;
  c.fillRect(0, 0, width, height);
  c.textBaseline = 'middle';
  for (const row of visibleRows(app.rows, app.view.top, app.view.top + height)) {
    const y = row.top - app.view.top;
    const header = isHeading(row);
    if (header || row.pinned) {
      c.fillStyle = header ? css.header : css.back;
      c.fillRect(0, y, width, row.height);
    }
    c.fillStyle = css.grid;
    c.fillRect(0, y + row.height - 1, width, 1);
    if (app.hoverRow === row.top) {
      c.fillStyle = `${css.accent}22`;
      c.fillRect(0, y, width, row.height);
    }
    drawLabel(c, row, y, width, css, row.key !== '');
    if (app.hover.dropOn === row.id) {
      c.fillStyle = css.accent;
      c.fillRect(0, y, width, 2);
    }
  }
}

const LOW_ROW = 18;  // CSS pixels; in lower ones a name fills the row, and its CPU time lies behind it

function drawLabel(c, row, y, width, css, header) {
  const low = row.height < LOW_ROW;
  if (low && row.busy > 0) {
    c.fillStyle = `${css.accent}2e`;
    c.fillRect(0, y, Math.min(1, row.busy) * width, row.height - 1);
  }
  const middle = y + row.height / 2;
  const x = 8 + row.indent * 10;
  if (header) {
    c.fillStyle = css.muted;
    c.font = '10px system-ui, sans-serif';
    c.fillText(row.folded ? '▶' : '▼', x, middle);
  }
  const many = row.members.length > 0 ? counted(row.members.length, 'thread') : '';
  const told = row.busy >= 0 ? many || shareText(row.busy * 100) : row.note;
  c.font = `${low ? 9.5 : 10.5}px system-ui, sans-serif`;
  const taken = Math.max(many ? 74 : 62, told ? c.measureText(told).width + 16 : 0);
  if (told) {
    c.textAlign = 'right';
    c.fillStyle = css.muted;
    c.fillText(told, width - 8, middle);
    c.textAlign = 'left';
  }
  c.font = row.type === 'group' ? 'bold 12px system-ui, sans-serif' : `${low ? 10 : 12}px system-ui, sans-serif`;
  c.fillStyle = css.text;
  c.fillText(cutName(c, row.label, width - x - (header ? 14 : 0) - taken), x + (header ? 14 : 0), middle);
  if (row.busy < 0 || low) return;
  c.fillStyle = css.accent;
  const wide = Math.min(1, row.busy) * (width - 16);
  if (wide >= 0.5) c.fillRect(8, y + row.height - 3, wide, 1.5);
}

/** @param {number} percent */
const shareText = (percent) => (percent >= 10 ? `${percent.toFixed(0)} %` : percent >= 0.05 ? `${percent.toFixed(1)} %` : percent > 0 ? '<0.1 %' : '');

/** A name that fits; the number of a thread or CPU, by which names differ, stays. @param {CanvasRenderingContext2D} c @param {string} name @param {number} room */
function cutName(c, name, room) {
  const number = /[ .]\d+$/.exec(name)?.[0] ?? '';
  return fitted(c, name.slice(0, name.length - number.length), room, number, 3);
}
