// SPDX-License-Identifier: BSD-3-Clause
// What fingers, mouse and keys do in the page, and where the focus is afterwards.
// In: a page, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { runSteps, settled, startBrowser, watch } from './tabs.mjs';

const [page, chromium, web, screenshots] = process.argv.slice(2);

const view = (tab) => tab.evaluate(() => [kutrace.app.view.t0, kutrace.app.view.t1]);

/** Two fingers on a line of the plot, from one distance to another. @param {any} tab @param {number} from @param {number} to */
async function pinch(tab, from, to) {
  const session = await tab.context().newCDPSession(tab);
  const touch = (type, apart) => session.send('Input.dispatchTouchEvent', { type,
    touchPoints: apart === null ? [] : [{ x: 650 - apart / 2, y: 400, id: 1 }, { x: 650 + apart / 2, y: 400, id: 2 }] });
  await touch('touchStart', from);
  for (let i = 1; i <= 5; i++) await touch('touchMove', from + (to - from) * i / 5);
  await touch('touchEnd', null);
}

const steps = {
  'two fingers zoom in, around the place between them': [{ touch: true }, async (tab) => {
    const [t0, t1] = await view(tab);
    await pinch(tab, 100, 200);
    const [a, b] = await view(tab);
    assert.ok(Math.abs((b - a) / (t1 - t0) - 0.5) < 0.05, `${a} ${b}`);
    assert.ok(a > t0 && b < t1);
  }],
  async 'times that are none move nothing'(tab) {
    const before = await view(tab);
    await tab.evaluate(() => kutrace.app.navigation.setView(NaN, 1));
    assert.deepEqual(await view(tab), before);
  },
  async 'a note is dragged, and what is under it stays'(tab) {
    await tab.evaluate(() => kutrace.app.keeping.addNote({ time: kutrace.app.trace.duration / 2, row: 'c0', text: 'look here', dx: 40, dy: 60 }));
    await settled(tab);
    const before = await view(tab);
    const { x, y } = await tab.locator('.bubble').boundingBox();
    await tab.mouse.move(x + 3, y + 5);
    await tab.mouse.down();
    await tab.mouse.move(x + 53, y + 25, { steps: 5 });
    await tab.mouse.up();
    await tab.mouse.dblclick(x + 80, y + 30);
    assert.deepEqual(await tab.evaluate(() => kutrace.app.keeping.notes.map(({ dx, dy }) => [dx, dy])), [[90, 80]]);
    assert.deepEqual(await view(tab), before);
    assert.equal(await tab.evaluate(() => kutrace.app.pins.length), 0);
  },
  async 'a view that is saved from the help takes the place of no other'(tab) {
    const help = async (/** @type {string} */ words) => {
      await tab.keyboard.press('?');
      await tab.fill('#help-filter', words);
      await tab.keyboard.press('Enter');
    };
    await help('save what is seen');
    await tab.evaluate(() => kutrace.app.keeping.renameView(0, 'mine'));
    await help('save what is seen');
    assert.deepEqual(await tab.evaluate(() => kutrace.app.keeping.views.map(({ name }) => name)), ['mine', 'View 2']);
  },
  async 'notes of two windows are kept, and those of a link come beside them'(tab, problems) {
    const write = (/** @type {any} */ window, /** @type {string} */ text) => window.evaluate((/** @type {string} */ words) => (
      kutrace.app.keeping.addNote({ time: 1000, row: 'c0', text: words, dx: 0, dy: 0 })), text);
    const notes = (/** @type {any} */ window) => window.evaluate(() => kutrace.app.keeping.notes.map(({ text }) => text));
    const open = async (/** @type {string} */ hash) => {
      const window = await tab.context().newPage();
      watch(window, problems);
      await window.goto(`${pathToFileURL(page).href}${hash}`);
      await settled(window);
      return window;
    };
    const other = await open('');
    await write(tab, 'one');
    await write(other, 'two');
    assert.deepEqual(await notes(other), ['one', 'two']);
    await tab.waitForFunction(() => kutrace.app.keeping.notes.length === 2);
    const linked = JSON.stringify({ views: [], notes: [{ time: 5, row: '', text: 'three', dx: 0, dy: 0 }], stamp: 1 });
    await open(`#saved=${encodeURIComponent(linked)}`);
    await tab.waitForFunction(() => kutrace.app.keeping.notes.length === 3);
    assert.deepEqual(await notes(await open('')), ['one', 'two', 'three']);
    await other.evaluate((/** @type {string} */ words) => { location.hash = `#saved=${encodeURIComponent(words)}`; }, linked.replace('three', 'four'));
    await tab.waitForFunction(() => kutrace.app.keeping.notes.length === 4);
  },
};

const browser = await startBrowser(chromium, web);
let failed = 1;
try {
  failed = await runSteps(browser, { file: page }, steps, screenshots);
} finally {
  await browser.close();
}
process.exit(failed > 0 ? 1 : 0);
