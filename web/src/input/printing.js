// SPDX-License-Identifier: BSD-3-Clause
// Printing: the page as it is seen, in light colours and scaled to one page; the style sheet leaves out
// what can only be pressed. In: the app; out: a picture for paper before printing, the former one after it.

const PAPER = { width: 1040, height: 700 };  // CSS pixels of A4 and Letter in landscape, with margins

/** @param {import('../app.js').App} app @param {AbortSignal} signal  ends it */
export function listenToPrinting(app, signal) {
  const { style } = document.documentElement;
  const turn = (/** @type {boolean} */ printing) => {
    app.settings.setPrinting(printing);
    app.draw();
  };
  window.addEventListener('beforeprint', () => {
    style.setProperty('--print-width', `${innerWidth}px`);
    style.setProperty('--print-height', `${innerHeight}px`);
    style.setProperty('--print-zoom', String(Math.min(PAPER.width / innerWidth, PAPER.height / innerHeight)));
    turn(true);
  }, { signal });
  window.addEventListener('afterprint', () => turn(false), { signal });
}
