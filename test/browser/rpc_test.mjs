// SPDX-License-Identifier: BSD-3-Clause
// Rows of RPCs: each has name and latency; R orders them by latency, name and begin; a click leaves only the rows
// that took part, and the others come back by a button, by Escape and by another click.
// In: the kutrace program, what writes the trace, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, settled, startBrowser } from './tabs.mjs';

const [program, maker, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-rpc-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' };
execFileSync(maker, ['rpcs', `${folder}/rpcs.raw`]);
execFileSync(program, ['report', `${folder}/rpcs.raw`, '-o', `${folder}/rpcs.html`], quiet);

/** Names and notes of the rows of RPCs, from above. @param {any} tab @returns {Promise<string[]>} */
const rpcRows = (tab) => tab.evaluate(() => kutrace.app.rows.filter((row) => row.type === 'rpc').map((row) => `${row.label} ${row.note}`));
/** @param {any} tab @returns {Promise<string>} the note of their heading */
const heading = (tab) => tab.evaluate(() => kutrace.app.rows.find((row) => row.id === 'rs').note);
/** Ids of rows that are no headings. @param {any} tab @returns {Promise<string[]>} */
const rowIds = (tab) => tab.evaluate(() => kutrace.app.rows.filter((row) => !row.key).map((row) => row.id).sort());

/** @param {any} tab @param {string} id @param {string} [button] */
async function clickLabel(tab, id, button = 'left') {
  const [x, y] = await tab.evaluate((id) => {
    const { rows, view, navigation } = kutrace.app;
    const row = rows.find((r) => r.id === id);
    navigation.revealRow(row);
    const box = document.getElementById('gutter').getBoundingClientRect();
    return [box.left + 40, box.top + row.top - view.top + row.height / 2];
  }, id);
  await tab.mouse.click(x, y, { button });
}

/** @param {any} tab @param {string} id */
async function choose(tab, id) {
  await clickLabel(tab, id);
  await tab.waitForFunction((id) => kutrace.app.rowList.options.only?.of === id, id);
  await settled(tab);
}

const steps = {
  'a row has the method, the number and the latency; the slowest is first': async (tab) => {
    assert.deepEqual(await rpcRows(tab), ['put.2 48.00 µs', 'get.1 16.00 µs', 'add.3 4.800 µs']);
    assert.equal(await heading(tab), '3 by latency');
  },
  'R orders them by name, by begin, and by latency again': async (tab) => {
    const names = async () => (await rpcRows(tab)).map((text) => text.split(' ')[0]);
    await tab.keyboard.press('r');
    assert.deepEqual([await names(), await heading(tab)], [['add.3', 'get.1', 'put.2'], '3 by name']);
    await tab.keyboard.press('r');
    assert.deepEqual([await names(), await heading(tab)], [['get.1', 'put.2', 'add.3'], '3 by start']);
    await tab.keyboard.press('r');
    assert.deepEqual([await names(), await heading(tab)], [['put.2', 'get.1', 'add.3'], '3 by latency']);
  },
  'R orders those that a person had moved, too': async (tab) => {
    await tab.evaluate(() => kutrace.app.rowList.move('r3', 'r2'));
    assert.match((await rpcRows(tab))[0], /^add/);
    await tab.keyboard.press('r');
    await tab.keyboard.press('r');
    assert.match((await rpcRows(tab))[0], /^get/);
  },
  'a click leaves only the threads and CPUs that took part': async (tab) => {
    await choose(tab, 'r2');
    assert.deepEqual(await rowIds(tab), ['c0', 'c1', 'r2', 't20', 't30']);
    assert.match(await tab.textContent('#live'), /2 threads and 2 CPUs took part in put\.2/);
  },
  'which differs from one to the other': async (tab) => {
    await choose(tab, 'r1');
    assert.deepEqual(await rowIds(tab), ['c0', 'r1', 't10']);
    await tab.click('#hidden-rows');
    await choose(tab, 'r3');
    assert.deepEqual(await rowIds(tab), ['c1', 'r3', 't10']);
  },
  'the button, Escape and a click on it bring the others back, but not what was hidden': async (tab) => {
    await tab.evaluate(() => kutrace.app.rowList.hide('c2'));
    const all = await rowIds(tab);
    await choose(tab, 'r2');
    assert.equal(await tab.textContent('#hidden-rows'), 'show all rows');
    await tab.click('#hidden-rows');
    assert.deepEqual(await rowIds(tab), all);
    assert.equal(await tab.textContent('#hidden-rows'), 'show 1 hidden');
    await choose(tab, 'r2');
    await tab.keyboard.press('Escape');
    assert.deepEqual(await rowIds(tab), all);
    await choose(tab, 'r2');
    await clickLabel(tab, 'r2');
    await tab.waitForFunction(() => !kutrace.app.rowList.options.only);
    assert.deepEqual(await rowIds(tab), all);
  },
  'the menu of the row does the same': async (tab) => {
    await clickLabel(tab, 'r1', 'right');
    await tab.locator('#menu button', { hasText: 'Only the rows that took part' }).click();
    await tab.waitForFunction(() => kutrace.app.rowList.options.only?.of === 'r1');
    assert.deepEqual(await rowIds(tab), ['c0', 'r1', 't10']);
  },
  'a saved view has the choice': async (tab) => {
    await choose(tab, 'r2');
    await tab.evaluate(() => kutrace.app.keeping.saveView(0, 'one'));
    await tab.keyboard.press('Escape');
    assert.ok((await rowIds(tab)).length > 5);
    await tab.evaluate(() => kutrace.app.keeping.goToView(0));
    assert.deepEqual(await rowIds(tab), ['c0', 'c1', 'r2', 't20', 't30']);
  },
  'a page that does not tell when they began has them by their time': [{ file: `${folder}/rpcs.html`, before: () => {
    const { parse } = JSON;
    JSON.parse = (text, ...more) => {
      const value = parse(text, ...more);
      if (Array.isArray(value?.objects)) value.objects = value.objects.map((object) => object.slice(0, 7));
      return value;
    };
  } }, async (tab) => {
    assert.equal(await heading(tab), '3 by time');
    assert.ok((await rpcRows(tab)).every((text) => /^\w+\.\d \d+$/.test(text)), await rpcRows(tab));
    await choose(tab, 'r2');
    assert.deepEqual(await rowIds(tab), ['c0', 'c1', 'r2', 't20', 't30']);
  }],
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/rpcs.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
