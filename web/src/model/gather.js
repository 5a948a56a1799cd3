// SPDX-License-Identifier: BSD-3-Clause
// What requests are found from. Runs in workers and in the page alike. In: a slab, kinds of the dictionary; out: all
// system calls of these kinds by their ends, and all marks and points of these kinds by time, as columns.
import { KIND } from './tables.js';

/**
 * @typedef {object} Events  one entry each, ordered by `end`; times in ns
 * @property {number} count
 * @property {Float64Array} start
 * @property {Float64Array} end
 * @property {Uint32Array} kind
 * @property {Uint32Array} thread
 * @property {Int32Array} cpu
 * @property {Uint32Array} arg
 * @property {Uint32Array} result    result + 1, 0: none
 * @property {Uint8Array} inferred   which of INFERRED
 * @property {Uint8Array} birth      1: a new thread's way out of the call that made it
 */

/** @typedef {(name: 'start' | 'end' | 'kind' | 'thread' | 'cpu' | 'arg' | 'result' | 'inferred' | 'birth') => number} Read */

/** @param {{end: number, read: Read}[]} found @returns {Events} */
function columns(found) {
  found.sort((a, b) => a.end - b.end);
  const all = (/** @type {Parameters<Read>[0]} */ name) => found.map(({ read }) => read(name));
  return { count: found.length, start: Float64Array.from(all('start')), end: Float64Array.from(all('end')), kind: Uint32Array.from(all('kind')),
    thread: Uint32Array.from(all('thread')), cpu: Int32Array.from(all('cpu')), arg: Uint32Array.from(all('arg')), result: Uint32Array.from(all('result')),
    inferred: Uint8Array.from(all('inferred')), birth: Uint8Array.from(all('birth')) };
}

/** Calls that are more than a span: a slab's own, or those that no slab holds. @param {import('./calls.js').Calls} c @param {Uint8Array} kinds @param {{end: number, read: Read}[]} into */
function addCalls(c, kinds, into) {
  for (let i = 0; i < c.within; i++) if (kinds[c.kind[i]]) into.push({ end: c.end[i], read: (name) => c[name][i] });
}

/** @param {import('./slab.js').Overlays} o @param {Uint8Array} kinds @param {{end: number, read: Read}[]} into */
function addPoints(o, kinds, into) {
  for (let i = 0; i < o.count; i++) {
    if (kinds[o.kind[i]]) into.push({ end: o.end[i], read: (name) => (name === 'result' || name === 'inferred' || name === 'birth' ? 0 : o[name]?.[i] ?? 0) });
  }
}

/** @param {import('./slab.js').Slab} slab @param {Uint8Array} kinds  1: wanted @param {Uint8Array} what of kinds @returns {Events} */
export function gatherSlab(slab, kinds, what) {
  /** @type {{end: number, read: Read}[]} */
  const found = [];
  const { callOf, hasCalls } = slab;
  for (const { cpu, first, count } of slab.sections) {
    for (let p = first; p < first + count; p++) {
      if (!kinds[slab.kind[p]] || what[slab.kind[p]] !== KIND.syscall || !hasCalls || (callOf && callOf[p] !== 0)) continue;
      found.push({ end: slab.end[p], read: (name) => (name === 'cpu' ? cpu : name === 'inferred' || name === 'birth' ? 0 : slab[name][p]) });
    }
  }
  addCalls(slab.calls, kinds, found);
  addPoints(slab.overlays, kinds, found);
  return columns(found);
}

/** Those that no slab holds. @param {import('./calls.js').Calls} calls @param {import('./slab.js').Overlays} overlays @param {Uint8Array} kinds @returns {Events} */
export function gatherLong(calls, overlays, kinds) {
  /** @type {{end: number, read: Read}[]} */
  const found = [];
  addCalls(calls, kinds, found);
  addPoints(overlays, kinds, found);
  return columns(found);
}
