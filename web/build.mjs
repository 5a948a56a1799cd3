// SPDX-License-Identifier: BSD-3-Clause
// Builds web/dist/page.html: sources, style and worker in one file with a slot for data.
// `node build.mjs --check` fails if the file in the tree does not match its sources.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';

const here = new URL('.', import.meta.url).pathname;
const options = { bundle: true, format: 'iife', target: 'es2022', minify: true, write: false,
  legalComments: 'none', charset: 'utf8' };

async function bundle(entry, extra = {}) {
  const result = await build({ ...options, absWorkingDir: here, entryPoints: [entry], ...extra });
  // The script stands inside HTML: nothing in it may end the element.
  return result.outputFiles[0].text.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

async function page() {
  const worker = await bundle('src/model/worker.js');
  const script = await bundle('src/main.js', { globalName: 'kutrace',
    define: { WORKER_SOURCE: JSON.stringify(worker) } });
  const css = await build({ ...options, absWorkingDir: here, entryPoints: ['src/page.css'] });
  const template = await readFile(`${here}/src/page.html`, 'utf8');
  return template.replace('/*style*/', () => css.outputFiles[0].text.trim())
    .replace('/*script*/', () => script);
}

const file = `${here}/dist/page.html`;
const built = await page();
if (process.argv.includes('--check')) {
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept !== built) {
    console.error('web/dist/page.html does not match its sources: run `npm run build` in web/');
    process.exit(1);
  }
  console.log('web/dist/page.html matches its sources');
} else {
  await mkdir(`${here}/dist`, { recursive: true });
  await writeFile(file, built);
  console.log(`web/dist/page.html: ${built.length} characters`);
}
