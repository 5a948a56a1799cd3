// SPDX-License-Identifier: BSD-3-Clause
// The table of requests has the same requests as `kutrace why` finds, and each with the parts that `kutrace why` says
// of it, to the nanosecond; a click on one goes to it, pins it, and draws and tells its critical path.
// In: the kutrace program, what writes the traces, Chromium, the folder of the web sources; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { runSteps, settled, startBrowser } from './tabs.mjs';
import { countTurns } from './turns.mjs';

const [program, maker, odd, chromium, web, screenshots] = process.argv.slice(2);
const folder = await mkdtemp(`${tmpdir()}/kutrace-requests-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };
for (const name of ['requests', 'rpcs']) execFileSync(maker, [name, `${folder}/${name}.raw`]);
await writeFile(`${folder}/flush.raw`, execFileSync(odd, ['flush', 'odd', '0'], { maxBuffer: 2 ** 30 }));
execFileSync(maker, ['many', `${folder}/large.raw`, '1000000']);
for (const name of ['requests', 'rpcs', 'flush', 'large']) execFileSync(program, ['report', `${folder}/${name}.raw`, '-o', `${folder}/${name}.html`], quiet);
const why = (name, ...words) => execFileSync(program, ['why', ...words, `${folder}/${name}.raw`], quiet);
const whyJson = (name, ...words) => JSON.parse(why(name, ...words, '--format', 'json'));

/** What is listed, with parts in ns, when all of it is there. @param {any} tab */
async function listed(tab) {
  await tab.waitForFunction(() => {
    const { requests } = kutrace.app;
    return requests.done && requests.listed.every((one) => requests.parts.has(one));
  });
  await settled(tab);
  return tab.evaluate(() => {
    const { requests, trace } = kutrace.app;
    return { count: requests.count, list: requests.listed.map((one) => ({ begin: one.start, ns: one.end - one.start,
      pid: trace.threads[one.thread].pid, parts: Object.fromEntries(requests.parts.get(one)) })) };
  });
}

/** @param {any} tab @param {string} text */
async function choose(tab, text) {
  await tab.click('#tool-requests');
  await tab.selectOption('#request-kind', text);
  return listed(tab);
}

/** Of the path as the program tells it, what the table says. @param {{cause: string, text: string, duration_ns: number, thread: string}[]} path @param {string} own */
function partsOf(path, own) {
  const [running, ready] = [['user', 'call', 'fault', 'scheduler'], ['ready', 'ready_interrupt', 'wakeup', 'idle_exit']];
  const parts = { running: 0, interrupted: 0, ready: 0, unknown: 0, waited: 0 };
  for (const { cause, duration_ns: ns, text, thread } of path) {
    const group = thread !== own || ['timer', 'disk', 'network', 'device', 'waker'].includes(cause) || text.startsWith('it waited for') ? 'waited'
      : running.includes(cause) ? 'running' : ready.includes(cause) ? 'ready' : cause === 'unknown' ? 'unknown' : 'interrupted';
    parts[group] += ns;
  }
  return parts;
}
/** @param {Record<string, number>} parts  of the table */
function grouped({ running = 0, interrupted = 0, ready = 0, unknown = 0, ...waits }) {
  return { running, interrupted, ready, unknown, waited: Object.values(waits).reduce((sum, ns) => sum + ns, 0) };
}

/** Each of some requests beside what the program says of it alone. @param {string} name @param {string[]} asked @param {any[]} list @param {number} step */
function compare(name, asked, list, step) {
  let waited = 0;
  for (let i = 0; i < list.length; i += step) {
    const { begin, ns, pid, parts } = list[i];
    const told = whyJson(name, ...asked, '--pid', String(pid), '--from', `${begin}ns`, '--to', `${begin + 1}ns`);
    assert.deepEqual([begin, ns, pid], [told.begin_ns, told.duration_ns, told.pid]);
    assert.deepEqual(grouped(parts), partsOf(told.path, told.thread), `${asked.join(' ')} at ${begin}`);
    assert.equal(Object.values(parts).reduce((sum, part) => sum + part, 0), ns);
    waited += grouped(parts).waited;
  }
  return waited;
}

/** The lines that --format csv has, as the page has them. @param {any} tab */
const steps = (tab) => tab.evaluate(() => {
  const { path } = kutrace.app;
  return path.pieces.map(({ begin, end, cpu, cause }, i) => [begin, end - begin, cpu < 0 ? '' : cpu, cause.thread ? path.text.thread(cause.thread) : '', cause.kind, path.steps[i].text]);
});
const csvField = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
const asCsv = (lines) => `${[['begin_ns', 'duration_ns', 'cpu', 'thread', 'cause', 'text'], ...lines].map((line) => line.map(csvField).join(',')).join('\n')}\n`;

/** So many are listed at a time. */
const PAGE = 50;
/** In so many turns a million calls are found and the longest walked, two thirds of what it takes. */
const TURNS = 1600;
const ASKED = [['request', 'recv*..send*'], ['call', '*'], ['request', 'recvfrom..sendto'], ['request', 'read..write'], ['request', 'accept4..close'], ['request', 'recvfrom..next'], ['call', 'fsync']];

/** @type {Record<string, any>} */
const tests = {
  'of what is usual, what the trace has stands in the list': async (tab) => {
    await tab.click('#tool-requests');
    await tab.waitForFunction(() => kutrace.app.requests.looked);
    const kinds = await tab.$$eval('#request-kind option', (options) => options.map((one) => one.value).filter(Boolean));
    assert.deepEqual(kinds, ['request recvfrom..sendto', 'request read..write', 'request accept4..close']);
    assert.deepEqual(await tab.$$eval('#request-until-list option', (options) => options.map((one) => one.value)),
      ['accept4', 'close', 'fsync', 'read', 'recvfrom', 'recvmsg', 'sendmsg', 'sendto', 'write', 'next']);
    // One hears with recvmsg, another answers with sendmsg.
    assert.ok(await tab.evaluate(() => kutrace.app.requests.kinds.questions.some(({ name, until }) => name === 'recvmsg' && until === 'sendmsg')));
    await tab.fill('#request-from', 'recvmsg');
    await tab.fill('#request-until', 'sendmsg');
    await tab.click('#request-show');
    assert.equal((await listed(tab)).count, 0);
    assert.equal(await tab.inputValue('#request-kind'), 'request recvmsg..sendmsg', 'what was asked');
  },
  'requests of a thread and file: as many as kutrace why finds, with the same parts': async (tab) => {
    const { count, list } = await choose(tab, 'request recvfrom..sendto');
    assert.equal(count, whyJson('requests', '--request', 'recvfrom..sendto').found);
    assert.ok(count > 300 && list.length === PAGE);
    assert.ok(list.every(({ ns }, i) => i === 0 || ns <= list[i - 1].ns), 'longest first');
    assert.ok(compare('requests', ['--request', 'recvfrom..sendto'], list, 5) > 0);
    const rows = await tab.$$eval('#drawer tbody tr', (all) => all.length);
    assert.equal(rows, PAGE);
    await tab.click('#requests-faster');
    const next = await listed(tab);
    assert.ok(next.list[0].ns <= list[PAGE - 1].ns && next.list[0].begin !== list[PAGE - 1].begin);
    compare('requests', ['--request', 'recvfrom..sendto'], next.list, 20);
    await tab.click('#requests-slower');
    assert.deepEqual((await listed(tab)).list, list);
    if (screenshots) await tab.screenshot({ path: `${screenshots}/requests.png` });
  },
  'every kind of question has the count and the slowest of kutrace why': async (tab) => {
    for (const [asked, name] of ASKED) {
      await tab.evaluate((text) => {
        const [, kind, from, until = ''] = /^(\w+) ([^.]+)(?:\.\.(.+))?$/.exec(text);
        kutrace.app.requests.ask({ asked: kind, name: from, until });
      }, `${asked} ${name}`);
      const { count, list } = await listed(tab);
      const told = whyJson('requests', `--${asked}`, name);
      assert.deepEqual([count, list[0]?.begin, list[0]?.ns, list[0]?.pid], [told.found, told.begin_ns, told.duration_ns, told.pid], `${asked} ${name}`);
      compare('requests', [`--${asked}`, name], list, 40);
    }
  },
  'of a selected range and its rows: those that begin there, as with --from, --to and --pid': async (tab) => {
    const { count: everything, list: all } = await choose(tab, 'request recvfrom..sendto');
    const begins = all.map(({ begin }) => begin).sort((a, b) => a - b);
    const [t0, t1] = [begins[10], begins[40]];
    const { pid } = all.find(({ begin }) => begin === t0);
    const window = ['--request', 'recvfrom..sendto', '--from', `${t0}ns`, '--to', `${t1}ns`];
    const select = (rows) => tab.evaluate(async ([a, b, number]) => {
      const { app } = kutrace;
      app.range.select(a, b, true);
      await new Promise((resume) => setTimeout(resume));
      if (number !== null) app.range.toggleRow(app.rowList.open(-1, app.trace.threads.findIndex((one) => one.pid === number)));
    }, [t0, t1, rows]);
    for (const [rows, words] of [[null, window], [pid, [...window, '--pid', String(pid)]]]) {
      await select(rows);
      await tab.waitForFunction(() => kutrace.app.drawer.panel === 'range');
      await tab.click('#tool-requests');
      const { count, list } = await listed(tab);
      const told = whyJson('requests', ...words);
      assert.deepEqual([count, list[0].begin, list[0].ns, list[0].pid], [told.found, told.begin_ns, told.duration_ns, told.pid], words.join(' '));
      assert.ok(count > 0 && count < everything && list.every(({ begin, pid: own }) => begin >= t0 && begin < t1 && (rows === null || own === pid)));
      assert.match(await tab.textContent('.requests-head'), rows === null ? /begin in the selected/ : /begin in the selected .*, on api/);
      compare('requests', ['--request', 'recvfrom..sendto'], list, 10);
    }
    await tab.evaluate(() => kutrace.app.range.clear());
    assert.equal((await listed(tab)).count, everything, 'without a range all of them');
  },
  'two calls of one\'s own, typed': async (tab) => {
    await tab.click('#tool-requests');
    await tab.fill('#request-from', 'read');
    await tab.fill('#request-until', 'write');
    await tab.click('#request-show');
    const { count } = await listed(tab);
    assert.equal(count, whyJson('requests', '--request', 'read..write').found);
    await tab.fill('#request-until', '');
    await tab.click('#request-show');
    assert.match(await tab.textContent('#toast'), /Choose a call/);
  },
  'a click goes to one, pins it and draws its path, which is that of kutrace why --format csv': async (tab) => {
    const { list } = await choose(tab, 'request recvfrom..sendto');
    await tab.click('#drawer tbody tr:first-child td:nth-child(2)');
    await tab.waitForSelector('#path-parts tfoot');
    await settled(tab);
    assert.equal(asCsv(await steps(tab)), why('requests', '--request', 'recvfrom..sendto', '--format', 'csv'));
    const { view, pin } = await tab.evaluate(() => ({ view: kutrace.app.view, pin: kutrace.app.path.pin }));
    assert.deepEqual([pin.start, pin.end - pin.start], [list[0].begin, list[0].ns]);
    assert.ok(view.t0 < pin.start && view.t1 > pin.end);
    const told = whyJson('requests', '--request', 'recvfrom..sendto');
    assert.deepEqual(await tab.$$eval('#path-parts tbody tr', (rows) => rows.map((row) => row.children[0].textContent).sort()), [...new Set(told.causes.map(({ text }) => text))].sort());
    // The path is drawn: without it the picture is another one.
    const picture = () => tab.evaluate(() => document.getElementById('over').toDataURL());
    const drawn = await picture();
    // A picture that is saved has it, too.
    const [saved] = await Promise.all([tab.waitForEvent('download'), tab.keyboard.press('Shift+S')]);
    assert.ok((await readFile(await saved.path(), 'utf8')).includes('#9c00b8'), 'the colour of the path');
    if (screenshots) await tab.screenshot({ path: `${screenshots}/requests-path.png` });
    await tab.evaluate(() => { kutrace.app.path.pieces = []; kutrace.app.draw(); });
    assert.notEqual(await picture(), drawn);
    await tab.keyboard.press('Escape');
    assert.equal(await tab.evaluate(() => kutrace.app.path.asked), null);
  },
  'the next one by the keyboard, and a head sorts by a part': async (tab) => {
    await choose(tab, 'request recvfrom..sendto');
    await tab.focus('#drawer tbody tr:first-child');
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('Enter');
    await tab.waitForFunction(() => kutrace.app.path.done && kutrace.app.requests.chosen === kutrace.app.requests.list[1]);
    await tab.click('#drawer thead button:text-is("ready")');
    const most = await tab.evaluate(() => {
      const ready = [...kutrace.app.requests.parts].map(([{ start }, parts]) => [parts.get('ready') ?? 0, start]);
      const largest = Math.max(...ready.map(([ns]) => ns));
      return ready.filter(([ns]) => ns === largest).map(([, start]) => start);
    });
    const begin = await tab.textContent('#drawer tbody tr:first-child td:nth-child(2)');
    assert.ok(most.includes(Number(begin.replace(/\D/g, ''))), `${begin} is among ${most}`);
  },
  'the next slowest, by the button and by Shift+T, onto the next page of the table': async (tab) => {
    const { list } = await choose(tab, 'request recvfrom..sendto');
    await tab.evaluate((at) => kutrace.app.requests.goTo(kutrace.app.requests.list[at]), PAGE - 2);
    await tab.waitForSelector('#next-request');
    await tab.click('#next-request');
    await tab.waitForFunction((at) => kutrace.app.path.done && kutrace.app.requests.chosen === kutrace.app.requests.list[at], PAGE - 1);
    assert.deepEqual(await tab.evaluate(() => kutrace.app.path.asked.start), list[PAGE - 1].begin);
    await tab.keyboard.press('Shift+T');
    await tab.waitForFunction((at) => kutrace.app.path.done && kutrace.app.requests.from === at && kutrace.app.requests.chosen === kutrace.app.requests.list[at], PAGE);
    assert.match(await tab.textContent('#side-body'), /number 51 of the/);
  },
  'kutrace why -o FILE.html opens at the answer': async (tab) => {
    for (const [words, table] of [[['--request', 'recvfrom..sendto'], ''], [['--request', 'read..write', '--slowest', '5'], 'request read..write'], [['--call', 'fsync', '--name', 'api'], '']]) {
      execFileSync(program, ['why', ...words, '-o', `${folder}/why.html`, `${folder}/requests.raw`], quiet);
      await tab.goto(`file://${folder}/why.html`);
      await tab.waitForFunction(() => kutrace.app?.path.done);
      await settled(tab);
      const told = whyJson('requests', ...words.slice(0, 2), ...words.includes('--name') ? words.slice(2) : []);
      const { asked, view, title, drawer } = await tab.evaluate(() => ({ asked: kutrace.app.path.asked, view: kutrace.app.view, title: document.querySelector('#side h2').textContent, drawer: kutrace.app.drawer.panel }));
      assert.deepEqual([asked.start, asked.end - asked.start], [told.begin_ns, told.duration_ns]);
      assert.deepEqual((await steps(tab)).map(([begin, ns, , , , text]) => [begin, ns, text]), told.path.map(({ begin_ns: begin, duration_ns: ns, text }) => [begin, ns, text]));
      assert.ok(view.t0 < asked.start && view.t1 > asked.end && view.t1 - view.t0 < 2 * told.duration_ns);
      assert.match(title, /^Why (request|call) /);
      assert.equal(drawer, table === '' ? '' : 'requests');
      if (table) assert.equal(await tab.inputValue('#request-kind'), table);
      if (screenshots) await tab.screenshot({ path: `${screenshots}/why-page.png` });
    }
  },
  'kutrace why -o FILE.html without a question: at what is worst': async (tab) => {
    const [worst] = (() => {
      try { return JSON.parse(why('flush', '--format', 'json')).findings; } catch (error) { return JSON.parse(/** @type {any} */ (error).stdout).findings; }
    })();
    try { why('flush', '-o', `${folder}/odd.html`); } catch (error) { assert.equal(/** @type {any} */ (error).status, 1); }
    await tab.goto(`file://${folder}/odd.html`);
    await tab.waitForFunction(() => kutrace.app?.selection);
    const { t0, t1 } = await tab.evaluate(() => kutrace.app.selection);
    assert.deepEqual([t0, t1], [worst.begin_ns, worst.end_ns]);
  },
  'a link and a saved view have the table and the path': async (tab) => {
    await choose(tab, 'request read..write');
    await tab.click('#drawer tbody tr:first-child td:nth-child(2)');
    await tab.waitForSelector('#path-parts tfoot');
    await settled(tab);
    await tab.waitForFunction(() => location.hash.includes('why=') && location.hash.includes('asks='));
    const before = await steps(tab);
    const again = await tab.context().newPage();
    await again.goto(tab.url());
    await again.waitForFunction(() => kutrace.app?.path.done);
    assert.deepEqual(await steps(again), before);
    await listed(again);
    assert.equal(await again.inputValue('#request-kind'), 'request read..write');
  },
  'a long way is walked while its parts come: it can be stopped': [{ file: `${folder}/large.html` }, async (tab) => {
    const asked = await tab.evaluate(async () => {
      const { app } = kutrace;
      const thread = app.trace.threads.findIndex(({ pid }) => pid > 1);
      app.path.show({ start: app.trace.begin, end: app.trace.end, thread }, 'all of it', false);
      return { begin: app.trace.begin, end: app.trace.end, pid: app.trace.threads[thread].pid };
    });
    await tab.waitForFunction(() => /%/.test(document.getElementById('path-progress')?.textContent ?? ''));
    assert.equal(await tab.textContent('#path-clear'), 'Stop');
    await tab.click('#path-clear');
    assert.deepEqual(await tab.evaluate(() => [kutrace.app.path.asked, kutrace.app.path.pieces.length]), [null, 0]);
    const own = await tab.evaluate(async () => {
      const { app } = kutrace;
      const thread = app.trace.threads.findIndex(({ pid }) => pid > 1);
      const pieces = await app.requests.pathOf({ start: app.trace.begin, end: app.trace.end, thread });
      const sums = {};
      for (const { begin, end, cause } of pieces) sums[cause.kind] = (sums[cause.kind] ?? 0) + end - begin;
      return sums;
    });
    const told = JSON.parse(execFileSync(program, ['query', '--format', 'json', `${folder}/large.raw`,
      `select cause, sum(dur_ns) as ns from critical_path(${asked.pid}, ${asked.begin}, ${asked.end}) group by cause`], quiet));
    assert.deepEqual(own, Object.fromEntries(told.map(({ cause, ns }) => [cause, ns])));
  }],
  'a pinned call: why so long, as kutrace why --at says': [{ file: `${folder}/flush.html` }, async (tab) => {
    const told = whyJson('flush', '--call', 'fsync');
    await tab.evaluate(() => kutrace.app.slowest.ofCalls('fsync', null));
    await tab.waitForSelector('#explain');
    await tab.keyboard.press('Shift+W');
    await tab.waitForSelector('#path-parts tfoot');
    assert.equal(asCsv(await steps(tab)), why('flush', '--call', 'fsync', '--format', 'csv'));
    assert.ok(told.path.length > 1);
  }],
  'RPCs by method': [{ file: `${folder}/rpcs.html` }, async (tab) => {
    await tab.click('#tool-requests');
    for (const method of ['get', 'add', 'put']) {
      await tab.selectOption('#request-kind', `rpc ${method}`);
      const { count, list } = await listed(tab);
      assert.equal(count, whyJson('rpcs', '--rpc', method).found);
      compare('rpcs', ['--rpc', method], list, 1);
    }
  }],
};

/** A million spans: every call, the longest ones with their parts. @param {any} tab */
async function large(tab) {
  await tab.click('#tool-requests');
  assert.ok(await tab.evaluate(() => kutrace.app.trace.spans) > 1e6);
  await tab.evaluate(() => {
    turns.count = 0;
    kutrace.app.requests.ask({ asked: 'request', name: '*', until: '*' });
  });
  const { count, list } = await listed(tab);
  const taken = await tab.evaluate(() => turns.count);
  console.log(`      ${count} requests in ${taken} turns`);
  assert.ok(taken >= TURNS, 'no task blocks the input');
  // Here even CPUs that idle make calls, several at a time: which of these belong together, nobody can say.
  const told = whyJson('large', '--request', '*..*');
  assert.deepEqual([list[0].begin, list[0].ns, list[0].pid], [told.begin_ns, told.duration_ns, told.pid]);
  assert.ok(Math.abs(count - told.found) < 10);
  compare('large', ['--request', '*..*'], list, 25);
  const calls = await tab.evaluate(() => kutrace.app.requests.find({ asked: 'call', name: '*', until: '' }).then((found) => found.count));
  assert.equal(calls, whyJson('large', '--call', '*').found);
}
tests['of a million spans: the same, and no task blocks'] = [{ file: `${folder}/large.html`, before: countTurns }, large];

const browser = await startBrowser(chromium, web);
try {
  process.exitCode = await runSteps(browser, { file: `${folder}/requests.html` }, tests, screenshots) > 0 ? 1 : 0;
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
