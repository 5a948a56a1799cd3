// SPDX-License-Identifier: BSD-3-Clause
// What a figure is drawn on: one paper keeps vectors and becomes SVG, one keeps pixels and becomes
// PNG. Both have layers, which are canvases to who draws on them, and a context for all around them.
import { cssOf, pixelPaths } from './vector_pixels.js';
import { VectorContext } from './vector_context.js';

/**
 * @typedef {object} Paper
 * @property {number} ratio  pixels of rasters per CSS pixel
 * @property {any} c         a context over the whole
 * @property {() => any} layer  a new canvas
 * @property {(layer: any, box: Box) => void} put
 * @property {(raster: import('./raster.js').Raster, box: Box) => void} putPixels
 * @property {() => Promise<Blob>} finish
 *
 * @typedef {{x: number, y: number, width: number, height: number}} Box  CSS pixels
 */

const newCanvas = () => document.createElement('canvas');
const contextOf = (/** @type {HTMLCanvasElement} */ canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));

/** @param {number} width @param {number} height @param {string} back @returns {Paper} */
export function vectorPaper(width, height, back) {
  const ratio = 2;
  const measure = contextOf(newCanvas());
  const c = new VectorContext(measure);
  /** @type {string[]} */
  const parts = [];
  const place = (/** @type {Box} */ b, /** @type {string} */ content) => parts.push(
    `<svg x="${b.x}" y="${b.y}" width="${b.width}" height="${b.height}">${content}</svg>`);
  return {
    ratio, c,
    layer: () => {
      const context = new VectorContext(measure);
      return { width: 0, height: 0, context, getContext: () => context };
    },
    put: (layer, box) => place(box, layer.context.svg),
    putPixels: (raster, box) => place(box, `<g transform="scale(${1 / ratio})" shape-rendering="crispEdges">${
      [...pixelPaths(raster, -1)].map(([colour, d]) => `<path fill="${cssOf(colour)}" d="${d}"/>`).join('')}</g>`),
    finish: async () => new Blob([`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" `,
      `font-family="system-ui, Helvetica, Arial, sans-serif"><rect width="100%" height="100%" fill="${back}"/>`, ...parts, c.svg, '</svg>\n'],
    { type: 'image/svg+xml' }),
  };
}

/** @param {number} width @param {number} height @param {string} back @returns {Paper} */
export function pixelPaper(width, height, back) {
  const ratio = 2;
  const canvas = newCanvas();
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const c = contextOf(canvas);
  c.scale(ratio, ratio);
  c.fillStyle = back;
  c.fillRect(0, 0, width, height);
  const put = (/** @type {HTMLCanvasElement} */ layer, /** @type {Box} */ b) => c.drawImage(layer, b.x, b.y, b.width, b.height);
  return {
    ratio, c, put, layer: newCanvas,
    putPixels: (raster, box) => put(raster.canvas, box),
    finish: () => new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large for this browser'))), 'image/png');
    }),
  };
}
