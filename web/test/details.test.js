// SPDX-License-Identifier: BSD-3-Clause
// What is told of one span, and of what was repaired or damaged: in words, not in the numbers of a format.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { C_EXIT, COUNTERS, IDLE, KIND } from '../src/model/tables.js';
import { Trace } from '../src/model/trace.js';
import { spanFacts } from '../src/panels/details.js';
import { waitingFor } from '../src/state/cause_text.js';

const trace = new Trace({ format: 2, title: 't', begin: 0, end: 10_000, spans: 4, cpus: [0], slabs: [], losses: [], objects: [], flags: 0,
  names: ['', 'read'], meta: [['cstate.0', 'POLL,0,'], ['cstate.1', 'C1_ACPI,4,255'], ['cstate.2', 'C6,133,32']],
  threads: [[0, 0, -1, -1, 0, 0, 0, 1], [-1, 0, -1, -1, 0, 0, 0, 0], [7, 0, 7, 1, 0, 0, 0, 1]],
  kinds: [[KIND.cExit, C_EXIT, 0, -1, 1, 1, 1, 1], [KIND.idleLowPower, IDLE, 0, -1, 1, 1, 1, 1], [KIND.syscall, 0x800, 1, -1, 1, 1, 1, 1]] });
const found = (kind, more) => ({ start: 10, end: 20, kind, thread: 0, cpu: 0, arg: 0, result: 0, ipc: -1, rpc: 0, row: null, folded: 1, ...more });
const fact = (span, name) => spanFacts(trace, span).find(([key]) => key === name)?.[1];

test('C-states have the names that the kernel gives them', () => {
  for (const kind of [0, 1]) {
    assert.equal(fact(found(kind, { arg: 0x200ff }), 'C-state'), 'C1_ACPI, 4 µs to leave it, says the kernel');
    assert.equal(fact(found(kind, { arg: 0x30020 }), 'C-state'), 'C6, 133 µs to leave it, says the kernel, mwait hint 0x20');
    assert.equal(fact(found(kind, { arg: 0x90000 }), 'C-state'), 'state 8');
    assert.equal(fact(found(kind, { arg: 0x20 }), 'C-state'), 'mwait hint 0x20');
    assert.equal(fact(found(kind, { arg: 0x200ff }), 'argument'), undefined, 'no raw number beside it');
  }
});

test('a result that has not been looked for is not said to be missing', () => {
  assert.equal(fact(found(2), 'result'), undefined);
  assert.equal(fact(found(2, { sought: true }), 'result'), 'not in the trace');
  assert.equal(fact(found(2, { sought: true, result: 8 }), 'result'), '7');
});

test('what a wait was for is said in the words of all other answers', () => {
  assert.equal(waitingFor('c'), 'ready, not yet running');
  assert.equal(waitingFor('m'), 'waiting for memory');
  assert.equal(waitingFor('n'), 'waiting for a message on a socket');
  assert.equal(waitingFor('p'), 'waiting for a pipe or queue');
  assert.equal(waitingFor('z'), 'waiting for something');
});

test('a span without length says so', () => {
  assert.equal(fact(found(2, { end: 10 }), 'duration'), '0 ns');
});

test('what a file of spans was mended in or lacks is told in words', async () => {
  const doc = await readFile(new URL('../../doc/span-json.md', import.meta.url), 'utf8');
  const rules = [...doc.matchAll(/^\| `((?:json|packed)_\w+)` \|/gm)].map(([, rule]) => rule);
  assert.ok(rules.length >= 10);
  for (const rule of rules) assert.match(COUNTERS[rule] ?? '', /./, rule);
});
