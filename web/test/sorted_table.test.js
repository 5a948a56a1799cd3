// SPDX-License-Identifier: BSD-3-Clause
// A table stays sorted by the column that was chosen while others come and go, and by the usual one while it is not there.
import test from 'node:test';
import assert from 'node:assert/strict';
import { sortedTable } from '../src/panels/sorted_table.js';

/** As much of an element as a table needs. @param {string} tag */
function element(tag) {
  /** @type {any} */
  const made = { tag, children: [], attributes: {}, listeners: {}, style: {}, classList: { add: () => {} } };
  return Object.assign(made, { append: (/** @type {any} */ child) => { made.children.push(child); },
    setAttribute: (/** @type {string} */ name, /** @type {string} */ value) => { made.attributes[name] = value; },
    addEventListener: (/** @type {string} */ name, /** @type {any} */ run) => { made.listeners[name] = run; } });
}
globalThis.document = /** @type {any} */ ({ createElement: element });

/** @param {any} node @param {string} tag @returns {any[]} */
const all = (node, tag) => (node.children ?? []).flatMap((/** @type {any} */ child) => [...(child.tag === tag ? [child] : []), ...all(child, tag)]);

test('columns come and go', () => {
  const column = (/** @type {string} */ head) => ({ head, text: (/** @type {any} */ row) => String(row[head]), value: (/** @type {any} */ row) => row[head] });
  const [latency, disk, net] = ['latency', 'disk', 'net'].map(column);
  const rows = [{ latency: 9, disk: 1, net: 5 }, { latency: 8, disk: 3, net: 6 }, { latency: 7, disk: 2, net: 7 }];
  const order = { by: '', up: false };
  const shown = (/** @type {any[]} */ columns) => {
    const table = /** @type {any} */ (sortedTable(columns, rows, order, { chosen: null, choose: () => {}, changed: () => {} }));
    const heads = all(table, 'th');
    return { heads, sorted: heads.filter((head) => head.attributes['aria-sort'] !== 'none').map((head) => [all(head, 'button')[0].children[0], head.attributes['aria-sort']]),
      first: all(table, 'td').filter((_, i) => i % columns.length === 0).map((cell) => cell.children[0]) };
  };
  const { heads, ...usual } = shown([latency, disk, net]);
  assert.deepEqual(usual, { sorted: [['latency', 'descending']], first: ['9', '8', '7'] });
  all(heads[2], 'button')[0].listeners.click();
  assert.deepEqual(shown([latency, net]).first, ['7', '8', '9']);
  assert.deepEqual(shown([latency, disk]).sorted, [['latency', 'descending']]);
  assert.deepEqual(shown([latency, net, disk]).sorted, [['net', 'descending']]);
});
