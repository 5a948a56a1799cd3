// SPDX-License-Identifier: BSD-3-Clause
// What the search box's words mean, and that rows of the tables find what they are about.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Turns } from '../src/model/breathe.js';
import { addDuration, durationsOf, noDurations } from '../src/model/durations.js';
import { spanMatches } from '../src/model/match.js';
import { compileQuery, noMatchText, parsePlace } from '../src/model/query.js';
import { KIND, SUCCESS, USER } from '../src/model/tables.js';
import { Trace, resultText } from '../src/model/trace.js';
import { wallText } from '../src/layout/time_text.js';
import { figures, quoted, searchOfKind, usageCsv, usageTables } from '../src/panels/usage_rows.js';

/** Kinds of the dictionary: [what, event, name, thread]. @type {[number, number, number, number][]} */
const KINDS = [[KIND.syscall, 0x807, 1, -1], [KIND.syscall, 0x90f, 2, -1], [KIND.irq, 0x500, 3, -1], [KIND.softirq, 0x600, 3, -1], [KIND.user, USER, 1, 2], [KIND.wait, 0x303, 4, -1]];
const [POLL, PPOLL, IRQ, SOFTIRQ, THREAD, WAIT] = [0, 1, 2, 3, 4, 5];
const trace = new Trace({ format: 3, title: 't', begin: 0, end: 10_000, spans: 4, cpus: [0], slabs: [], losses: [], objects: [], flags: 0, meta: [],
  names: ['', 'poll', 'ppoll', 'timer 1', 'wait_disk'], threads: [[0, 0, -1, -1, 0, 0, 0, 1], [-1, 0, -1, -1, 0, 0, 0, 0], [7, 1, 7, 1, 0, 0, 0, 1]],
  kinds: KINDS.map((kind) => [...kind, 1, 1, 1, 1]) });
const query = (/** @type {string} */ text) => /** @type {import('../src/model/query.js').Query} */ (compileQuery(text, trace, { begin: 0, cpuWidth: 1, threadWidth: 1 }));
const kindsOf = (/** @type {string} */ text) => [...query(text).kinds].flatMap((on, k) => (on ? [k] : []));

/** @param {string} text @param {number} result of a call, or what a page holds of it */
function findsResult(text, result) {
  const slab = /** @type {any} */ ({ start: [0], end: [5], kind: [POLL], thread: [2], arg: [0], result: [(result < 0 ? result & 0xffff : result) + 1], ipc: null, sections: [{ cpu: 0, first: 0, count: 1 }] });
  return spanMatches(query(text), slab, 0);
}

test('all errors are found, those that only the kernel and its tracers see, too', () => {
  for (const error of [-1, -128, -129, -133, -512, -516]) assert.ok(findsResult('error:', error), String(error));
  for (const fine of [0, 5, -41, -134, -511, -517]) assert.ok(!findsResult('error:', fine), String(fine));
  assert.ok(findsResult('result:EOWNERDEAD', -130));
  assert.ok(findsResult('result:erestartsys', -512));
  assert.throws(() => query('result:-'), /name of an error/);
  assert.equal(resultText(65536 - 512), 'ERESTARTSYS');
  assert.equal(resultText(65536 - 41), '-41');
});

test('what succeeded is no error, and is found by its result', () => {
  const held = (/** @type {string} */ text) => findsResult(text, 65_500 + SUCCESS);
  assert.deepEqual(['error:', 'result:ENAMETOOLONG', 'result:-36', 'result:65500'].map(held), [false, false, false, true]);
  assert.equal(resultText(65_500 + SUCCESS), '65500');
});

test('a time is the whole number of ns that was written', () => {
  for (let ns = 26_363_216_000; ns < 26_363_216_400; ns++) {
    assert.equal(query(`from:${ns / 1e9}`).from, ns);
    assert.equal(query(`to:${ns / 1e9}`).to, ns);
    assert.equal(query(`min:${ns / 1e3}us`).min, ns);
    assert.equal(parsePlace((ns / 1e9).toFixed(9))?.t0, ns - 5);
  }
});

test('kinds of span are found by name, several of them, too', () => {
  assert.deepEqual(kindsOf('kind:interrupt,softirq'), [IRQ, SOFTIRQ]);
  assert.throws(() => query('kind:interrupt,nothing'), /is no kind/);
});

test('waits are found by the words for their reasons, and by the names that the trace has', () => {
  for (const text of ['disk', '/^disk$/', 'event:disk', 'wait_disk', '/^wait_/']) assert.deepEqual(kindsOf(text), [WAIT], text);
  assert.ok(!kindsOf('-disk').includes(WAIT));
  assert.deepEqual([WAIT, POLL].map((kind) => trace.label(kind)), ['disk', 'poll']);
});

test('a minus leaves out what the word after it finds', () => {
  const all = [POLL, PPOLL, IRQ, SOFTIRQ, THREAD, WAIT];
  assert.deepEqual(kindsOf('-kind:interrupt,softirq'), all.filter((kind) => kind !== IRQ && kind !== SOFTIRQ));
  assert.deepEqual(kindsOf('-event:0x807'), all.filter((kind) => kind !== POLL));
  assert.deepEqual(kindsOf('-event:/^p?poll$/ kind:syscall'), []);
  assert.throws(() => query('-kind:nothing'), /is no kind/);
  assert.throws(() => query('-cpu:'), /number of a CPU/);
  const finds = (/** @type {string} */ text) => findsResult(text, 3);
  assert.deepEqual(['pid:7', '-pid:7', '-pid:8', '-thread:poll', '-thread:/^x y/', '-cpu:0', '-cpu:1,2', '-row:c0', '-row:t7', '-row:c0 !'].map(finds),
    [true, false, true, false, true, false, true, false, false, false]);
  assert.deepEqual(['-arg:0', '-arg:4', '-result:3', '-result:EAGAIN', '-min:1ns', '-min:6ns', '-max:1ns', '-from:0', '-from:1', '-to:0'].map(finds),
    [false, true, false, true, false, true, true, false, true, false]);
  assert.deepEqual([-11, 3].map((result) => findsResult('-error:', result)), [false, true]);
  assert.deepEqual([-11, 3].map((result) => findsResult('poll -error: -result:3', result)), [false, false]);
});

test('bounds that nothing is between are refused', () => {
  assert.throws(() => query('from:0.2 to:0.1'), /from: is later than to:/);
  assert.throws(() => query('min:2us max:1us'), /min: is longer than max:/);
  assert.equal(query('from:0.1 to:0.1').from, 1e8);
});

test('all of a kind are those of its whole name', () => {
  assert.deepEqual(kindsOf(searchOfKind(trace, POLL)), [POLL]);
  assert.deepEqual(kindsOf(searchOfKind(trace, PPOLL)), [PPOLL]);
  assert.deepEqual(kindsOf(searchOfKind(trace, THREAD)), [THREAD]);
  assert.deepEqual(kindsOf(searchOfKind(trace, WAIT)), [WAIT]);
});

test('a row of the table of names finds all that it adds up', async () => {
  const usage = /** @type {any} */ ({ byKind: new Map(), byThread: new Map(), byCpu: new Map(), overlays: new Map(), calls: new Map() });
  for (const kind of [POLL, PPOLL, IRQ, SOFTIRQ, THREAD]) addDuration(durationsOf(usage.byKind, kind), 10);
  const { name } = await usageTables(trace, usage, 100, false, new Turns(1e9));
  assert.deepEqual(Object.fromEntries(name.map(({ label, find }) => [label, kindsOf(find)])),
    { poll: [POLL], ppoll: [PPOLL], 'timer 1': [IRQ, SOFTIRQ], 'poll (user)': [THREAD] });
});

test('a name in a CSV is no formula', () => {
  assert.deepEqual(['=cmd()', '-1', 'a "b"'].map(quoted), [`"'=cmd()"`, `"'-1"`, '"a ""b"""']);
});

test('calls that only waited in the range have a row', async () => {
  const usage = /** @type {any} */ ({ byKind: new Map(), byThread: new Map(), byCpu: new Map(), overlays: new Map(), calls: new Map() });
  addDuration(durationsOf(usage.byKind, THREAD), 10);
  addDuration(durationsOf(usage.calls, PPOLL), 70);
  const { name, kind } = await usageTables(Object.assign(Object.create(trace), { hasCalls: true }), usage, 100, false, new Turns(1e9));
  const [, waited] = name;
  assert.deepEqual([waited.label, waited.share, waited.calls?.count, kindsOf(waited.find)], ['ppoll', 0, 1, [PPOLL]]);
  const { count, longest, total } = figures(waited);
  assert.deepEqual([count, longest, total], [1, 70, 0]);
  assert.deepEqual(kind.map((row) => [row.label, row.durations.time, row.calls?.count]), [['user', 10, undefined], ['system call', 0, 1]]);
});

test('where nothing is found, what may have been meant is told', () => {
  assert.equal(noMatchText('poll cpu:0'), 'no match');
  assert.equal(noMatchText('foo:bar'), 'no match; unknown word foo:');
  assert.equal(noMatchText('constructor:bar'), 'no match; unknown word constructor:');
  assert.equal(noMatchText('2h'), 'no match; a duration is min:2h or max:2h');
  assert.equal(noMatchText('poll 100'), 'no match');
  assert.equal(noMatchText('poll 100ms'), 'no match; a duration is min:100ms or max:100ms');
  assert.equal(noMatchText('min:100ms /a:b/'), 'no match');
});

test('a range as CSV has the heads of kutrace profile', () => {
  const row = (label) => ({ label, durations: noDurations(), calls: null, share: 0.5, find: '', idle: false });
  const waited = row('disk');
  addDuration(waited.durations, 20, 0);
  const tables = { name: [], kind: [], thread: [], process: [], cpu: [row('CPU 0')], wait: [waited] };
  const [heads, ...lines] = usageCsv([{ name: 'A', tables }]).trim().split('\n');
  assert.equal(heads, 'range,table,name,cpu_ns,wait_ns,share,count,unit,mean_ns,p50_ns,p99_ns,max_ns');
  assert.equal(lines.length, 2);
  for (const line of lines) assert.equal(line.split(',').length, heads.split(',').length, line);
});

test('a thread is found by its name and number as they are shown', () => {
  assert.deepEqual(kindsOf('poll.7'), [THREAD]);
  assert.deepEqual([...query('thread:poll.7').threads], [0, 0, 1]);
  assert.deepEqual([...query('thread:poll.8').threads], [0, 0, 0]);
});

test('a thread that got another number is found by all of them', async () => {
  const renumbered = new Trace({ format: 3, title: 't', begin: 0, end: 10_000, spans: 4, cpus: [0], slabs: [], losses: [], objects: [], flags: 0, meta: [], names: ['', 'sh'], kinds: [],
    threads: [[0, 0, -1, -1, 0, 0, 0, 1], [-1, 0, -1, -1, 0, 0, 0, 0], [7, 1, 7, 1, 0, 0, 0, 1, 0, 5000, 0], [9, 1, 7, 1, 0, 0, 0, 1, 5000, 10_000, 0, 2]] });
  const usage = { byKind: new Map(), byThread: new Map(), byCpu: new Map(), overlays: new Map(), calls: new Map() };
  for (const thread of [2, 3]) addDuration(durationsOf(usage.byThread, thread), 100);
  const { thread } = await usageTables(renumbered, /** @type {any} */ (usage), 10_000, false, new Turns(1000));
  assert.deepEqual(thread.map(({ label, find }) => [label, find]), [['sh.9', 'pid:7,9']]);
});

test('a wall clock is told in whole us', () => {
  const dated = new Trace({ format: 3, title: 't', begin: 0, end: 10_000, spans: 0, cpus: [0], slabs: [], losses: [], objects: [], flags: 0, meta: [], names: [''], kinds: [], threads: [], wall_usec: 1_764_500_000_123_456 });
  for (let usec = 0; usec < 1000; usec++) assert.equal(wallText(dated.wallUsec(usec * 1000), 6).slice(20, 26), String(123_456 + usec));
});

test('a kind must be named, and a time to end in has two ends', () => {
  for (const none of ['kind:', 'kind:,fault']) assert.throws(() => query(none), /kind:fault/);
  assert.deepEqual([query('ends:0.000000001-0.000000009').endsFrom, query('ends:1-2').endsTo], [1, 2e9]);
  assert.throws(() => query('ends:5'), /39.5-39.6/);
});

test('a result that was an error is found as one only', () => {
  assert.ok(!findsResult('result:65535', -1));
  assert.ok(findsResult('result:-1', -1) && findsResult('result:EPERM', -1));
});
