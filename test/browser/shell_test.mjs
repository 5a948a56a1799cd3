// SPDX-License-Identifier: BSD-3-Clause
// What stands around the picture: opening says how far it is, the browser's Back and Forward undo and redo
// movements, paper shows what is seen, edges tell those who hear the page where they are.
// In: a page, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { ask, runSteps, settled, startBrowser } from './tabs.mjs';

const [page, chromium, web, screenshots] = process.argv.slice(2);

/** Moves the view, and waits until the address says so. @param {any} tab @param {number} t0 @param {number} t1 */
async function go(tab, t0, t1) {
  await tab.evaluate(([a, b]) => {
    kutrace.app.navigation.history.endBurst();
    kutrace.app.navigation.setView(a, b);
  }, [t0, t1]);
  await tab.waitForFunction((a) => location.hash.includes(`t=${a}`), t0);
}
const view = (tab) => tab.evaluate(() => [kutrace.app.view.t0, kutrace.app.view.t1].map(Math.round));

const steps = {
  async 'Back and Forward go through the views, with what was searched for, and never lose the page'(tab) {
    await tab.waitForFunction(() => location.hash !== '');
    const first = await view(tab);
    await go(tab, 20_000_000, 30_000_000);
    await ask(tab, 'write');
    await tab.waitForFunction(() => location.hash.includes('q=write'));
    await go(tab, 50_000_000, 60_000_000);
    await tab.evaluate(() => kutrace.app.search.set(''));
    await tab.waitForFunction(() => !location.hash.includes('q='));
    await tab.goBack();
    assert.deepEqual(await view(tab), [20_000_000, 30_000_000]);
    assert.equal(await tab.inputValue('#query'), 'write');
    await tab.goForward();
    assert.deepEqual(await view(tab), [50_000_000, 60_000_000]);
    assert.equal(await tab.inputValue('#query'), '');
    await tab.goBack();
    await tab.goBack();
    assert.deepEqual(await view(tab), first);
    await settled(tab);
    assert.ok(await tab.evaluate(() => kutrace.app.picture.lastPlan.slabs.length > 0));
  },
  async 'a link may say a search or a range alone'(tab) {
    const first = await view(tab);
    const open = async (/** @type {string} */ words) => {
      await tab.goto(`${pathToFileURL(page).href}#${words}`);
      await tab.reload();
      await settled(tab);
    };
    await open('q=write');
    assert.deepEqual([await view(tab), await tab.inputValue('#query')], [first, 'write']);
    await tab.waitForFunction(() => kutrace.app.matches?.count > 0);
    await open('range=20000000,30000000');
    assert.deepEqual(await view(tab), first);
    assert.deepEqual(await tab.evaluate(() => [kutrace.app.selection.t0, kutrace.app.selection.t1]), [20_000_000, 30_000_000]);
    // In a page that is open the view stays.
    await go(tab, 50_000_000, 60_000_000);
    await tab.evaluate(() => { location.hash = '#not=write'; });
    await tab.waitForFunction(() => kutrace.app.search.invert);
    assert.deepEqual([await view(tab), await tab.inputValue('#query')], [[50_000_000, 60_000_000], 'write']);
  },
  async 'movements that follow each other closely are one step back'(tab) {
    await tab.waitForFunction(() => location.hash !== '');
    const first = await view(tab);
    for (let i = 0; i < 6; i++) await tab.keyboard.press('w');
    await settled(tab);
    const [t0] = await view(tab);
    await tab.waitForFunction((a) => location.hash.includes(`t=${a}`), t0);
    await tab.goBack();
    assert.deepEqual(await view(tab), first);
  },
  async 'paper shows what is seen in light colours on one page, and nothing to press'(tab) {
    await tab.evaluate(() => kutrace.app.settings.setTheme('dark'));
    await settled(tab);
    const theme = () => tab.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await theme(), 'dark');
    const pdf = String(await tab.pdf({ preferCSSPageSize: true }));
    assert.ok(pdf.startsWith('%PDF') && pdf.length > 20_000);
    assert.equal([...pdf.matchAll(/\/Type\s*\/Page\b/g)].length, 1, 'one page');
    assert.equal(await theme(), 'dark', 'the screen is as it was');
    await tab.emulateMedia({ media: 'print' });
    await tab.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    assert.equal(await theme(), 'light');
    for (const id of ['search', 'tools', 'row-filter', 'hint']) assert.ok(await tab.isHidden(`#${id}`), id);
    for (const id of ['title', 'axis', 'gutter', 'bars', 'view-text']) assert.ok(await tab.isVisible(`#${id}`), id);
    const { paper, back } = await tab.evaluate(() => ({ paper: kutrace.app.picture.raster.pixels.includes(0xffffffff),
      back: kutrace.app.palette.theme }));
    assert.deepEqual([paper, back], [true, 'light']);
  },
  async 'edges that can be moved tell where they are, and what cannot be used takes no focus'(tab) {
    const edge = tab.locator('#labels-edge');
    const value = async () => Number(await edge.getAttribute('aria-valuenow'));
    const before = await value();
    assert.ok(before > 100 && Number(await edge.getAttribute('aria-valuemin')) < before
      && Number(await edge.getAttribute('aria-valuemax')) > before);
    await edge.focus();
    await tab.keyboard.press('ArrowRight');
    assert.equal(await value(), before + 40);
    const hidden = await tab.evaluate(() => [...document.querySelectorAll('[aria-hidden="true"]')].flatMap((e) => [e, ...e.querySelectorAll('*')])
      .filter((e) => e.checkVisibility() && (e.tabIndex >= 0 || (getComputedStyle(e).overflowY === 'scroll' && e.getAttribute('tabindex') !== '-1')))
      .map((e) => e.id));
    assert.deepEqual(hidden, []);
    for (const separator of await tab.locator('[role="separator"]').all()) assert.ok(await separator.getAttribute('aria-valuenow'));
  },
  'opening says how far it is until the picture stands': [{ before: () => {
    window.told = [];
    new MutationObserver(() => {
      const box = document.getElementById('opening');
      const text = box && !box.hidden ? box.textContent : '';
      if (text !== window.told.at(-1)) window.told.push(text);
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  } }, async (tab) => {
    const told = (await tab.evaluate(() => window.told)).filter((text, i) => i > 0 || text);
    assert.match(told[0], /^Opening/);
    assert.ok(told.some((text) => /its header/.test(text)) && told.some((text) => /spans/.test(text)), told.join(' | '));
    assert.equal(told.at(-1), '');
    assert.ok(await tab.isHidden('#opening'));
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
