// SPDX-License-Identifier: BSD-3-Clause
// Measures pages in a headless browser without a GPU: bytes a span, when something and the first picture are
// shown, whole file read, the longest task of the page's thread in CPU time (so long the input is blocked), heap,
// script time of every frame while moving at five zooms, over the CPUs and over the threads, with everything drawn
// that can be switched on, a search for a regular expression, the table of a range of 80 %.
//
//   node measure.mjs CHROMIUM WEB [--firefox FIREFOX] [--size 1600x1000] [--scale 1] PAGE...
//
// In: Chromium, the folder of the web sources, pages; with --firefox that browser is measured, which does not tell
// of tasks and heap. Out: three tables in Markdown. Not a test: the times are those of the machine, whose load stands
// above. Of times once a page the median of RUNS; of frames, of which all count, median and 95th percentile.
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openFirefox } from './firefox.mjs';
import { longestTask } from './longest_task.mjs';
import { openingTask } from './opening_task.mjs';

const [chromium, web, ...words] = process.argv.slice(2);
const option = (/** @type {string} */ name, /** @type {string} */ otherwise) => {
  const at = words.indexOf(name);
  return at < 0 ? otherwise : words.splice(at, 2)[1];
};
const firefox = option('--firefox', '');
const [width, height] = option('--size', '1600x1000').split('x').map(Number);
const scale = Number(option('--scale', '1'));
const pages = words;
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
    if (!window.gc || !performance.memory) return NaN;
    window.gc();
    await new Promise((resume) => setTimeout(resume, 300));
    window.gc();
    return performance.memory.usedJSHeapSize;
  } });
}

/** What the page knows when it has been opened. Runs in the page. */
async function opened() {
  while (!(window.kutrace?.app && kutrace.timing?.firstPaint > 0 && !kutrace.app.scheduled && document.readyState === 'complete')) {
    await new Promise((resume) => setTimeout(resume, 20));
  }
  const { app, timing } = kutrace;
  for (const option of ['arcs', 'waits', 'marks', 'locks', 'samples', 'ipc']) app.options[option] = true;
  app.schedule();
  return { first: timing.firstPaint, spans: app.trace.spans, width: innerWidth, height: innerHeight, scale: devicePixelRatio,
    shown: performance.getEntriesByType('paint').find((entry) => entry.name === 'first-contentful-paint')?.startTime ?? NaN,
    parsed: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd };
}

/** Script time of all frames, in ms, while the view moves by a fiftieth each. Runs in the page. */
async function framesOf(/** @type {{part: number, frames: number, repeats: number}} */ { part, frames, repeats }) {
  const { app, timing } = kutrace;
  const { begin, duration } = app.trace;
  const span = duration * part;
  const from = begin + (duration - span) * 0.37;
  const rest = async () => {
    for (let i = 0; i < 3000; i++) {
      await new Promise((resume) => setTimeout(resume, 5));
      if (!app.scheduled && !app.picture.plan().refining) return;
    }
  };
  const asked = performance.now();
  app.navigation.setView(from, from + span);
  await rest();
  const refined = performance.now() - asked;
  const threads = app.rows.find((row) => row.thread >= 0)?.top ?? 0;
  timing.frames.length = 0;
  for (let i = 0; i < frames * repeats; i++) {
    const frame = i % frames;
    const step = span * 0.02 * (frame % 20);
    const zoom = span * 0.01 * (frame % 8);
    app.view.top = frame < frames / 2 ? 0 : threads;
    app.navigation.setView(from + step + zoom, from + span + step - zoom);
    await new Promise((resume) => requestAnimationFrame(() => setTimeout(resume)));
  }
  const times = [...timing.frames];
  await rest();
  return { refined, times };
}

/** A regular expression over all spans: when the page says what it found, and when all of it is lit up, ms. Runs in the page. */
async function searched() {
  const { app } = kutrace;
  const asked = performance.now();
  const all = app.search.start('/^(read|write|page).*/');
  while (!/\d/.test(document.getElementById('found').textContent)) await new Promise((resume) => setTimeout(resume));
  const said = performance.now() - asked;
  await all;
  const took = performance.now() - asked;
  const { count } = app.matches;
  app.search.set('');
  return { said, took, count };
}

/** The table of 80 % of the time. Runs in the page. */
async function ranged() {
  const { app } = kutrace;
  const { begin, duration } = app.trace;
  const asked = performance.now();
  app.range.select(begin + duration * 0.1, begin + duration * 0.9, false);
  await app.range.tell();
  const took = performance.now() - asked;
  app.range.clear();
  return took;
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

/** A tab of its own, or a browser of its own. @param {any} browser */
async function openTab(browser) {
  if (firefox) return openFirefox(firefox, { width, height, scale });
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale });
  await context.addInitScript(() => localStorage.setItem('kutrace-tour', 'seen'));
  await context.addInitScript(defineHeap);
  const tab = await context.newPage();
  return { evaluate: tab.evaluate.bind(tab), goto: (/** @type {string} */ url) => tab.goto(url, { waitUntil: 'load', timeout: 180_000 }),
    end: () => context.close(), tab };
}

/** @param {any} browser @param {string} page */
async function measure(browser, page) {
  const opening = firefox ? NaN : await openingTask(chromium, page);
  const { evaluate, goto, end, tab } = await openTab(browser);
  const watched = async (/** @type {() => Promise<void>} */ work) => (firefox ? (await work(), NaN) : longestTask(browser, tab, work));
  try {
    await goto(pathToFileURL(page).href);
    const loaded = await evaluate(opened);
    if (loaded.width !== width || loaded.scale !== scale) throw new Error(`the window is ${loaded.width}x${loaded.height}, ${loaded.scale} pixels each`);
    const heap = firefox ? NaN : await evaluate(() => heapInUse());
    const views = [];
    for (const [, part] of VIEWS) views.push(await evaluate(framesOf, { part, frames: FRAMES, repeats: REPEATS }));
    let found = { said: NaN, took: NaN, count: 0 };
    let range = NaN;
    let full = NaN;
    const asking = await watched(async () => {
      found = await evaluate(searched);
      range = await evaluate(ranged);
    });
    const moving = await watched(async () => { if (!firefox) full = await evaluate(fullHeap); });
    return { ...loaded, opening, heap, views, found, range, asking, moving, full };
  } finally {
    await end();
  }
}

const browser = firefox ? null : await createRequire(`${web}/package.json`)('playwright-core').chromium.launch({ executablePath: chromium,
  args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'] });
const all = [];
for (const page of pages) {
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await measure(browser, page));
  all.push({ page, runs, size: (await stat(page)).size });
}
await browser?.close();

const middle = (/** @type {any[]} */ runs, /** @type {(run: any) => number} */ get) => at(runs.map(get), 0.5);
const seconds = (/** @type {number} */ value) => (value / 1000).toFixed(2);
/** @param {string[]} head @param {(string | number)[][]} rows */
const table = (head, rows) => console.log([head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n'), '\n');
const name = (/** @type {string} */ page) => basename(page).replace(/\.html$/, '');
const load = (await readFile('/proc/loadavg', 'utf8')).split(' ').slice(0, 3).join(' ');
console.log(`${firefox ? 'Firefox' : 'Chromium'}, ${width}x${height}, ${scale} device pixels each; ${RUNS} runs, load at the end ${load}\n`);
table(['page', 'spans', 'MB', 'bytes a span', 'something shown ms', 'first picture s', 'whole file read s', 'regular expression: said s', 'all lit up s', 'table of 80 % s'],
  all.map(({ page, runs, size }) => [name(page), runs[0].spans.toLocaleString('en-US'), (size / 1e6).toFixed(1), (size / runs[0].spans).toFixed(2),
    ms(middle(runs, (r) => r.shown)), seconds(middle(runs, (r) => r.first)), seconds(middle(runs, (r) => r.parsed)),
    `${seconds(middle(runs, (r) => r.found.said))} (${runs[0].found.count.toLocaleString('en-US')} found)`, seconds(middle(runs, (r) => r.found.took)), seconds(middle(runs, (r) => r.range))]));
table(['page', ...VIEWS.map(([view]) => `${view}: p50 / p95 ms, detail s`)], all.map(({ page, runs }) => [name(page), ...VIEWS.map((_, v) => {
  const times = runs.flatMap((run) => run.views[v].times);
  return `${ms(at(times, 0.5))} / ${ms(at(times, 0.95))}, ${seconds(middle(runs, (r) => r.views[v].refined))}`;
})]));
if (!firefox) {
  table(['page', 'longest task ms: opening', 'asking', 'moving', 'heap MB: opened', 'most'], all.map(({ page, runs }) => [name(page),
    ms(middle(runs, (r) => r.opening)), ms(middle(runs, (r) => r.asking)), ms(middle(runs, (r) => r.moving)),
    (middle(runs, (r) => r.heap) / 1e6).toFixed(0), (Math.max(...runs.map((r) => r.full)) / 1e6).toFixed(0)]));
}
