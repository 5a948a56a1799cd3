// SPDX-License-Identifier: BSD-3-Clause
// A large page that saves a copy of itself: the copy opens, draws the same from afar and from its spans,
// and holds the note that was written. In: the page, Chromium, the folder of the web sources.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';

const [page, chromium, web] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const folder = await mkdtemp(`${tmpdir()}/kutrace-copy-`);
const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
const problems = [];

async function open(file) {
  const tab = await (await browser.newContext({ viewport: { width: 1200, height: 800 } })).newPage();
  tab.on('pageerror', (e) => problems.push(String(e)));
  tab.on('console', (m) => { if (m.type() === 'error') problems.push(m.text()); });
  await tab.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  await tab.waitForFunction(() => kutrace.app && kutrace.timing.firstPaint > 0 && !kutrace.app.scheduled);
  assert.equal(await tab.isVisible('#trouble'), false);
  return tab;
}

/** The pixels of the bars, whole and near. */
const pictures = (tab) => tab.evaluate(async () => {
  const { app } = kutrace;
  const out = [];
  for (const part of [1, 1e-4]) {
    app.navigation.setView(app.trace.begin, app.trace.begin + app.trace.duration * part);
    do await new Promise((resume) => setTimeout(resume, 30));
    while (app.scheduled || app.picture.plan().refining);
    out.push([app.picture.lastPlan.detailed, app.picture.raster.pixels.reduce((sum, pixel) => (Math.imul(sum, 31) + pixel) | 0, 7)]);
  }
  return out;
});

try {
  const first = await open(page);
  await first.keyboard.press('Escape');
  await first.evaluate(() => kutrace.app.keeping.addNote({ time: kutrace.app.trace.begin, row: 'c0', text: 'look here', dx: 40, dy: 40, spike: false }));
  const before = await pictures(first);
  assert.deepEqual(before.map(([detailed]) => detailed), [false, true]);
  await first.keyboard.press('g');
  const [download] = await Promise.all([first.waitForEvent('download'), first.click('#save-copy')]);
  await download.saveAs(`${folder}/copy.html`);
  const text = await readFile(`${folder}/copy.html`, 'utf8');
  const begin = text.lastIndexOf('<script>kutrace.begin()</script>');
  assert.ok(text.indexOf('id="kutrace-overview"') < begin && begin < text.indexOf('id="kutrace-long"'), 'the page starts when the overview is there');
  const copy = await open(`${folder}/copy.html`);
  await copy.keyboard.press('Escape');
  await copy.evaluate(() => kutrace.app.side.close());
  await first.evaluate(() => kutrace.app.side.close());
  assert.deepEqual(await pictures(copy), await pictures(first));
  assert.deepEqual(await copy.evaluate(() => kutrace.app.keeping.notes.map((note) => note.text)), ['look here']);
  assert.deepEqual(await copy.evaluate(() => kutrace.app.far.joined), await first.evaluate(() => kutrace.app.far.joined));
  assert.ok(await first.evaluate(() => kutrace.app.far.joined.length > 0));
  assert.deepEqual(problems, []);
  console.log('ok    a copy of a large page shows what the page shows');
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
