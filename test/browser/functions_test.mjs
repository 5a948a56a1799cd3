// SPDX-License-Identifier: BSD-3-Clause
// Functions of a program: a lane as high as they are deep, above the bars of their thread alone; each is found where it
// is drawn, and the search finds them by name.
// In: the kutrace program, what writes the trace, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, settled, startBrowser } from './tabs.mjs';

const [program, maker, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-functions-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' };
execFileSync(maker, ['functions', `${folder}/functions.raw`]);
execFileSync(program, ['report', `${folder}/functions.raw`, '-o', `${folder}/functions.html`], quiet);

const TICK = 16;  // ns

/** What is found in the row of the thread, at a time and so many pixels below its top. @param {any} tab @param {number} ticks @param {number} y */
const found = (tab, ticks, y) => tab.evaluate(([time, below]) => {
  const { app } = kutrace;
  const row = app.rows.find((r) => r.id === 't10');
  const at = app.looking.find(app.navigation.xOf(time), row.top - app.view.top + below);
  return at && { name: app.trace.kindName[at.kind], kind: app.trace.what[at.kind], start: at.start, end: at.end, depth: at.arg };
}, [ticks * TICK, y]);

const steps = {
  'the row of the thread has room for three in one another, others have none': async (tab) => {
    const heights = await tab.evaluate(() => Object.fromEntries(kutrace.app.rows.filter((r) => r.type === 'thread').map((r) => [r.id, [r.levels, r.height]])));
    assert.equal(heights.t10[0], 3);
    assert.equal(heights.t20[0], 0);
    assert.equal(heights.t10[1], heights.t20[1] + 33);
  },
  'each is found in its place, below the one that called it': async (tab) => {
    await settled(tab);
    assert.deepEqual(await found(tab, 4000, 5), { name: 'main', kind: 25, start: 1000 * TICK, end: 25_000 * TICK, depth: 0 });
    assert.deepEqual(await found(tab, 4000, 16), { name: 'query', kind: 25, start: 2000 * TICK, end: 6000 * TICK, depth: 1 });
    assert.deepEqual(await found(tab, 4000, 27), { name: 'fetch', kind: 25, start: 3000 * TICK, end: 5000 * TICK, depth: 2 });
    assert.equal((await found(tab, 4000, 45)).name, 'read');
  },
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/functions.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
