// SPDX-License-Identifier: BSD-3-Clause
// Pixel columns to pixels. A column is a stack of what it holds, each kind as high as its share of
// the column's time; a column that holds one span shows that span's own height and colour.
import { LIT } from '../layout/columns.js';
import { CONTENDED } from '../model/kinds.js';
import { EXECUTION_KINDS, KIND } from '../model/tables.js';

const K = EXECUTION_KINDS;

/** Height of a full bar of each kind, as a part of the row's bar area. */
const KIND_HEIGHT = [0.6, 0.6, 0.8, 0.9, 1, 0.95, 0.45, 0, 0, 0.3, 0.5];
/** CSS pixels; in lower bands kinds differ half as much in height, so that all of them are seen. */
const LOW_BAND = 14;

/** Of a band so high, CSS pixels. @param {number} kind @param {number} height */
export const barHeight = (kind, height) => (height < LOW_BAND ? (1 + KIND_HEIGHT[kind]) / 2 : KIND_HEIGHT[kind]);

/** From the bottom of a stack upwards. */
const STACK = [KIND.hidden, KIND.user, KIND.kernelThread, KIND.scheduler, KIND.cExit, KIND.syscall, KIND.trap,
  KIND.softirq, KIND.irq];

export class Raster {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.width = 1;
    this.height = 1;
    this.image = this.context.createImageData(1, 1);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  /** In device pixels. @param {number} width @param {number} height */
  resize(width, height) {
    if (this.width === width && this.height === height) return;
    this.width = width;
    this.height = height;
    this.canvas.width = width;
    this.canvas.height = height;
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  show() {
    this.context.putImageData(this.image, 0, 0);
  }

  /** @param {number} x0 @param {number} x1 @param {number} y0 @param {number} y1 @param {number} colour */
  fill(x0, x1, y0, y1, colour) {
    const from = Math.max(0, Math.floor(x0));
    const to = Math.min(this.width, Math.max(Math.floor(x1), from + 1));
    const bottom = Math.min(this.height, y1);
    if (from >= this.width || to <= from) return;
    const { pixels, width } = this;
    for (let y = Math.max(0, y0); y < bottom; y++) {
      const row = y * width;
      if (to - from > 8) pixels.fill(colour, row + from, row + to);
      else for (let x = from; x < to; x++) pixels[row + x] = colour;
    }
  }

  /**
   * A fill with holes, so that lines differ without colour.
   * @param {number} x0 @param {number} x1 @param {number} y0 @param {number} y1 @param {number} colour
   * @param {number} mask  of 16 pixels, those drawn
   */
  dashed(x0, x1, y0, y1, colour, mask) {
    const from = Math.max(0, Math.floor(x0));
    const to = Math.min(this.width, Math.max(Math.floor(x1), from + 1));
    const bottom = Math.min(this.height, y1);
    for (let x = from; x < to; x++) {
      if (!(mask >> (x & 15) & 1)) continue;
      for (let y = Math.max(0, y0); y < bottom; y++) this.pixels[y * this.width + x] = colour;
    }
  }

  /**
   * The longest wait of each column as a line whose dashes and thickness name the reason.
   * @param {import('../layout/columns.js').Columns} columns
   * @param {number} middle  device pixels
   * @param {import('./palette.js').Palette} palette
   * @param {boolean} searching fades what is not lit
   */
  paintWaits(columns, middle, palette, searching) {
    const { reason, lit, width } = columns;
    const grow = this.ratio > 1.5 ? 2 : 1;
    for (let x = 0; x < width; x++) {
      if (reason[x] === 0) continue;
      const style = palette.waits[Math.min(reason[x], CONTENDED)];
      if (!(style.mask >> (x / grow & 15) & 1)) continue;
      for (const line of style.lines) {
        const colour = searching && lit[x] === 0 ? palette.pixel.faded : style.pixel;
        for (let i = 0; i < grow; i++) this.dot(x, middle + line * grow + i, colour);
      }
    }
  }

  /**
   * Where matches are: a pale column behind what is drawn, and ticks at its ends over it.
   * @param {import('../layout/columns.js').Columns} columns @param {{top: number, height: number}} band
   * @param {import('./palette.js').Palette} palette @param {boolean} over
   */
  paintLit(columns, band, palette, over) {
    const { lit, width } = columns;
    const bottom = band.top + band.height;
    const tick = Math.round(3 * this.ratio);
    for (let x = 0; x < width; x++) {
      if ((lit[x] & LIT) === 0) continue;
      const to = lit[x + 1] & LIT ? x + 1 : x + Math.ceil(this.ratio) + 1;
      if (!over) this.fill(x, to, band.top, bottom, palette.pixel.litBack);
      else {
        this.fill(x, to, band.top, band.top + tick, palette.pixel.accent);
        this.fill(x, to, bottom - tick, bottom, palette.pixel.accent);
      }
    }
  }

  /** Mean instructions per cycle of each column as a line over the bars. */
  paintIpc(columns, band, palette, most) {
    const { ipc, ipcTime, width } = columns;
    for (let x = 0; x < width; x++) {
      if (ipcTime[x] <= 0) continue;
      const part = Math.min(1, ipc[x] / ipcTime[x] / most);
      const y = Math.round(band.top + (band.height - 3) * (1 - part));
      this.dot(x, y, palette.pixel.text);
      this.dot(x, y + 1, palette.pixel.text);
      this.dot(x, y + 2, palette.pixel.back);
    }
  }

  /** @param {number} x @param {number} y @param {number} colour */
  dot(x, y, colour) {
    if (y >= 0 && y < this.height) this.pixels[y * this.width + x] = colour;
  }

  /** Device pixels per CSS pixel. */
  ratio = 1;

  /**
   * @param {import('../layout/columns.js').Columns} columns
   * @param {{top: number, height: number}} band  device pixels of the bars and what is under them
   * @param {import('./palette.js').Palette} palette
   * @param {(thread: number) => number} colourOf  of a thread's user mode
   * @param {boolean} searching fades what is not lit
   * @param {boolean} baseline draws idle
   */
  paintRow(columns, band, palette, colourOf, searching, baseline) {
    const under = Math.max(1, Math.round(band.height * 0.09));
    const base = band.top + band.height - under - 1;  // first line below the bars
    const area = base - band.top;
    const least = Math.max(2, Math.round(area / 9));
    const low = band.height / this.ratio;
    const { shares, count, topKind, topThread, lit, width } = columns;
    for (let x = 0; x < width; x++) {
      const n = count[x];
      if (n === 0) continue;
      const at = x * K;
      const fade = searching && lit[x] === 0;
      const lost = shares[at + KIND.loss];
      // Loss hangs from the top: it is never hidden, and hides no work that is known.
      if (lost > 0) {
        const high = lost > 0.98 ? area : Math.max(Math.ceil(area / 4), Math.round(lost * area));
        this.#loss(x, band.top, band.top + high, palette);
        if (lost > 0.98) continue;
      }
      if (baseline) this.#idle(x, base, shares, at, low < LOW_BAND ? palette.pixel.idleLow : palette.pixel.idle);
      let y = base;
      let work = 0;
      for (let s = 0; s < STACK.length; s++) {
        const kind = STACK[s];
        const share = shares[at + kind];
        if (share <= 0) continue;
        const high = Math.max(1, Math.round(Math.min(share, 1) * barHeight(kind, low) * area));
        const stop = Math.max(band.top, y - high);
        y = this.#segment(x, y, stop, kind, fade, palette, colourOf, topThread[x]);
        work++;
      }
      if (work > 0 && base - y < least) {
        const kind = topKind[x] >= 0 ? this.what[topKind[x]] : KIND.user;
        this.#segment(x, y, base - least, kind, fade, palette, colourOf, topThread[x]);
      }
      if (n > 1) this.#density(x, base + 1, under, n, palette);
    }
  }

  /** Kind of span per kind of the dictionary; set once. @type {Uint8Array} */
  what = new Uint8Array(0);

  #segment(x, y, stop, kind, fade, palette, colourOf, thread) {
    const { pixels, width } = this;
    const user = kind === KIND.user || kind === KIND.kernelThread;
    const hue = user ? colourOf(thread) : 0;
    const body = fade ? palette.pixel.faded : user ? palette.user[hue] : palette.kind[kind];
    const edge = fade ? palette.pixel.fadedTop : user ? palette.userLow[hue] : palette.cap[kind];
    const high = y - stop;
    // User mode is two stripes, kernel work has a dark cap: told apart without colour.
    const split = user ? stop + (high >> 1) : high > 5 ? stop + 2 : stop;
    const last = stop * width + x;
    const middle = split * width + x;
    let at = (y - 1) * width + x;
    for (const lower = user ? edge : body; at >= middle; at -= width) pixels[at] = lower;
    for (const upper = user ? body : edge; at >= last; at -= width) pixels[at] = upper;
    if (kind === KIND.hidden) for (let up = y - 1; up >= stop; up--) pixels[up * width + x] = ((x + up) & 3) === 0 ? edge : body;
    return stop;
  }

  #idle(x, base, shares, at, colour) {
    const low = shares[at + KIND.idleLowPower];
    const idle = shares[at + KIND.idle];
    if (low <= 0 && idle <= 0) return;
    if (low > idle && (x & 7) >= 4) return;  // dashes: the core sleeps
    for (let y = base - Math.round(this.ratio); y < base; y++) this.dot(x, y, colour);
  }

  #loss(x, top, base, palette) {
    for (let y = top; y < base; y++) {
      const stripe = ((x + y) & 15) < 8;
      this.pixels[y * this.width + x] = stripe ? palette.pixel.lossA : palette.pixel.lossB;
    }
  }

  // One line for a few spans in this column, more and darker for thousands.
  #density(x, y, lines, n, palette) {
    const high = n > 200 ? lines : n > 12 ? Math.ceil(lines * 2 / 3) : 1;
    for (let i = 0; i < high; i++) this.pixels[(y + i) * this.width + x] = palette.pixel.density;
  }
}
