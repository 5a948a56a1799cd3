// SPDX-License-Identifier: BSD-3-Clause
// Steps of a browser test that do not know of each other: each has a tab of its own, in which the page was
// just opened by someone who has seen the tour, and is drawn. In: Chromium, the folder of the web sources,
// steps by name; out: a line a step, and how many failed. A console message of a warning or worse, an exception
// and a network request fail a step.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * @typedef {(tab: any, problems: string[]) => Promise<void>} Step  tab: playwright's page; problems: of other tabs, too
 * @typedef {{file: string, size?: {width: number, height: number}, first?: boolean, touch?: boolean, before?: () => void}} Page
 *   first: a first visit, with the tour; touch: fingers can touch it; before: runs in the page before its scripts
 */

/** @param {string} chromium @param {string} web */
export function startBrowser(chromium, web) {
  const playwright = createRequire(`${web}/package.json`)('playwright-core');
  return playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
}

/** Collects what a page should never do. @param {any} tab @param {string[]} problems */
export function watch(tab, problems) {
  tab.on('console', (/** @type {any} */ m) => { if (['warning', 'error'].includes(m.type())) problems.push(m.text()); });
  tab.on('pageerror', (/** @type {any} */ e) => problems.push(String(e)));
  tab.on('request', (/** @type {any} */ r) => { if (!/^(file|blob|data):/.test(r.url())) problems.push(`request ${r.url()}`); });
}

/** @param {any} browser @param {Page} page @param {string[]} problems */
export async function openTab(browser, { file, size = { width: 1400, height: 900 }, first = false, touch = false, before }, problems) {
  const context = await browser.newContext({ viewport: size, colorScheme: 'light', hasTouch: touch });
  if (!first) await context.addInitScript(() => localStorage.setItem('kutrace-tour', 'seen'));
  if (before) await context.addInitScript(before);
  const tab = await context.newPage();
  watch(tab, problems);
  await tab.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  await settled(tab);
  return tab;
}

/** Until all that is in view is drawn. @param {any} tab */
export async function settled(tab) {
  await tab.waitForFunction(() => kutrace.app && !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);
  await tab.waitForTimeout(60);
}

/** Types a search and waits for its end. @param {any} tab @param {string} text */
export async function ask(tab, text) {
  await tab.fill('#query', text);
  await tab.waitForFunction(() => /·|no match/.test(document.getElementById('found').textContent));
  await tab.locator('#query').blur();
}

/**
 * @param {any} browser @param {Page} page  unless a step names its own
 * @param {Record<string, Step | [Partial<Page>, Step]>} steps
 * @param {string} [screenshots]  folder for a picture of each step that fails
 */
export async function runSteps(browser, page, steps, screenshots) {
  let failed = 0;
  for (const [name, step] of Object.entries(steps)) {
    /** @type {string[]} */
    const problems = [];
    const [own, run] = Array.isArray(step) ? step : [{}, step];
    let tab = null;
    try {
      tab = await openTab(browser, { ...page, ...own }, problems);
      await run(tab, problems);
      assert.deepEqual(problems, [], 'the page is silent');
      console.log(`ok    ${name}`);
    } catch (error) {
      failed++;
      if (screenshots) await tab?.screenshot({ path: `${screenshots}/failed-${failed}.png` }).catch(() => {});
      console.log(`FAIL  ${name}\n      ${/** @type {Error} */ (error).message.replaceAll('\n', '\n      ')}`);
    }
    await tab?.context().close();
  }
  return failed;
}
