// SPDX-License-Identifier: BSD-3-Clause
// A container opens in the viewer alone and takes the place of a page's trace; what is no container, or
// only its beginning, says so. In: a page, a container, a smaller one, Chromium, the folder of
// the web sources.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';

const [page, container, small, chromium, web] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const folder = await mkdtemp(`${tmpdir()}/kutrace-container-`);
const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
const problems = [];

async function open(html, file) {
  const tab = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  tab.on('pageerror', (e) => problems.push(String(e)));
  tab.on('console', (m) => { if (m.type() === 'error') problems.push(m.text()); });
  await tab.goto(pathToFileURL(html).href, { waitUntil: 'load' });
  await choose(tab, file);
  return tab;
}

async function choose(tab, file) {
  const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), tab.evaluate(() => kutrace.choose())]);
  await chooser.setFiles(file);
}

/** Drags a file from outside over the plot and lets it fall there, as a file manager does. */
async function drop(tab, file) {
  const session = await tab.context().newCDPSession(tab);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  const drag = (type) => session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  await drag('dragEnter');
  await drag('dragOver');
  assert.ok(await tab.evaluate(() => document.body.classList.contains('dropping')), 'the page shows that it takes files');
  await drag('drop');
  assert.equal(await tab.evaluate(() => document.body.classList.contains('dropping')), false);
  await session.detach();
}

const shown = (tab) => tab.waitForFunction(() => kutrace.app?.store.source.block('kutrace-header') instanceof Blob
  && !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);

/** Zooms in so far that a slab must be read from the file. */
async function spansAreThere(tab) {
  await tab.evaluate(() => {
    const { app } = kutrace;
    app.navigation.setView(app.trace.begin + app.trace.duration / 2, app.trace.begin + app.trace.duration / 2 + 1e6);
  });
  await shown(tab);
  assert.ok(await tab.evaluate(() => kutrace.app.picture.lastPlan.slabs.length > 0));
}

try {
  const alone = await open(`${web}/dist/page.html`, container);
  await shown(alone);
  assert.equal(await alone.isVisible('#trouble'), false);
  await spansAreThere(alone);
  console.log('ok    the viewer alone opens a container');

  const other = await open(page, container);
  await shown(other);
  assert.equal(await other.locator('#plot').count(), 1);
  await spansAreThere(other);
  const before = await other.evaluate(() => kutrace.app.view.t0);
  await other.keyboard.press('d');
  const moved = await other.evaluate(() => kutrace.app.view.t0);
  assert.ok(moved > before, 'the keys belong to the new trace');
  console.log('ok    a container takes the place of a page’s trace');

  const dropped = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  await dropped.goto(pathToFileURL(page).href, { waitUntil: 'load' });
  await dropped.waitForFunction(() => kutrace.app && !kutrace.app.scheduled);
  await dropped.keyboard.press('Escape');
  await drop(dropped, container);
  await shown(dropped);
  await spansAreThere(dropped);
  assert.equal(await dropped.isVisible('#trouble'), false);
  await dropped.keyboard.press('g');
  await dropped.click('#save-copy');
  await dropped.waitForFunction(() => /is in a container/.test(document.getElementById('toast').textContent));
  console.log('ok    a container that is dropped on a page takes the place of its trace');

  const hurried = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  await hurried.goto(`${pathToFileURL(page).href}#q=write&rows=${encodeURIComponent('{"filter":"worker"}')}`, { waitUntil: 'load' });
  await hurried.waitForFunction(() => kutrace.app && !kutrace.app.scheduled);
  assert.equal(await hurried.inputValue('#query'), 'write');
  // The first is read slowly.
  await hurried.evaluate(() => {
    const read = Blob.prototype.arrayBuffer;
    window.slow = 700;
    Blob.prototype.arrayBuffer = async function arrayBuffer() {
      await new Promise((resume) => setTimeout(resume, window.slow));
      return read.call(this);
    };
  });
  await choose(hurried, container);
  await hurried.evaluate(() => { window.slow = 0; });
  await choose(hurried, small);
  await shown(hurried);
  await hurried.waitForTimeout(1500);
  assert.equal(await hurried.evaluate(() => kutrace.app.trace.cpus.length), 2);
  assert.equal(await hurried.locator('#plot').count(), 1);
  console.log('ok    of two containers the one that was opened last is shown');
  assert.deepEqual(await hurried.evaluate(() => [kutrace.app.search.text, kutrace.app.options.rowFilter ?? '', location.hash.includes('write')]), ['', '', false]);
  const whole = await hurried.evaluate(() => (kutrace.app.view.t1 - kutrace.app.view.t0) / kutrace.app.trace.duration);
  assert.ok(whole > 1 && whole < 1.05, String(whole));
  console.log('ok    a container has nothing of what the address says of the page’s trace');

  const bytes = await readFile(container);
  const spans = await dropped.evaluate(() => kutrace.app.trace.spans);
  for (const [name, content, says] of [['cut.kux', bytes.subarray(0, bytes.length - 1000), /cut short/],
    ['text.kux', Buffer.from('this is a letter'), /no container/], ['empty.kux', Buffer.alloc(0), /no container/],
    ['page.html', await readFile(page), /no container/]]) {
    await writeFile(`${folder}/${name}`, content);
    for (const [tab, give] of [[other, choose], [dropped, drop]]) {
      await tab.evaluate(() => { document.getElementById('trouble').textContent = ''; });
      await give(tab, `${folder}/${name}`);
      await tab.waitForFunction(() => document.getElementById('trouble').textContent !== '');
      assert.match(await tab.textContent('#trouble'), says);
      assert.ok((await tab.textContent('#trouble')).startsWith(`${name} cannot be opened.`));
      assert.ok(await tab.isVisible('#trouble'));
    }
  }
  assert.equal(await dropped.evaluate(() => kutrace.app.trace.spans), spans);
  await spansAreThere(dropped);
  await dropped.click('#trouble button');
  assert.equal(await dropped.isVisible('#trouble'), false);
  assert.deepEqual(problems, []);
  console.log('ok    what is no whole container says so, and what was shown stays');
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
