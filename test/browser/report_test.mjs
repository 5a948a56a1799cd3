// SPDX-License-Identifier: BSD-3-Clause
// A page of more spans than are asked for is coarsened and says so, and its sums stay those of the trace;
// what must not be coarsened is not. In: the kutrace program, Chromium, the folder of the web sources.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { madeTrace } from './made_trace.mjs';

const [program, chromium, web] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const folder = await mkdtemp(`${tmpdir()}/kutrace-report-`);
const MOST = 4000;

function report(...options) {
  const run = spawnSync(program, ['report', `${folder}/trace.json`, ...options], { encoding: 'utf8' });
  return { status: run.status, says: run.stderr };
}

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });

/** Spans of a page, and ns per thread. */
async function pageOf(file) {
  const tab = await browser.newPage();
  await tab.goto(pathToFileURL(file).href);
  await tab.waitForFunction(() => kutrace.app);
  const page = await tab.evaluate(() => ({ spans: kutrace.app.trace.spans, duration: kutrace.app.trace.duration,
    threads: Object.fromEntries(kutrace.app.trace.threads.map((t) => [t.pid, t.user + t.kernel])) }));
  await tab.close();
  return page;
}

try {
  await writeFile(`${folder}/trace.json`, JSON.stringify(madeTrace(4)));
  const all = report('-o', `${folder}/all.html`);
  assert.equal(all.status, 0);
  assert.doesNotMatch(all.says, /coarsened/);
  const whole = await pageOf(`${folder}/all.html`);
  assert.ok(whole.spans > 4 * MOST);

  const few = report('-o', `${folder}/few.html`, '--max-spans', String(MOST));
  assert.equal(few.status, 0);
  assert.match(few.says, /coarsened to [\d.]+ us: [\d,]+ left/);
  assert.match(few.says, /--coarsen never keeps them all, and so does -o FILE\.kux/);
  const page = await pageOf(`${folder}/few.html`);
  assert.ok(page.spans > MOST / 20 && page.spans <= MOST, `${page.spans} spans`);
  assert.deepEqual([page.duration, page.threads], [whole.duration, whole.threads]);
  console.log(`ok    ${whole.spans} spans became ${page.spans}, and every thread's time stayed`);

  for (const [file, ...options] of [['never.html', '--max-spans', String(MOST), '--coarsen', 'never'],
    ['all.kux', '--max-spans', String(MOST)]]) {
    const { status, says } = report('-o', `${folder}/${file}`, ...options);
    assert.equal(status, 0);
    assert.doesNotMatch(says, /coarsened/);
    assert.ok(says.includes(`${whole.spans.toLocaleString('en-US')} spans`), says);
  }
  const asked = report('-o', `${folder}/asked.html`, '--coarsen', '20us');
  assert.match(asked.says, /coarsened to 20 us/);
  assert.deepEqual((await pageOf(`${folder}/asked.html`)).threads, whole.threads);
  assert.equal(report('-o', `${folder}/bad.html`, '--coarsen', '0').status, 2);
  console.log('ok    never, containers and a resolution do what they say');
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
