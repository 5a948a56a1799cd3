// SPDX-License-Identifier: BSD-3-Clause
// The flame graph of a page against the calls of the trace that it was made of: each frame stands for as many
// calls, with as much time in themselves, as were made from the same callers. Of a page without calls, nesting is
// guessed and frames say so.
// In: the kutrace program, what writes the traces, a container without calls, Chromium, the folder of the web
// sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, startBrowser } from './tabs.mjs';

const [program, maker, before, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-flame-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };

/** What the calls of a trace say: by the names of callers and called, how many with how much time in themselves. @param {string} raw */
function framesOfCalls(raw) {
  const calls = new Map();
  for (const line of execFileSync(program, ['dump', '--stage', 'calls', raw], quiet).trim().split('\n')) {
    const numbers = line.split(' ');
    const [own, , pieces, id, parent] = numbers.slice(8, 13).map(Number);
    calls.set(id, { own, pieces, parent, name: /"(.*)"/.exec(line)?.[1] || `event ${Number.parseInt(numbers[5], 16)}` });
  }
  const path = (call) => (call.parent ? `${path(calls.get(call.parent))} > ${call.name}` : call.name);
  const frames = new Map();
  for (const call of calls.values()) {
    if (call.pieces === 0) continue;
    const frame = frames.get(path(call)) ?? { count: 0, own: 0 };
    frames.set(path(call), { count: frame.count + 1, own: frame.own + call.own });
  }
  return frames;
}

/** The same of the page, for the whole trace. @param {any} tab */
async function framesOfPage(tab) {
  await tab.evaluate(() => kutrace.app.range.select(kutrace.app.trace.begin, kutrace.app.trace.end, true));
  await tab.waitForFunction(() => document.querySelector('.range'), { timeout: 60_000 });
  await tab.click('#tab-flame');
  await tab.waitForFunction(() => kutrace.app.range.told?.flame, { timeout: 60_000 });
  return new Map(await tab.evaluate(() => {
    const { trace, range } = kutrace.app;
    const frames = new Map();
    const visit = (frame, path) => {
      for (const child of frame.inner.values()) {
        const name = path ? `${path} > ${trace.name(child.key)}` : trace.name(child.key);
        const known = frames.get(name) ?? { count: 0, own: 0 };
        frames.set(name, { count: known.count + child.count + (child.long?.size ?? 0), own: known.own + child.own });
        visit(child, name);
      }
    };
    for (const thread of range.told.flame.inner.values()) visit(thread, '');
    return [...frames];
  }));
}

/** @param {any} tab @param {string} raw */
async function agree(tab, raw) {
  const [told, drawn] = [framesOfCalls(raw), await framesOfPage(tab)];
  const differ = [...new Set([...told.keys(), ...drawn.keys()])].filter((path) => JSON.stringify(told.get(path)) !== JSON.stringify(drawn.get(path)));
  console.log(`      ${told.size} frames, ${[...told.values()].reduce((sum, f) => sum + f.count, 0)} calls`);
  assert.deepEqual(differ.map((path) => [path, told.get(path), drawn.get(path)]), []);
}

for (const trace of ['nested', 'many']) {
  execFileSync(maker, [trace, `${folder}/${trace}.raw`]);
  execFileSync(program, ['report', `${folder}/${trace}.raw`, '-o', `${folder}/${trace}.html`], quiet);
}
execFileSync(program, ['report', before, '-o', `${folder}/before.html`], quiet);

/** What a frame says of itself. @param {any} tab @param {string} name */
async function saidOf(tab, name) {
  await framesOfPage(tab);
  await tab.click('#tab-flame');
  return (await tab.$$eval('.flame title', (titles) => titles.map((title) => title.textContent)))
    .find((text) => text.startsWith(`${name}\n`));
}

const steps = {
  'calls that stand side by side are two, and lie in nothing': async (tab) => {
    const frames = await framesOfPage(tab);
    assert.equal(frames.get('read').count, 5);
    assert.ok(frames.has('BH:timer'), [...frames.keys()].join(', '));
    assert.ok(![...frames.keys()].some((path) => /local_timer > BH/.test(path)), [...frames.keys()].join(', '));
  },
  'frames stand for the calls that were made so': (tab) => agree(tab, `${folder}/nested.raw`),
  'also for those that no part of a page holds': [{ file: `${folder}/many.html` }, async (tab) => {
    assert.ok(await tab.evaluate(() => kutrace.app.trace.slabs.length > 1 && kutrace.app.longCalls.count > 0));
    await agree(tab, `${folder}/many.raw`);
  }],
  'a frame says how many calls it stands for': async (tab) => {
    assert.match(await saidOf(tab, 'read'), /\n5 calls$/);
  },
  'in a page without calls, how many spans began it': [{ file: `${folder}/before.html` }, async (tab) => {
    assert.equal(await tab.evaluate(() => kutrace.app.trace.hasCalls), false);
    const name = await tab.evaluate(() => kutrace.app.trace.name([...kutrace.app.trace.what].indexOf(2)));
    assert.match(await saidOf(tab, name), /times begun, or gone on with$/);
  }],
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/nested.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
