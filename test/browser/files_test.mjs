// SPDX-License-Identifier: BSD-3-Clause
// Which file each call is about: the card of a call of the page against what `kutrace query` says of the trace; and
// commands that read the page back say the same as of the trace.
// In: the kutrace program, what writes the trace, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, settled, startBrowser } from './tabs.mjs';

const [program, maker, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-files-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' };
const raw = `${folder}/files.raw`;
execFileSync(maker, ['files', raw]);
for (const form of ['html', 'kux']) execFileSync(program, ['report', raw, '-o', `${folder}/files.${form}`], quiet);

const QUESTION = "select name, start_ns, end_ns, file from calls where kind = 'syscall' order by start_ns";
/** @param {string} file @returns {{name: string, start_ns: number, end_ns: number, file: string | null}[]} */
const told = (file) => JSON.parse(execFileSync(program, ['query', '--format', 'json', file, QUESTION], quiet));
const calls = told(raw);
assert.equal(calls.length, 15);

/** What the card of a span on the thread's row says. @param {any} tab @param {number} time */
async function card(tab, time) {
  await tab.evaluate(async (at) => {
    const { app } = kutrace;
    const row = app.rows.find((r) => r.thread >= 0 && app.trace.threads[r.thread].name === 'db');
    const found = await app.looking.finder.at(row, at, 0);
    app.looking.pin(found);
    await app.looking.showDetails(found);
  }, time);
  const facts = await tab.$$eval('#side-body dt', (all) => all.map((name) => [name.textContent, name.nextElementSibling.textContent]));
  return Object.fromEntries(facts);
}

/** @param {any} tab */
async function agrees(tab) {
  for (const call of calls) {
    const { file } = await card(tab, call.start_ns + 1);
    assert.equal(file, call.file ?? undefined, `${call.name} at ${call.start_ns}`);
  }
}

const steps = {
  'the card of each call names its file, as query does': async (tab) => {
    assert.deepEqual(new Set(calls.map(({ file }) => file)), new Set(['/var/lib/db/index', '/var/lib/db/<b>&ü', '/tmp/x']));
    await agrees(tab);
  },
  'the second piece of a call, too, and the card beside the pointer': async (tab) => {
    const { start_ns: start, end_ns: end } = calls.filter(({ name }) => name === 'read')[1];
    const { file, 'the whole call': whole } = await card(tab, end - 1);
    assert.ok(whole);
    assert.equal(file, '/var/lib/db/index');
    const { x, y } = await tab.evaluate((time) => {
      const { app } = kutrace;
      const row = app.rows.find((r) => r.thread >= 0 && app.trace.threads[r.thread].name === 'db');
      const { left, top } = document.getElementById('plot').getBoundingClientRect();
      return { x: left + app.navigation.xOf(time), y: top + row.top - app.view.top + row.height / 2 };
    }, start + (end - start) * 0.95);
    await tab.mouse.move(x, y);
    await tab.waitForFunction(() => /\/var\/lib\/db\/index/.test(document.getElementById('card').textContent));
  },
  'commands that read the page back name them': async () => {
    for (const form of ['html', 'kux']) assert.deepEqual(told(`${folder}/files.${form}`), calls);
    const again = `${folder}/again.kux`;
    execFileSync(program, ['report', `${folder}/files.html`, '-o', again], quiet);
    assert.deepEqual(told(again), calls);
  },
  'of a container, too': async (tab) => {
    const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), tab.evaluate(() => kutrace.choose())]);
    await chooser.setFiles(`${folder}/files.kux`);
    await tab.waitForFunction(() => kutrace.app?.store.source.block('kutrace-header') instanceof Blob);
    await settled(tab);
    await agrees(tab);
  },
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/files.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
