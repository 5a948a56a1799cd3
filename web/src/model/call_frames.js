// SPDX-License-Identifier: BSD-3-Clause
// Frames of a flame graph by calls. Calls of one thread, and those of one CPU, lie inside or beside one another,
// so that their times tell which lies in which. In: the calls and spans of a slab; out: a tree of frames with
// the time in each, and how many calls it stands for.
import { firstPlace, isCall, ownerOf } from './calls.js';
import { inner } from './flame.js';

/** @typedef {import('./flame.js').Frame} Frame */

/** A key beside those of threads. @param {number} cpu */
const ofCpu = (cpu) => -1 - cpu;

export class CallFrames {
  /** @param {Frame} root @param {import('./slab.js').Slab} slab @param {Uint8Array} what per kind of the dictionary */
  constructor(root, slab, what) {
    this.root = root;
    this.slab = slab;
    this.calls = slab.calls;
    this.what = what;
    /** By thread or CPU: its calls by begin, the outer of two first. @type {Map<number, number[]>} */
    this.lists = new Map();
    /** Per call: that of the same thread or CPU which it lies in, -1: none. */
    this.outer = new Int32Array(this.calls.count).fill(-1);
    /** @type {(Frame | undefined)[]} */
    this.frames = new Array(this.calls.count);
    this.#nest();
  }

  /** @param {number} i @returns {number} key of the list that it is in */
  #listOf(i) {
    const { kind, thread, cpu } = this.calls;
    return ownerOf(this.what[kind[i]], thread[i]) || ofCpu(cpu[i]);
  }

  #nest() {
    const { count, start, end } = this.calls;
    for (let i = 0; i < count; i++) {
      const key = this.#listOf(i);
      const list = this.lists.get(key);
      if (list) list.push(i);
      else this.lists.set(key, [i]);
    }
    for (const list of this.lists.values()) {
      list.sort((a, b) => start[a] - start[b] || end[b] - end[a] || b - a);
      /** @type {number[]} */
      const open = [];
      for (const i of list) {
        while (open.length > 0 && end[open[open.length - 1]] <= start[i]) open.pop();
        let n = open.length - 1;
        while (n >= 0 && end[open[n]] < end[i]) n--;
        this.outer[i] = n < 0 ? -1 : open[n];
        open.push(i);
      }
    }
  }

  /**
   * The innermost call of a list that reaches over a time; -1: none.
   * @param {number} key @param {number} start @param {number} end @param {boolean} [wider]  it is longer, too
   */
  #around(key, start, end, wider = false) {
    const list = this.lists.get(key);
    if (!list) return -1;
    const { calls } = this;
    let i = list[firstPlace(list.length, (n) => calls.start[list[n]] > start) - 1] ?? -1;
    const holds = () => calls.end[i] >= end && calls.end[i] > start
      && !(wider && calls.start[i] === start && calls.end[i] === end);
    while (i >= 0 && !holds()) i = this.outer[i];
    return i;
  }

  /** The inner one of a thread's and a CPU's call that reach over the same time. @param {number} a @param {number} b */
  #innerOf(a, b) {
    if (a < 0 || b < 0) return Math.max(a, b);
    const { start, end } = this.calls;
    return start[a] > start[b] || (start[a] === start[b] && end[a] < end[b]) ? a : b;
  }

  /** What a call lies in. @param {number} i @param {number} thread that ran @param {number} cpu */
  #outerOf(i, thread, cpu) {
    const { start, end } = this.calls;
    if (thread === 0) return this.outer[i];
    return this.#listOf(i) < 0 ? this.#innerOf(this.#around(thread, start[i], end[i]), this.outer[i])
      : this.#innerOf(this.outer[i], this.#around(ofCpu(cpu), start[i], end[i], true));
  }

  /** @param {number} i of a call, -1: none, but its thread @param {number} thread that ran @param {number} cpu @returns {Frame} */
  #frame(i, thread, cpu) {
    if (i < 0) return inner(this.root, thread);
    const known = this.frames[i];
    if (known) return known;
    const frame = inner(this.#frame(this.#outerOf(i, thread, cpu), thread, cpu), this.calls.kind[i]);
    const { within, longAt } = this.calls;
    if (i < within) frame.count++;
    else (frame.long ??= new Set()).add(longAt[i - within]);
    this.frames[i] = frame;
    return frame;
  }

  /** @param {number} p position of a span @param {number} cpu @param {number} time ns of it that count */
  add(p, cpu, time) {
    const { kind, thread, start, end, callOf } = this.slab;
    const at = callOf ? callOf[p] : 0;
    let call = -1;
    if (at > 0) call = at - 1;
    else if (isCall(this.what[kind[p]])) {
      call = this.#innerOf(thread[p] === 0 ? -1 : this.#around(thread[p], start[p], end[p]), this.#around(ofCpu(cpu), start[p], end[p]));
    }
    let frame = this.#frame(call, thread[p], cpu);
    if (at <= 0 && isCall(this.what[kind[p]])) {
      frame = inner(frame, kind[p]);
      frame.count++;  // it is a call by itself
    }
    frame.own += time;
  }
}
