// SPDX-License-Identifier: BSD-3-Clause
// A new self-contained page: the viewer as it was before it ran, every block of the trace, and the
// views and notes of now. In: this document; out: a file that the browser saves.
import { pageSource } from '../base/page_source.js';
import { savedText } from '../model/saved.js';
import { captureView } from '../state/view_state.js';
import { saveFile } from '../base/dom.js';

/** The document up to and with its first script, which still stands here while the viewer starts. */
const viewer = /** @type {any} */ (globalThis).kutrace.untouched;

const BLOCKS = 'script[type="application/x-kutrace"]';
/** With these the page starts; see doc/page-format.md. */
const FIRST = /^kutrace-(header|overview)$/;

/** @param {import('../app.js').App} app */
function copyOfPage(app) {
  const saved = { ...app.keeping.saved, stamp: Date.now(), first: captureView(app) };
  const block = (/** @type {Element} */ script) => [
    `<script type="application/x-kutrace" id="${script.id}">`, script.textContent ?? '', '</script>\n'];
  const scripts = [...document.querySelectorAll(BLOCKS)];
  return new Blob(['<!doctype html>\n<html lang="en">', viewer,
    '\n<script type="application/json" id="kutrace-saved">', savedText(saved), '</script>\n',
    ...scripts.filter((s) => FIRST.test(s.id)).flatMap(block), '<script>kutrace.begin()</script>\n',
    ...scripts.filter((s) => !FIRST.test(s.id)).flatMap(block),
    `<script>${END}</script>\n</body>\n</html>\n`], { type: 'text/html' });
}

const END = 'kutrace.complete()';
const hasEnd = () => [...document.scripts].some((script) => script.textContent === END);

/** Why there can be no copy, if so. @param {import('../app.js').App} app */
function noCopy(app) {
  if (app.store.source !== pageSource) return 'This trace is in a container: kutrace report FILE.kux -o trace.html makes a page of it, a link carries views and notes';
  if (!pageSource.whole) return 'This page is still being read: a copy would lack the rest';
  return hasEnd() ? '' : 'This page is cut short: a copy would look whole, and is not';
}

/** @param {import('../app.js').App} app */
export function saveCopy(app) {
  const reason = noCopy(app);
  if (reason) app.tell(reason);
  else saveFile(copyOfPage(app), app.trace.title, '-with-notes.html');
}
