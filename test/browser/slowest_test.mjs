// SPDX-License-Identifier: BSD-3-Clause
// From the slowest call, mark or RPC of a name to the next: the same ones, in the same order, as the program names.
// In: the kutrace program, what writes the traces, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ask, runSteps, startBrowser } from './tabs.mjs';

const [program, maker, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-slowest-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };
for (const name of ['many', 'rpcs']) {
  execFileSync(maker, [name, `${folder}/${name}.raw`]);
  execFileSync(program, ['report', `${folder}/${name}.raw`, '-o', `${folder}/${name}.html`], quiet);
}
const json = (file, ...words) => JSON.parse(execFileSync(program, [...words, '--format', 'json', `${folder}/${file}`], quiet));

// Two threads that mark "work" and "/work" a hundred times, each time longer or shorter.
const lengths = Array.from({ length: 100 }, (_, i) => 100 + (i * 37) % 101 * 5);
const events = [];
lengths.forEach((length, i) => {
  const [pid, cpu] = [20 + i % 2, i % 2];
  const at = 1 + Math.floor(i / 2) * 1e-3;
  const mark = (time, name) => events.push([time, 0.00000001, cpu, pid, 0, 0x20a, 0, 0, 0, name]);
  events.push([at, 0.001, cpu, pid, 0, 0x10000 + pid, 0, 0, 0, `worker.${pid}`]);
  mark(at + 1e-5, 'mark_a=work');
  mark(at + 1e-5 + length / 1e6, 'mark_a=/work');
});
events.sort((a, b) => a[0] - b[0]);
await writeFile(`${folder}/marks.json`, JSON.stringify({ Comment: 'V3', flags: 0, title: 'marks', tracebase: '2026-01-02_03:04:00', version: 3,
  axisLabelX: 'Time (sec)', axisLabelY: 'CPU Number', shortUnitsX: 's', shortMulX: 1, thousandsX: 1000, events: [...events, [999, 0, 0, 0, 0, 0, 0, 0, 0, '']] }));
execFileSync(program, ['report', `${folder}/marks.json`, '-o', `${folder}/marks.html`], quiet);

/** What is gone to, again and again. @param {any} tab @param {number} times @param {() => Promise<void>} again */
async function walk(tab, times, again) {
  const seen = [];
  for (let i = 0; i < times; i++) {
    await again();
    await tab.waitForFunction((n) => kutrace.app.slowest.list?.at === n, i);
    seen.push(await tab.evaluate(() => {
      const { slowest: { list }, trace } = kutrace.app;
      const { start, end, thread } = list.hits[list.at];
      return [trace.threads[thread].pid, start, end - start];
    }));
  }
  return seen;
}

const steps = {
  async 'the slowest calls of a name are those of kutrace syscalls --slowest, by button and by key'(tab) {
    const { rows } = json('many.raw', 'syscalls', '--top', '0').groups[0];
    const { call, calls } = rows.find((row) => row.calls > 100);
    const told = json('many.raw', 'syscalls', '--call', call, '--slowest', '20').slowest.map((one) => [one.pid, one.begin_ns, one.duration_ns]);
    await tab.evaluate((name) => kutrace.app.search.set(`kind:systemcall event:/^${name}$/`), call);
    await tab.waitForFunction(() => /·/.test(document.getElementById('found').textContent));
    await tab.locator('#query').blur();
    await tab.keyboard.press('n');
    await tab.waitForSelector('#slowest');
    const [first] = await walk(tab, 1, () => tab.click('#slowest'));
    await tab.waitForFunction(() => kutrace.app.pins.at(-1)?.start === kutrace.app.slowest.list.hits[0].start);
    await tab.waitForFunction(() => /number 1 of the/.test(document.getElementById('side-body').textContent));
    assert.match((await tab.textContent('#side-body')).replace(/\u202f/g, ''), new RegExp(`number 1 of the \\d+ slowest of ${calls}`));
    assert.deepEqual(first, told[0]);
    const seen = [first];
    for (let i = 1; i < 20; i++) {
      await tab.keyboard.press('Shift+T');
      await tab.waitForFunction((start) => kutrace.app.pins.at(-1)?.start === start, told[i][1]);
      seen.push(await tab.evaluate(() => {
        const { pins: [pin], trace } = kutrace.app;
        return [trace.threads[pin.thread].pid, pin.start, pin.end - pin.start];
      }));
    }
    assert.deepEqual(seen, told);
    if (screenshots) await tab.screenshot({ path: `${screenshots}/slowest.png` });
    await tab.click('#side-body button:text-is("← slower")');
    await tab.waitForFunction((start) => kutrace.app.pins.at(-1)?.start === start, told[18][1]);
  },
  async 'a line of the table goes to the slowest of the range and its rows'(tab) {
    const [t0, t1] = [100_000_000, 300_000_000];
    const thread = await tab.evaluate(([a, b]) => {
      const { range, rowList } = kutrace.app;
      range.select(a, b, true);
      range.toggleRow(rowList.rows.find((row) => row.thread >= 0));
      return rowList.rows.find((row) => row.thread >= 0).id;
    }, [t0, t1]);
    await tab.waitForFunction(() => kutrace.app.range.told?.scope);
    const name = await tab.textContent('#drawer tbody tr:has(td:text-is("whole calls")) td:first-child');
    const cell = tab.locator(`#drawer tbody tr:has(td:text-is("${name}")) button.act`);
    const [[pid, start, length]] = await walk(tab, 1, () => cell.click());
    assert.equal(`t${pid}`, thread);
    assert.ok(start + length > t0 && start + length <= t1);
    assert.equal(length, await tab.evaluate((label) => kutrace.app.range.view.tables.name.find((row) => row.label === label).calls.max, name));
  },
  'marks: the slowest from a mark to its end, as kutrace why says, with its time as a range': [{ file: `${folder}/marks.html` }, async (tab) => {
    await tab.evaluate(() => kutrace.app.search.set('kind:mark event:mark_a=work'));
    await tab.waitForFunction(() => /·/.test(document.getElementById('found').textContent));
    await tab.locator('#query').blur();
    await tab.keyboard.press('n');
    await tab.waitForSelector('#slowest');
    const seen = await walk(tab, 5, () => tab.keyboard.press('Shift+T'));
    const slowest = [...lengths].sort((a, b) => b - a);
    assert.deepEqual(seen.map(([, , ns]) => Math.round(ns / 1000)), slowest.slice(0, 5));
    const why = json('marks.json', 'why', '--mark', 'work');
    assert.deepEqual(seen[0], [why.pid, why.begin_ns, why.duration_ns]);
    assert.equal(await tab.evaluate(() => kutrace.app.slowest.list.count), why.found);
    await tab.waitForFunction(() => kutrace.app.range.told?.scope?.ids.length === 1);
    const { t0, t1 } = await tab.evaluate(() => kutrace.app.selection);
    assert.deepEqual([t0, t1 - t0], seen[4].slice(1));
  }],
  'a line of the list of matches goes to the slowest of its name': async (tab) => {
    await ask(tab, 'kind:system');
    await tab.keyboard.press('Shift+J');
    await tab.waitForSelector('#side-body tbody tr:nth-child(4)');
    let name = '';
    const [[, start, length]] = await walk(tab, 1, async () => {
      name = await tab.evaluate(() => {
        const line = document.querySelector('#side-body tbody tr:nth-child(4)');
        line.children[2].querySelector('button').click();
        return line.children[1].textContent;
      });
    });
    const [told] = json('many.raw', 'syscalls', '--call', name, '--slowest', '1').slowest;
    assert.deepEqual([start, length], [told.begin_ns, told.duration_ns]);
    assert.equal(await tab.evaluate(() => kutrace.app.slowest.list.name), name);
  },
  'a point of an RPC has the button, too': [{ file: `${folder}/rpcs.html` }, async (tab) => {
    await tab.evaluate(() => kutrace.app.search.set('event:0x201'));
    await tab.waitForFunction(() => /·/.test(document.getElementById('found').textContent));
    await tab.keyboard.press('n');
    await tab.waitForSelector('#slowest');
    assert.match(await tab.textContent('#slowest'), /Slowest rpc (get|put|add)/);
    await tab.click('#slowest');
    await tab.waitForFunction(() => kutrace.app.slowest.list?.at === 0);
    await tab.click('#explain');
    await tab.waitForSelector('#path-parts tfoot');
    const asked = await tab.evaluate(() => kutrace.app.path.asked);
    const told = json('rpcs.raw', 'why', '--rpc', asked.title.replace('rpc ', ''));
    assert.deepEqual([asked.start, asked.end - asked.start], [told.begin_ns, told.duration_ns]);
  }],
  'and a span on the row of an RPC': [{ file: `${folder}/rpcs.html` }, async (tab) => {
    await tab.evaluate(async () => {
      const { rowList, looking } = kutrace.app;
      await looking.pinFirst(rowList.rows.find((row) => row.type === 'rpc'));
    });
    await tab.waitForSelector('#slowest-rpc');
    await walk(tab, 1, () => tab.click('#slowest-rpc'));
  }],
  'RPCs of a method, longest first, by the menu of their rows': [{ file: `${folder}/rpcs.html` }, async (tab) => {
    const rows = await tab.evaluate(() => kutrace.app.rows.filter((row) => row.type === 'rpc').map((row) => {
      const { begin, end, name } = kutrace.app.trace.objects[row.object];
      return { begin, length: end - begin, method: name.replace(/\.\d+$/, '') };
    }));
    const of = rows.filter(({ method }) => method === rows[0].method).sort((a, b) => b.length - a.length || a.begin - b.begin);
    const seen = await walk(tab, of.length, () => tab.evaluate(() => kutrace.app.slowest.ofRpc(kutrace.app.rows.find((row) => row.type === 'rpc'))));
    assert.deepEqual(seen.map(([, start, length]) => [start, length]), of.map(({ begin, length }) => [begin, length]));
  }],
};

const browser = await startBrowser(chromium, web);
try {
  process.exitCode = await runSteps(browser, { file: `${folder}/many.html` }, steps, screenshots) > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
