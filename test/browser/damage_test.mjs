// SPDX-License-Identifier: BSD-3-Clause
// A page that was cut short or changed on its way must say so, and never stay silent; where no worker starts,
// it shows its trace nevertheless.
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

async function troubleOf(html) {
  const file = `${folder}/page.html`;
  await writeFile(file, html, 'latin1');
  const tab = await browser.newPage();
  await tab.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  await tab.waitForSelector('#trouble:not([hidden])', { timeout: 10000 });
  const text = await tab.textContent('#trouble');
  await tab.close();
  return text;
}

try {
  const slab = good.indexOf('id="kutrace-slab-0"');
  assert.match(await troubleOf(good.slice(0, slab + 5000)), /cut short/);
  const at = good.indexOf('>', good.indexOf('id="kutrace-overview"')) + 40;
  const other = good[at] === 'a' ? 'b' : 'a';
  assert.match(await troubleOf(good.slice(0, at) + other + good.slice(at + 1)), /cannot show its trace/);
  console.log('ok    damaged pages say what is wrong');
  await showWithoutWorkers();
  console.log('ok    the page needs no worker');
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
