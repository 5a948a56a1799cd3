// SPDX-License-Identifier: BSD-3-Clause
// The whole trace in a strip: how busy all CPUs together were, where matches, marks and losses are,
// and which part is in view.
import { EXECUTION_KINDS, KIND } from '../model/kinds.js';

const K = EXECUTION_KINDS;
const ORDER = [KIND.user, KIND.kernelThread, KIND.syscall, KIND.trap, KIND.softirq, KIND.irq,
  KIND.scheduler];

/**
 * Shares of all CPUs together, per pixel.
 * @param {any} app
 * @param {number} width
 */
export function minimapShares(app, width) {
  const { overview, trace } = app;
  const shares = new Float32Array(width * K);
  const perBucket = overview.cpuWidth / trace.duration * width;
  for (const cpu of overview.cpus.values()) {
    for (let b = 0; b < cpu.size; b++) {
      const x0 = b * perBucket + (overview.begin - trace.begin) / trace.duration * width;
      const to = Math.min(width - 1, Math.floor(x0 + perBucket));
      for (let x = Math.max(0, Math.floor(x0)); x <= to; x++) {
        const part = Math.min(x0 + perBucket, x + 1) - Math.max(x0, x);
        for (let k = 0; k < K; k++) shares[x * K + k] += part * cpu.shares[k][b] / 255;
      }
    }
  }
  const cpus = Math.max(1, overview.cpus.size);
  for (let i = 0; i < shares.length; i++) shares[i] /= cpus;
  return shares;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {any} app
 * @param {number} width
 * @param {number} height
 */
export function drawMinimap(canvas, app, width, height) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const { palette, trace, view } = app;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.fillStyle = palette.css.row;
  c.fillRect(0, 0, width, height);
  if (app.minimap?.width !== width) app.minimap = { width, shares: minimapShares(app, width) };
  const { shares } = app.minimap;
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
  const at = (/** @type {number} */ t) => (t - trace.begin) / trace.duration * width;
  c.fillStyle = palette.css.lossA;
  for (const loss of trace.losses) {
    c.fillRect(at(loss.begin), 0, Math.max(2, at(loss.end) - at(loss.begin)), height);
  }
  c.fillStyle = palette.css.accent;
  for (const hit of app.matches?.hits ?? []) c.fillRect(at(hit.start), 0, 1, 6);
  const x0 = at(view.t0);
  const x1 = Math.max(x0 + 3, at(view.t1));
  c.fillStyle = palette.theme === 'dark' ? '#00000099' : '#5a687733';
  c.fillRect(0, 0, x0, height);
  c.fillRect(x1, 0, width - x1, height);
  c.strokeStyle = palette.css.accent;
  c.lineWidth = 2;
  c.strokeRect(x0 + 1, 1, Math.max(1, x1 - x0 - 2), height - 2);
}
