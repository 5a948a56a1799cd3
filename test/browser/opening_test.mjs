// SPDX-License-Identifier: BSD-3-Clause
// How the page opens: what it says meanwhile, when it counts as loaded, and that Chromium shoots its picture
// when nobody told it to wait for anything.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { runSteps, startBrowser } from './tabs.mjs';

const [page, chromium, web, folder] = process.argv.slice(2);

/** Keeps what is said while the page opens. Runs in the page before its scripts. */
function listen() {
  const heard = { said: /** @type {string[]} */ ([]), openAtLoad: true };
  Object.assign(window, { heard });
  const say = () => {
    const box = document.getElementById('opening');
    const text = box && !box.hidden ? box.textContent : '';
    if (text && heard.said.at(-1) !== text) heard.said.push(text);
  };
  new MutationObserver(say).observe(document, { childList: true, subtree: true, characterData: true });
  addEventListener('load', () => { heard.openAtLoad = !document.getElementById('opening')?.hidden; });
}

/** Of two pictures of one size, the share of pixels that differ. Runs in the page. @param {string[]} pictures base64 */
async function difference(pictures) {
  const pixels = [];
  for (const picture of pictures) {
    const bytes = Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.drawImage(image, 0, 0);
    pixels.push(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer));
  }
  const [a, b] = pixels;
  let differ = a.length === b.length ? 0 : a.length;
  for (let i = 0; i < a.length; i++) differ += a[i] === b[i] ? 0 : 1;
  return differ / a.length;
}

/** As anybody would call it. @param {string} file */
async function shoot(file) {
  const picture = `${folder}/shot.png`;
  await rm(picture, { force: true });
  await promisify(execFile)(chromium, ['--headless', '--no-sandbox', `--screenshot=${picture}`, pathToFileURL(file).href], { timeout: 60_000 });
  return readFile(picture);
}

/** The sizes stand at a fixed place of a PNG. @param {Buffer} png */
const sizeOf = (png) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });

const steps = {
  'while it opens it says what, how many bytes and what share': [{ before: listen }, async (/** @type {any} */ tab) => {
    const { said } = await tab.evaluate(() => /** @type {any} */ (window).heard);
    assert.match(said[0], /^Opening…/);
    const shares = said.map((/** @type {string} */ text) => /spans, [\d.]+ [KM]B; (\d+) % of [\d.]+ [KM]B/.exec(text)?.[1])
      .filter((/** @type {string | undefined} */ share) => share !== undefined).map(Number);
    assert.ok(shares.length >= 2, said.join('\n'));
    assert.equal(shares[0], 0);
    assert.equal(shares.at(-1), 100);
    assert.deepEqual(shares, [...shares].sort((/** @type {number} */ a, /** @type {number} */ b) => a - b));
  }],
  async 'something is painted before the first picture is'(/** @type {any} */ tab) {
    const [painted, picture] = await tab.evaluate(() => [
      performance.getEntriesByName('first-contentful-paint')[0].startTime, kutrace.timing.firstPaint]);
    assert.ok(painted < picture, `${painted} ${picture}`);
  },
  'it counts as loaded when its picture is there': [{ before: listen }, async (/** @type {any} */ tab) => {
    assert.equal(await tab.evaluate(() => /** @type {any} */ (window).heard.openAtLoad), false);
    assert.equal(await tab.locator('iframe').count(), 0);
  }],
  async 'a shot of it without any option is its picture'(/** @type {any} */ tab) {
    const shot = await shoot(page);
    await tab.setViewportSize(sizeOf(shot));
    await tab.reload();
    await tab.waitForFunction(() => kutrace.app && !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);
    const own = await tab.screenshot();
    const share = await tab.evaluate(difference, [shot.toString('base64'), own.toString('base64')]);
    // What is decoded later changes little of the whole trace.
    assert.ok(share < 0.1, `${(100 * share).toFixed(1)} % of the pixels differ`);
  },
};

const browser = await startBrowser(chromium, web);
let failed = 1;
try {
  failed = await runSteps(browser, { file: page }, steps, folder);
} finally {
  await browser.close();
}
process.exitCode = failed === 0 ? 0 : 1;
