// SPDX-License-Identifier: BSD-3-Clause
// Flame graphs of recorded stacks against what `kutrace profile --stacks` says of the trace: the same frames with the
// same samples and nanoseconds, of all threads, of some, and of two halves of the time.
// In: the kutrace program, what writes the trace, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, settled, startBrowser } from './tabs.mjs';

const [program, maker, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-stacks-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };
const raw = `${folder}/stacks.raw`;
execFileSync(maker, ['stacks', raw]);
for (const form of ['html', 'kux']) execFileSync(program, ['report', raw, '-o', `${folder}/stacks.${form}`], quiet);

/** Folded stacks: text to number. @param {string} which */
function profiled(which) {
  const lines = execFileSync(program, ['profile', '--by', 'threads', '--stacks', which, raw], quiet).trim().split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

/** What the page draws, folded. @param {any} tab @param {string} which @param {number} from 0..1 @param {number} to @param {string[]} [rows] */
async function drawn(tab, which, from = 0, to = 1, rows = []) {
  await tab.evaluate(([begin, end, ids]) => {
    const { app } = kutrace;
    const at = (share) => app.trace.begin + Math.round(app.trace.duration * share);
    const threads = Uint8Array.from(app.trace.threads, (_, i) => Number(ids.includes(app.trace.threadRowId(i))));
    app.range.told = null;
    app.range.view.stacks = null;
    app.range.select(at(begin), at(end), true, ids.length > 0 ? { ids, cpus: new Uint8Array(2), threads } : null);
  }, [from, to, rows]);
  await tab.waitForFunction(() => kutrace.app.range.told && document.querySelector('#tab-flame'));
  await tab.click('#tab-flame');
  await tab.selectOption('select[aria-label="Flame graph by"]', 'thread');
  await tab.selectOption('select[aria-label="Flame graph of"]', which);
  await tab.waitForFunction((kind) => kutrace.app.range.view.stacks?.which === kind, which);
  return new Map(await tab.evaluate(() => {
    const { root, look, which: kind } = kutrace.app.range.view.stacks;
    const folded = [];
    const visit = (frame, path) => {
      let own = kind === 'off' ? frame.own : frame.count;
      for (const child of frame.inner.values()) {
        if (kind === 'on') own -= child.count;
        visit(child, `${path};${look.name(child.key)}`);
      }
      if (own > 0) folded.push([path, own]);
    };
    for (const thread of root.inner.values()) {
      const { name, pid } = kutrace.app.trace.threads[thread.key];
      for (const child of thread.inner.values()) visit(child, `${name.replaceAll(';', ',')}.${pid};${look.name(child.key)}`);
    }
    return folded;
  }));
}

/** @param {Map<string, number>} map */
const sum = (map) => [...map.values()].reduce((all, value) => all + value, 0);

/** @param {any} tab */
async function agrees(tab) {
  for (const which of ['on', 'off']) {
    const told = profiled(which);
    const page = await drawn(tab, which);
    console.log(`      ${which}: ${told.size} stacks, ${sum(told)} ${which === 'on' ? 'samples' : 'ns'}`);
    assert.ok(told.size > 20);
    assert.deepEqual([...page].sort(), [...told].sort());
  }
}

const steps = {
  'samples and waits, as profile has them': agrees,
  'halves of the time add up to all of it': async (tab) => {
    for (const which of ['on', 'off']) {
      const [first, second] = [await drawn(tab, which, 0, 0.4371), await drawn(tab, which, 0.4371, 1)];
      const both = new Map();
      for (const [stack, value] of [...first, ...second]) both.set(stack, (both.get(stack) ?? 0) + value);
      assert.deepEqual([...both].sort(), [...profiled(which)].sort());
      assert.ok(sum(first) > 0 && sum(second) > 0);
    }
  },
  'of chosen rows alone': async (tab) => {
    for (const which of ['on', 'off']) {
      const page = await drawn(tab, which, 0, 1, ['t10', 't20']);
      const told = [...profiled(which)].filter(([stack]) => /^(server\.10|client\.20);/.test(stack));
      assert.ok(told.length > 5);
      assert.deepEqual([...page].sort(), told.sort());
    }
  },
  'a frame says its share, and what stacks do not tell is said': async (tab) => {
    await drawn(tab, 'off');
    const titles = await tab.$$eval('.flame title', (all) => all.map((title) => title.textContent));
    assert.match(titles.find((text) => text.startsWith('__schedule\n')), /\n.*s in \d.* waits?\n[\d.]+ % of all time waited$/);
    assert.ok(titles.some((text) => text.startsWith('wait:unexplained\n')));
    assert.ok(titles.some((text) => text.startsWith('[stack not recorded]\n')));
    assert.match(await tab.textContent('.range-flames .quiet'), /frame pointers/);
  },
  'programs that read the page pass over its stacks': async () => {
    // Spans alone: the head has the name of the file.
    const spans = (/** @type {string} */ file) => (
      execFileSync(program, ['spans', '-o', '-', file], quiet).split('\n').filter((line) => line.startsWith('[')).join('\n'));
    assert.ok(spans(raw).length > 100_000);
    for (const form of ['html', 'kux']) assert.equal(spans(`${folder}/stacks.${form}`), spans(raw));
  },
  'of a container, too': async (tab) => {
    const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), tab.evaluate(() => kutrace.choose())]);
    await chooser.setFiles(`${folder}/stacks.kux`);
    await tab.waitForFunction(() => kutrace.app?.store.source.block('kutrace-header') instanceof Blob);
    await settled(tab);
    await agrees(tab);
  },
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/stacks.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
