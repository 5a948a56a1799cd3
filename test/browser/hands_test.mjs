// SPDX-License-Identifier: BSD-3-Clause
// What fingers, mouse and keys do in the page, and where the focus is afterwards.
// In: a page, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { ask, runSteps, settled, startBrowser, watch } from './tabs.mjs';

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
  async 'the focus stays in the list of matches, in tables and in the flame graph'(tab) {
    const focused = () => tab.evaluate(() => document.activeElement.closest('tr, th, g')?.tagName ?? document.activeElement.tagName);
    await ask(tab, 'write');
    await tab.click('#match-list');
    await tab.locator('.matches tbody tr').nth(2).focus();
    await tab.keyboard.press('Enter');
    await settled(tab);
    assert.equal(await focused(), 'TR');
    await tab.locator('.matches th button').nth(2).focus();
    await tab.keyboard.press('Enter');
    assert.equal(await focused(), 'TH');
    await tab.evaluate(() => kutrace.app.range.select(kutrace.app.view.t0, kutrace.app.view.t1, true));
    await tab.locator('.range .sorted th button').nth(1).focus();
    await tab.keyboard.press('Enter');
    assert.equal(await focused(), 'TH');
    await tab.click('#tab-flame');
    await tab.locator('.flame g').nth(2).focus();
    await tab.keyboard.press('Enter');
    assert.equal(await focused(), 'g');
  },
  async 'the list of matches goes with the search'(tab) {
    await ask(tab, 'write');
    await tab.click('#match-list');
    await tab.waitForSelector('.matches tbody tr');
    await tab.fill('#query', 'kind:nonsense');
    assert.equal(await tab.locator('.matches tbody tr').count(), 0);
    await ask(tab, 'write');
    await tab.waitForSelector('.matches tbody tr');
    await tab.fill('#query', '');
    assert.match(await tab.textContent('#side-body'), /Nothing is searched for/);
  },
  'keys scroll the panel that has the focus, else the rows': [{ size: { width: 1400, height: 400 } }, async (tab) => {
    await tab.evaluate(() => kutrace.app.side.open('about'));
    await tab.locator('#side-close').focus();
    const top = () => tab.evaluate(() => kutrace.app.view.top);
    const before = await top();
    await tab.keyboard.press('End');
    await tab.waitForFunction(() => document.getElementById('side').scrollTop > 0);
    assert.equal(await top(), before);
    await tab.focus('#plot');
    await tab.keyboard.press('End');
    assert.ok(await top() > before);
  }],
  async 'a mark is no range: F shows the whole trace, and no table of another range stands there'(tab) {
    await tab.evaluate(() => kutrace.app.range.select(kutrace.app.view.t0, kutrace.app.view.t1, true));
    await tab.focus('#plot');
    await tab.keyboard.press('m');
    await tab.waitForTimeout(300);
    assert.deepEqual(await tab.evaluate(() => [kutrace.app.range.marked !== null, kutrace.app.range.told, kutrace.app.drawer.panel]), [true, null, '']);
    await tab.keyboard.press('f');
    assert.ok(await tab.evaluate(() => kutrace.app.view.t1 - kutrace.app.view.t0 > kutrace.app.trace.duration));
  },
  async 'Find all of a table finds what it counted'(tab) {
    await tab.evaluate(() => kutrace.app.range.select(20_000_000, 30_000_000, true));
    await tab.waitForSelector('.range .sorted tbody tr');
    const rows = await tab.evaluate(() => kutrace.app.range.told.tables.name.filter(({ find }) => find).slice(0, 6).map(({ label, durations, calls }) => [label, (calls ?? durations).count]));
    assert.ok(rows.length > 2);
    for (const [label, count] of rows) {
      await tab.evaluate((name) => [...document.querySelectorAll('.range .sorted tbody tr')].find((row) => row.cells[0].textContent === name).click(), label);
      await tab.locator('.durations button').click();
      await tab.waitForFunction(() => /·|no match/.test(document.getElementById('found').textContent));
      assert.equal(await tab.evaluate(() => kutrace.app.search.matches.count), count, label);
    }
  },
  async 'a movement that moves nothing is no step'(tab) {
    const steps = () => tab.evaluate(() => {
      kutrace.app.navigation.history.endBurst();
      const { t0, t1 } = kutrace.app.view;
      kutrace.app.navigation.setView(t0, t1);
      return kutrace.app.navigation.history.steps;
    });
    await tab.evaluate(() => kutrace.app.navigation.setView(20_000_000, 30_000_000));
    assert.equal(await steps(), await steps());
  },
  'a small window has room for all': [{ size: { width: 360, height: 640 } }, async (tab) => {
    await tab.evaluate(() => kutrace.app.range.select(20_000_000, 30_000_000, true));
    await tab.waitForSelector('.range .sorted tbody tr');
    await tab.evaluate(() => kutrace.app.tour.start());
    const boxes = await tab.evaluate(() => ['tools', 'query', 'tour', 'drawer', 'plot'].map((id) => {
      const { left, top, right, bottom } = document.getElementById(id).getBoundingClientRect();
      return { id, left, top, right, bottom };
    }));
    for (const { id, left, top, right, bottom } of boxes) assert.ok(left >= 0 && top >= 0 && right <= 360 && bottom <= 640 && bottom - top > 20, `${id} ${left} ${top} ${right} ${bottom}`);
    assert.ok(boxes[4].bottom <= boxes[3].top);
    for (let i = 0; i < 8; i++) {
      await tab.keyboard.press('Tab');
      assert.ok(await tab.evaluate(() => document.getElementById('tour').contains(document.activeElement)));
    }
  }],
};

const browser = await startBrowser(chromium, web);
let failed = 1;
try {
  failed = await runSteps(browser, { file: page }, steps, screenshots);
} finally {
  await browser.close();
}
process.exit(failed > 0 ? 1 : 0);
