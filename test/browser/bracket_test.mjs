// SPDX-License-Identifier: BSD-3-Clause
// Brackets of calls: one under the pieces of each call that has room, from its begin to its end; the one that is
// looked at in another colour; none where the view is drawn from the overview. In light and dark.
// In: the kutrace program, what writes the traces, a container without calls, Chromium, the folder of the web
// sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, settled, startBrowser } from './tabs.mjs';

const [program, maker, before, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-bracket-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' };
for (const trace of ['fsync', 'many']) {
  execFileSync(maker, [trace, `${folder}/${trace}.raw`]);
  execFileSync(program, ['report', `${folder}/${trace}.raw`, '-o', `${folder}/${trace}.html`], quiet);
}
execFileSync(program, ['report', before, '-o', `${folder}/before.html`], quiet);

/** The fsync calls as the raw trace has them: begin and end. */
const fsyncs = execFileSync(program, ['dump', '--stage', 'calls', `${folder}/fsync.raw`], quiet).trim().split('\n')
  .map((line) => line.split(' ')).filter((call) => call[5] === '84a').map(([begin, length]) => [Number(begin), Number(begin) + Number(length)]);
const [longest] = [...fsyncs].sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]));

/**
 * Where the strip under the bars of the thread that calls fsync has a colour of the palette, as pairs of times of
 * its first and its last pixel. @param {any} tab @param {'bracket' | 'accent'} colour
 */
const strip = (tab, colour) => tab.evaluate((colour) => {
  const { picture, palette, rows, view, navigation, trace } = kutrace.app;
  const row = rows.find((r) => r.thread >= 0 && trace.threads[r.thread].name === 'db');
  const css = colour === 'bracket' ? palette.bracket : palette.css.accent;
  const wanted = [1, 3, 5].map((at) => Number.parseInt(css.slice(at, at + 2), 16));
  const { width } = picture.over;
  const line = new OffscreenCanvas(width, 1).getContext('2d', { willReadFrequently: true });
  line.drawImage(picture.over, 0, -Math.round((row.top - view.top + row.height - 4) * picture.ratio));
  const { data } = line.getImageData(0, 0, width, 1);
  const runs = [];
  for (let x = 0; x < data.length / 4; x++) {
    if (data[4 * x + 3] < 255 || wanted.some((value, i) => Math.abs(data[4 * x + i] - value) > 2)) continue;
    if (runs.length > 0 && runs.at(-1)[1] === x - 1) runs.at(-1)[1] = x;
    else runs.push([x, x]);
  }
  return runs.map(([from, to]) => [navigation.timeAt(from / picture.ratio), navigation.timeAt((to + 1) / picture.ratio)]);
}, colour);

/** @param {any} tab @param {number[][]} found @param {number[][]} calls  begins and ends */
async function near(tab, found, calls) {
  const pixel = await tab.evaluate(() => (kutrace.app.view.t1 - kutrace.app.view.t0) / kutrace.app.navigation.width);
  assert.equal(found.length, calls.length, `${found}, not ${calls}`);
  found.forEach(([from, to], i) => {
    assert.ok(Math.abs(from - calls[i][0]) <= 2 * pixel && Math.abs(to - calls[i][1]) <= 2 * pixel, `${found[i]}, not ${calls[i]}`);
  });
}

/** The calls of fsync that are 14 pixels wide. @param {any} tab */
async function roomy(tab) {
  const pixel = await tab.evaluate(() => (kutrace.app.view.t1 - kutrace.app.view.t0) / kutrace.app.navigation.width);
  const wide = fsyncs.filter(([begin, end]) => end - begin >= 14 * pixel);
  assert.ok(wide.length > 2 && wide.length < fsyncs.length, `${wide.length}`);
  return wide;
}

/** @param {any} tab @param {number} time on the row of the thread that calls fsync */
async function pointAt(tab, time) {
  const [x, y] = await tab.evaluate((time) => {
    const { rows, view, navigation, trace } = kutrace.app;
    const row = rows.find((r) => r.thread >= 0 && trace.threads[r.thread].name === 'db');
    const plot = document.getElementById('plot').getBoundingClientRect();
    return [plot.left + navigation.xOf(time), plot.top + row.top - view.top + row.height / 2];
  }, time);
  await tab.mouse.move(x, y);
  await settled(tab);
}

const show = async (tab, [begin, end]) => {
  await tab.evaluate(([begin, end]) => kutrace.app.navigation.show(begin, end), [begin, end]);
  await settled(tab);
};

const steps = {
  'every call in pieces that has room has its bracket, from begin to end': async (tab) => {
    await near(tab, await strip(tab, 'bracket'), await roomy(tab));
  },
  'in dark colours as well': async (tab) => {
    await tab.evaluate(() => kutrace.app.settings.setTheme('dark'));
    await settled(tab);
    await near(tab, await strip(tab, 'bracket'), await roomy(tab));
    const [back, line] = await tab.evaluate(() => [kutrace.app.palette.css.back, kutrace.app.palette.bracket]);
    const light = (css) => [1, 3, 5].reduce((sum, at) => sum + Number.parseInt(css.slice(at, at + 2), 16), 0);
    assert.ok(light(line) - light(back) > 200, `${line} on ${back}`);
  },
  'one that reaches over all of the view tells nothing there': async (tab) => {
    const middle = (longest[0] + longest[1]) / 2;
    await show(tab, [middle - 1000, middle + 1000]);
    assert.deepEqual(await strip(tab, 'bracket'), []);
  },
  'the call of a piece that is pointed at stands out, also when it is the wait inside': async (tab) => {
    await show(tab, longest);
    assert.deepEqual(await strip(tab, 'accent'), []);
    await pointAt(tab, longest[1] - 500);
    await near(tab, await strip(tab, 'accent'), [longest]);
    await pointAt(tab, longest[0] - 2000);
    assert.deepEqual(await strip(tab, 'accent'), []);
    await pointAt(tab, (longest[0] + longest[1]) / 2);
    await near(tab, await strip(tab, 'accent'), [longest]);
  },
  'so does that of a pinned one': async (tab) => {
    await show(tab, longest);
    await pointAt(tab, longest[1] - 500);
    await tab.mouse.down();
    await tab.mouse.up();
    await tab.mouse.move(5, 5);
    await tab.waitForFunction(() => kutrace.app.pins.length === 1);
    await settled(tab);
    await near(tab, await strip(tab, 'accent'), [longest]);
  },
  'a view from afar has none': [{ file: `${folder}/many.html` }, async (tab) => {
    assert.deepEqual(await tab.evaluate(() => [kutrace.app.picture.lastPlan.detailed, kutrace.app.picture.rowBars.brackets]), [false, 0]);
    await tab.evaluate(() => {
      const { longCalls: c, navigation, rowList } = kutrace.app;
      const at = c.pieces.findIndex((pieces, i) => pieces > 1 && c.thread[i] > 1);
      navigation.show(c.end[at] - 100_000, c.end[at] + 100_000);
      navigation.revealRow(rowList.open(-1, c.thread[at]));
    });
    await settled(tab);
    assert.ok(await tab.evaluate(() => kutrace.app.picture.rowBars.brackets > 0));
  }],
  'nor has a trace that tells of pieces alone': [{ file: `${folder}/before.html` }, async (tab) => {
    assert.deepEqual(await tab.evaluate(() => [kutrace.app.picture.lastPlan.detailed, kutrace.app.picture.rowBars.brackets]), [true, 0]);
  }],
};

const browser = await startBrowser(chromium, web);
try {
  const failed = await runSteps(browser, { file: `${folder}/fsync.html` }, steps, screenshots);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
