// SPDX-License-Identifier: BSD-3-Clause
// A page of very many threads: its first picture stands while most of the file has not come yet, questions
// wait for the rest, and only names of rows in view are drawn. In: the page, Chromium, the folder of the web
// sources.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const [page, chromium, web] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const THREADS = 10_000;
const ROWS = 3000;       // the others stand folded with those that have their name
const MOST_TEXTS = 300;  // of a frame: names in view, their times, the axis
const BEGIN = '<script>kutrace.begin()</script>';

const file = await readFile(page, 'utf8');
const cut = file.lastIndexOf(BEGIN) + BEGIN.length;
assert.ok(file.lastIndexOf('id="kutrace-overview"') < cut && cut < file.lastIndexOf('id="kutrace-long"'), 'the page begins with the overview');

let goOn = () => {};
const released = new Promise((resume) => { goOn = () => resume(null); });
const server = createServer(async (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.write(file.slice(0, cut));
  await released;
  response.end(file.slice(cut));
});
await new Promise((resume) => server.listen(0, '127.0.0.1', () => resume(null)));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
try {
  const tab = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  /** @type {string[]} */
  const problems = [];
  tab.on('pageerror', (/** @type {Error} */ e) => problems.push(String(e)));
  await tab.addInitScript(() => {
    const counts = { texts: 0 };
    Object.assign(window, { counts });
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function counted(...args) {
      counts.texts++;
      return fillText.apply(this, args);
    };
  });
  await tab.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'commit' });
  await tab.waitForFunction(() => globalThis.kutrace?.app && kutrace.timing.firstPaint > 0);

  const early = await tab.evaluate(() => {
    const { app } = kutrace;
    Object.assign(window, { asked: app.search.start('/./') });
    return { waiting: app.waiting, opening: document.getElementById('opening')?.hidden, refining: app.picture.plan().refining, threads: app.trace.threads.length,
      rows: app.rows.filter((/** @type {any} */ row) => row.thread >= 0).length, ink: new Set(app.picture.raster.pixels).size,
      matches: app.search.matches?.count };
  });
  assert.deepEqual([early.waiting, early.opening, early.refining, early.matches], [true, true, true, 0]);
  assert.ok(early.threads > THREADS && early.rows > ROWS, `${early.rows} rows of ${early.threads} threads`);
  assert.ok(early.ink > 10, 'the bars are drawn from the overview');

  goOn();
  await tab.waitForFunction(() => !kutrace.app.waiting && !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);
  const late = await tab.evaluate(async () => {
    const { app } = kutrace;
    await /** @type {any} */ (window).asked;
    const found = app.search.matches.count;
    await app.search.start('/./');
    app.view.top = 5000;
    app.namesDrawn = [];
    counts.texts = 0;
    app.draw();
    return { found, again: app.search.matches.count, texts: counts.texts, visible: app.picture.visible.length };
  });
  assert.ok(late.found > 0);
  assert.equal(late.found, late.again, 'a question that was asked early gets all of the answer');
  assert.ok(late.texts > late.visible && late.texts < MOST_TEXTS, `${late.texts} texts of ${late.visible} rows`);
  assert.deepEqual(problems, []);
  console.log(`ok    ${early.threads} threads: drawn before the rest came, ${late.found} matches after it, ${late.texts} texts a frame`);
} finally {
  await browser.close();
  server.close();
}
