// SPDX-License-Identifier: BSD-3-Clause
// Rows × time: what is selected is what these rows did in that time, as `kutrace stat` and `kutrace syscalls`
// tell of the same threads, CPUs and window.
// In: the kutrace program, what writes the trace, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, settled, startBrowser } from './tabs.mjs';

const [program, maker, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-select-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };
const raw = `${folder}/many.raw`;
execFileSync(maker, ['many', raw]);
execFileSync(program, ['report', raw, '-o', `${folder}/many.html`], quiet);
const json = (...words) => JSON.parse(execFileSync(program, [...words, '--format', 'json', raw], quiet));

/** Threads by number, as the program tells. @param {{t0: number, t1: number}} window ns @param {string[]} choice */
const statOf = ({ t0, t1 }, ...choice) => json('stat', '--by', 'thread', '--top', '0', '--from', `${t0}ns`, '--to', `${t1}ns`, ...choice).tables[0].rows;

/** What the drawer was made of. @param {any} tab */
const told = (tab) => tab.evaluate(() => {
  const { range: { told: { t0, t1, scope, usage } }, trace } = kutrace.app;
  const sums = (map, key) => {
    const out = {};
    for (const [k, { time }] of map) out[key(k)] = (out[key(k)] ?? 0) + time;
    return out;
  };
  return { t0, t1, ids: scope?.ids ?? null, threads: sums(usage.byThread, (t) => Math.max(0, trace.threads[t].pid)),
    waited: sums(usage.waits, (t) => trace.threads[t].pid), cpus: sums(usage.byCpu, (k) => Math.floor(k / 12)) };
});

/** Drags over the plot from the middle of one row to that of another. @param {any} tab @param {string} from @param {string} to  ids */
async function dragOver(tab, from, to) {
  const box = await tab.locator('#plot').boundingBox();
  const [y0, y1] = await tab.evaluate((ids) => {
    const { app } = kutrace;
    const rows = ids.map((id) => app.rowList.byId(id));
    app.navigation.setTop(rows[0].top);
    return rows.map((row) => row.top - app.view.top + row.height / 2);
  }, [from, to]);
  await settled(tab);
  await tab.keyboard.down('Shift');
  await tab.mouse.move(box.x + 300, box.y + y0);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 500, box.y + y1, { steps: 5 });
  await tab.mouse.up();
  await tab.keyboard.up('Shift');
  await tab.waitForSelector('#copy-csv');
}

const ran = (rows) => Object.fromEntries(rows.filter((row) => row.executing_ns + row.idle_ns > 0).map((row) => [row.pid, row.executing_ns]));
const threadIds = (tab, n) => tab.evaluate((count) => kutrace.app.rows.filter((row) => row.thread >= 0).slice(3, 3 + count).map((row) => row.id), n);
const busy = ({ 0: idle, ...threads }) => threads;

const steps = {
  async 'a drag over threads tells what these did in that time, and waited'(tab) {
    const ids = await threadIds(tab, 4);
    await dragOver(tab, ids[0], ids.at(-1));
    const page = await told(tab);
    assert.deepEqual(page.ids.sort(), ids.sort());
    const rows = statOf(page, '--pid', ids.map((id) => id.slice(1)).join()).filter((row) => row.pid > 0);
    assert.equal(rows.length, 4);
    assert.deepEqual(page.threads, ran(rows));
    const waited = rows.map((row) => [row.pid, Object.values(row.waits_ns).reduce((sum, ns) => sum + ns, 0)]).filter(([, ns]) => ns > 0);
    assert.ok(waited.length > 2);
    assert.deepEqual(page.waited, Object.fromEntries(waited));
    assert.match(await tab.textContent('.range-head'), /, 4 threads/);
    await tab.click('#tab-kind');
    const shares = await tab.$$eval('#drawer tbody tr', (list) => list.reduce((sum, row) => sum + parseFloat(row.children[2].textContent), 0));
    assert.ok(Math.abs(shares - 100) < 0.5, `${shares} % of these rows’ time`);
  },
  async 'a drag over CPUs tells what ran on these'(tab) {
    await dragOver(tab, 'c1', 'c2');
    const page = await told(tab);
    assert.deepEqual(page.ids, ['c1', 'c2']);
    assert.deepEqual(Object.keys(page.cpus), ['1', '2']);
    assert.equal(Object.values(page.cpus).reduce((sum, ns) => sum + ns), 2 * (page.t1 - page.t0));
    const rows = statOf(page, '--cpu', '1-2').filter((row) => row.pid > 0);
    assert.deepEqual(busy(page.threads), ran(rows));
  },
  async 'what stands on a CPU’s row and on a thread’s counts once'(tab) {
    const [id] = await threadIds(tab, 1);
    await tab.evaluate(([thread]) => {
      const { range, trace, view, rowList } = kutrace.app;
      range.select(trace.begin + trace.duration / 3, trace.begin + trace.duration / 2, true);
      range.toggleRow(rowList.byId('c0'));
      range.toggleRow(rowList.byId(thread));
    }, [id]);
    await tab.waitForFunction(() => kutrace.app.range.told?.scope?.ids.length === 2);
    const page = await told(tab);
    const there = ran(statOf(page, '--cpu', '0').filter((row) => row.pid > 0));
    const elsewhere = ran(statOf(page, '--cpu', '1-3', '--pid', id.slice(1)));
    const all = { ...there };
    for (const [pid, ns] of Object.entries(elsewhere)) all[pid] = (all[pid] ?? 0) + ns;
    assert.ok(Object.keys(elsewhere).length > 0);
    assert.deepEqual(busy(page.threads), all);
  },
  async 'the calls of a thread are those that kutrace syscalls tells, and a search finds them'(tab) {
    const [id] = await threadIds(tab, 1);
    await tab.evaluate((thread) => {
      const { range, trace, rowList } = kutrace.app;
      range.select(trace.begin, trace.end, true);
      range.toggleRow(rowList.byId(thread));
    }, id);
    await tab.waitForFunction(() => kutrace.app.range.told?.scope);
    const calls = await tab.evaluate(() => Object.fromEntries([...kutrace.app.range.told.usage.calls]
      .filter(([k]) => kutrace.app.trace.what[k] === 2).map(([k, d]) => [kutrace.app.trace.name(k), [d.count, d.time, d.max]])));
    const { rows } = json('syscalls', '--top', '0', '--pid', id.slice(1)).groups[0];
    assert.ok(rows.length > 2);
    assert.deepEqual(calls, Object.fromEntries(rows.map((row) => [row.call, [row.calls, row.total_ns, row.max_ns]])));
    const { call, calls: count, total_ns: total } = rows[0];
    await tab.click(`#drawer tbody tr:has(td:text-is("${call}"))`);
    await tab.click('#drawer button:text-is("Find all")');
    await tab.waitForFunction(() => /·/.test(document.getElementById('found').textContent));
    assert.deepEqual(await tab.evaluate(() => [kutrace.app.matches.count, kutrace.app.matches.total]), [count, total]);
    assert.match(await tab.inputValue('#query'), new RegExp(`row:${id}$`));
  },
  async 'with keys: Shift+V takes rows and leaves them; a link keeps them; all rows is one button'(tab) {
    const rows = await threadIds(tab, 2);
    await tab.keyboard.press('Shift+M');
    await tab.waitForSelector('#copy-csv');
    const box = await tab.locator('#plot').boundingBox();
    for (const id of rows) {
      const y = await tab.evaluate((row) => {
        const { app } = kutrace;
        const { top, height } = app.rowList.byId(row);
        app.navigation.setTop(top - 50);
        return top - app.view.top + height / 2;
      }, id);
      await tab.mouse.move(box.x + 400, box.y + y);
      await tab.keyboard.press('Shift+V');
    }
    await tab.waitForFunction(() => kutrace.app.range.told?.scope?.ids.length === 2);
    await tab.waitForFunction(() => location.hash.includes('of='));
    const hash = await tab.evaluate(() => location.hash);
    await tab.reload();
    await tab.waitForFunction(() => kutrace.app?.range.told?.scope);
    await settled(tab);
    assert.deepEqual(await tab.evaluate(() => kutrace.app.selection.scope.ids), rows);
    assert.ok(hash.includes('range='));
    const y = await tab.evaluate((row) => {
      const { app } = kutrace;
      const { top, height } = app.rowList.byId(row);
      return top - app.view.top + height / 2;
    }, rows[1]);
    await tab.mouse.move(box.x + 401, box.y + y);
    await tab.keyboard.press('Shift+V');
    await tab.waitForFunction(() => kutrace.app.range.told?.scope?.ids.length === 1);
    if (screenshots) await tab.screenshot({ path: `${screenshots}/select-rows.png` });
    await tab.click('#all-rows');
    await tab.waitForFunction(() => kutrace.app.range.told?.scope === null);
    assert.match(await tab.textContent('.range-head'), /, 4 CPUs/);
  },
  async 'a drag on the axis is of all rows; its edges keep the rows'(tab) {
    const ids = await threadIds(tab, 2);
    await dragOver(tab, ids[0], ids[1]);
    const axis = await tab.locator('#axis').boundingBox();
    const drag = async (from, to) => {
      await tab.mouse.move(axis.x + from, axis.y + 10);
      await tab.mouse.down();
      await tab.mouse.move(axis.x + to, axis.y + 10, { steps: 4 });
      await tab.mouse.up();
    };
    const length = () => tab.evaluate(() => kutrace.app.selection.t1 - kutrace.app.selection.t0);
    const before = await length();
    await drag(500, 600);
    assert.ok(await length() > before * 1.4);
    assert.equal(await tab.evaluate(() => kutrace.app.selection.scope.ids.length), 2);
    await drag(200, 250);
    assert.equal(await tab.evaluate(() => kutrace.app.selection.scope), null);
  },
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/many.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
