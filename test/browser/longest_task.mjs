// SPDX-License-Identifier: BSD-3-Clause
// How long a page's own thread was busy without a pause. In: a browser, a tab, what is done in it; out:
// CPU time of the longest task in ms, so that what other processes and other pages of the browser do does
// not count.

const HERE = 'which process draws this page';

/**
 * @param {any} browser @param {any} tab @param {() => Promise<void>} work  ends on the page that is measured
 * @returns {Promise<number>}
 */
export async function longestTask(browser, tab, work) {
  await browser.startTracing(tab, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  await work();
  await tab.evaluate((/** @type {string} */ text) => console.timeStamp(text), HERE);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const here = traceEvents.find((/** @type {any} */ e) => e.name === 'TimeStamp' && e.args.data.message === HERE);
  if (!here) throw new Error('the trace of the browser does not tell which process draws the page');
  const tasks = traceEvents.filter((/** @type {any} */ e) => e.name === 'RunTask' && e.pid === here.pid && e.tid === here.tid);
  if (tasks.length === 0) throw new Error('no task of the page was seen');
  return Math.max(...tasks.map((/** @type {any} */ task) => task.tdur ?? 0)) / 1000;
}

/** What `known` took on the machine for which limits are stated, ms. */
const KNOWN_MS = 400;
const KNOWN_RUNS = 3;

/** A piece of work that is always the same: objects, sorted, and texts. Runs in the page. */
function known() {
  const rows = Array.from({ length: 300_000 }, (_, i) => ({ at: (i * 2654435761) % 2 ** 32, text: '' }));
  rows.sort((a, b) => a.at - b.at);
  for (const row of rows) row.text = row.at.toString(36);
}

/**
 * How many times slower this machine is just now than the one for which limits are stated, but not less than 1: limits
 * are multiples of work that is done in the same run. @param {any} browser @param {any} tab @returns {Promise<number>}
 */
export async function slowness(browser, tab) {
  const took = [];
  for (let run = 0; run < KNOWN_RUNS; run++) {
    took.push(await longestTask(browser, tab, () => tab.evaluate(`new Promise((resume) => setTimeout(() => { (${known})(); resume(); }))`)));
  }
  return Math.max(1, took.sort((a, b) => a - b)[(KNOWN_RUNS - 1) / 2] / KNOWN_MS);
}
