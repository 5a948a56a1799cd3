// SPDX-License-Identifier: BSD-3-Clause
// Calls in the page: eight fsync that block are eight, the longest first, each as long as the raw trace says;
// tables and cards speak of them; a page without calls speaks of pieces.
// In: the kutrace program, what writes the trace, a container without calls, Chromium, the folder of the web
// sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ask, runSteps, settled, startBrowser } from './tabs.mjs';

const [program, maker, before, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-calls-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' };
execFileSync(maker, ['fsync', `${folder}/fsync.raw`]);
execFileSync(maker, ['many', `${folder}/many.raw`]);
execFileSync(program, ['report', `${folder}/fsync.raw`, '-o', `${folder}/fsync.html`], quiet);
execFileSync(program, ['report', `${folder}/many.raw`, '-o', `${folder}/many.html`], quiet);
execFileSync(program, ['report', before, '-o', `${folder}/before.html`], quiet);

/** Lines of calls without their numbers: begin, duration, CPU, pid, kind, event, argument, result, own, on a CPU, pieces. */
const callsOf = (file) => execFileSync(program, ['dump', '--stage', 'calls', file], quiet).trim().split('\n').map((line) => line.split(' '));
const fsyncs = callsOf(`${folder}/fsync.raw`).filter((call) => call[5] === '84a').sort((a, b) => b[1] - a[1]);
const durations = fsyncs.map((call) => Number(call[1]));
const rows = (tab, panel) => tab.$$eval(`${panel} tr`, (trs) => trs.map((tr) => [...tr.children].map((cell) => cell.textContent)));

/** The longest system call that no part of the page holds, and that stands in pieces. @param {any} tab */
const longCall = (tab) => tab.evaluate(() => {
  const { longCalls: c, trace } = kutrace.app;
  const [at] = Array.from({ length: c.count }, (_, i) => i).filter((i) => trace.what[c.kind[i]] === 2 && c.pieces[i] > 1)
    .sort((a, b) => (c.end[b] - c.start[b]) - (c.end[a] - c.start[a]));
  return { start: c.start[at], end: c.end[at], kind: c.kind[at], thread: c.thread[at], pieces: c.pieces[at], own: c.own[at],
    name: trace.name(c.kind[at]), pid: trace.threads[c.thread[at]].pid };
});

const steps = {
  'the raw trace has eight fsync, and so has what is read back of the page': async () => {
    assert.equal(fsyncs.length, 8);
    const strip = (calls) => calls.filter((call) => call[5] === '84a').map((call) => call.slice(0, 11).join(' ')).sort();
    assert.deepEqual(strip(callsOf(`${folder}/fsync.html`)), strip(fsyncs));
  },
  'a search finds eight calls, and the list has the longest first': async (tab) => {
    await ask(tab, 'event:fsync kind:systemcall');
    const total = durations.reduce((sum, ns) => sum + ns, 0);
    const matches = await tab.evaluate(() => {
      const { count, total, min, max } = kutrace.app.search.matches;
      return { count, total, min, max };
    });
    assert.deepEqual(matches, { count: 8, total, min: durations[7], max: durations[0] });
    await tab.keyboard.press('Shift+J');
    await tab.locator('.matches th button', { hasText: 'duration' }).click();
    const listed = (await rows(tab, '.matches')).slice(1).map((cells) => Number.parseFloat(cells[2]) * 1e3);
    assert.deepEqual(listed.map(Math.round), durations);
  },
  'only calls of that length match a bound, not their pieces': async (tab) => {
    await ask(tab, `event:fsync min:${durations[1]}ns`);
    assert.equal(await tab.evaluate(() => kutrace.app.search.matches.count), 2);
    await ask(tab, `event:fsync max:${durations[7] - 1}ns`);
    assert.equal(await tab.evaluate(() => kutrace.app.search.matches.count), 0);
  },
  'the card of a match tells of the whole call': async (tab) => {
    await ask(tab, `event:fsync min:${durations[0]}ns`);
    await tab.keyboard.press('n');
    await tab.waitForFunction(() => kutrace.app.pins.length === 1);
    const facts = await tab.$$eval('#side dl', ([dl]) => dl.textContent);
    assert.match(facts, /pieces3/);
    assert.match(facts, /on a CPU/);
    assert.match(facts, /waiting: /);
    assert.match(facts, /8 calls/);
  },
  'also that of a piece of one that no part of the page holds': [{ file: `${folder}/many.html` }, async (tab) => {
    const call = await longCall(tab);
    const found = await tab.evaluate(async ({ start, end, kind, thread }) => {
      const { looking, rowList } = kutrace.app;
      const row = rowList.open(-1, thread);
      const pieces = [];
      for (let at = start - 1; ;) {
        const piece = await looking.finder.along(row, at, 1, (slab, p) => slab.kind[p] === kind);
        if (!piece || piece.start >= end) break;
        pieces.push(piece);
        at = piece.start;
      }
      looking.pin(pieces[0]);
      return pieces.map(({ call }) => call && { start: call.start, end: call.end, pieces: call.pieces });
    }, call);
    const { start, end, pieces } = call;
    assert.deepEqual(found, Array(pieces).fill({ start, end, pieces }));
    const facts = await tab.$$eval('#side dl', ([dl]) => dl.textContent);
    assert.match(facts, /the whole call/);
    assert.match(facts, new RegExp(`pieces${pieces}`));
  }],
  'only what the search finds has all pieces of such a call': [{ file: `${folder}/many.html` }, async (tab) => {
    const { name, pid, start, end, own, kind } = await longCall(tab);
    await ask(tab, `event:/^${name}$/ pid:${pid} min:${end - start}ns`);
    assert.equal(await tab.evaluate(() => kutrace.app.matches.count), 1);
    const time = await tab.evaluate(async (kind) => {
      const { range, trace } = kutrace.app;
      range.onlyMatches = true;
      range.select(trace.begin, trace.end, false);
      await range.tell();
      return range.told.usage.byKind.get(kind)?.time;
    }, kind);
    assert.equal(time, own);
  }],
  'the table of names counts calls': async (tab) => {
    await settled(tab);
    await tab.evaluate(() => kutrace.app.range.select(kutrace.app.trace.begin, kutrace.app.trace.end, true));
    await tab.waitForFunction(() => document.querySelector('.range table'));
    const table = await rows(tab, '.range table');
    const head = table[0].map((text) => text.replace(/[^\w ]/g, '').trim());
    const fsync = table.find((cells) => cells[0] === 'fsync');
    assert.ok(fsync, table.join('\n'));
    assert.equal(fsync[head.indexOf('count')], '8');
    assert.equal(fsync[head.indexOf('of')], 'whole calls');
    // Its time on a CPU is not its count times their average, which waits are part of: the heads say so.
    const [cpu, average] = ['CPU time', 'average'].map((name) => Number.parseFloat(fsync[head.indexOf(name)]));
    assert.ok(cpu > 0 && cpu < 8 * average / 2, fsync.join(' '));
    const hints = await tab.$$eval('.range th', (heads) => Object.fromEntries(heads.map((one) => [one.textContent.replace(/[^\w ]/g, '').trim(), one.title])));
    assert.match(hints['CPU time'], /without what it waited for/);
    for (const name of ['average', 'p50', 'p99', 'longest']) assert.match(hints[name], /waits and interruptions included/);
    assert.ok(Math.abs(Number.parseFloat(fsync[head.indexOf('longest')]) - durations[0] / 1e3) < 0.1, fsync.join(' '));
    assert.equal(table.find((cells) => cells[0] === 'db (user)')[head.indexOf('of')], 'pieces');
    await tab.click('#tab-wait');
    assert.equal((await rows(tab, '.range table'))[0][1], 'waited ▾');
  },
  'a list that was ordered by pieces goes by time in a trace that has none to tell of': async (tab) => {
    const sorted = () => tab.$$eval('.matches th:not([aria-sort=none])', (heads) => heads.map((head) => head.textContent));
    await ask(tab, 'event:fsync');
    await tab.keyboard.press('Shift+J');
    await tab.locator('.matches th button', { hasText: 'pieces' }).click();
    assert.deepEqual(await sorted(), ['pieces ▾']);
    const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), tab.evaluate(() => kutrace.choose())]);
    await chooser.setFiles(before);
    await tab.waitForFunction(() => kutrace.app?.trace.hasCalls === false && !kutrace.app.scheduled);
    await ask(tab, 'kind:systemcall');
    await tab.keyboard.press('Shift+J');
    assert.deepEqual(await sorted(), ['start ▴']);
  },
  'a page of a trace without calls counts spans': [{ file: `${folder}/before.html` }, async (tab) => {
    assert.equal(await tab.evaluate(() => kutrace.app.trace.hasCalls), false);
    await ask(tab, 'kind:systemcall');
    const [found, counted] = await tab.evaluate(() => [kutrace.app.search.matches.count, kutrace.app.trace.kindTotals
      .reduce((sum, total, k) => sum + (kutrace.app.trace.what[k] === 2 ? total.count : 0), 0)]);
    assert.equal(found, counted);
  }],
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/fsync.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
