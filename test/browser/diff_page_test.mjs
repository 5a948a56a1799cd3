// SPDX-License-Identifier: BSD-3-Clause
// The page of a comparison has the rows and numbers of `kutrace diff --format json`, a picture of the durations of
// each, and links to the sides' own pages at what is compared; it runs nothing and loads nothing.
// In: the kutrace program, what writes the traces, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { startBrowser, watch } from './tabs.mjs';

const [program, maker, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-diff-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };
await mkdir(`${folder}/pages`);
for (const [name, kind, size] of [['a', 'many', '200000'], ['b', 'many', '300000'], ['c', 'fsync', '1']]) {
  execFileSync(maker, [kind, `${folder}/${name}.raw`, size]);
  execFileSync(program, ['report', `${folder}/${name}.raw`, '-o', `${folder}/pages/${name}.html`], quiet);
}

/** @param {any} tab @param {string[]} sides @param {string[]} options */
async function compared(tab, sides, options = []) {
  const told = JSON.parse(execFileSync(program, ['diff', ...sides, ...options, '--format', 'json'], quiet));
  execFileSync(program, ['diff', ...sides, ...options, '-o', `${folder}/d.html`], quiet);
  await tab.goto(`file://${folder}/d.html`);
  const rows = await tab.$$eval('table.rows tbody tr', (all) => all.map((row) => ({ cells: [...row.children].map((cell) => cell.textContent),
    numbers: [...row.querySelectorAll('.two span')].map((one) => one.textContent), pale: row.classList.contains('noise'), picture: row.querySelectorAll('svg .sb').length,
    links: [...row.querySelectorAll('a')].map((link) => link.getAttribute('href')) })));
  return { told, rows };
}

const browser = await startBrowser(chromium, web);
try {
  const tab = await browser.newPage({ viewport: { width: 1500, height: 900 } });
  /** @type {string[]} */
  const problems = [];
  watch(tab, problems);
  const { told, rows } = await compared(tab, [`${folder}/a.raw`, `${folder}/b.raw`]);
  // By kind of row, as the tables stand.
  const inOrder = ['program', 'thread', 'call', 'wait', 'kind'].flatMap((by) => told.rows.filter((row) => row.by === by));
  assert.equal(rows.length, inOrder.length);
  assert.ok(rows.length > 100);
  const ms = (ns) => (ns / 1e6).toFixed(3);
  inOrder.forEach((row, i) => {
    assert.deepEqual(rows[i].numbers.map(Number), [row.time_ns.before, row.time_ns.after].map((ns) => Number(ms(ns))), row.name);
    assert.equal(Number(rows[i].cells[2]), Number(ms(row.shift_ns)), row.name);
    assert.equal(rows[i].pale, row.verdict === 'noise' || row.verdict === 'untold', row.name);
    assert.equal(rows[i].picture, 1, row.name);
    assert.ok(rows[i].cells[0].startsWith(row.name), row.name);
    assert.deepEqual(rows[i].links, []);
  });
  if (screenshots) await tab.screenshot({ path: `${screenshots}/diff.png` });
  const linked = await compared(tab, [`${folder}/pages/c.html`, `${folder}/pages/b.html`], ['--by', 'call', '--top', '0']);
  assert.deepEqual(await tab.$$eval('.sides a', (all) => all.map((link) => link.getAttribute('href'))), ['pages/c.html', 'pages/b.html']);
  const fsync = linked.rows.find(({ cells }) => cells[0].startsWith('fsync'));
  assert.ok(fsync && fsync.links.length === 2 && fsync.picture === 1);
  assert.deepEqual(problems, []);
  await tab.goto(`file://${folder}/${fsync.links[0]}`);
  await tab.waitForFunction(() => /·/.test(document.getElementById('found')?.textContent ?? ''));
  const { before } = linked.told.rows.find((row) => row.name === 'fsync');
  assert.equal(await tab.evaluate(() => kutrace.app.matches.count), before.count);
  console.log(`ok    ${rows.length} rows of a comparison, side by side, are those of --format json`);
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
