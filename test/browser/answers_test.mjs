// SPDX-License-Identifier: BSD-3-Clause
// What the page answers about one span: a wait names who ended it, a match has its real argument and
// result, a list by duration begins with the longest of all, what one goes to is not pale. Of traces that
// are written here, so that every answer is known.
// In: the kutrace program, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ask, runSteps, settled, startBrowser } from './tabs.mjs';

const [program, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-answers-`);
const EAGAIN = 65525;

/** Span JSON from records [µs, µs, CPU, thread, event, argument, result, name]. @param {string} title @param {any[][]} records */
function traceOf(title, records) {
  const events = records.map(([at, time, cpu, pid, event, arg, result, name]) => [1 + at / 1e6, time / 1e6, cpu, pid, 0, event, arg, result, 0, name]);
  events.sort((a, b) => a[0] - b[0]);
  return { Comment: 'V3', flags: 0, title, tracebase: '2026-01-02_03:04:00', version: 3, axisLabelX: 'Time (sec)', axisLabelY: 'CPU Number',
    shortUnitsX: 's', shortMulX: 1, thousandsX: 1000, events: [...events, [999, 0, 0, 0, 0, 0, 0, 0, 0, '']] };
}

/** @param {string} name @param {object} trace @returns {Promise<string>} the page */
async function pageOf(name, trace) {
  await writeFile(`${folder}/${name}.json`, JSON.stringify(trace));
  execFileSync(program, ['report', `${folder}/${name}.json`, '-o', `${folder}/${name}.html`], { stdio: ['ignore', 'ignore', 'inherit'] });
  return `${folder}/${name}.html`;
}

const user = (pid, name) => [0x10000 + pid, 0, 0, `${name}.${pid}`];
const FSYNC = 0x84a;
const WAIT = (letter) => 0x300 + letter.charCodeAt(0) - 97;

// A database: thread 20 calls fsync(4), waits for the disk twice in it, woken by the flusher 30, then by the
// interrupted idle; between being woken and running it waits behind the hog 40. CPU 1 is the flusher's.
const waits = traceOf('waits', [
  [0, 100, 0, 20, ...user(20, 'db')], [100, 50, 0, 20, FSYNC, 4, 0, 'fsync'],
  [150, 350, 0, 40, ...user(40, 'hog')], [500, 50, 0, 20, FSYNC, 4, 0, 'fsync'],
  [550, 150, 0, 40, ...user(40, 'hog')], [700, 40, 0, 20, FSYNC, 4, 0, 'fsync'], [740, 60, 0, 20, ...user(20, 'db')],
  [800, 100, 0, 20, 0x801, 5, EAGAIN, 'write'], [900, 100, 0, 20, ...user(20, 'db')],
  [0, 600, 1, 30, ...user(30, 'flusher')], [600, 400, 1, 50, ...user(50, 'completer')],
  [150, 150, -1, 20, WAIT('d'), 0, 0, 'wait_disk'], [300, 200, -1, 20, WAIT('c'), 0, 0, 'wait_cpu'],
  [550, 140, -1, 20, WAIT('d'), 0, 0, 'wait_disk'], [690, 10, -1, 20, WAIT('c'), 0, 0, 'wait_cpu'],
  [300, 200, 1, 30, -3, 0, 20, '-wakeup-'], [690, 10, 1, 50, -3, 0, 20, '-wakeup-'],
]);

// More matches than are listed: 30,000 calls, of which the last ones are the longest.
const many = traceOf('many', Array.from({ length: 30_000 }, (_, i) => [
  [4 * i, 2, 0, 20, ...user(20, 'db')], [4 * i + 2, i < 29_990 ? 1 : 2, 0, 20, 0x801, i % 50, 7, 'write'],
  ...(i < 29_990 ? [[4 * i + 3, 1, 0, 20, 0x800, 3, 0, 'read']] : [])]).flat());

const pages = { waits: await pageOf('waits', waits), many: await pageOf('many', many) };
const pinned = (tab) => tab.evaluate(() => {
  const { app } = kutrace;
  const pin = app.pins.at(-1);
  return pin && { text: pin.text, thread: app.trace.threadLabel(pin.thread), row: pin.row.label, count: app.pins.length };
});
/** Pins what a row shows at a time. @param {any} tab @param {string} label of the row @param {number} us after the first second */
async function pinAt(tab, label, us) {
  await tab.evaluate(([name, time]) => {
    const { app } = kutrace;
    app.navigation.setView(1e9, 1.001e9);
    const row = app.rows.find((r) => r.label === name);
    app.navigation.revealRow(row);
  }, [label, us]);
  await settled(tab);
  await tab.evaluate(async ([name, time]) => {
    const { app } = kutrace;
    const row = app.rows.find((r) => r.label === name);
    await app.looking.click(app.navigation.xOf(1e9 + time * 1e3), row.top - app.view.top + row.height * 0.6, false);
  }, [label, us]);
}
const why = (tab) => tab.waitForFunction(() => /Why not earlier\?/.test(document.getElementById('side').textContent)).then(() => tab.textContent('#side-body'));

const steps = {
  async 'a pinned wait names who ended this wait, and B goes there'(tab) {
    for (const [time, by, run] of [[200, 'flusher.30', '1.000 500'], [600, 'completer.50', '1.000 700']]) {
      await pinAt(tab, 'db.20', time);
      assert.match((await pinned(tab)).text, /^waits: disk/);
      const text = (await why(tab)).replaceAll('\u202f', ' ');
      assert.match(text, new RegExp(`Woken by ${by}`));
      assert.match(text, new RegExp(`ran next at ${run.replace('.', '\\.')}`));
      assert.match(text, /this wait/);
      await tab.keyboard.press('b');
      await tab.waitForFunction((name) => kutrace.app.trace.threadLabel(kutrace.app.pins.at(-1).thread) === name, by);
      await tab.keyboard.press('Escape');
    }
  },
  async 'a pinned wait for a CPU names who had the CPU'(tab) {
    await pinAt(tab, 'db.20', 400);
    assert.match((await pinned(tab)).text, /^waits: ready/);
    assert.match(await why(tab), /CPU 0 ran hog\.40/);
    await tab.keyboard.press('b');
    await tab.waitForFunction(() => kutrace.app.trace.threadLabel(kutrace.app.pins.at(-1).thread) === 'hog.40');
  },
  async 'every piece of a call that is pinned has the result of the call'(tab) {
    for (const time of [120, 520, 720]) {
      await pinAt(tab, 'CPU 0', time);
      await tab.waitForFunction(() => /= 0/.test(kutrace.app.pins.at(-1)?.text));
      assert.match((await pinned(tab)).text, /^fsync\(4\) = 0/);
      assert.doesNotMatch(await tab.textContent('#side-body'), /not in the trace|not seen/);
      await tab.keyboard.press('Escape');
    }
  },
  async 'N, Enter and the list pin a match with its argument and result, and N opens its card'(tab) {
    await ask(tab, 'write');
    await tab.keyboard.press('n');
    await tab.waitForFunction(() => kutrace.app.pins.length === 1);
    assert.match((await pinned(tab)).text, /^write\(5\) = EAGAIN/);
    assert.equal(await tab.evaluate(() => kutrace.app.side.panel), 'details');
    assert.match(await tab.textContent('#side-body'), /EAGAIN/);
    await ask(tab, 'fsync');
    await tab.locator('#query').focus();
    await tab.keyboard.press('Enter');
    await tab.waitForFunction(() => /^fsync\(4\) = 0/.test(kutrace.app.pins.at(-1)?.text));
    assert.equal((await pinned(tab)).count, 1);
    await tab.locator('#query').blur();
    await tab.keyboard.press('Shift+J');
    await tab.locator('.matches tbody tr').last().click();
    await tab.waitForFunction(() => /^fsync\(4\) = 0/.test(kutrace.app.pins.at(-1)?.text) && kutrace.app.search.at === 2);
    assert.equal(await tab.evaluate(() => kutrace.app.side.panel), 'matches', 'the list stays');
    assert.equal(await tab.locator('.matches tr[aria-selected="true"]').count(), 1);
  },
  async 'waits are found by the words that the tables print, and the list of matches has these words'(tab) {
    await ask(tab, 'ready');
    assert.match(await tab.textContent('#found'), /^2 · total 210\.0 µs/);
    await ask(tab, 'wait_cpu');
    assert.match(await tab.textContent('#found'), /^2 · total 210\.0 µs/);
    await tab.keyboard.press('Shift+J');
    assert.deepEqual(await tab.locator('.matches tbody tr td:nth-child(2)').allTextContents(), ['ready', 'ready']);
  },
  async 'a match on a folded row unfolds it'(tab) {
    await tab.evaluate(() => kutrace.app.rowList.fold('threads'));
    await ask(tab, 'kind:wait event:wait_disk');
    await tab.keyboard.press('n');
    await tab.waitForFunction(() => kutrace.app.pins.at(-1)?.row.label === 'db.20');
  },
  async 'after a search what B reaches is not pale'(tab) {
    await ask(tab, 'fsync');
    await pinAt(tab, 'CPU 0', 720);
    await why(tab);
    await tab.keyboard.press('b');
    await tab.waitForFunction(() => kutrace.app.trace.threadLabel(kutrace.app.pins.at(-1).thread) === 'completer.50');
    await settled(tab);
    const [there, elsewhere] = await tab.evaluate(() => {
      const { app } = kutrace;
      const colours = (label, from, to) => {
        const row = app.rows.find((r) => r.label === label);
        const { pixels, width } = app.picture.raster;
        const seen = new Set();
        for (let y = row.top - app.view.top; y < row.top - app.view.top + row.height; y++) {
          for (let x = Math.floor(app.navigation.xOf(from)) + 2; x < app.navigation.xOf(to) - 2; x++) seen.add(pixels[y * width + x]);
        }
        return [...app.palette.user].some((colour) => seen.has(colour));
      };
      const pin = app.pins.at(-1);
      return [colours(pin.row.label, Math.max(pin.start, app.view.t0), Math.min(pin.end, app.view.t1)), colours('hog.40', 1.00015e9, 1.0005e9)];
    });
    assert.deepEqual([there, elsewhere], [true, false]);
  },
  async 'waits are shares of all waiting'(tab) {
    await tab.evaluate(() => kutrace.app.range.select(1e9, 1.001e9, true));
    await tab.waitForSelector('#copy-csv');
    await tab.click('#tab-wait');
    const shares = await tab.locator('#drawer tbody td:nth-child(3)').allTextContents();
    assert.ok(Math.abs(shares.reduce((sum, text) => sum + parseFloat(text), 0) - 100) < 0.1, shares.join());
  },
  'a list by duration is the longest of all matches, and the header says the same': [{ file: pages.many }, async (tab) => {
    await ask(tab, 'write');
    const { count, max } = await tab.evaluate(() => kutrace.app.matches);
    assert.deepEqual([count, max], [30_000, 2000]);
    await tab.keyboard.press('Shift+J');
    await tab.click('.matches th:has-text("duration") button');
    await tab.waitForFunction(() => kutrace.app.search.list !== null);
    const longest = await tab.locator('.matches tbody tr td:nth-child(3)').allTextContents();
    assert.deepEqual(longest.slice(0, 11), [...Array(10).fill('2.000 µs'), '1.000 µs']);
    assert.match(await tab.textContent('#found'), /max 2\.000 µs/);
    assert.match(await tab.textContent('#side-body'), /30\u202f000 in all, of which the first 20\u202f000 in this order are listed/);
    await tab.locator('.matches tbody tr').first().click();
    await tab.waitForFunction(() => kutrace.app.pins.length === 1);
    assert.match((await pinned(tab)).text, /^write\(40\) = 7\s+2\.000 µs/);
    await tab.click('.matches th:has-text("start") button');
    const starts = await tab.locator('.matches tbody tr td:nth-child(1)').allTextContents();
    assert.deepEqual(starts, [...starts].sort(), 'by time again');
  }],
};

const browser = await startBrowser(chromium, web);
let failed = 1;
try {
  failed = await runSteps(browser, { file: pages.waits }, steps, screenshots);
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
process.exit(failed > 0 ? 1 : 0);
