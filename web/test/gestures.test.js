// SPDX-License-Identifier: BSD-3-Clause
// Drags along the axis and over the minimap: an edge moves wherever the other one is, and a drag that the browser
// takes away is over.
import test from 'node:test';
import assert from 'node:assert/strict';
import { listenToAxis, listenToMinimap } from '../src/input/gestures.js';

function made() {
  const target = /** @type {any} */ (new EventTarget());
  target.getBoundingClientRect = () => ({ left: 0 });
  target.setPointerCapture = () => {};
  const send = (/** @type {string} */ type, /** @type {number} */ x) => target.dispatchEvent(Object.assign(new Event(type), { clientX: x, offsetX: x, button: 0, pointerId: 1 }));
  return { target, send };
}

/** @param {number[]} edges */
function axis(edges) {
  const { target, send } = made();
  /** @type {any[]} */
  const selected = [];
  listenToAxis(target, { edges: () => edges, select: (...words) => { selected.push(words); } });
  return { send, selected };
}

test('an edge can be dragged while the other one is left of the view', () => {
  const { send, selected } = axis([-500, 100]);
  send('pointerdown', 102);
  send('pointermove', 150);
  send('pointerup', 200);
  assert.deepEqual(selected, [[-500, 150, false, true], [-500, 200, true, true]]);
});

test('a click on the axis selects nothing, nor does the pointer alone', () => {
  const { send, selected } = axis([]);
  send('pointermove', 50);
  send('pointerdown', 100);
  send('pointerup', 102);
  assert.deepEqual(selected, []);
});

test('a drag that is cancelled ends where it was', () => {
  const { send, selected } = axis([]);
  send('pointerdown', 100);
  send('pointermove', 150);
  send('pointercancel', 0);
  send('pointermove', 300);
  assert.deepEqual(selected, [[100, 150, false, false], [100, 150, true, false]]);
  const map = made();
  /** @type {number[]} */
  const went = [];
  listenToMinimap(map.target, (x) => { went.push(x); });
  for (const [type, x] of /** @type {[string, number][]} */ ([['pointerdown', 1], ['pointermove', 2], ['pointercancel', 0], ['pointermove', 4]])) map.send(type, x);
  assert.deepEqual(went, [1, 2]);
});
