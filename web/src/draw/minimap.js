// SPDX-License-Identifier: BSD-3-Clause
// The whole trace in a strip: how busy all CPUs together were, where matches, marks and losses are,
// and which part is in view.
import { EXECUTION_KINDS, KIND } from '../model/tables.js';
import { cpuLevel, levelFor } from '../model/overview.js';

const K = EXECUTION_KINDS;
const WIDE_LOSS = 3;   // CSS pixels
const LOSS_TICK = 9;
const ORDER = [KIND.user, KIND.kernelThread, KIND.syscall, KIND.trap, KIND.softirq, KIND.irq,
  KIND.scheduler];

/**
 * Shares of all CPUs together, per pixel.
 * @param {any} app
 * @param {number} width
 */
function minimapShares(app, width) {
  const { overview, trace } = app;
  const shares = new Float32Array(width * K);
  const scale = width / trace.duration;
  const n = levelFor(overview.cpuWidth, scale);
  const perBucket = overview.cpuWidth * 2 ** n * scale;
  for (const cpu of overview.cpus.values()) {
    const level = cpuLevel(cpu, n);
    for (let b = 0; b < level.size; b++) {
      const x0 = b * perBucket + (overview.begin - trace.begin) * scale;
      const to = Math.min(width - 1, Math.floor(x0 + perBucket));
      for (let x = Math.max(0, Math.floor(x0)); x <= to; x++) {
        const part = Math.min(x0 + perBucket, x + 1) - Math.max(x0, x);
        for (let k = 0; k < K; k++) shares[x * K + k] += part * level.shares[b * K + k] / 65535;
      }
    }
  }
  const cpus = Math.max(1, overview.cpus.size);
  for (let i = 0; i < shares.length; i++) shares[i] /= cpus;
  return shares;
}

/**
 * The part that does not change while moving, drawn once per size and palette.
 * @param {any} app @param {number} width @param {number} height @param {number} ratio
 */
function drawBusy(app, width, height, ratio) {
  const { palette, trace } = app;
  const canvas = document.createElement('canvas');
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  c.scale(ratio, ratio);
  c.fillStyle = palette.css.row;
  c.fillRect(0, 0, width, height);
  const shares = minimapShares(app, width);
  for (let x = 0; x < width; x++) {
    let y = height;
    for (const kind of ORDER) {
      const share = shares[x * K + kind];
      if (share <= 0) continue;
      const high = Math.max(1, share * (height - 6));
      c.fillStyle = kind <= KIND.kernelThread ? palette.userCss[1] : palette.classes[kind];
      c.fillRect(x, y - high, 1, high);
      y -= high;
    }
  }
  c.fillStyle = palette.css.lossA;
  const scale = width / trace.duration;
  for (const loss of trace.losses) {
    const wide = (loss.end - loss.begin) * scale;
    // A short one is a tick: many of them must not hide what is known.
    c.fillRect((loss.begin - trace.begin) * scale, 0, Math.max(2, wide), wide < WIDE_LOSS ? LOSS_TICK : height);
  }
  return canvas;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {any} app
 * @param {number} width
 * @param {number} height
 */
export function drawMinimap(canvas, app, width, height) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const { palette, trace, view } = app;
  if (app.minimap?.width !== width || app.minimap.palette !== palette) {
    app.minimap = { width, palette, busy: drawBusy(app, width, height, ratio) };
  }
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.drawImage(app.minimap.busy, 0, 0, width, height);
  const at = (/** @type {number} */ t) => (t - trace.begin) / trace.duration * width;
  c.fillStyle = palette.css.accent;
  let last = -1;
  for (const bucket of app.matches?.lit.begins ?? []) {
    const x = Math.floor(at(app.overview.begin + bucket * app.overview.cpuWidth));
    if (x !== last) c.fillRect(x, 0, 1, 7);
    last = x;
  }
  const x0 = at(view.t0);
  const x1 = Math.max(x0 + 3, at(view.t1));
  c.fillStyle = palette.theme === 'dark' ? '#00000099' : '#5a687740';
  c.fillRect(0, 0, x0, height);
  c.fillRect(x1, 0, width - x1, height);
  c.strokeStyle = palette.css.accent;
  c.lineWidth = 2;
  c.strokeRect(x0 + 1, 1, Math.max(1, x1 - x0 - 2), height - 2);
}
