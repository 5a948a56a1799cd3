// SPDX-License-Identifier: BSD-3-Clause
// The picture of a small trace stays as it is: the SVG that the page saves is kept as text, screenshots in
// every palette and theme as small pictures, an eighth as wide and high, so that neither the smoothing of
// letters nor a pixel matters. Both must also differ where the view does.
// In: a page, Chromium, the folder of the web sources, the folder of what is kept; out: exit status.
// `--update` as the last argument keeps what is drawn now.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [page, chromium, web, kept, update] = process.argv.slice(2);
const playwright = createRequire(`${web}/package.json`)('playwright-core');
const SIZE = { width: 1200, height: 720 };
const SMALLER = 8;
const NEAR = 24;               // of 255: as near are two colours of one place
const MOST_DIFFERENT = 0.01;   // of all places; names are set in whatever font there is
const LEAST_DIFFERENT = 0.05;  // of two views
const MOST_LINES = 0.01;       // of the SVG's, for the same reason
const LOOKS = [['light', 'full'], ['dark', 'full'], ['light', 'safe'], ['light', 'grey']];

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
const tab = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });

/** What is seen of a part of the trace, still. @param {number} from @param {number} to  parts of the whole */
async function look(from, to) {
  await tab.evaluate(([a, b]) => {
    const { app } = kutrace;
    app.navigation.setView(app.trace.begin + app.trace.duration * a, app.trace.begin + app.trace.duration * b);
  }, [from, to]);
  await tab.waitForFunction(() => !kutrace.app.scheduled && !kutrace.app.picture.plan().refining);
  await tab.evaluate(() => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume))));
}

const screenshot = () => tab.screenshot({ animations: 'disabled' });

/** A picture made smaller, as PNG and as bytes of red, green, blue and alpha. @param {Buffer} png @param {number} by */
const small = (png, by) => tab.evaluate(async ([base64, part]) => {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' }));
  const canvas = document.createElement('canvas');
  canvas.width = image.width / part;
  canvas.height = image.height / part;
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return { png: canvas.toDataURL('image/png').split(',')[1],
    bytes: [...context.getImageData(0, 0, canvas.width, canvas.height).data] };
}, [png.toString('base64'), by]);

/** Part of the places whose colours are not near each other. @param {number[]} a @param {number[]} b */
function difference(a, b) {
  assert.equal(a.length, b.length);
  let places = 0;
  for (let i = 0; i < a.length; i += 4) {
    if ([0, 1, 2].some((c) => Math.abs(a[i + c] - b[i + c]) > NEAR)) places++;
  }
  return places / (a.length / 4);
}

async function screenshots() {
  await look(0.4, 0.42);
  const other = (await small(await screenshot(), SMALLER)).bytes;
  await look(0.1, 0.12);
  for (const [theme, scheme] of LOOKS) {
    await tab.evaluate(([t, s]) => {
      kutrace.app.settings.setTheme(t);
      kutrace.app.options.scheme = s;
      kutrace.app.settings.apply();
    }, [theme, scheme]);
    await look(0.1, 0.12);
    const now = await small(await screenshot(), SMALLER);
    const file = `${kept}/${theme}-${scheme}.png`;
    if (update) await writeFile(file, Buffer.from(now.png, 'base64'));
    const before = await small(await readFile(file), 1);
    const part = difference(now.bytes, before.bytes);
    if (theme === 'light' && scheme === 'full') assert.ok(difference(other, before.bytes) > LEAST_DIFFERENT, 'another view is another picture');
    console.log(`${theme}, ${scheme}: ${(100 * part).toFixed(2)} % of the picture is not as it was kept`);
    assert.ok(part <= MOST_DIFFERENT, `${file} shows what was drawn; --update keeps what is drawn now`);
  }
}

/** The SVG's elements, one a line. */
async function figure(/** @type {number} */ from, /** @type {number} */ to) {
  await look(from, to);
  const [download] = await Promise.all([tab.waitForEvent('download'), tab.keyboard.press('Shift+S')]);
  return (await readFile(await download.path(), 'utf8')).replaceAll('><', '>\n<').replaceAll('zM', 'z\nM');
}

/** Lines of one that the other lacks, and the other way round. @param {string} a @param {string} b */
function lacking(a, b) {
  const [lines, others] = [a, b].map((text) => text.split('\n'));
  const missing = (/** @type {string[]} */ some, /** @type {Set<string>} */ all) => some.filter((line) => !all.has(line));
  return [...missing(lines, new Set(others)).map((line) => `- ${line}`), ...missing(others, new Set(lines)).map((line) => `+ ${line}`)];
}

async function vectors() {
  await tab.evaluate(() => {
    kutrace.app.settings.setTheme('light');
    Object.assign(kutrace.app.options, { scheme: 'full', shape: '3:1' });
    kutrace.app.settings.apply();
  });
  const other = await figure(0.5, 0.5005);
  const now = await figure(0.1, 0.1005);
  const file = `${kept}/figure.svg`;
  if (update) await writeFile(file, now);
  const before = await readFile(file, 'utf8');
  const most = Math.ceil(before.split('\n').length * MOST_LINES);
  const changes = lacking(before, now);
  console.log(`${changes.length} of ${before.split('\n').length} lines of the SVG are not as they were kept`);
  assert.ok(changes.length <= most, changes.slice(0, 20).join('\n'));
  assert.ok(lacking(before, other).length > most, 'another view is another figure');
}

try {
  await tab.goto(pathToFileURL(page).href, { waitUntil: 'load' });
  await tab.waitForFunction(() => kutrace.app && !kutrace.app.scheduled);
  await tab.keyboard.press('Escape');
  await screenshots();
  await vectors();
} finally {
  await browser.close();
}
