// SPDX-License-Identifier: BSD-3-Clause
// Views and notes as data: in links, in pages, and those that KUtrace's viewer left in its JSON.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Keeping } from '../src/state/keeping.js';
import { fromHash, importedSaved, noneSaved, readSaved, savedText, takeIn, toHash } from '../src/model/saved.js';

const STATE = { t0: 100, t1: 2000, top: 30, query: 'write min:10us', invert: true, range: [200, 300], of: ['c0', 't12'],
  rows: { folded: ['cpus'], pinned: ['t12'], hidden: ['c1'], filter: 'bash' }, off: ['arcs'], on: ['ipc'] };

test('a link says all that is seen', () => {
  const saved = { views: [{ name: 'a&b #1', state: { ...STATE } }], notes: [{ time: 150, row: 'c0', text: '<b>\n', dx: 3, dy: -4 }], stamp: 5 };
  const { state, saved: read } = fromHash(toHash(STATE, saved));
  for (const key of ['t0', 't1', 'top', 'query', 'invert', 'range', 'of', 'off', 'on']) assert.deepEqual(state[key], STATE[key], key);
  for (const key of ['folded', 'pinned', 'hidden', 'filter']) assert.deepEqual(state.rows[key], STATE.rows[key], key);
  assert.equal(read.views[0].name, 'a&b #1');
  assert.deepEqual(read.notes, saved.notes);
});

test('a link of kutrace why opens the page at what is odd, which is selected', () => {
  const { state } = fromHash('#t=2867788048,2926776128&range=2872703721,2921860455');
  assert.deepEqual([state.t0, state.t1], [2867788048, 2926776128]);
  assert.deepEqual(state.range, [2872703721, 2921860455]);
});

test('a link without times leaves them as they are', () => {
  const view = { t0: -5, t1: 5000 };
  const { state } = fromHash('#q=write', view);
  assert.deepEqual([state?.t0, state?.t1, state?.query], [-5, 5000, 'write']);
  assert.deepEqual(fromHash('#range=200,300', view).state?.range, [200, 300]);
  assert.equal(fromHash('#not=idle', view).state?.invert, true);
  for (const none of ['', '#saved=null', '#elsewhere', '#t=5,1&q=write']) assert.equal(fromHash(none, view).state, null, none);
});

test('what stands in a page cannot end its script, and nonsense is nothing', () => {
  const text = savedText({ views: [], notes: [{ time: 1, row: '', text: '</script>', dx: 0, dy: 0 }], stamp: 1 });
  assert.ok(!text.includes('<'));
  assert.equal(readSaved(text).notes[0].text, '</script>');
  assert.equal(readSaved('{"views": 3, "notes": [{"time": "x"}]}').notes.length, 0);
  assert.equal(readSaved('no JSON'), null);
  assert.equal(fromHash('#t=5,1').state?.t0 ?? null, null, 'a view must have a length');
});

test('views stay at their places', () => {
  const { saved } = fromHash(toHash(STATE, { views: [null, { name: 'second', state: STATE }, null], notes: [], stamp: 1 }));
  assert.deepEqual(saved?.views.map((view) => view?.name), [undefined, 'second']);
  const keeping = Object.assign(Object.create(Keeping.prototype), { saved, changed: () => {}, app: { tell: (/** @type {string} */ text) => { told = text; } } });
  let told = '';
  keeping.goToView(2);
  assert.equal(told, 'There is no view 3.');
  assert.equal(keeping.freePlace, 0);
  keeping.removeView(1);
  assert.deepEqual([keeping.views, keeping.freePlace], [[], 0]);
});

test('a long search is told whole, and a view with one that is too long is none', () => {
  const query = `/^(${Array.from({ length: 3000 }, (_, i) => `name${i}`).join('|')})$/`;
  assert.equal(fromHash(toHash({ ...STATE, query })).state?.query, query);
  assert.equal(fromHash(toHash({ ...STATE, query: 'x'.repeat(2 ** 20 + 1) })).state, null);
});

test('views and notes of the page that a page was made of are its own', () => {
  const saved = { views: [{ name: 'mine', state: { t0: 1, t1: 2 } }], notes: [], stamp: 7 };
  const own = importedSaved([['savedview', '[]'], ['saved', savedText(saved)]]);
  assert.equal(own.views[0].name, 'mine');
  assert.equal(own.stamp, 7);
});

test('views and callouts of KUtrace’s pages come along', () => {
  const view = { xleft_ts: 1.5, xright_ts: 2.5, groupcompress: [1, 0, 1], searchnot_value: 1, search_text: 'a/b', usec_lo_time: 10,
    usec_hi_time: 0, minmax_units_value: 0 };
  const callout = [1.75, 0, 2, 0, 0, -4, 20, 2, 0, 'here'];
  const { views, notes } = importedSaved([['savedview', JSON.stringify([['&#x2780;', view], ['mine', { ...view, minmax_units_value: 2 }]])],
    ['extra', JSON.stringify([callout])], ['callouts', 'broken']]);
  assert.deepEqual(views.map((v) => v.name), ['➀', 'mine']);
  const { state } = views[0];
  assert.deepEqual([state.t0, state.t1, state.invert, state.rows.folded], [1.5e9, 2.5e9, true, ['threads']]);
  assert.equal(state.query, '/a\\/b/ min:10000ns');
  assert.match(views[1].state.query, /min:10000000ns/);
  assert.deepEqual(notes, [{ time: 1.75e9, row: 'c2', text: 'here', dx: 20, dy: 0 }]);
});

test('a label of a view may be any text', () => {
  const view = { xleft_ts: 1.5, xright_ts: 2.5 };
  const { views } = importedSaved([['savedview', JSON.stringify([['constructor', view], ['toString', view]])]]);
  assert.deepEqual(views.map(({ name }) => name), ['constructor', 'toString']);
});

const note = (/** @type {string} */ text) => ({ time: 1, row: 'c0', text, dx: 0, dy: 0 });
const saw = (/** @type {string} */ name) => ({ name, state: fromHash('#t=1,2').state });

test('what two windows write is all kept, and what one removes is gone', () => {
  const known = { views: [saw('first')], notes: [note('old'), note('gone'), note('edited')], stamp: 1 };
  const own = structuredClone(known);
  own.notes[2].text = 'edited here';
  own.notes.push(note('mine'));
  own.views[1] = saw('mine');
  const mine = own.notes[0];
  takeIn(own, known, { views: [null, saw('theirs')], notes: [note('old'), note('edited'), note('theirs')], stamp: 2 });
  assert.deepEqual(own.notes.map(({ text }) => text), ['old', 'edited here', 'mine', 'theirs']);
  assert.equal(own.notes[0], mine, 'those that stay are the same');
  assert.deepEqual(own.views.map((view) => view?.name), ['theirs', 'mine']);
});

test('a link’s notes and views come beside those that are there', () => {
  const own = { views: [saw('first')], notes: [note('here')], stamp: 5 };
  const link = { views: [saw('linked')], notes: [note('here'), note('linked')], stamp: 3 };
  for (let times = 0; times < 2; times++) takeIn(own, noneSaved(), structuredClone(link));
  assert.deepEqual(own.notes.map(({ text }) => text), ['here', 'linked']);
  assert.deepEqual(own.views.map((view) => view?.name), ['first', 'linked']);
});
