// SPDX-License-Identifier: BSD-3-Clause
// Shoots the pictures of doc/viewer.md, one for each feature, in Chromium.
// In: a page of the recording that scripts/pictures makes, Chromium, the folder of the web sources, the
// folder for the pictures; out: PNG files.
import { ask, openTab, settled, startBrowser } from '../test/browser/tabs.mjs';

const [file, chromium, web, folder] = process.argv.slice(2);
const SIZE = { width: 1280, height: 600 };
const US = 1000;

/** Where a search finds its longest match. @param {any} tab @param {string} text */
async function longest(tab, text) {
  await ask(tab, text);
  const span = await tab.evaluate(() => {
    const { hits } = kutrace.app.matches;
    const { start, end } = hits.reduce((most, hit) => (hit.end - hit.start > most.end - most.start ? hit : most));
    return { start, end };
  });
  await tab.fill('#query', '');
  await tab.keyboard.press('Escape');
  return span;
}

/** @param {any} tab @param {number} from @param {number} to  ns */
async function look(tab, from, to) {
  await tab.evaluate(([a, b]) => kutrace.app.navigation.setView(a, b), [from, to]);
  await settled(tab);
}

/** Selects a part of what is in view, as parts of its width. @param {any} tab @param {number} from @param {number} to */
async function drag(tab, from, to) {
  const box = await tab.locator('#axis').boundingBox();
  await tab.mouse.move(box.x + box.width * from, box.y + 10);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width * to, box.y + 10, { steps: 4 });
  await tab.mouse.up();
  await tab.waitForSelector('#copy-csv');
  await settled(tab);
}

/** Each picture by its name: what is done before it is shot. */
const pictures = {
  async whole() {},
  async wait(tab) {
    const { start, end } = await longest(tab, 'thread:request wait_lock');
    await look(tab, start - (end - start) / 3, end + (end - start) / 3);
    await ask(tab, `thread:request wait_lock from:${start / 1e9} to:${end / 1e9}`);
    await tab.keyboard.press('n');
    await settled(tab);
    await look(tab, start - (end - start) / 3, end + (end - start) / 3);
  },
  async search(tab) {
    await ask(tab, 'fsync');
    await tab.keyboard.press('Shift+J');
    await settled(tab);
  },
  async range(tab) {
    await drag(tab, 0.2, 0.6);
  },
  async requests(tab) {
    await tab.click('#tool-requests');
    await tab.selectOption('#request-kind', 'mark reqst');
    await tab.waitForFunction(() => kutrace.app.requests.done &&
      kutrace.app.requests.listed.every((one) => kutrace.app.requests.parts.has(one)));
    await settled(tab);
  },
  async folded(tab) {
    await tab.keyboard.press('Shift+G');
    await settled(tab);
  },
  async counters(tab) {
    await tab.keyboard.press('End');
    await settled(tab);
  },
  async legend(tab) {
    await tab.keyboard.press('l');
    await settled(tab);
  },
  async zoomed(tab) {
    const { start } = await longest(tab, 'thread:request fsync');
    await look(tab, start - 100 * US, start + 400 * US);
  },
};

const browser = await startBrowser(chromium, web);
for (const [name, arrange] of Object.entries(pictures)) {
  const problems = [];
  const tab = await openTab(browser, { file, size: SIZE }, problems);
  await arrange(tab);
  await tab.waitForFunction(() => document.getElementById('toast').hidden);
  await tab.screenshot({ path: `${folder}/viewer-${name}.png`, animations: 'disabled' });
  if (problems.length > 0) throw new Error(`${name}: ${problems.join('; ')}`);
  await tab.context().close();
}
await browser.close();
