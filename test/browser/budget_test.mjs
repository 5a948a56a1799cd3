// SPDX-License-Identifier: BSD-3-Clause
// What a frame may cost, counted instead of timed: calls of the canvas, spans looked at one by one,
// bytes of decoded spans, heap. Millions of spans, a thousand threads, everything drawn that can be
// switched on, a search lit, at every zoom. In: the page, Chromium, the folder of the web sources.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [page, chromium, web] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const VIEWS = [1, 1 / 4, 1 / 16, 1 / 100, 1 / 5_000, 1 / 1_000_000];
const MOST_CANVAS_CALLS = 6000;    // a frame; text, curves, flags, rectangles of layers
const MOST_SPANS_A_COLUMN = 16;    // of one row: two blocks of 8 that are not whole
const MOST_BYTES_A_SPAN = 64;      // decoded
const MOST_SLABS = 20;             // decoded at a time
const MOST_HEAP = 200e6;

/** Counts what the page asks of canvases. Runs before its scripts. */
function countCalls() {
  const counts = { canvas: 0, spans: 0 };
  Object.assign(window, { counts });
  for (const name of ['fillRect', 'strokeRect', 'fillText', 'measureText', 'stroke', 'fill', 'drawImage', 'putImageData']) {
    const call = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function counted(...args) {
      counts.canvas++;
      return call.apply(this, args);
    };
  }
}

/** One frame of a view, and what it took. Runs in the page. */
async function frameOf({ part, top }) {
  const { app } = kutrace;
  const { begin, duration } = app.trace;
  const from = begin + (duration - duration * part) * 0.37;
  app.view.top = top;
  app.navigation.setView(from, from + duration * part);
  for (let i = 0; i < 2000 && (app.scheduled || app.picture.plan().refining); i++) await new Promise((resume) => setTimeout(resume, 10));
  counts.canvas = 0;
  counts.spans = 0;
  app.draw();
  let bytes = 0;
  let spans = 0;
  const add = (/** @type {any} */ value) => {
    if (ArrayBuffer.isView(value)) bytes += value.byteLength;
    else if (value && typeof value === 'object') Object.values(value).forEach(add);
  };
  for (const slab of app.store.slabs.values()) {
    add(slab);
    spans += slab.count + slab.overlays.count;
  }
  return { ...counts, rows: app.picture.visible.length, columns: app.picture.columns.width, detailed: app.picture.lastPlan.detailed,
    slabs: app.store.slabs.size, bytesASpan: spans > 0 ? bytes / spans : 0 };
}

const browser = await playwright.chromium.launch({ executablePath: chromium,
  args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'] });
try {
  const tab = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  const problems = [];
  tab.on('pageerror', (e) => problems.push(String(e)));
  await tab.addInitScript(countCalls);
  await tab.goto(pathToFileURL(page).href, { waitUntil: 'load' });
  await tab.waitForFunction(() => kutrace.app);
  await tab.keyboard.press('Escape');
  const threads = await tab.evaluate(() => {
    const { app } = kutrace;
    const columns = Object.getPrototypeOf(app.picture.columns);
    for (const name of ['addSpan', 'addWithin']) {
      const add = columns[name];
      columns[name] = function counted(...args) {
        counts.spans++;
        return add.apply(this, args);
      };
    }
    for (const option of ['arcs', 'waits', 'marks', 'locks', 'samples', 'ipc']) app.options[option] = true;
    app.search.set('write');
    return app.rows.find((row) => row.thread >= 0).top;
  });
  for (const part of VIEWS) {
    for (const top of [0, threads]) {
      const frame = await tab.evaluate(frameOf, { part, top });
      console.log(`${part} of the trace, ${top > 0 ? 'threads' : 'CPUs'}: ${frame.canvas} calls of canvases, ${frame.spans} spans, ${
        frame.rows} rows, ${frame.slabs} slabs of ${frame.bytesASpan.toFixed(0)} bytes a span${frame.detailed ? '' : ', from the overview'}`);
      assert.ok(frame.canvas > 0 && frame.canvas <= MOST_CANVAS_CALLS, 'calls of canvases');
      assert.ok(frame.spans <= frame.rows * frame.columns * MOST_SPANS_A_COLUMN, 'spans looked at one by one');
      assert.ok(frame.slabs <= MOST_SLABS && frame.bytesASpan <= MOST_BYTES_A_SPAN, 'decoded spans');
    }
  }
  const heap = await tab.evaluate(() => {
    window.gc();
    return performance.memory.usedJSHeapSize;
  });
  console.log(`heap: ${(heap / 1e6).toFixed(0)} MB`);
  assert.ok(heap > 1e6 && heap <= MOST_HEAP, 'heap');
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
}
