// SPDX-License-Identifier: BSD-3-Clause
// Which calls of a thread are told to be one by a bracket: those in pieces, where there is room for it and one of
// its ends is in view. In: the calls that a view has, a thread, a view; out: begin, end, how deep one lies in others.

/** CSS pixels; in less room a bracket tells nothing that the bars do not. */
const LEAST_WIDTH = 14;

/** @typedef {import('../model/calls.js').Calls} Calls @typedef {{start: number, end: number, depth: number}} Bracket */

/** By thread, calls in pieces. @type {WeakMap<Calls, Map<number, number[]>>} */
const known = new WeakMap();

/** @param {Calls} calls @returns {Map<number, number[]>} places of its own ones */
function inPieces(calls) {
  const found = known.get(calls);
  if (found) return found;
  /** @type {Map<number, number[]>} */
  const threads = new Map();
  for (let i = 0; i < calls.within; i++) {
    if (calls.pieces[i] < 2 || calls.thread[i] === 0) continue;
    const list = threads.get(calls.thread[i]);
    if (list) list.push(i);
    else threads.set(calls.thread[i], [i]);
  }
  known.set(calls, threads);
  return threads;
}

/**
 * @param {Calls[]} parts @param {number} thread
 * @param {{t0: number, t1: number}} view @param {number} scale  CSS pixels per ns
 * @returns {Bracket[]} by begin, the outer of two first
 */
export function bracketsOf(parts, thread, { t0, t1 }, scale) {
  /** @type {Bracket[]} */
  const out = [];
  for (const calls of parts) {
    const { start, end } = calls;
    for (const i of inPieces(calls).get(thread) ?? []) {
      const seen = (start[i] >= t0 && start[i] <= t1) || (end[i] >= t0 && end[i] <= t1);
      if (!seen || (end[i] - start[i]) * scale < LEAST_WIDTH) continue;
      out.push({ start: start[i], end: end[i], depth: 0 });
    }
  }
  out.sort((a, b) => a.start - b.start || b.end - a.end);
  /** @type {Bracket[]} */
  const open = [];
  for (const bracket of out) {
    while (open.length > 0 && open[open.length - 1].end <= bracket.start) open.pop();
    bracket.depth = open.length;
    open.push(bracket);
  }
  return out;
}

/**
 * The outermost call in pieces that reaches over a time of a thread, as over a wait in it.
 * @param {Calls[]} parts @param {number} thread @param {{start: number, end: number}} time
 * @returns {{start: number, end: number} | null}
 */
export function callOver(parts, thread, { start, end }) {
  let [from, to] = [Infinity, -Infinity];
  for (const calls of parts) {
    for (const i of inPieces(calls).get(thread) ?? []) {
      if (calls.start[i] <= start && calls.end[i] >= end && calls.end[i] - calls.start[i] > to - from) [from, to] = [calls.start[i], calls.end[i]];
    }
  }
  return to > from ? { start: from, end: to } : null;
}
