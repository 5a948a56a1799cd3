// SPDX-License-Identifier: BSD-3-Clause
// A line over the plot that tells what a command did or why it could not; it goes by itself.
import { byId } from './dom.js';

const SHOWN_MS = 4500;
let timer = 0;

/** @param {string} text */
export function toast(text) {
  const box = byId('toast');
  box.textContent = text;
  box.hidden = false;
  clearTimeout(timer);
  timer = window.setTimeout(() => { box.hidden = true; }, SHOWN_MS);
}
