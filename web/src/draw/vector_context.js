// SPDX-License-Identifier: BSD-3-Clause
// What the plot draws with on a canvas, kept as SVG elements. In: the calls of a canvas context that
// this page uses; out: their text as SVG. Anything a canvas would do and this does not is an error.

const round = (/** @type {number} */ n) => Number(n.toFixed(2));

/** Text that is no markup and holds nothing that XML forbids. @param {string} text */
export const xmlText = (text) => text
  .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
  .replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? '');

const ANCHOR = { left: 'start', start: 'start', center: 'middle', right: 'end', end: 'end' };
/** From the named line to the baseline, in font sizes; not every reader knows dominant-baseline. */
const TO_BASELINE = { middle: 0.35, alphabetic: 0, top: 0.8 };

let clips = 0;  // names of clip paths are unique within a page

export class VectorContext {
  /** @type {string[]} */
  #out = [];
  /** @type {{groups: number, state: object}[]} */
  #saved = [];
  #groups = 0;
  #path = '';
  /** @type {number[]} */
  #dash = [];
  /** @type {[number, number, number, number]} the last rect of the path */
  #rect = [0, 0, 0, 0];

  fillStyle = '#000000';
  strokeStyle = '#000000';
  lineWidth = 1;
  globalAlpha = 1;
  font = '10px sans-serif';
  textBaseline = 'alphabetic';
  textAlign = 'left';

  /** @param {CanvasRenderingContext2D} measure  for the width of texts */
  constructor(measure) {
    this.measure = measure;
  }

  /** All elements so far. */
  get svg() {
    return this.#out.join('') + '</g>'.repeat(this.#groups);
  }

  /** Coordinates are CSS pixels already. */
  setTransform() {}

  clearRect() {
    this.#out = [];
    this.#groups = 0;
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textBaseline, textAlign } = this;
    this.#saved.push({ groups: this.#groups, state: { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textBaseline, textAlign } });
  }

  restore() {
    const saved = this.#saved.pop();
    if (!saved) return;
    this.#out.push('</g>'.repeat(this.#groups - saved.groups));
    this.#groups = saved.groups;
    Object.assign(this, saved.state);
  }

  /** Until the next restore. @param {number} x @param {number} y */
  translate(x, y) {
    this.#out.push(`<g transform="translate(${round(x)} ${round(y)})">`);
    this.#groups++;
  }

  beginPath() {
    this.#path = '';
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.#path += `M${round(x)} ${round(y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.#path += `${this.#path ? 'L' : 'M'}${round(x)} ${round(y)}`;
  }

  /** @param {...number} points */
  bezierCurveTo(...points) {
    this.#path += `C${points.map(round).join(' ')}`;
  }

  closePath() {
    this.#path += 'Z';
  }

  /** @param {number} x @param {number} y @param {number} wide @param {number} high */
  rect(x, y, wide, high) {
    this.#rect = [x, y, wide, high];
  }

  /** To the last rect. */
  clip() {
    const id = `clip${clips++}`;
    const [x, y, wide, high] = this.#rect.map(round);
    this.#out.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${wide}" height="${high}"/></clipPath><g clip-path="url(#${id})">`);
    this.#groups++;
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.#dash = dash;
  }

  stroke() {
    this.#out.push(`<path d="${this.#path}" ${this.#stroking()}/>`);
  }

  fill() {
    this.#out.push(`<path d="${this.#path}" ${this.#filling()}/>`);
  }

  /** @param {number} x @param {number} y @param {number} wide @param {number} high */
  fillRect(x, y, wide, high) {
    if (wide <= 0 || high <= 0) return;
    this.#out.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(wide)}" height="${round(high)}" ${this.#filling()}/>`);
  }

  /** @param {number} x @param {number} y @param {number} wide @param {number} high */
  strokeRect(x, y, wide, high) {
    this.#out.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(wide)}" height="${round(high)}" ${this.#stroking()}/>`);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const [, bold = '', size = '10'] = /^(bold )?([\d.]+)px/.exec(this.font) ?? [];
    const down = TO_BASELINE[/** @type {keyof typeof TO_BASELINE} */ (this.textBaseline)] * Number(size);
    const anchor = ANCHOR[/** @type {keyof typeof ANCHOR} */ (this.textAlign)];
    this.#out.push(`<text x="${round(x)}" y="${round(y + down)}" font-size="${size}"${bold && ' font-weight="bold"'}${
      anchor === 'start' ? '' : ` text-anchor="${anchor}"`} ${this.#filling()}>${xmlText(text)}</text>`);
  }

  /** @param {string} text */
  measureText(text) {
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }

  #filling() {
    return `fill="${this.fillStyle.slice(0, 7)}"${this.#opacity(this.fillStyle)}`;
  }

  #stroking() {
    const dash = this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.join(' ')}"` : '';
    return `fill="none" stroke="${this.strokeStyle.slice(0, 7)}" stroke-width="${this.lineWidth}"${dash}${this.#opacity(this.strokeStyle)}`;
  }

  /** @param {string} css "#rrggbb" or "#rrggbbaa" */
  #opacity(css) {
    const alpha = this.globalAlpha * (css.length === 9 ? parseInt(css.slice(7), 16) / 255 : 1);
    return alpha < 1 ? ` opacity="${round(alpha)}"` : '';
  }
}
