// SPDX-License-Identifier: BSD-3-Clause
// What waits went to: the card of each wait of a thread, added up, says what `kutrace blame` says of the thread, to
// the nanosecond and in the same words.
// In: the kutrace program, what writes the traces, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, settled, startBrowser } from './tabs.mjs';

const [program, maker, odd, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-blame-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };
/** Recordings of things that go wrong, as test/support/odd_traces.h has them. */
const ODD = ['lock-convoy', 'sleeping-holder', 'priority-inversion', 'flush', 'idle-exit', 'starved'];
for (const name of ['many', 'fsync']) execFileSync(maker, [name, `${folder}/${name}.raw`]);
for (const name of ODD) await writeFile(`${folder}/${name}.raw`, execFileSync(odd, [name, 'odd', '0'], { maxBuffer: 2 ** 30 }));
for (const name of ['many', 'fsync', ...ODD]) execFileSync(program, ['report', `${folder}/${name}.raw`, '-o', `${folder}/${name}.html`], quiet);

/** ns by sentence, as the program tells. @param {string} name of a trace @param {string[]} choice */
function told(name, ...choice) {
  const { causes, total_ns: total, waits } = JSON.parse(execFileSync(program, ['blame', '--format', 'json', ...choice, `${folder}/${name}.raw`], quiet));
  const sums = {};
  for (const { text, total_ns: ns } of causes) sums[text] = (sums[text] ?? 0) + ns;
  return { total, waits, sums };
}

/** The same of all waits of some threads in the page. @param {any} tab @param {number | null} pid  null: of all */
const blamed = (tab, pid) => tab.evaluate(async (number) => {
  const { trace, store, longOverlays, looking: { blamer } } = kutrace.app;
  const sums = {};
  let [total, waits] = [0, 0];
  const parts = [longOverlays];
  for (let i = 0; i < trace.slabs.length; i++) parts.push((await store.load(i)).overlays);
  for (const o of parts) {
    for (let i = 0; i < o.count; i++) {
      if (trace.what[o.kind[i]] !== 12 || o.end[i] === o.start[i] || (number !== null && trace.threads[o.thread[i]].pid !== number)) continue;
      const wait = { start: o.start[i], end: o.end[i], kind: o.kind[i], thread: o.thread[i] };
      const found = await blamer.of(wait);
      if (found.reduce((sum, { ns }) => sum + ns, 0) !== wait.end - wait.start) throw new Error(`a wait at ${wait.start} is not told exactly`);
      for (const { text, ns } of found) sums[text] = (sums[text] ?? 0) + ns;
      total += wait.end - wait.start;
      waits++;
    }
  }
  return { total, waits, sums };
}, pid);

/** @type {Record<string, any>} */
const steps = {
  'a thread that is often ready and often blocked': [{ file: `${folder}/many.html` }, async (tab) => {
    const page = await blamed(tab, 9);
    assert.ok(page.waits > 200 && Object.keys(page.sums).length > 50);
    assert.deepEqual(page, told('many', '--thread', '9'));
  }],
  'the card of a wait says what it went to, and adds up to it': [{ file: `${folder}/many.html` }, async (tab) => {
    const wait = await tab.evaluate(async () => {
      const { trace, store, rowList, search, navigation } = kutrace.app;
      const { overlays: o } = await store.load(2);
      let best = -1;
      for (let i = 0; i < o.count; i++) {
        if (trace.what[o.kind[i]] === 12 && trace.event[o.kind[i]] === 0x302 && (best < 0 || o.end[i] - o.start[i] > o.end[best] - o.start[best])) best = i;
      }
      search.look({ start: o.start[best], end: o.end[best], kind: o.kind[best], cpu: -1, thread: o.thread[best] });
      return { start: o.start[best], end: o.end[best], pid: trace.threads[o.thread[best]].pid };
    });
    await tab.waitForSelector('.blame tfoot');
    await settled(tab);
    const texts = await tab.$$eval('.blame tbody tr', (rows) => rows.map((row) => row.children[0].textContent));
    const { sums } = told('many', '--thread', String(wait.pid), '--from', `${wait.start}ns`, '--to', `${wait.end}ns`);
    assert.deepEqual([...texts].sort(), Object.keys(sums).sort());
    assert.ok(texts.length > 3);
    const page = await tab.evaluate(async () => {
      const { pins: [pin], looking: { blamer } } = kutrace.app;
      return Object.fromEntries((await blamer.of(pin)).map(({ text, ns }) => [text, ns]));
    });
    assert.deepEqual(page, sums);
    if (screenshots) await tab.screenshot({ path: `${screenshots}/blame.png` });
  }],
};
for (const name of ['fsync', ...ODD]) {
  steps[`${name}: all waits`] = [{ file: `${folder}/${name}.html` }, async (/** @type {any} */ tab) => {
    const page = await blamed(tab, null);
    assert.ok(page.waits > 0);
    assert.deepEqual(page, told(name));
  }];
}

const browser = await startBrowser(chromium, web);
try {
  process.exitCode = await runSteps(browser, { file: `${folder}/many.html` }, steps, screenshots) > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
