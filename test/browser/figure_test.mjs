// SPDX-License-Identifier: BSD-3-Clause
// `kutrace svg` draws what the page draws: of one trace and window, the picture that the page saves and
// the one of the command line have the same pixels in the rows of CPUs, and the same names.
// In: the kutrace program, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { madeTrace } from './made_trace.mjs';

const [program, chromium, web] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const folder = await mkdtemp(`${tmpdir()}/kutrace-figure-`);
const CPUS = 4;
const PLOT = 1100;                   // units; the page's exported plot of a chosen shape
const OUTSIDE = 16 + 190 + 16;       // margins and names
const ROWS = 22 + CPUS * 50;         // units: the heading and the rows of CPUs
const MOST_DIFFERENT = 0.002;        // of the pixels that are not paper: sums round differently
const MOST_NAMES_DIFFERENT = 0.02;   // a letter's width is a guess in one of them, known in the other

/** Paths of rectangles to pixels. @param {string} svg @param {number} width @param {number} height */
function pixelsOf(svg, width, height) {
  const start = svg.indexOf('<g transform="scale(0.5)"');
  const group = svg.slice(start, svg.indexOf('</g>', start));
  const pixels = new Uint32Array(width * height).fill(0xffffff);
  for (const [path] of group.matchAll(/<path [^>]*>/g)) {
    const colour = parseInt(/fill="#([0-9a-f]{6})"/.exec(path)?.[1] ?? '', 16);
    for (const [, x, y, w, h] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)) {
      for (let row = +y; row < Math.min(height, +y + +h); row++) {
        pixels.fill(colour, row * width + +x, row * width + Math.min(width, +x + +w));
      }
    }
  }
  return pixels;
}

/** Names in bars: where and what. @param {string} svg */
function namesOf(svg) {
  const names = new Set();
  for (const [, x, y, text] of svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)<\/text>/g)) {
    if (/^(worker|call|timer|page_fault)/.test(text) && +y < ROWS) names.add(`${Math.round(+x)} ${Math.round(+y)} ${text}`);
  }
  return names;
}

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
try {
  await writeFile(`${folder}/trace.json`, JSON.stringify(madeTrace(CPUS)));
  execFileSync(program, ['report', `${folder}/trace.json`, '-o', `${folder}/page.html`], { stdio: ['ignore', 'ignore', 'inherit'] });
  const tab = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme: 'light' });
  await tab.goto(pathToFileURL(`${folder}/page.html`).href);
  await tab.waitForFunction(() => kutrace.app && !kutrace.app.scheduled);
  await tab.keyboard.press('Escape');
  for (const [from, to] of [[1, 1.2], [1.05, 1.055], [1.1, 1.1001]]) {
    await tab.evaluate(([t0, t1]) => {
      kutrace.app.options.shape = '16:9';
      kutrace.app.navigation.setView(t0 * 1e9, t1 * 1e9);
    }, [from, to]);
    const view = await tab.evaluate(() => ({ t0: kutrace.app.view.t0, t1: kutrace.app.view.t1 }));
    assert.deepEqual([view.t0, view.t1], [from * 1e9, to * 1e9]);
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.keyboard.press('Shift+S')]);
    const theirs = await readFile(await download.path(), 'utf8');
    const ours = execFileSync(program, ['svg', `${folder}/trace.json`, '--from', String(from), '--to', String(to), '--width',
      String(PLOT + OUTSIDE), '--threads', '0'], { encoding: 'utf8', maxBuffer: 2 ** 28 });
    const [a, b] = [theirs, ours].map((svg) => pixelsOf(svg, 2 * PLOT, 2 * ROWS));
    let inked = 0;
    let different = 0;
    for (let i = 0; i < a.length; i++) {
      if (a[i] !== 0xffffff || b[i] !== 0xffffff) inked++;
      if (a[i] !== b[i]) different++;
    }
    assert.ok(inked > 100_000, `only ${inked} pixels are drawn`);
    const [names, others] = [namesOf(theirs), namesOf(ours)];
    const missing = [...names].filter((name) => !others.has(name)).length + [...others].filter((name) => !names.has(name)).length;
    console.log(`${from} to ${to} s: ${inked} pixels, ${different} different; ${names.size} names, ${missing} different`);
    assert.ok(different <= inked * MOST_DIFFERENT, 'the bars differ');
    assert.ok(missing <= names.size * MOST_NAMES_DIFFERENT, 'the names differ');
  }
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
