// SPDX-License-Identifier: BSD-3-Clause
// Opens the page of a recording from file:// and finds in it what was recorded: its CPUs, and calls by
// name. In: the page, Chromium, the folder of the web sources, CPUs, name=count...; out: exit status,
// and a picture beside the page. Any warning, exception or request fails.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [page, chromium, web, cpus, ...wanted] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
try {
  const tab = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const problems = [];
  tab.on('console', (m) => { if (['warning', 'error'].includes(m.type())) problems.push(m.text()); });
  tab.on('pageerror', (e) => problems.push(String(e)));
  tab.on('request', (r) => { if (!/^(file|blob|data):/.test(r.url())) problems.push(`request ${r.url()}`); });
  await tab.goto(pathToFileURL(page).href);
  await tab.waitForFunction(() => kutrace.app && !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);
  await tab.keyboard.press('Escape');
  assert.equal(await tab.evaluate(() => kutrace.app.rows.filter((row) => row.cpu >= 0).length), Number(cpus));
  for (const [name, count] of wanted.map((text) => text.split('='))) {
    await tab.fill('#query', name);
    await tab.waitForFunction(() => /·|no match/.test(document.getElementById('found').textContent));
    assert.equal(await tab.evaluate(() => kutrace.app.matches.count), Number(count), name);
  }
  await tab.screenshot({ path: page.replace(/html$/, 'png') });
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
}
