// SPDX-License-Identifier: BSD-3-Clause
// What the page's header tells of a search is what going over all spans finds: over traces drawn from seeds, for each
// name and kind of span, and for all that is not of them. Matches up to one in the middle are those of all that come first,
// with all that is shown of them. A call that makes a thread is one call, as kutrace syscalls has it, in a page that an
// earlier version wrote as well; requests are made of the calls that kutrace why takes. In: the kutrace program, what
// writes the traces; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { answer } from '../../web/src/model/answer.js';
import { gatherLong, gatherSlab } from '../../web/src/model/gather.js';
import { IntervalFinder, kindsOf } from '../../web/src/model/intervals.js';
import { KIND_TEXT } from '../../web/src/model/kinds.js';
import { compileQuery } from '../../web/src/model/query.js';
import { BY_TIME, FirstHits, addMatches, noMatches, searchCalls, searchOverlays, searchSlab, totalsOf } from '../../web/src/model/scan.js';
import { Trace } from '../../web/src/model/trace.js';
import { UsageTally } from '../../web/src/model/usage.js';
import { openContainer } from './page_in_node.mjs';

const [program, maker] = process.argv.slice(2);
const SEEDS = 25;
const GRID = { begin: 0, cpuWidth: 1e9, threadWidth: 1e9 };
const MORE = ['min:1us', 'max:5us', 'pid:1', 'thread:/1/', 'cpu:0', 'arg:3', 'result:0', 'error:', 'from:0.00001', 'to:0.00002', 'row:c0'];
const folder = await mkdtemp(`${tmpdir()}/kutrace-totals-`);

/** @param {any} page @param {any[]} slabs @param {import('../../web/src/model/query.js').Query} query */
function counted({ longOverlays, longCalls }, slabs, query) {
  const matches = noMatches();
  const first = new FirstHits(BY_TIME);
  searchOverlays(longOverlays, query, matches, first);
  searchCalls(longCalls, query, matches, first);
  for (const slab of slabs) addMatches(matches, searchSlab(slab, query), first);
  const { count, total, min, max } = matches;
  return { count, total, min, max };
}

/** Matches of a slab up to one in the middle are the first of all. @param {any} page @param {any[]} slabs */
async function firstOfSlabs({ trace, store }, slabs) {
  const query = compileQuery('kind:syscall', trace, GRID);
  assert.ok(query);
  let withArguments = 0;
  for (const [i, slab] of slabs.entries()) {
    const { hits } = searchSlab(slab, query);
    if (hits.length === 0) continue;
    const last = hits[hits.length >> 1];
    const work = { stored: store.source.block(`kutrace-slab-${i}`), expected: trace.slabs[i], task: { kind: 'search', query, order: BY_TIME, last } };
    const { result } = await answer(work, trace.tables);
    const told = (/** @type {any} */ { start, end, kind, cpu, thread, call }) => [start, end, kind, cpu, thread, call?.arg, call?.result, call?.onCpu];
    const behind = hits.findIndex(({ start, cpu }) => start > last.start || (start === last.start && cpu > last.cpu));
    assert.deepEqual(result.hits.map(told), hits.slice(0, behind < 0 ? hits.length : behind).map(told));
    assert.equal(result.count, hits.length);
    withArguments += Number(hits.some(({ call }) => call && call.arg > 0));
  }
  return withArguments;
}

/** @param {string} name */
const exactly = (name) => `/^${name.replace(/[.*+?^${}()|[\]\\/ ]/g, '.')}$/`;

let compared = 0;
let found = 0;
let withArguments = 0;
let parted = 0;
for (let seed = 1; seed <= SEEDS; seed++) {
  execFileSync(maker, ['truth', `${folder}/t.raw`, String(seed)]);
  execFileSync(program, ['report', `${folder}/t.raw`, '-o', `${folder}/t.kux`], { stdio: 'ignore' });
  const page = await openContainer(`${folder}/t.kux`);
  const { trace, store } = page;
  const slabs = await Promise.all(trace.slabs.map((/** @type {any} */ _, /** @type {number} */ i) => store.load(i)));
  const kinds = [...new Set(trace.what)].map((what) => `kind:${KIND_TEXT[Number(what)][0].replace(/\W/g, '')}`);
  const names = [...new Set(trace.kindName)].filter(Boolean).map((name) => exactly(String(name)));
  for (const text of [...names, ...kinds, 'read', '-read', '/./']) {
    for (const invert of [false, true]) {
      const query = compileQuery(text, trace, GRID, invert);
      assert.ok(query);
      const told = totalsOf(trace, query);
      assert.deepEqual(told, counted(page, slabs, query), `seed ${seed}: ${invert ? 'not ' : ''}${text}`);
      compared++;
      found += Number(told.count > 0);
    }
  }
  withArguments += await firstOfSlabs(page, slabs);
  for (const text of MORE) {
    const query = compileQuery(text, trace, GRID);
    assert.equal(query && totalsOf(trace, query), null, `the header cannot tell of ${text}`);
  }
  // What a word finds and what it leaves out with a minus are all there is.
  const sums = (/** @type {string} */ text) => {
    const { count, total } = counted(page, slabs, /** @type {any} */ (compileQuery(text, trace, GRID)));
    return [count, total];
  };
  const [count, total] = sums('min:0');
  for (const text of [...MORE, ...kinds]) {
    const [matching, matchingTotal] = sums(text);
    assert.deepEqual(sums(`-${text}`), [count - matching, total - matchingTotal], `seed ${seed}: -${text}`);
    parted += Number(matching > 0 && matching < count);
  }
}
console.log(`${compared} searches in ${SEEDS} traces find what the header tells; ${found} of them find something`);
assert.ok(found > 20 * SEEDS);
assert.ok(withArguments > 0);
assert.ok(parted > MORE.length * SEEDS / 2);

execFileSync(maker, ['births', `${folder}/b.raw`]);
execFileSync(program, ['report', `${folder}/b.raw`, '-o', `${folder}/b.kux`], { stdio: 'ignore' });
const page = await openContainer(`${folder}/b.kux`);
const { trace, store } = page;
const slabs = await Promise.all(trace.slabs.map((/** @type {any} */ _, /** @type {number} */ i) => store.load(i)));
const CALLS = { clone: 2, vfork: 1 };
const CUT = { clone: 0, vfork: 1 };
for (const name of /** @type {const} */ (['clone', 'vfork'])) {
  for (const file of ['b.raw', 'b.kux']) {
    const { groups } = JSON.parse(execFileSync(program, ['syscalls', `${folder}/${file}`, '--format', 'json'], { encoding: 'utf8' }));
    const row = groups[0].rows.find((/** @type {any} */ one) => one.call === name);
    assert.equal(row?.calls ?? 0, CALLS[name], `${name} in ${file}`);
  }
  const query = compileQuery(exactly(name), trace, GRID);
  assert.ok(query);
  const told = totalsOf(trace, query);
  assert.deepEqual(told, counted(page, slabs, query), name);
  assert.equal(told?.count, CALLS[name]);
  const kind = trace.kindName.indexOf(name);
  const asked = { t0: trace.begin, t1: trace.end, only: null, scope: null, reasons: false };
  const usage = new UsageTally(trace.tables, asked);
  for (const slab of slabs) usage.add(slab);
  usage.addOthers(page.longOverlays, page.longCalls);
  const countOf = (/** @type {import('../../web/src/model/usage.js').Part} */ { calls }) => calls.count[calls.number.indexOf(kind)] ?? 0;
  assert.equal(countOf(usage.part()), CALLS[name], `${name} in a range`);
  let least = 0;
  const all = trace.slabs.map((/** @type {any} */ _, /** @type {number} */ i) => i);
  await store.scan(all, { kind: 'usage', ...asked }, (part) => { least += countOf(part); }, () => false);
  assert.equal(least, CALLS[name], `${name} in slabs of which only what a sum needs is decoded`);
  // Requests of the page are those of `why`, and so are those that it leaves out.
  const question = { asked: /** @type {const} */ ('call'), name, until: '' };
  const kinds = kindsOf(question, trace);
  let whole = 0;
  const finder = new IntervalFinder(question, trace, () => { whole++; });
  const events = [...slabs.map((slab) => gatherSlab(slab, kinds, trace.what)), gatherLong(page.longCalls, page.longOverlays, kinds)];
  for (const e of events) for (let i = 0; i < e.count; i++) finder.take(e, i);
  assert.equal(whole + finder.cut, CALLS[name], `${name} that requests are made of`);
  assert.equal(finder.cut, CUT[name], `${name} that reach out of the recording`);
  const { stdout, stderr } = spawnSync(program, ['why', '--call', name, `${folder}/b.raw`], { encoding: 'utf8' });
  assert.equal(/1 call:? begin or return is not in the trace/.test(stdout + stderr), finder.cut === 1, stdout + stderr);
  // An earlier version did not tell the halves apart: its sums are not believed.
  const old = new Trace({ ...page.header(), births: undefined });
  assert.equal(totalsOf(old, query), null);
  assert.equal(old.callTotals[kind], null);
}
await rm(folder, { recursive: true });
