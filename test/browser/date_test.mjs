// SPDX-License-Identifier: BSD-3-Clause
// When it was: a trace that tells no date shows none, on the axis, in the status line, on a card, in About and
// in a picture; one that tells it shows it, before its begin, too.
// In: the kutrace program, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { madeTrace } from './made_trace.mjs';
import { runSteps, settled, startBrowser } from './tabs.mjs';

const [program, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-date-`);

const trace = madeTrace(1);
// Its first span begins at 0.
trace.events = trace.events.map(([at, ...rest]) => [at === 999 ? at : at - 1, ...rest]);

/** @param {string} name @param {string} tracebase @returns {Promise<string>} the page */
async function pageOf(name, tracebase) {
  await writeFile(`${folder}/${name}.json`, JSON.stringify({ ...trace, tracebase }));
  execFileSync(program, ['report', `${folder}/${name}.json`, '-o', `${folder}/${name}.html`], { stdio: ['ignore', 'ignore', 'inherit'] });
  return `${folder}/${name}.html`;
}

const dated = await pageOf('dated', '2026-01-02_03:04:00');
const undated = await pageOf('undated', '');

/** All that the page says of when its trace was, a little before its begin at the left. @param {any} tab */
async function texts(tab) {
  await tab.evaluate(() => {
    const { app } = kutrace;
    app.navigation.setView(-1e7, app.trace.end);
    app.side.open('about');
  });
  await settled(tab);
  const about = await tab.textContent('#side');
  await tab.evaluate(() => {
    const { app } = kutrace;
    return app.looking.pinFirst(app.rows.find((row) => row.cpu === 0));
  });
  await tab.waitForFunction(() => kutrace.app.side.panel === 'details');
  return { about, ...await tab.evaluate(() => ({ axis: document.getElementById('base').textContent,
    title: document.getElementById('base').title, status: document.getElementById('view-text').textContent,
    card: document.getElementById('side').textContent })) };
}

const steps = {
  'a date that is known stands everywhere, before the begin, too': async (tab) => {
    const { about, axis, title, status, card } = await texts(tab);
    assert.match(about, /2026-01-02 03:04:0/);
    assert.equal(axis, '0 = 2026-01-02 03:04:00 UTC');
    assert.match(title, /2026-01-02 03:04:00 UTC/);
    assert.match(status, / · 2026-01-02 03:03:59\.996 UTC$/);
    assert.match(card, /wall clock2026-01-02 03:04:0/);
  },
  'a date that is not known stands nowhere': [{ file: undated }, async (tab) => {
    const { about, axis, title, status, card } = await texts(tab);
    assert.match(about, /not known when/);
    assert.equal(axis, '0 = start');
    assert.match(title, /of which the date is not known/);
    assert.match(status, /\)$/);
    for (const text of [about, axis, title, status, card]) assert.doesNotMatch(text, /UTC|19[67]\d|wall clock\d/);
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.keyboard.press('Shift+S')]);
    assert.doesNotMatch(await readFile(await download.path(), 'utf8'), /UTC/);
  }],
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: dated }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
