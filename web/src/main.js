// SPDX-License-Identifier: BSD-3-Clause
// The page's start: reads header and overview as soon as they are parsed and shows the whole trace,
// or says why it cannot.
import { App, timing } from './app.js';
import { Trace } from './model/trace.js';
import { blockText } from './model/store.js';
import { unpackBlock } from './model/inflate.js';
import { decodeOverview } from './model/overview.js';
import { decodeSlab } from './model/slab.js';
import { byId } from './panels/dom.js';

/** @type {string} put in by build.mjs */
const workerSource = WORKER_SOURCE;

/** @type {App | null} */
export let app = null;
export { timing };
let complete = false;

/** @param {string} text */
function trouble(text) {
  const box = byId('trouble');
  box.textContent = text;
  box.hidden = false;
}

/** Called by the page when header and overview have been parsed. */
export async function begin() {
  try {
    if (typeof DecompressionStream === 'undefined') {
      throw new Error('This browser is too old for this page: it needs Chrome 103, Firefox 113 or Safari 16.4.');
    }
    const text = new TextDecoder().decode(await unpackBlock(blockText('kutrace-header') ?? '', null));
    const trace = new Trace(JSON.parse(text));
    const { header } = trace;
    const overview = decodeOverview(await unpackBlock(blockText('kutrace-overview') ?? '', header.overview));
    const long = decodeSlab(await unpackBlock(blockText('kutrace-long') ?? '', header.long), trace.tables);
    app = new App(trace, overview, long.overlays, workerSource, trouble,
      blockText('kutrace-saved') ?? '');
    app.start();
    if (complete) app.schedule();
  } catch (error) {
    trouble(`This page cannot show its trace. ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Called at the end of the file: every slab is there. */
export { finished as complete };
function finished() {
  complete = true;
  app?.schedule();
}

document.addEventListener('DOMContentLoaded', () => {
  if (!complete) trouble('This page is cut short: its end is missing, so some of the trace cannot be shown.');
});
