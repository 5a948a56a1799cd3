// SPDX-License-Identifier: BSD-3-Clause
// Builds src/model/tables.js from the program's sources, then web/dist/page.html: style, the packed viewer
// with its worker, and the script that unpacks it, in one file with a slot for data. `node build.mjs --check`
// fails if a file in the tree does not match its sources; it compares what is packed, since not every zlib
// packs alike.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { makeTables } from './make_tables.mjs';
import { decodeB128 } from './src/model/b128.js';

const here = new URL('.', import.meta.url).pathname;
const options = { bundle: true, format: 'iife', target: 'es2022', minify: true, write: false,
  legalComments: 'none', charset: 'utf8', globalName: 'kutrace' };

async function bundle(entry, extra = {}) {
  const result = await build({ ...options, absWorkingDir: here, entryPoints: [entry], ...extra });
  // The script stands inside HTML: nothing in it may end the element.
  return result.outputFiles[0].text.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

const ESCAPES = new Map([[0, '\u00a1'], [13, '\u00a2'], [60, '\u00a3']]);

/** As src/base/b128.h does. @param {Uint8Array} bytes */
function encodeB128(bytes) {
  let text = '';
  let held = 0;
  let bits = 0;
  const put = (value) => { text += ESCAPES.get(value) ?? String.fromCharCode(value); };
  for (const byte of bytes) {
    held |= byte << bits;
    bits += 8;
    for (; bits >= 7; bits -= 7) {
      put(held & 127);
      held >>>= 7;
    }
  }
  if (bits > 0) put(held & 127);
  return text;
}

const pack = (script) => encodeB128(deflateRawSync(Buffer.from(script), { level: 9 }));
const unpack = (text) => inflateRawSync(decodeB128(text)).toString();

/** The page, with the viewer as it is packed by `packed`. */
async function page(packed) {
  const worker = await bundle('src/model/worker.js');
  const viewer = await bundle('src/main.js', { define: { WORKER_SOURCE: JSON.stringify(worker) } });
  const boot = await bundle('src/boot.js');
  const css = await build({ ...options, absWorkingDir: here, entryPoints: ['src/page.css'] });
  const template = await readFile(`${here}/src/page.html`, 'utf8');
  return template.replace('/*style*/', () => css.outputFiles[0].text.trim())
    .replace('/*viewer*/', () => packed(viewer)).replace('/*boot*/', () => boot);
}

const file = `${here}/dist/page.html`;
const tablesFile = `${here}/src/model/tables.js`;
const tables = await makeTables(`${here}/..`);
if (process.argv.includes('--check')) {
  if (await readFile(tablesFile, 'utf8').catch(() => '') !== tables) {
    console.error('web/src/model/tables.js does not match the program: run `npm run build` in web/');
    process.exit(1);
  }
  const kept = await readFile(file, 'utf8').catch(() => '');
  const unpacked = kept.replace(/(id="kutrace-viewer">)([^<]*)/, (_, head, text) => head + unpack(text));
  if (unpacked !== await page((viewer) => viewer)) {
    console.error('web/dist/page.html does not match its sources: run `npm run build` in web/');
    process.exit(1);
  }
  console.log('web/dist/page.html matches its sources');
} else {
  await writeFile(tablesFile, tables);
  const built = await page(pack);
  await mkdir(`${here}/dist`, { recursive: true });
  await writeFile(file, built);
  console.log(`web/dist/page.html: ${Buffer.byteLength(built)} bytes`);
}
