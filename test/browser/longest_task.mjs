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
