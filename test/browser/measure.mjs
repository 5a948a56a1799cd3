// SPDX-License-Identifier: BSD-3-Clause
// Measures pages in headless Chromium: bytes a span, first picture, whole file read, the longest task of
// the page's thread in CPU time (so long the input is blocked), heap, script time of a frame while moving
// at five zooms, over the CPUs and over the threads, with everything drawn that can be switched on.
// In: Chromium, the folder of the web sources, pages; out: a table in Markdown. Not a test: the times are
// those of the machine. What else it does counts little for frames, of which each is drawn several times
// and its quickest counts; of times once a page the median of RUNS.
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { longestTask } from './longest_task.mjs';
import { openingTask } from './opening_task.mjs';

const [chromium, web, ...pages] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const VIEWS = [['whole', 1], ['1/16', 1 / 16], ['1/24', 1 / 24], ['1/100', 1 / 100], ['deep', 1 / 50_000]];
const FRAMES = 40;
const REPEATS = 5;
const RUNS = Number(process.env.RUNS ?? 3);

const sorted = (/** @type {number[]} */ values) => [...values].sort((a, b) => a - b);
const at = (/** @type {number[]} */ values, /** @type {number} */ part) => (
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))]);
const ms = (/** @type {number} */ value) => value.toFixed(value < 10 ? 1 : 0);

/** Defines `heapInUse`: bytes of the heap without garbage. Runs in the page before its scripts. */
function defineHeap() {
  Object.assign(window, { heapInUse: async () => {
    window.gc();
    await new Promise((resume) => setTimeout(resume, 300));
    window.gc();
    return performance.memory.usedJSHeapSize;
  } });
}

/** Script time of frames, in ms, while the view moves by a fiftieth each. Runs in the page. */
async function framesOf(/** @type {{part: number, frames: number, repeats: number}} */ { part, frames, repeats }) {
  const { app, timing } = kutrace;
  const { begin, duration } = app.trace;
  const span = duration * part;
  const from = begin + (duration - span) * 0.37;
  const rest = async () => {
    for (let i = 0; i < 1500; i++) {
      await new Promise((resume) => setTimeout(resume, 10));
      if (!app.scheduled && !app.picture.plan().refining) return;
    }
  };
  const asked = performance.now();
  app.navigation.setView(from, from + span);
  await rest();
  const refined = performance.now() - asked;
  const threads = app.rows.find((row) => row.thread >= 0)?.top ?? 0;
  const times = new Array(frames).fill(Infinity);
  for (let i = 0; i < frames * repeats; i++) {
    const frame = i % frames;
    const step = span * 0.02 * (frame % 20);
    const zoom = span * 0.01 * (frame % 8);
    app.view.top = frame < frames / 2 ? 0 : threads;
    timing.frames.length = 0;
    app.navigation.setView(from + step + zoom, from + span + step - zoom);
    await new Promise((resume) => requestAnimationFrame(() => setTimeout(resume)));
    times[frame] = Math.min(times[frame], ...timing.frames);
  }
  await rest();
  return { refined, times };
}

/** Heap when as many slabs are decoded as the page ever keeps. Runs in the page. */
async function fullHeap() {
  const { app } = kutrace;
  const { begin, duration } = app.trace;
  const PLACES = 40;
  for (let i = 0; i < PLACES; i++) {
    app.navigation.setView(begin + duration * (i + 0.5) / PLACES, begin + duration * (i + 0.5) / PLACES + 1e6);
    for (let n = 0; n < 500 && (app.scheduled || app.picture.plan().refining); n++) await new Promise((resume) => setTimeout(resume, 10));
  }
  return heapInUse();
}

async function open(/** @type {any} */ tab, /** @type {string} */ page) {
  await tab.goto(pathToFileURL(page).href, { waitUntil: 'load', timeout: 120_000 });
  await tab.waitForFunction(() => kutrace.app && kutrace.timing.firstPaint > 0 && !kutrace.app.scheduled);
}

async function measure(/** @type {any} */ browser, /** @type {string} */ page) {
  const tab = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  await tab.addInitScript(defineHeap);
  await open(tab, page);
  const loaded = await tab.evaluate(async () => ({ first: kutrace.timing.firstPaint, spans: kutrace.app.trace.spans,
    parsed: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd,
    heap: await heapInUse() }));
  await tab.keyboard.press('Escape');
  await tab.evaluate(() => {
    const { app } = kutrace;
    for (const option of ['arcs', 'waits', 'marks', 'locks', 'samples', 'ipc']) app.options[option] = true;
    app.schedule();
  });
  const views = [];
  for (const [, part] of VIEWS) views.push(await tab.evaluate(framesOf, { part, frames: FRAMES, repeats: REPEATS }));
  let full = 0;
  const moving = await longestTask(browser, tab, async () => { full = await tab.evaluate(fullHeap); });
  await tab.close();
  return { ...loaded, opening: await openingTask(chromium, page), views, full, moving };
}

const browser = await playwright.chromium.launch({ executablePath: chromium,
  args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'] });
console.log('| spans | MB | bytes a span | first picture s | whole file read s | longest task ms, opening / moving | heap MB, opened / most | '
  + `${VIEWS.map(([name]) => `${name}: p50 / p95 ms, detail s`).join(' | ')} |`);
console.log(`|${'---|'.repeat(7 + VIEWS.length)}`);
for (const page of pages) {
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await measure(browser, page));
  const { size } = await stat(page);
  const middle = (/** @type {(run: any) => number} */ get) => at(runs.map(get), 0.5);
  const views = VIEWS.map((_, v) => {
    const times = runs.flatMap((run) => run.views[v].times);
    return `${ms(at(times, 0.5))} / ${ms(at(times, 0.95))}, ${(middle((r) => r.views[v].refined) / 1000).toFixed(2)}`;
  });
  console.log(`| ${runs[0].spans.toLocaleString('en-US')} | ${(size / 1e6).toFixed(1)} | ${(size / runs[0].spans).toFixed(2)} | ${
    (middle((r) => r.first) / 1000).toFixed(2)} | ${(middle((r) => r.parsed) / 1000).toFixed(2)} | ${
    ms(middle((r) => r.opening))} / ${ms(middle((r) => r.moving))} | ${
    (middle((r) => r.heap) / 1e6).toFixed(0)} / ${(Math.max(...runs.map((r) => r.full)) / 1e6).toFixed(0)} | ${
    views.join(' | ')} |`);
}
await browser.close();
