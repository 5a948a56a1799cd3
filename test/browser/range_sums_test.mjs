// SPDX-License-Identifier: BSD-3-Clause
// The table of a range by sums of runs of slabs is that of unpacking every slab, to the nanosecond and to the last bucket,
// and what `kutrace stat` tells of the window; a search that leaves out runs without its names finds the same. Damaged sums
// are told of, and cost time only.
// In: the kutrace program, kutrace-bench, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, startBrowser } from './tabs.mjs';

const [program, bench, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-sums-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };
const raw = `${folder}/sums.raw`;
const ENTRIES = 1_300_000;
execFileSync(bench, ['generate', raw, '--entries', String(ENTRIES), '--shape', '8 CPUs']);
execFileSync(program, ['report', raw, '-o', `${folder}/sums.html`], quiet);

/**
 * What a range adds up to, with the runs that the page has or with none; and how many slabs were unpacked for it.
 * @param {any} tab @param {{t0: number, t1: number, row?: string, find?: string, summed: boolean}} range
 */
const told = (tab, range) => tab.evaluate(async ({ t0, t1, row, find, summed }) => {
  const { app } = kutrace;
  const { runs } = app.trace;
  const { scan } = app.store;
  let unpacked = 0;
  app.store.scan = (slabs, task, each, cancelled) => {
    if (task.kind === 'usage') unpacked += slabs.length;
    return scan.call(app.store, slabs, task, each, cancelled);
  };
  try {
    if (!summed) app.trace.runs = [];
    if (find && app.search.text !== find) {
      document.getElementById('query').value = find;
      await app.search.start(find);
    }
    app.range.onlyMatches = Boolean(find);
    app.range.select(t0, t1, false);
    if (row) app.range.selection.scope = { ids: [row], cpus: Uint8Array.of(0, 1), threads: new Uint8Array(app.trace.threads.length) };
    app.range.told = null;
    await app.range.tell();
    const { usage, tables } = app.range.told;
    const flat = {};
    for (const [name, map] of Object.entries(usage)) flat[name] = [...map].sort((a, b) => a[0] - b[0]);
    return { unpacked, flat, names: tables.name.map(({ label, durations }) => [label, durations.time, durations.count]).sort() };
  } finally {
    app.store.scan = scan;
    app.trace.runs = runs;
    app.range.onlyMatches = false;
  }
}, range);

/** Both ways; @param {any} tab @param {any} range @param {string} what */
async function bothWays(tab, range, what) {
  const summed = await told(tab, { ...range, summed: true });
  const whole = await told(tab, { ...range, summed: false });
  assert.deepEqual(summed.flat, whole.flat, what);
  assert.deepEqual(summed.names, whole.names, what);
  return { summed, whole };
}

/** @param {any} tab @param {string} text @param {boolean} summed */
const found = (tab, text, summed) => tab.evaluate(async ([words, withRuns]) => {
  const { app } = kutrace;
  const { runs } = app.trace;
  const { scan } = app.store;
  let scanned = 0;
  app.store.scan = (slabs, ...rest) => {
    scanned += slabs.length;
    return scan.call(app.store, slabs, ...rest);
  };
  if (!withRuns) app.trace.runs = [];
  document.getElementById('query').value = words;
  await app.search.start(words);
  app.trace.runs = runs;
  app.store.scan = scan;
  const { count, total, min, max, hits, lit } = app.search.matches;
  const numbers = ({ number, size }) => [...new Set(number.subarray(0, size))].sort((a, b) => a - b);
  return { scanned, answer: { count, total, min, max, hits: hits.map(({ start, end, kind, cpu, thread }) => [start, end, kind, cpu, thread]),
    begins: [...lit.begins].sort((a, b) => a - b), cpus: numbers(lit.cpus), threads: numbers(lit.threads) } };
}, [text, summed]);

const steps = {
  async 'ranges that begin and end inside of parts, at their ends, in one part, nowhere and everywhere'(tab) {
    const { begin, end, runs, slabs } = await tab.evaluate(() => ({ begin: kutrace.app.trace.begin, end: kutrace.app.trace.end, runs: kutrace.app.trace.runs, slabs: kutrace.app.trace.slabs.length }));
    assert.ok(runs.length >= 2, `${runs.length} runs of ${slabs} slabs`);
    const [first] = runs;
    const at = (/** @type {number} */ part) => Math.round(begin + (end - begin) * part);
    const inRuns = runs.reduce((sum, { slabs: count }) => sum + count, 0);
    for (const [what, t0, t1, least] of /** @type {[string, number, number, number][]} */ ([
      ['everything', begin, end, inRuns], ['80 %', at(0.1), at(0.9), 1], ['one part', at(0.5), at(0.51), 0], ['a moment', at(0.4), at(0.4) + 1, 0],
      ['a run', first.begin, first.end, first.slabs], ['a run but its first ns', first.begin + 1, first.end, 0], ['a run but its last ns', first.begin, first.end - 1, 0],
      ['from inside of a run on', Math.round((first.begin + first.end) / 2), end, 1],
    ])) {
      const { summed, whole } = await bothWays(tab, { t0, t1 }, what);
      assert.ok(whole.unpacked - summed.unpacked >= least, `${what}: ${summed.unpacked} of ${whole.unpacked} slabs were unpacked`);
      if (least === 0 && what !== 'one part') assert.equal(whole.unpacked, summed.unpacked, what);
    }
  },
  async 'what is asked of some rows, or of what a search finds, is unpacked as before'(tab) {
    const range = await tab.evaluate(() => ({ t0: Math.round(kutrace.app.trace.begin + 1000), t1: Math.round(kutrace.app.trace.end - 1000) }));
    for (const more of [{ row: 'c1' }, { find: 'read' }]) {
      const { summed, whole } = await bothWays(tab, { ...range, ...more }, JSON.stringify(more));
      assert.equal(summed.unpacked, whole.unpacked);
    }
  },
  async 'kutrace stat tells the same of the window'(tab) {
    const [t0, t1] = await tab.evaluate(() => [0.1, 0.9].map((part) => Math.round(kutrace.app.trace.begin + kutrace.app.trace.duration * part)));
    const { flat } = await told(tab, { t0, t1, summed: true });
    const pids = await tab.evaluate(() => kutrace.app.trace.threads.map(({ pid }) => pid));
    const page = Object.fromEntries(flat.byThread.map(([thread, { time }]) => [pids[thread], time]).filter(([pid]) => pid > 0));
    const { rows } = JSON.parse(execFileSync(program, ['stat', '--by', 'thread', '--top', '0', '--from', `${t0}ns`, '--to', `${t1}ns`, '--format', 'json', raw], quiet)).tables[0];
    const stat = Object.fromEntries(rows.filter(({ pid, executing_ns: ns }) => pid > 0 && ns > 0).map(({ pid, executing_ns: ns }) => [pid, ns]));
    assert.ok(Object.keys(stat).length > 100);
    assert.deepEqual(page, stat);
  },
  async 'a search finds the same, and leaves out what has none of its names'(tab) {
    for (const [text, fewer] of /** @type {[string, boolean][]} */ ([['/^(read|write|page).*/', false], ['/^no such name$/', true], ['-read min:1ms', false]])) {
      const summed = await found(tab, text, true);
      const whole = await found(tab, text, false);
      assert.deepEqual(summed.answer, whole.answer, text);
      assert.equal(summed.scanned < whole.scanned, fewer, `${text}: ${summed.scanned} of ${whole.scanned} slabs`);
    }
  },
  async 'sums that were changed on their way are told of, and the table is the same'(tab) {
    const good = await readFile(`${folder}/sums.html`, 'latin1');
    const at = good.indexOf('>', good.indexOf('id="kutrace-runs"')) + 40;
    await writeFile(`${folder}/changed.html`, good.slice(0, at) + (good[at] === 'a' ? 'b' : 'a') + good.slice(at + 1), 'latin1');
    const range = await tab.evaluate(() => ({ t0: kutrace.app.trace.begin, t1: kutrace.app.trace.end, summed: true }));
    const { flat } = await told(tab, range);
    await tab.goto(`file://${folder}/changed.html`);
    await tab.waitForFunction(() => kutrace.app && !kutrace.app.waiting && document.readyState === 'complete');
    const again = await told(tab, range);
    assert.deepEqual(again.flat, flat);
    assert.match(await tab.textContent('#trouble'), /sums cannot be read.*checksum/);
  },
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/sums.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
