// SPDX-License-Identifier: BSD-3-Clause
// A line over the plot that tells what a command did or why it could not; it goes by itself.
import { byId } from '../base/dom.js';

const SHOWN_MS = 4500;
const LEAST_MS = 400;  // then the next key or press takes it away
let timer = 0;
let since = 0;

/** @param {string} text */
export function toast(text) {
  const box = byId('toast');
  box.textContent = text;
  box.hidden = false;
  since = performance.now();
  clearTimeout(timer);
  timer = window.setTimeout(() => { box.hidden = true; }, SHOWN_MS);
}

/** @param {AbortSignal} signal  ends it */
export function wireToast(signal) {
  const go = () => { if (performance.now() - since > LEAST_MS) byId('toast').hidden = true; };
  for (const type of ['keydown', 'pointerdown']) window.addEventListener(type, go, { capture: true, signal });
}
