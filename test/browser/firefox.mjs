// SPDX-License-Identifier: BSD-3-Clause
// Drives Debian's Firefox by Marionette, the protocol that it speaks by itself: messages "LENGTH:JSON" on a
// local port. In: the browser, the size of its window in CSS pixels, device pixels each; out: a tab that opens
// files and runs functions in them.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE_MS = 60_000;
const SCRIPT_MS = 300_000;
const COMMAND = 0;

const sleep = (/** @type {number} */ ms) => new Promise((resume) => setTimeout(resume, ms));

/** The port that it chose. @param {string} profile */
async function portOf(profile) {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const port = Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8').catch(() => '0'));
    if (port > 0) return port;
    await sleep(50);
  }
  throw new Error('Firefox did not say where it can be spoken to');
}

/** @param {number} port */
async function speak(port) {
  const socket = connect(port, '127.0.0.1');
  let held = Buffer.alloc(0);
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  const asked = new Map();
  let last = 0;
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.on('data', (piece) => {
      held = Buffer.concat([held, piece]);
      for (;;) {
        const colon = held.indexOf(58);
        const length = colon < 0 ? 0 : Number(held.subarray(0, colon).toString());
        if (colon < 0 || held.length < colon + 1 + length) return;
        const message = JSON.parse(held.subarray(colon + 1, colon + 1 + length).toString());
        held = held.subarray(colon + 1 + length);
        if (!Array.isArray(message)) {
          resolve(message);  // says who it is
          continue;
        }
        const [, id, error, value] = message;
        const asker = asked.get(id);
        asked.delete(id);
        if (error) asker?.reject(new Error(`${error.error}: ${error.message}`));
        else asker?.resolve(value);
      }
    });
  });
  return {
    ask: (/** @type {string} */ name, /** @type {object} */ parameters = {}) => new Promise((resolve, reject) => {
      asked.set(++last, { resolve, reject });
      const text = JSON.stringify([COMMAND, last, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    }),
    end: () => socket.destroy(),
  };
}

/** @param {string} firefox @param {{width: number, height: number, scale: number}} size */
export async function openFirefox(firefox, { width, height, scale }) {
  const profile = await mkdtemp(join(tmpdir(), 'kutrace-firefox-'));
  const settings = { 'marionette.port': 0, 'layout.css.devPixelsPerPx': String(scale), 'browser.shell.checkDefaultBrowser': false,
    'datareporting.policy.dataSubmissionEnabled': false, 'app.update.enabled': false, 'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false, 'privacy.reduceTimerPrecision': false, 'toolkit.startup.max_resumed_crashes': -1 };
  await writeFile(join(profile, 'user.js'), Object.entries(settings).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
  const child = spawn(firefox, ['--headless', '--marionette', '--no-remote', '--profile', profile, 'about:blank'],
    { stdio: 'ignore', env: { ...process.env, HOME: profile, MOZ_HEADLESS_WIDTH: String(width * scale), MOZ_HEADLESS_HEIGHT: String(height * scale) } });
  const ended = new Promise((resume) => child.once('exit', resume));
  const end = async () => {
    child.kill();
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const { ask, end: hangUp } = await speak(await portOf(profile));
    await ask('WebDriver:NewSession', { capabilities: { alwaysMatch: { pageLoadStrategy: 'none' } } });
    await ask('WebDriver:SetTimeouts', { script: SCRIPT_MS, pageLoad: SCRIPT_MS });
    const evaluate = async (/** @type {Function} */ work, /** @type {any} */ argument = null) => {
      const script = `const done = arguments[1]; (async () => (${work})(arguments[0]))().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const { value: { value, error } } = await ask('WebDriver:ExecuteAsyncScript', { script, args: [argument], sandbox: null, newSandbox: false });
      if (error) throw new Error(error);
      return value;
    };
    // What is inside of the window is what was asked for.
    const outer = await evaluate(() => [window.outerWidth - window.innerWidth, window.outerHeight - window.innerHeight]);
    await ask('WebDriver:SetWindowRect', { width: width + outer[0], height: height + outer[1] });
    return {
      evaluate,
      goto: (/** @type {string} */ url) => ask('WebDriver:Navigate', { url }),
      end: async () => {
        hangUp();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
