// SPDX-License-Identifier: BSD-3-Clause
// Shell patterns: whether a text fits one. However many stars it has, the time is at most the product of both
// lengths: only the last star that was met may have to take more.

/** @param {string} pattern  `*` stands for anything, `?` for one character @returns {(text: string) => boolean} */
export const fitting = (pattern) => (text) => {
  let p = 0;
  let t = 0;
  let star = -1;
  let from = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      from = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
};
