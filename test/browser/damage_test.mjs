// SPDX-License-Identifier: BSD-3-Clause
// A page that was cut short or changed on its way must say so, and never stay silent; what was changed costs
// that part, and the others are shown; where no worker starts, it shows its trace nevertheless.
// In: a good page, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';

const [page, chromium, web] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const good = await readFile(page, 'latin1');
const folder = await mkdtemp(`${tmpdir()}/kutrace-page-`);
const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });

/** Opens the page where no worker starts, and waits until it has shown every detail. */
async function showWithoutWorkers() {
  const tab = await browser.newPage();
  await tab.addInitScript(() => {
    window.Worker = class {
      postMessage() {}
      terminate() {}
    };
  });
  await tab.goto(pathToFileURL(page).href);
  await tab.waitForFunction(() => {
    const { app } = window.kutrace ?? {};
    return app && !app.scheduled && app.picture.lastPlan && !app.picture.lastPlan.refining;
  });
  await tab.evaluate(() => {
    const { navigation, trace } = kutrace.app;
    navigation.setView(trace.begin, trace.begin + trace.duration / 100);
  });
  await tab.waitForFunction(() => kutrace.app.store.slabs.size > 0);
  await tab.close();
}

/** What a page says is wrong, and what it shows nevertheless. @param {string} html */
async function troubleOf(html) {
  const file = `${folder}/page.html`;
  await writeFile(file, html, 'latin1');
  const tab = await browser.newPage();
  const errors = [];
  tab.on('pageerror', (e) => errors.push(String(e)));
  await tab.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  await tab.waitForSelector('#trouble:not([hidden])', { timeout: 10000 });
  await tab.waitForSelector('#opening', { state: 'hidden' });
  const text = await tab.textContent('#trouble');
  const shown = await tab.evaluate(async () => {
    const { app } = kutrace;
    if (!app) return null;
    app.navigation.setView(app.trace.begin, app.trace.begin + app.trace.duration / 10);
    while (app.scheduled || app.picture.plan().refining) await new Promise((resume) => setTimeout(resume, 20));
    const { pixels } = app.picture.raster;
    const work = new Set([...app.palette.user, app.palette.kind[2]]);
    let inked = 0;
    for (const pixel of pixels) inked += Number(work.has(pixel));
    return inked;
  });
  assert.deepEqual(errors, []);
  await tab.close();
  return { text, shown };
}

/** What can be saved of a page that was cut short: a picture, in which the rest is missing, and no copy. @param {string} html */
async function savedOfCut(html) {
  const file = `${folder}/cut.html`;
  await writeFile(file, html, 'latin1');
  const tab = await browser.newPage();
  await tab.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  await tab.waitForSelector('#trouble:not([hidden])', { timeout: 10000 });
  await tab.evaluate(() => {
    const { navigation, trace } = kutrace.app;
    navigation.setView(trace.end - trace.duration / 100, trace.end);
  });
  await tab.waitForFunction(() => /seen is missing/.test(document.getElementById('trouble').textContent));
  const [picture] = await Promise.all([tab.waitForEvent('download', { timeout: 10000 }), tab.keyboard.press('Shift+S')]);
  assert.match(picture.suggestedFilename(), /\.svg$/);
  await tab.evaluate(() => kutrace.app.side.open('views'));
  await tab.click('#save-copy');
  await tab.waitForFunction(() => /cut short: a copy/.test(document.getElementById('toast').textContent));
  await tab.close();
}

/** The page with one character of a block changed. @param {string} id */
function flipped(id) {
  const at = good.indexOf('>', good.indexOf(`id="kutrace-${id}"`)) + 40;
  const other = good[at] === 'a' ? 'b' : 'a';
  return good.slice(0, at) + other + good.slice(at + 1);
}

try {
  const slab = good.indexOf('id="kutrace-slab-0"');
  assert.match((await troubleOf(good.slice(0, slab + 5000))).text, /cut short/);
  const header = await troubleOf(flipped('header'));
  assert.match(header.text, /cannot show its trace/);
  assert.equal(header.shown, null);
  console.log('ok    a page that was cut short or has lost its header says so');
  for (const [id, cost] of [['overview', /overview cannot be shown/], ['long', /Long waits, locks and marks are not shown/], ['slab-2', /checksum/]]) {
    const { text, shown } = await troubleOf(flipped(id));
    assert.match(text, cost);
    assert.ok(shown > 1000, `${id}: only ${shown} pixels of work are shown`);
  }
  await savedOfCut(good.slice(0, good.indexOf('id="kutrace-slab-1"') - 50));
  console.log('ok    of a page that was cut short there are pictures, and no copy that would look whole');
  console.log('ok    what was changed costs that part, and the others are shown');
  await showWithoutWorkers();
  console.log('ok    the page needs no worker');
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
