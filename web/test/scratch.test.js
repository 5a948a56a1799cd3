// SPDX-License-Identifier: BSD-3-Clause
// Memory that is used again: arrays do not overlap, and one that cannot be had costs no later one.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Scratch } from '../src/model/scratch.js';

test('arrays of a round lie apart, and the next round has their memory', () => {
  const scratch = new Scratch();
  for (let round = 0; round < 3; round++) {
    scratch.giveBack();
    const bytes = scratch.zeros(Uint8Array, 3);
    const numbers = scratch.take(Float64Array, 5).fill(7);
    bytes.fill(1);
    assert.deepEqual([...scratch.zeros(Uint32Array, 2), ...numbers, ...bytes], [0, 0, 7, 7, 7, 7, 7, 1, 1, 1], `round ${round}`);
    assert.equal(numbers.buffer === bytes.buffer, round > 0, 'the first round has fresh arrays');
  }
});

test('an array that is too large is refused, and nothing after it', () => {
  const scratch = new Scratch();
  scratch.take(Uint8Array, 100);
  scratch.giveBack();
  for (let i = 0; i < 2; i++) {
    assert.throws(() => scratch.take(Float64Array, 2 ** 50), RangeError);
    scratch.giveBack();
    assert.equal(scratch.take(Uint8Array, 10).length, 10);
    assert.ok(scratch.buffer.byteLength <= 1e6, 'no more is kept than was had');
  }
});
