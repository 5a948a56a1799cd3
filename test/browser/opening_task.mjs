// SPDX-License-Identifier: BSD-3-Clause
// How long a page's own thread is busy without a pause while a browser that was just started opens it.
// Nothing is attached to the page: what looks into pages makes the browser keep and decode a copy of the
// whole file when it has been read, in one task that nobody else has. In: Chromium, a page; out: CPU time of
// the longest task, ms.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SETTLED_MS = 1500;  // after the page has named itself, when its first picture is due
const PATIENCE_MS = 60_000;

const sleep = (/** @type {number} */ ms) => new Promise((resume) => setTimeout(resume, ms));

/** Speaks the browser's protocol through its pipes. @param {any} child */
function protocol(child) {
  const asked = new Map();
  /** @type {any[]} */
  const traced = [];
  let last = 0;
  let complete = () => {};
  let held = '';
  child.stdio[4].setEncoding('utf8').on('data', (/** @type {string} */ piece) => {
    const messages = (held + piece).split('\0');
    held = messages.pop() ?? '';
    for (const text of messages) {
      const message = JSON.parse(text);
      if (message.id) asked.get(message.id)(message.result);
      else if (message.method === 'Tracing.dataCollected') traced.push(...message.params.value);
      else if (message.method === 'Tracing.tracingComplete') complete();
    }
  });
  return {
    ask: (/** @type {string} */ method, /** @type {object} */ params = {}) => new Promise((resume) => {
      asked.set(++last, resume);
      child.stdio[3].write(`${JSON.stringify({ id: last, method, params })}\0`);
    }),
    traced: () => new Promise((resume) => {
      complete = () => resume(traced);
    }),
  };
}

/** @param {any[]} events of the browser's trace @param {string} url */
function longestOf(events, url) {
  const parsing = events.find((e) => e.name === 'ParseHTML' && e.args.beginData?.url === url);
  if (!parsing) throw new Error('the trace of the browser does not tell which process parsed the page');
  const tasks = events.filter((e) => e.name === 'RunTask' && e.pid === parsing.pid && e.tid === parsing.tid);
  if (tasks.length === 0) throw new Error('no task of the page was seen');
  return Math.max(...tasks.map((task) => task.tdur ?? 0)) / 1000;
}

/** @param {string} chromium @param {string} page @returns {Promise<number>} */
export async function openingTask(chromium, page) {
  const folder = await mkdtemp(join(tmpdir(), 'kutrace-opening-'));
  const url = pathToFileURL(page).href;
  const child = spawn(chromium, ['--headless', '--no-sandbox', '--remote-debugging-pipe', '--no-first-run',
    '--window-size=1600,1000', `--user-data-dir=${folder}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resume) => child.once('exit', resume));
  try {
    const { ask, traced } = protocol(child);
    await ask('Tracing.start', { traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] } });
    const { targetId } = await ask('Target.createTarget', { url });
    for (let waited = 0; ; waited += 100) {
      if (waited > PATIENCE_MS) throw new Error('the page did not name itself');
      const { targetInfos } = await ask('Target.getTargets');
      if (/ – kutrace$/.test(targetInfos.find((/** @type {any} */ t) => t.targetId === targetId).title)) break;
      await sleep(100);
    }
    await sleep(SETTLED_MS);
    const done = traced();
    await ask('Tracing.end');
    const longest = longestOf(await done, url);
    await ask('Browser.close');
    await ended;
    return longest;
  } finally {
    child.kill();
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
