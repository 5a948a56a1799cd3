// SPDX-License-Identifier: BSD-3-Clause
// Text that is cut to fit. Measuring is slow, and a name may be very long: what cannot fit is not measured.

const MOST = 1000;  // characters

/** @param {any} c @param {string} text @param {number} room  px @param {string} [end]  which stays @param {number} [least]  characters that stay, too */
export function fitted(c, text, room, end = '', least = 1) {
  const fits = (/** @type {string} */ shown) => c.measureText(`${shown}${end}`).width <= room;
  if (text.length <= MOST && fits(text)) return `${text}${end}`;
  let low = Math.min(least, text.length);
  let high = Math.min(MOST, text.length);
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (fits(`${text.slice(0, middle)}…`)) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…${end}`;
}
