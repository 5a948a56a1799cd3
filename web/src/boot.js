// SPDX-License-Identifier: BSD-3-Clause
// The page's first script: the viewer stands packed in an element before it, which makes a page less
// than half as large. In: that element; out: the viewer runs and hears what was called meanwhile.
import { keepLoading, loaded } from './base/loading.js';
import { unpackBlock } from './model/inflate.js';

/** The document up to and with this script, for copies of the page. */
export const untouched = document.documentElement.innerHTML.replace(/<\/body>\s*$/, '');

/** @type {('begin' | 'complete')[]} */
const calls = [];

/** As the viewer's own, which take their place. */
export const begin = () => { calls.push('begin'); };
export const complete = () => { calls.push('complete'); };

async function start() {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('This browser is too old for this page: it needs Chrome 103, Firefox 113 or Safari 16.4.');
  }
  const packed = document.getElementById('kutrace-viewer')?.textContent ?? '';
  const viewer = document.createElement('script');
  viewer.textContent = new TextDecoder().decode(await unpackBlock(packed, null));
  document.head.append(viewer);  // runs at once
  for (const name of calls) /** @type {any} */ (window).kutrace[name]();
}

keepLoading();
start().catch((error) => {
  loaded();
  document.getElementById('opening')?.remove();
  const box = document.getElementById('trouble');
  if (!box) return;
  box.textContent = `This page cannot start. ${error instanceof Error ? error.message : String(error)}`;
  box.hidden = false;
});
