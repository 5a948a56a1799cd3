// SPDX-License-Identifier: BSD-3-Clause
// Numbers that page and program share are written once, in the program's sources: the page names every
// reason of a loss and every reason to wait that a recorder knows, and retypes no event's number.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { WAITS } from '../src/draw/palette.js';
import { KIND_TEXT, WAIT_WORDS } from '../src/model/kinds.js';
import { KIND, LOSS_REASONS } from '../src/model/tables.js';
import { makeTables } from '../make_tables.mjs';

const root = new URL('../..', import.meta.url).pathname;
const source = (/** @type {string} */ file) => readFile(`${root}/${file}`, 'utf8');

test('the tables in the tree are those of the program', async () => {
  assert.equal(await source('web/src/model/tables.js'), await makeTables(root));
});

test('every reason of a loss has its text', async () => {
  const numbers = [...(await source('include/kutrace/abi.h')).matchAll(/KUTRACE_LOSS_[A-Z_]+ = (\d+),/g)].map(([, n]) => Number(n));
  assert.ok(numbers.length >= 8);
  for (const number of numbers) assert.match(LOSS_REASONS[number] ?? '', /./, `reason ${number}`);
});

test('every kind of span and every reason to wait has its text', async () => {
  assert.equal(KIND_TEXT.length, Object.keys(KIND).length);
  const words = [...(await source('include/kutrace/events.def')).matchAll(/^KUTRACE_WAIT\('(\w)', "wait_(\w+)"/gm)].map(([, letter, word]) => [letter, word]);
  assert.deepEqual({ ...WAIT_WORDS }, { ...Object.fromEntries(words), c: 'ready', z: 'unexplained' });
  assert.deepEqual(Object.keys(WAITS).sort(), words.map(([letter]) => letter).sort());
});

test('no file of the page retypes an event number', async () => {
  const files = (await readdir(`${root}/web/src`, { recursive: true })).filter((name) => name.endsWith('.js') && name !== 'model/tables.js');
  assert.ok(files.length > 60);
  for (const file of files) {
    // Texts may name numbers, code may not: from 0x200 on three digits are events, five are reader's own.
    const code = (await source(`web/src/${file}`)).replace(/'[^'\n]*'/g, '').replace(/\/\/.*$/gm, '').replace(/\/\*[^]*?\*\//g, '');
    assert.doesNotMatch(code, /\b0x(?:[2-9a-f][\da-f]{2}|[12]00[\da-f]{2})\b/i, file);
  }
});
