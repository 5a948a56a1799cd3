// SPDX-License-Identifier: BSD-3-Clause
// Small drawings of what the plot draws, for the legend and for texts. In: palette and which; out: a
// canvas.
import { HEIGHT, WIDTH, drawKind, drawOver, drawWait } from '../draw/shapes.js';
import { el } from '../base/dom.js';

/** @typedef {import('../draw/palette.js').Palette} Palette */

/** Sharp on fine screens, too. @param {(c: CanvasRenderingContext2D) => void} draw */
function swatch(draw) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { width: WIDTH * ratio, height: HEIGHT * ratio, 'aria-hidden': 'true' }));
  canvas.style.width = `${WIDTH}px`;
  canvas.style.height = `${HEIGHT}px`;
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  c.scale(ratio, ratio);
  draw(c);
  return canvas;
}

/** @param {Palette} palette @param {number} kind */
export const kindSwatch = (palette, kind) => swatch((c) => drawKind(c, palette, kind));
/** @param {Palette} palette @param {number} reason letter - 'a' + 1 */
export const waitSwatch = (palette, reason) => swatch((c) => drawWait(c, palette, reason));
/** @param {Palette} palette @param {import('../draw/shapes.js').Over} shape */
export const overSwatch = (palette, shape) => swatch((c) => drawOver(c, palette, shape));
