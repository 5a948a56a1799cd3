// SPDX-License-Identifier: BSD-3-Clause
// Text of a row keeps clear of the flags of marks.
import test from 'node:test';
import assert from 'node:assert/strict';
import { besideMarks, drawMarks } from '../src/draw/marks.js';

const mark = (x, wide) => ({ x, wide, colour: 'red', text: wide ? 'work' : '' });

test('text stands in the widest part without a flag or a staff', () => {
  assert.deepEqual(besideMarks([], 10, 90), [10, 90]);
  assert.deepEqual(besideMarks([mark(10, 40)], 10, 90), [50, 90]);
  assert.deepEqual(besideMarks([mark(0, 40)], 10, 90), [40, 90], 'a flag that begins before it');
  assert.deepEqual(besideMarks([mark(60, 0), mark(70, 40)], 10, 90), [10, 59]);
  assert.deepEqual(besideMarks([mark(0, 200)], 10, 90), [10, 10], 'no room');
  assert.deepEqual(besideMarks([mark(95, 40)], 10, 90), [10, 90]);
});

test('no staff is drawn over a flag', () => {
  const drawn = [];
  const c = { fillRect: (x, y, width) => drawn.push(width > 2 ? 'flag' : 'staff'), fillText: () => drawn.push('text') };
  drawMarks({ c }, { marks: [mark(10, 40), mark(20, 0)], flags: true }, { top: 0, height: 20 });
  assert.deepEqual(drawn, ['staff', 'staff', 'flag', 'text']);
});
