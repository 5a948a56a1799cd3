// SPDX-License-Identifier: BSD-3-Clause
// What is seen before anyone has asked for anything is calm and legible: threads that wait are pale, what
// delays them is not; wakeups are those of what one looks at; bars fill their rows, and no text lies over
// them; many CPUs fit on a screen.
// In: the kutrace program, the maker of pages, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { poolTrace } from './pool_trace.mjs';
import { ask, runSteps, settled, startBrowser } from './tabs.mjs';

const [program, makePage, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-looks-`);
const WANTING = 2;
const MOST_INK = 0.04;   // of the pixels of a row that only waits
const FEWEST_ROWS = 56;  // of CPUs, in a window 900 pixels high
const LEAST_FULL = 0.6;  // of a row's height, what a CPU is high that is always in user mode

await writeFile(`${folder}/pool.json`, JSON.stringify(poolTrace({ workers: 600, wanting: WANTING })));
await writeFile(`${folder}/busy.json`, JSON.stringify(poolTrace({ workers: 4, wanting: 0, cpus: 80 })));
for (const name of ['pool', 'busy']) {
  execFileSync(program, ['report', `${folder}/${name}.json`, '-o', `${folder}/${name}.html`], { stdio: ['ignore', 'ignore', 'inherit'] });
}
execFileSync(makePage, [`${folder}/made.html`, '60000', '2', '40'], { stdio: 'ignore' });

/** Rows with the share of their pixels that are neither paper nor grid, and the colours of waits in them. Runs in the page. */
function inkOfRows() {
  const { app } = kutrace;
  const { pixels, width } = app.picture.raster;
  const { pixel, waits } = app.palette;
  const paper = new Set([pixel.back, pixel.grid, pixel.header]);
  const strong = waits.filter((style) => !style.pale).map((style) => style.pixel);
  const whole = app.picture.visible.filter((row) => row.thread >= 0 && row.top - app.view.top + row.height <= app.picture.height);
  return whole.map((row) => {
    let ink = 0;
    let loud = 0;
    const top = row.top - app.view.top;
    for (let i = top * width; i < (top + row.height) * width; i++) {
      if (!paper.has(pixels[i])) ink++;
      if (strong.includes(pixels[i])) loud++;
    }
    return { label: row.label, ink: ink / (row.height * width), loud: loud / width };
  });
}

/** How high the bars of CPU 0 reach, and where its row begins and ends, in pixels. Runs in the page. */
function barsOfCpu() {
  const { app } = kutrace;
  const row = app.rows.find((r) => r.cpu === 0);
  const { pixels, width } = app.picture.raster;
  const bars = new Set([...app.palette.user, app.palette.kind[2]]);
  const begin = row.top - app.view.top;
  let top = begin;
  while (!pixels.subarray(top * width + 50, (top + 1) * width - 50).some((pixel) => bars.has(pixel))) top++;
  return { top, part: (begin + row.height - top) / row.height };
}

/** Every text that a picture sets, and its middle: the canvas itself does not tell. Runs in the page. */
function textsDrawn() {
  const { app } = kutrace;
  const { context } = app.picture;
  const texts = [];
  const draw = context.fillText;
  context.fillText = (text, x, y) => {
    texts.push({ text, y, row: app.looking.rowAt(y)?.type });
    draw.call(context, text, x, y);
  };
  app.draw();
  context.fillText = draw;
  return texts;
}

const arcs = (tab) => tab.evaluate(() => ({ ...kutrace.app.picture.arcs }));
const show = async (tab, text) => {
  await tab.click('#tool-show');
  await tab.click(`#menu button:has-text("${text}")`);
  await settled(tab);
};

const steps = {
  async 'hundreds of threads in futex are thin and pale, the one that waits for a held lock is not'(tab) {
    await tab.evaluate(() => {
      kutrace.app.rowList.foldAll(false);
      kutrace.app.schedule();
    });
    await settled(tab);
    const rows = (await tab.evaluate(inkOfRows)).filter((row) => row.label.startsWith('worker'));
    assert.ok(rows.length > 20);
    for (const { label, ink, loud } of rows) {
      if (Number(label.split('.')[1]) < 1000 + WANTING) assert.ok(loud > 1, `${label} is drawn strongly: ${loud}`);
      else assert.deepEqual([loud, ink < MOST_INK], [0, true], `${label} is pale: ${ink} of its pixels are ink`);
    }
  },
  async 'of hundreds of threads of one name a few have rows, the others are one line'(tab) {
    const rows = await tab.evaluate(() => kutrace.app.rows.map((row) => [row.type, row.label, row.folded]));
    assert.ok(rows.length < 30, `${rows.length} rows`);
    assert.deepEqual(rows.find(([type]) => type === 'crowd'), ['crowd', '192 more worker', true]);
  },
  async 'a view of many wakeups draws those of what is pointed at, pinned or searched for'(tab) {
    await tab.mouse.move(5, 5);
    await settled(tab);
    assert.deepEqual(await arcs(tab), { drawn: 0, all: false });
    assert.match(await tab.textContent('#hint'), /point at a span/);
    const at = await tab.evaluate(() => {
      const { app } = kutrace;
      const row = app.rows.find((r) => r.label === 'worker.1005');
      return [app.navigation.xOf(1e9 + 590_000), row.top - app.view.top + row.height * 0.8];
    });
    const box = await tab.locator('#plot').boundingBox();
    await tab.mouse.move(box.x + at[0], box.y + at[1]);
    await tab.waitForFunction(() => kutrace.app.picture.arcs.drawn > 0);
    assert.equal((await arcs(tab)).drawn, 1);
    await tab.mouse.move(5, 5);
    await tab.waitForFunction(() => kutrace.app.picture.arcs.drawn === 0);
    await tab.evaluate(([x, y]) => kutrace.app.looking.click(x, y, false), at);
    await tab.waitForFunction(() => kutrace.app.picture.arcs.drawn === 1);
    await tab.evaluate(() => kutrace.app.looking.unpinAll());
    await ask(tab, 'pid:100 wakeup');
    await settled(tab);
    assert.ok((await arcs(tab)).drawn > 60);
    await ask(tab, 'write');
    await settled(tab);
    assert.equal((await arcs(tab)).drawn, 0);
    await show(tab, 'All of these at once');
    assert.ok((await arcs(tab)).drawn > 100, 'all, if they are asked for');
  },
  async 'a short view draws all of its wakeups'(tab) {
    await tab.evaluate(() => kutrace.app.navigation.setView(1e9, 1e9 + 2e6));
    await settled(tab);
    const { drawn, all } = await arcs(tab);
    assert.ok(all && drawn >= 20, `${drawn} arcs`);
  },
  async 'bars fill their row until samples are asked for, and then addresses stand above them'(tab) {
    await tab.evaluate(() => {
      Object.assign(kutrace.app.options, { arcs: false, waits: false });
      kutrace.app.navigation.setView(1e9, 1e9 + 0.7e6);
    });
    await settled(tab);
    const { part } = await tab.evaluate(barsOfCpu);
    assert.ok(part > 0.7, `bars fill ${part} of their row`);
    await show(tab, 'Program counter samples');
    const named = (await tab.evaluate(textsDrawn)).filter(({ text }) => /^0x/.test(text));
    assert.ok(named.length > 3, 'samples have names');
    const { top } = await tab.evaluate(barsOfCpu);
    for (const { text, y } of named) assert.ok(y + 4 <= top, `${text} at ${y} ends above the bars, which begin at ${top}`);
  },
  'many CPUs: their rows fit on a screen, and bars fill them': [{ file: `${folder}/busy.html` }, async (tab) => {
    const seen = await tab.evaluate(() => {
      const { app } = kutrace;
      const { pixels, width } = app.picture.raster;
      const rows = app.picture.visible.filter((row) => row.cpu >= 2 && row.top - app.view.top + row.height <= app.picture.height);
      const user = new Set([...app.palette.user, ...app.palette.userLow]);
      return rows.map((row) => {
        let high = 0;
        for (let y = row.top - app.view.top; y < row.top - app.view.top + row.height; y++) high += Number(user.has(pixels[y * width + 700]));
        return high / row.height;
      });
    });
    assert.ok(seen.length >= FEWEST_ROWS, `${seen.length} rows of CPUs`);
    for (const part of seen) assert.ok(part >= LEAST_FULL, `bars fill ${part} of their row`);
  }],
  'marks of a program are on the rows of CPUs and of threads': [{ file: `${folder}/made.html` }, async (tab) => {
    const marks = (await tab.evaluate(textsDrawn)).filter(({ text }) => /hello$/.test(text)).map(({ row }) => row);
    assert.ok(marks.includes('cpu') && marks.includes('thread'));
  }],
};

const browser = await startBrowser(chromium, web);
let failed = 1;
try {
  failed = await runSteps(browser, { file: `${folder}/pool.html` }, steps, screenshots);
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
process.exit(failed > 0 ? 1 : 0);
