// SPDX-License-Identifier: BSD-3-Clause
// Neither opening millions of spans nor questions about them block what people do meanwhile: the page's thread does
// them in turns, between which the input has its own. Turns are counted, not timed, so that no other load changes
// what comes out. How long they take is measured by scripts/bench.
// In: the page, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { countTurns } from './turns.mjs';

const [page, chromium, web] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const OPENING = 45;

/**
 * In how many turns at least, what to do in the page, when it is done. A page that does its work at once has one or
 * two. The least is a third to a half of what it takes on a machine without other work: how many frames and answers of
 * workers are among the turns, the load of the machine decides.
 * @type {Record<string, [least: number, ask: () => unknown, done: () => unknown]>}
 */
const questions = {
  'a search for every span': [40, () => kutrace.app.search.set('-no-such-name'), () => /·/.test(document.getElementById('found').textContent)],
  'a regular expression': [230, () => kutrace.app.search.set('/^(read|write|close)$/ min:1us'), () => /·/.test(document.getElementById('found').textContent)],
  'the whole trace as a range': [45, () => {
    kutrace.app.search.set('');
    kutrace.app.range.select(kutrace.app.trace.begin, kutrace.app.trace.end, true);
  }, () => document.getElementById('copy-csv') && kutrace.app.range.told.t1 - kutrace.app.range.told.t0 > kutrace.app.trace.duration * 0.99],
  'its flame graph': [40, () => document.getElementById('tab-flame').click(), () => document.querySelector('.flame g')],
  'a far wakeup': [40, async () => {
    kutrace.app.range.clear();
    const row = kutrace.app.rows.find((r) => r.thread >= 0);
    await kutrace.app.looking.pinFirst(row);
    await kutrace.app.looking.goToCause();
  }, () => kutrace.app.pins.length > 0],
  'a thousand threads in one row': [7, () => kutrace.app.rowList.foldBy('parent'), () => kutrace.app.rows.some((row) => row.members.length > 900)],
  'and from nearer': [35, () => {
    const { navigation, trace } = kutrace.app;
    navigation.setView(trace.begin + trace.duration * 0.4, trace.begin + trace.duration * 0.43);
  }, () => kutrace.app.picture.lastPlan.detailed],
  'what a long wait for a CPU went to': [90, async () => {
    const { app } = kutrace;
    const { overlays: o } = await app.store.load(5);
    let longest = -1;
    for (let i = 0; i < o.count; i++) {
      if (app.trace.what[o.kind[i]] === 12 && (longest < 0 || o.end[i] - o.start[i] > o.end[longest] - o.start[longest])) longest = i;
    }
    app.trace.event[o.kind[longest]] = 0x302;  // as if it had been one: this page has none
    app.search.look({ start: o.start[longest], end: o.end[longest], kind: o.kind[longest], cpu: -1, thread: o.thread[longest] });
  }, () => document.querySelector('.blame tfoot')],
  'moving and zooming meanwhile': [60, () => {
    kutrace.app.search.set('e');
    for (let i = 0; i < 40; i++) setTimeout(() => kutrace.app.navigation.zoomAt(400, i < 20 ? 0.8 : 1.25), i * 16);
  }, () => /·/.test(document.getElementById('found').textContent)],
};

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
let failed = 0;
/** @param {string} name @param {number} turns @param {number} least */
function enough(name, turns, least) {
  if (turns < least) failed++;
  console.log(`${turns < least ? 'FAIL ' : 'ok   '} ${name}: ${turns} turns, ${least} at least`);
}

try {
  const tab = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  tab.setDefaultTimeout(180_000);  // a busy machine is slow, not wrong
  await tab.addInitScript(countTurns);
  await tab.goto(pathToFileURL(page).href, { waitUntil: 'load' });
  await tab.waitForFunction(() => kutrace.app && kutrace.timing.firstPaint > 0 && !kutrace.app.scheduled);
  await tab.keyboard.press('Escape');
  enough('opening', await tab.evaluate(() => turns.count), OPENING);
  for (const [name, [least, ask, done]] of Object.entries(questions)) {
    await tab.evaluate(() => {
      kutrace.app.looking.unpinAll();
      kutrace.app.navigation.whole();
    });
    await tab.waitForFunction(() => !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);
    await tab.evaluate(() => { turns.count = 0; });
    await tab.evaluate(ask);
    await tab.waitForFunction(done);
    await tab.waitForFunction(() => !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);
    enough(name, await tab.evaluate(() => turns.count), least);
  }
  assert.equal(failed, 0, 'the input was blocked');
} finally {
  await browser.close();
}
