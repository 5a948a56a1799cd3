// SPDX-License-Identifier: BSD-3-Clause
// The page itself as the source of a trace's blocks.

/** Nothing stands behind an element that is still being read. @type {import('../model/source.js').Source} */
export const pageSource = {
  block: (id) => {
    const element = document.getElementById(id);
    return element && (element.nextSibling || document.readyState !== 'loading') ? element.textContent : null;
  },
  get whole() { return document.readyState !== 'loading'; },
};
