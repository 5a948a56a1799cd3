// SPDX-License-Identifier: BSD-3-Clause
// Names, titles, marks, notes, saved views and links are texts, whatever stands in them: a trace in
// which each is an attempt to run a script is opened, and everything that shows names is shown.
// In: the kutrace program, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';

const [program, chromium, web, screenshots] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const folder = await mkdtemp(`${tmpdir()}/kutrace-hostile-`);

/** Something that would be noticed if it ever became markup or script. */
const bad = (what) => `<img src=x onerror="window.ran='${what}'"><script>window.ran='${what}'</scr` + `ipt>&lt;b&gt;${what}`;
const state = { xleft_ts: 1.0001, xright_ts: 1.0009, search_text: bad('search'), groupcompress: [2, 2, 0, 0] };
const span = (at, duration, cpu, pid, event, arg, result, name) => [1 + at / 1e6, duration / 1e6, cpu, pid, 0, event, arg, result, 0, name];
const events = [];
for (let i = 0; i < 40; i++) {
  const at = i * 25;
  events.push(span(at, 10, 0, 77, 0x10000 + 77, 0, 0, `${bad('thread')}.77`));
  events.push(span(at + 10, 5, 0, 77, 0x801, 1, 65535, bad('call')));
  events.push(span(at + 15, 4, 0, 77, 0x40e, 0, 0, bad('trap')));
  events.push(span(at + 19, 6, 0, 0, 0x10000, 0, 0, '-idle-'));
}
events.push(span(300, 0, 0, 77, 0x20a, 5, 0, bad('mark')));
events.push(span(400, 0, 0, 77, -4, 20, 2, bad('callout')));
events.sort((a, b) => a[0] - b[0]);
const trace = {
  Comment: 'V3', axisLabelX: 'Time (sec)', axisLabelY: 'CPU Number', flags: 0, shortUnitsX: 's', shortMulX: 1,
  thousandsX: 1000, title: bad('title'), tracebase: '2026-01-02_03:04:00', version: 3, kernelVersion: bad('kernel'),
  cpuModelName: bad('model'), events: [...events, [999, 0, 0, 0, 0, 0, 0, 0, 0, '']],
  extra: [span(500, 0, 0, 77, -4, 20, 2, bad('extra'))], savedview: [[bad('view'), state]],
};

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
try {
  await writeFile(`${folder}/trace.json`, JSON.stringify(trace));
  execFileSync(program, ['report', `${folder}/trace.json`, '-o', `${folder}/page.html`], { stdio: ['ignore', 'ignore', 'inherit'] });
  const tab = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const problems = [];
  tab.on('console', (m) => { if (['warning', 'error'].includes(m.type())) problems.push(m.text()); });
  tab.on('pageerror', (e) => problems.push(String(e)));
  const link = `#t=1000000000,1001000000&q=${encodeURIComponent(bad('query'))}&rows=${encodeURIComponent(
    JSON.stringify({ folded: [bad('id')], filter: '' }))}&saved=${encodeURIComponent(JSON.stringify({ stamp: 0,
    views: [{ name: bad('linked'), state: { t0: 1e9, t1: 2e9 } }], notes: [{ time: 1.0005e9, row: 'c0', text: bad('note') }] }))}`;
  for (const hash of ['', link]) {
    await tab.goto('about:blank');
    await tab.goto(pathToFileURL(`${folder}/page.html`).href + hash);
    await tab.waitForFunction(() => kutrace.app && !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);
    await tab.keyboard.press('Escape');
    await tab.waitForSelector('.bubble textarea');
    for (const panel of ['views', 'legend', 'about', 'options']) {
      await tab.evaluate((name) => kutrace.app.side.open(name), panel);
      if (screenshots && panel === 'views') await tab.screenshot({ path: `${screenshots}/hostile.png` });
    }
    await tab.evaluate(() => kutrace.app.side.close());
    await tab.evaluate(async () => {
      const { app } = kutrace;
      for (const row of app.rows.filter((r) => r.cpu >= 0 || r.thread >= 0)) await app.looking.pinFirst(row);
      await app.looking.stepSame(1);
      app.range.select(app.trace.begin, app.trace.end, true);
    });
    await tab.waitForSelector('#copy-csv');
    for (const id of ['name', 'kind', 'thread', 'process', 'cpu', 'wait', 'flame']) await tab.click(`#tab-${id}`);
    const box = await tab.locator('#plot').boundingBox();
    for (let x = 20; x < 400; x += 40) await tab.mouse.move(box.x + x, box.y + 50);
    const gutter = await tab.locator('#gutter').boundingBox();
    await tab.mouse.click(gutter.x + 40, gutter.y + 50, { button: 'right' });
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('?');
    await tab.keyboard.press('Escape');
    const seen = await tab.evaluate(() => ({ ran: window.ran, images: document.querySelectorAll('img, iframe, object').length,
      scripts: [...document.scripts].filter((s) => /window\.ran/.test(s.text) && s.type === '').length,
      title: document.getElementById('title').textContent, views: kutrace.app.keeping.views.map((v) => v.name) }));
    assert.equal(seen.ran, undefined, 'no name became a script');
    assert.deepEqual([seen.images, seen.scripts], [0, 0]);
    assert.equal(seen.title, trace.title);
    assert.deepEqual(seen.views, hash ? [bad('view'), bad('linked')] : [bad('view')]);
  }
  // A copy of the page carries the same texts, and they stay texts.
  const download = tab.waitForEvent('download');
  await tab.evaluate(() => { document.getElementById('tool-views').click(); document.getElementById('save-copy').click(); });
  const copy = `${folder}/copy.html`;
  await (await download).saveAs(copy);
  await tab.goto(pathToFileURL(copy).href);
  await tab.waitForSelector('.bubble textarea');
  assert.equal(await tab.evaluate(() => window.ran), undefined);
  assert.ok((await tab.evaluate(() => [...document.querySelectorAll('.bubble textarea')].map((area) => area.value))).includes(bad('note')));
  assert.deepEqual(problems, [], 'the page is silent');
  console.log('ok    names, titles, marks, notes, views and links are texts');
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
