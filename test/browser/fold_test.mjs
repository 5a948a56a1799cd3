// SPDX-License-Identifier: BSD-3-Clause
// Threads that are folded into one row: what it shows adds up to what `kutrace stat` tells of them.
// In: the kutrace program, a page, a large one, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { ask, runSteps, settled, startBrowser } from './tabs.mjs';

const [program, page, large, chromium, web, screenshots] = process.argv.slice(2);

/** ns on CPUs by a thread's number. @param {string} file @param {string[]} window */
function ranOf(file, ...window) {
  const text = execFileSync(program, ['stat', '--by', 'thread', '--top', '0', '--format', 'json', ...window, file], { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
  return new Map(JSON.parse(text).tables[0].rows.map((row) => [row.pid, row.executing_ns]));
}

/** Draws, and tells for each folded row: its threads' numbers, and how much its columns add up to, ns. @param {any} tab */
const drawn = (tab) => tab.evaluate(() => {
  const { app } = kutrace;
  const { rowBars, width } = app.picture;
  const { draw } = rowBars;
  const out = [];
  rowBars.draw = function* recording(frame, row, columns) {
    yield* draw.call(this, frame, row, columns);
    if (row.members.length === 0) return;
    const columnNs = (app.view.t1 - app.view.t0) / columns.width;
    const sum = columns.shares.reduce((all, share, i) => (i % 12 === 11 ? all : all + share), 0);  // all but loss
    out.push({ id: row.id, label: row.label, pids: row.members.map((thread) => app.trace.threads[thread].pid),
      ns: sum * columnNs * Math.min(row.members.length, app.trace.cpus.length), height: row.height, width });
  };
  const rows = app.rows.filter((row) => row.members.length > 0);
  for (const row of rows) {
    app.navigation.setTop(row.top - app.picture.height / 2);
    if (!out.some(({ id }) => id === row.id)) app.draw();
  }
  delete rowBars.draw;
  return [...new Map(out.map((row) => [row.id, row])).values()];
});

/** @param {any[]} rows @param {Map<number, number>} told @param {number} slack */
function agree(rows, told, slack) {
  for (const { label, pids, ns } of rows) {
    const wanted = pids.reduce((sum, pid) => sum + (told.get(pid) ?? 0), 0);
    assert.ok(Math.abs(ns - wanted) <= slack * wanted + 1000, `${label}: drawn ${ns}, told ${wanted}`);
  }
}

/** A view in which spans are drawn, and the same as a window. @param {any} tab */
async function zoom(tab) {
  await tab.evaluate(() => kutrace.app.navigation.setView(100_000_000, 101_000_000));
  await settled(tab);
  assert.equal(await tab.evaluate(() => kutrace.app.picture.lastPlan.detailed), true);
  return ['--from', '100ms', '--to', '101ms'];
}

const steps = {
  async 'by process, name and parent: each row is all of its threads, and says how many'(tab) {
    const threads = await tab.evaluate(() => kutrace.app.rows.filter((row) => row.thread >= 0).map((row) => row.thread));
    for (const [by, test] of [['process', (a, b) => a.process === b.process], ['name', (a, b) => a.name === b.name], ['parent', (a, b) => a.parent === b.parent]]) {
      await tab.keyboard.press('Shift+G');
      const { rows, table, toast } = await tab.evaluate(() => ({
        rows: kutrace.app.rows.filter((row) => row.members.length > 0 || row.thread >= 0).map((row) => ({ ...row, rows: [] })),
        table: kutrace.app.trace.threads, toast: document.getElementById('toast').textContent }));
      assert.deepEqual(rows.flatMap((row) => (row.thread >= 0 ? [row.thread] : row.members)).sort(), [...threads].sort(), `by ${by}: every thread once`);
      const folded = rows.filter((row) => row.members.length > 0);
      assert.ok(folded.length > 0);
      for (const { id, members, note } of folded) {
        assert.equal(note, String(members.length));
        if (id !== 'p-2') assert.ok(members.every((thread) => test(table[thread], table[members[0]])), `${id} by ${by}`);
      }
      assert.match(toast, new RegExp(`folded by ${by}: \\d+ threads in ${folded.length} row`));
    }
    await tab.keyboard.press('Shift+G');
    assert.equal(await tab.evaluate(() => kutrace.app.rows.filter((row) => row.members.length > 0).length), 0);
  },
  async 'what is drawn adds up to what these threads ran, from near'(tab) {
    await tab.evaluate(() => kutrace.app.rowList.foldBy('process'));
    const window = await zoom(tab);
    const told = ranOf(page, ...window);
    const rows = await drawn(tab);
    assert.equal(rows.length, 11);
    assert.ok([...told.values()].reduce((sum, ns) => sum + ns, 0) > 1e6);
    agree(rows, told, 1e-4);
    await tab.evaluate(() => kutrace.app.rowList.foldBy('parent'));
    await settled(tab);
    agree(await drawn(tab), told, 1e-4);
  },
  'and from afar': [{ file: large }, async (tab) => {
    await tab.evaluate(() => kutrace.app.rowList.foldBy('process'));
    await settled(tab);
    assert.equal(await tab.evaluate(() => kutrace.app.picture.lastPlan.detailed), false);
    const rows = await drawn(tab);
    assert.ok(rows.length > 100);
    const told = ranOf(large);
    const busy = rows.filter(({ pids }) => pids.reduce((sum, pid) => sum + told.get(pid), 0) > 1e6);
    assert.ok(busy.length > 20);
    agree(busy, told, 0.01);
    const whole = (list, of) => list.reduce((sum, row) => sum + of(row), 0);
    agree([{ label: 'all', pids: rows.flatMap(({ pids }) => pids), ns: whole(rows, ({ ns }) => ns) }], told, 0.01);
    if (screenshots) await tab.screenshot({ path: `${screenshots}/folded.png` });
  }],
  async 'one group is folded by a click on its name or by K, and shows and finds spans of its threads'(tab) {
    await zoom(tab);
    const box = await tab.locator('#gutter').boundingBox();
    const y = await tab.evaluate(() => {
      const { app } = kutrace;
      const row = app.rowList.byId('p1200');
      return row.top - app.view.top + row.height / 2;
    });
    await tab.mouse.click(box.x + 40, box.y + y);
    const members = await tab.evaluate(() => kutrace.app.rowList.byId('p1200').members);
    assert.equal(members.length, 4);
    await settled(tab);
    await tab.mouse.move(box.x + 40, box.y + y);
    assert.match(await tab.textContent('#card'), /4, folded into one row/);
    const seen = new Set();
    await tab.evaluate(() => kutrace.app.looking.pinFirst(kutrace.app.rowList.byId('p1200')));
    for (let i = 0; i < 60; i++) {
      const pin = await tab.evaluate(() => ({ thread: kutrace.app.pins.at(-1).thread, row: kutrace.app.pins.at(-1).row.id }));
      assert.equal(pin.row, 'p1200');
      assert.ok(members.includes(pin.thread));
      seen.add(pin.thread);
      await tab.evaluate(() => kutrace.app.looking.step(1));
    }
    assert.ok(seen.size > 1, 'steps go from thread to thread');
    await tab.mouse.move(box.x + 40, box.y + y);
    await tab.keyboard.press('k');
    assert.equal(await tab.evaluate(() => kutrace.app.rowList.byId('p1200').members.length), 0);
  },
  async 'a search lights up what a folded row holds, and a match unfolds it'(tab) {
    await tab.evaluate(() => kutrace.app.rowList.foldBy('process'));
    await ask(tab, 'kind:systemcall pid:1200');
    await tab.keyboard.press('n');
    await tab.waitForFunction(() => kutrace.app.pins.length === 1);
    assert.ok(await tab.evaluate(() => kutrace.app.pins[0].row.cpu >= 0 || kutrace.app.pins[0].row.thread >= 0));
  },
  async 'rows × time takes all threads of a folded row; the menu of the corner folds; a link keeps it'(tab) {
    await tab.click('#fold-rows');
    await tab.click('#menu button:text-is("Fold threads by name")');
    await settled(tab);
    const members = await tab.evaluate(() => {
      const { app } = kutrace;
      const row = app.rows.find((one) => one.members.length > 0);
      app.range.select(app.trace.begin, app.trace.end, true);
      app.range.toggleRow(row);
      return row.members.map((thread) => app.trace.threads[thread].pid);
    });
    await tab.waitForFunction(() => kutrace.app.range.told?.scope);
    const sum = await tab.evaluate(() => [...kutrace.app.range.told.usage.byThread.values()].reduce((all, { time }) => all + time, 0));
    const told = ranOf(page);
    assert.equal(sum, members.reduce((all, pid) => all + told.get(pid), 0));
    await tab.waitForFunction(() => decodeURIComponent(location.hash).includes('"by":"name"'));
    await tab.reload();
    await tab.waitForFunction(() => kutrace.app?.rows.some((row) => row.members.length > 0));
    assert.equal(await tab.evaluate(() => kutrace.app.rowList.foldedBy), 'name');
  },
};

const browser = await startBrowser(chromium, web);
try {
  process.exitCode = await runSteps(browser, { file: page }, steps, screenshots) > 0 ? 1 : 0;
} finally {
  await browser.close();
}
