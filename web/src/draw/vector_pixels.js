// SPDX-License-Identifier: BSD-3-Clause
// Pixels to vectors without loss: equal neighbours become rectangles. In: pixels of a raster; out:
// path data by colour, in device pixels.

/**
 * @param {{pixels: Uint32Array, width: number, height: number}} raster
 * @param {number} back  colour that is left out
 * @returns {Map<number, string>}
 */
export function pixelPaths(raster, back) {
  const { pixels, width, height } = raster;
  /** @type {Map<number, string[]>} */
  const paths = new Map();
  // Runs of the row above that may go on: where, how long, of which colour, since which row.
  /** @type {Map<number, {to: number, colour: number, y: number}>} */
  let open = new Map();
  const close = (/** @type {number} */ from, /** @type {{to: number, colour: number, y: number}} */ run, /** @type {number} */ y) => {
    let list = paths.get(run.colour);
    if (!list) paths.set(run.colour, list = []);
    const wide = run.to - from;
    list.push(`M${from} ${run.y}h${wide}v${y - run.y}h-${wide}z`);
  };
  for (let y = 0; y < height; y++) {
    const next = new Map();
    for (let x = 0; x < width;) {
      const colour = pixels[y * width + x];
      let to = x + 1;
      while (to < width && pixels[y * width + to] === colour) to++;
      if (colour !== back) {
        const above = open.get(x);
        const goesOn = above?.to === to && above.colour === colour;
        next.set(x, goesOn ? above : { to, colour, y });
        if (goesOn) open.delete(x);
      }
      x = to;
    }
    for (const [from, run] of open) close(from, run, y);
    open = next;
  }
  for (const [from, run] of open) close(from, run, height);
  return new Map([...paths].map(([colour, list]) => [colour, list.join('')]));
}

/** @param {number} pixel @returns {string} "#rrggbb" */
export const cssOf = (pixel) => `#${((pixel & 255) << 16 | pixel & 0xff00 | pixel >> 16 & 255).toString(16).padStart(6, '0')}`;
