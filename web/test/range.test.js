// SPDX-License-Identifier: BSD-3-Clause
// A range while it is added up, and one that lies outside of the trace: no tables of another one stand there.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Range } from '../src/state/range.js';

/** A range of a trace of 1000 ns, with no time in it. @param {string[]} opened */
function made(opened) {
  globalThis.document = /** @type {any} */ ({ createElement: () => ({ append: () => {}, setAttribute: () => {}, replaceChildren: () => {} }) });
  const app = /** @type {any} */ ({ alignment: { refuses: () => false }, schedule: () => {}, say: () => {}, tell: () => {}, whole: Promise.resolve(), longOverlays: { count: 0 }, longCalls: { within: 0 },
    trace: { begin: 100, end: 1100, what: [], event: [], threads: [], runs: [], slabsOfRuns: () => [], hasBacktraces: false },
    store: { touching: () => [], scan: async () => true }, drawer: { panel: '', open: (/** @type {string} */ name) => { opened.push(name); app.drawer.panel = name; } } });
  return new Range(app, /** @type {any} */ ({ tablesOf: async () => ({}), make: () => null }));
}

test('what is compared is a range with its own tables', async () => {
  const range = made([]);
  range.select(200, 300, false);
  await range.tell();
  range.select(400, 500, false);
  range.compare();
  assert.deepEqual([range.reference?.t0, range.referenceSelection?.t0], [200, 200]);
  const telling = range.tell();
  assert.equal(range.told, null, 'the tables of the range before are gone');
  range.compare();
  assert.equal(range.reference?.t0, 200, 'one that is not added up yet is compared with nothing');
  await telling;
  assert.deepEqual([range.told?.t0, range.reference?.t0], [400, 200]);
});

test('of a range the part in the trace counts, and there may be none', async () => {
  /** @type {string[]} */
  const opened = [];
  const range = made(opened);
  range.select(0, 300, false);
  await range.tell();
  assert.deepEqual([range.told?.t0, range.told?.t1, range.told?.selection.t0], [100, 300, 0]);
  for (const [t0, t1] of [[2000, 3000], [0, 50], [200, 200]]) {
    range.select(t0, t1, false);
    await range.tell();
    assert.equal(range.told, null, `${t0} to ${t1}`);
  }
  assert.deepEqual(opened, ['range', 'range', 'range', 'range', 'range']);
});
