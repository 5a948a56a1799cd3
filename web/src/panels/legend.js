// SPDX-License-Identifier: BSD-3-Clause
// The legend: every shape the plot uses, drawn as the plot draws it.
import { KIND, KIND_TEXT } from '../model/kinds.js';
import { KIND_HEIGHT } from '../draw/raster.js';
import { WAITS } from '../draw/palette.js';
import { el } from './dom.js';

const SHOWN = [KIND.user, KIND.syscall, KIND.trap, KIND.irq, KIND.softirq, KIND.scheduler, KIND.idle,
  KIND.idleLowPower, KIND.cExit, KIND.loss];

/** @param {any} app @param {number} kind */
function swatch(app, kind) {
  const { palette } = app;
  const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { width: 52, height: 24, 'aria-hidden': 'true' }));
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const high = Math.max(2, KIND_HEIGHT[kind] * 20);
  if (kind === KIND.user) {
    c.fillStyle = palette.userCss[0];
    c.fillRect(0, 22 - high, 26, high);
    c.fillStyle = palette.userCss[1];
    c.fillRect(26, 22 - high, 26, high);
    c.fillStyle = '#00000038';
    c.fillRect(0, 22 - high / 2, 52, high / 2);
  } else if (kind === KIND.idle || kind === KIND.idleLowPower) {
    c.fillStyle = palette.css.idle;
    for (let x = 0; x < 52; x += 8) c.fillRect(x, 19, kind === KIND.idle ? 8 : 4, 2);
  } else if (kind === KIND.cExit) {
    c.strokeStyle = palette.classes[kind];
    c.lineWidth = 2;
    c.beginPath();
    for (let x = 0; x <= 52; x++) c.lineTo(x, 14 - Math.sin(x / 52 * 2 * Math.PI) * 7);
    c.stroke();
  } else if (kind === KIND.loss) {
    for (let x = -24; x < 52; x += 8) {
      c.fillStyle = (x / 8) % 2 === 0 ? palette.css.lossA : palette.css.lossB;
      c.beginPath();
      c.moveTo(x, 24); c.lineTo(x + 8, 24); c.lineTo(x + 28, 0); c.lineTo(x + 20, 0);
      c.fill();
    }
  } else {
    c.fillStyle = palette.classes[kind];
    c.fillRect(0, 22 - high, 52, high);
    c.fillStyle = '#0000004d';
    c.fillRect(0, 22 - high, 52, 2);
  }
  return canvas;
}

/** @param {any} app */
export function legendPanel(app) {
  return el('div', {}, el('h2', {}, 'Legend'),
    el('p', {}, 'A bar’s height and pattern say what a CPU did, not only its colour. Zoomed out, a '
      + 'column is a stack: each part is as high as its share of the time. Work is never hidden by idle.'),
    el('ul', { class: 'legend' }, ...SHOWN.map((kind) => el('li', {}, swatch(app, kind),
      el('span', {}, el('b', {}, KIND_TEXT[kind][0]), ` ${KIND_TEXT[kind][1]}`)))),
    el('p', {}, 'A user bar’s colour is its process’s. The dark line under a row says that a pixel '
      + 'holds several spans; it is thicker for dozens and thickest for hundreds.'),
    el('h3', {}, 'Why a thread waits'),
    el('ul', { class: 'legend waits' }, ...Object.values(WAITS).map(([name, colour]) => {
      const line = el('i', { class: name === 'cpu' ? 'thick' : '' });
      line.style.background = colour;
      return el('li', {}, line, el('span', {}, name === 'cpu' ? 'cpu: could run, no CPU free' : name));
    })),
    el('p', {}, 'Arcs lead from the waker to the moment the woken thread runs; dotted ones are '
      + 'interrupts sent to another CPU. Flags are marks that the program itself placed.'));
}
