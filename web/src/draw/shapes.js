// SPDX-License-Identifier: BSD-3-Clause
// What the plot draws, one of each, small: for legends. In: a context, palette, which one; out:
// strokes within WIDTH by HEIGHT.
import { CONTENDED } from '../model/kinds.js';
import { KIND } from '../model/tables.js';
import { barHeight } from './raster.js';

export const WIDTH = 52;
export const HEIGHT = 24;

/** @typedef {import('./palette.js').Palette} Palette */
/** @typedef {'wake' | 'ipi' | 'mark' | 'held' | 'wanted' | 'sample' | 'dial' | 'rx' | 'tx' | 'density' | 'match' | 'cost' | 'call' | 'path'} Over */

/** @param {CanvasRenderingContext2D} c @param {Palette} palette @param {number} kind */
export function drawKind(c, palette, kind) {
  const high = Math.max(2, barHeight(kind, HEIGHT) * 20);
  if (kind === KIND.user) {
    c.fillStyle = palette.userCss[0];
    c.fillRect(0, 22 - high, 26, high);
    c.fillStyle = palette.userCss[1];
    c.fillRect(26, 22 - high, 26, high);
    c.fillStyle = '#00000038';
    c.fillRect(0, 22 - high / 2, WIDTH, high / 2);
  } else if (kind === KIND.idle || kind === KIND.idleLowPower) {
    c.fillStyle = palette.css.idle;
    for (let x = 0; x < WIDTH; x += 8) c.fillRect(x, 19, kind === KIND.idle ? 8 : 4, 2);
  } else if (kind === KIND.cExit) {
    c.strokeStyle = palette.classes[kind];
    c.lineWidth = 2;
    c.beginPath();
    for (let x = 0; x <= WIDTH; x++) c.lineTo(x, 14 - Math.sin(x / WIDTH * 2 * Math.PI) * 7);
    c.stroke();
  } else if (kind === KIND.loss) {
    c.save();
    c.beginPath();
    c.rect(0, 0, WIDTH, HEIGHT);
    c.clip();
    for (let x = -24; x < WIDTH; x += 8) {
      c.fillStyle = (x / 8) % 2 === 0 ? palette.css.lossA : palette.css.lossB;
      c.beginPath();
      c.moveTo(x, 24); c.lineTo(x + 8, 24); c.lineTo(x + 28, 0); c.lineTo(x + 20, 0);
      c.fill();
    }
    c.restore();
  } else {
    c.fillStyle = palette.classes[kind];
    c.fillRect(0, 22 - high, WIDTH, high);
    c.fillStyle = '#0000004d';
    c.fillRect(0, 22 - high, WIDTH, 2);
  }
}

/** @param {CanvasRenderingContext2D} c @param {Palette} palette @param {number} reason letter - 'a' + 1, or CONTENDED */
export function drawWait(c, palette, reason) {
  const { css, mask, lines } = palette.waits[Math.min(reason, CONTENDED)];
  c.fillStyle = css;
  const drawn = (/** @type {number} */ x) => x < WIDTH && (mask >> (x & 15) & 1) === 1;
  for (let x = 0; x < WIDTH; x++) {
    if (!drawn(x)) continue;
    const from = x;
    while (drawn(x + 1)) x++;
    for (const line of lines) c.fillRect(from, HEIGHT / 2 + line, x + 1 - from, 1);
  }
}

/** @type {Record<Over, (c: CanvasRenderingContext2D, palette: Palette) => void>} */
const OVER = {
  wake: (c, { css }) => arc(c, css.arc, []),
  ipi: (c, { css }) => arc(c, css.ipi, [2, 3]),
  mark: (c, { marks }) => {
    c.fillStyle = marks[0];
    c.fillRect(6, 2, 1.5, 20);
    c.fillRect(6, 2, 34, 13);
    c.fillStyle = '#ffffff';
    c.font = '10px system-ui, sans-serif';
    c.fillText('mark', 11, 12);
  },
  held: (c, { css }) => {
    c.fillStyle = css.held;
    c.fillRect(4, 11, 44, 2);
    c.fillRect(4, 9, 1, 6);
    c.fillRect(47, 9, 1, 6);
  },
  wanted: (c, { css }) => {
    c.fillStyle = css.wanted;
    for (let x = 4; x < 48; x += 4) c.fillRect(x, 11, 3, 2);
  },
  sample: (c, palette) => {
    c.fillStyle = palette.userCss[0];
    c.fillRect(4, 11, 40, 2);
    c.fillStyle = palette.css.sampleEnd;
    c.fillRect(44, 9, 1, 6);
  },
  dial: (c, { css }) => {
    c.fillStyle = css.text;
    c.beginPath();
    c.moveTo(33, 6);
    c.lineTo(22.5, 18);
    c.lineTo(26.5, 21);
    c.fill();
  },
  rx: (c, { css }) => network(c, css.rx, -1),
  tx: (c, { css }) => network(c, css.tx, 1),
  density: (c, { css }) => {
    c.fillStyle = css.density;
    c.fillRect(2, 11, 12, 1);
    c.fillRect(20, 11, 12, 2);
    c.fillRect(38, 11, 12, 4);
  },
  cost: (c, palette) => {
    c.fillStyle = palette.classes[KIND.syscall];
    c.fillRect(4, 6, 44, 16);
    c.strokeStyle = palette.css.back;
    for (let x = 4; x < 16; x += 4) {
      c.beginPath();
      c.moveTo(x, 22);
      c.lineTo(x + 8, 6);
      c.stroke();
    }
  },
  call: (c, palette) => {
    c.fillStyle = palette.classes[KIND.syscall];
    c.fillRect(5, 5, 12, 11);
    c.fillRect(33, 5, 14, 11);
    c.fillStyle = palette.bracket;
    c.fillRect(5, 18, 42, 1);
    c.fillRect(5, 15, 1, 4);
    c.fillRect(46, 15, 1, 4);
  },
  path: (c, { css }) => {
    c.strokeStyle = css.path;
    c.lineWidth = 4;
    c.beginPath();
    c.moveTo(4, 19);
    c.lineTo(20, 19);
    c.lineTo(20, 6);
    c.stroke();
    c.setLineDash([5, 3]);
    c.beginPath();
    c.moveTo(18, 6);
    c.lineTo(48, 6);
    c.stroke();
    c.setLineDash([]);
    c.lineWidth = 1;
  },
  match: (c, { css }) => {
    c.fillStyle = mixed(css.accent);
    c.fillRect(20, 2, 12, 20);
    c.fillStyle = css.accent;
    c.fillRect(20, 2, 12, 3);
    c.fillRect(20, 19, 12, 3);
  },
};

/** @param {CanvasRenderingContext2D} c @param {Palette} palette @param {Over} shape */
export const drawOver = (c, palette, shape) => OVER[shape](c, palette);

/** @param {string} css "#rrggbb" */
const mixed = (css) => `${css}38`;

/** @param {CanvasRenderingContext2D} c @param {string} colour @param {number[]} dash */
function arc(c, colour, dash) {
  c.strokeStyle = colour;
  c.fillStyle = colour;
  c.lineWidth = 1.25;
  c.setLineDash(dash);
  c.beginPath();
  c.moveTo(5, 21);
  c.bezierCurveTo(9, 2, 34, 2, 44, 18);
  c.stroke();
  c.beginPath();
  c.moveTo(45, 21);
  c.lineTo(38, 15);
  c.lineTo(46, 13);
  c.fill();
}

/** @param {CanvasRenderingContext2D} c @param {string} colour @param {number} slant */
function network(c, colour, slant) {
  c.fillStyle = colour;
  c.fillRect(4, 8, 28, 8);
  c.strokeStyle = colour;
  c.beginPath();
  c.moveTo(42 + 3 * slant, 4);
  c.lineTo(42 - 3 * slant, 20);
  c.stroke();
}
