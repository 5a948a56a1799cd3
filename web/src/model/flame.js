// SPDX-License-Identifier: BSD-3-Clause
// Frames of a flame graph: a tree with the time spent in each, its own and that of what it called. In pages
// that do not tell of calls, what lay within what is guessed: a CPU's spans follow each other without overlap,
// and an interrupted call goes on in a span of its own after the interrupt.
import { KIND } from './tables.js';

/**
 * @typedef {object} Frame
 * @property {number} key     of the root's children: a thread; below: a kind of the dictionary
 * @property {number} own     ns
 * @property {number} time    ns, with what lies within
 * @property {number} count   calls of slabs; without calls: spans that began one
 * @property {Set<number> | null} long  calls that no slab holds: several slabs tell of one
 * @property {Map<number, Frame>} inner
 */

/** @param {number} key @returns {Frame} */
export const newFrame = (key) => ({ key, own: 0, time: 0, count: 0, long: null, inner: new Map() });

/** Calls that were under way in it. @param {Frame} frame */
export const callsIn = ({ count, long }) => count + (long?.size ?? 0);

const INTERRUPT = 4;
/** How deep a kind lies: it ends what is as deep or deeper. Interrupts lie on everything. */
const DEPTH = { [KIND.syscall]: 1, [KIND.trap]: 2, [KIND.scheduler]: 3, [KIND.irq]: INTERRUPT,
  [KIND.softirq]: INTERRUPT };

/** @param {Frame} frame @param {number} key */
export function inner(frame, key) {
  let found = frame.inner.get(key);
  if (!found) {
    found = newFrame(key);
    frame.inner.set(key, found);
  }
  return found;
}

/** The stack of one CPU while its spans pass by. */
export class FlameStack {
  /** @param {Frame} root @param {Uint8Array} what per kind of the dictionary */
  constructor(root, what) {
    this.root = root;
    this.what = what;
    this.thread = -1;
    /** @type {Frame[]} the thread's frame, then what it called */
    this.frames = [];
  }

  /** @param {number} kind of the dictionary @param {number} thread @param {number} time ns */
  push(kind, thread, time) {
    if (thread !== this.thread) {
      this.thread = thread;
      this.frames = [inner(this.root, thread)];
    }
    const { frames } = this;
    const depth = DEPTH[this.what[kind]] ?? 0;
    const at = frames.findIndex((frame, i) => i > 0 && frame.key === kind);
    if (depth === 0) {
      frames.length = 1;
    } else if (at > 0) {
      frames.length = at + 1;  // goes on after what had interrupted it
    } else {
      while (frames.length > 1 && this.#ends(frames[frames.length - 1], depth)) frames.pop();
      frames.push(inner(frames[frames.length - 1], kind));
      frames[frames.length - 1].count++;
    }
    frames[frames.length - 1].own += time;
  }

  /** @param {Frame} frame @param {number} depth of what comes */
  #ends(frame, depth) {
    const top = DEPTH[this.what[frame.key]];
    return top > depth || (top === depth && depth !== INTERRUPT);
  }
}

/** Fills in `time` of all frames. @param {Frame} frame @returns {number} */
export function sumFrames(frame) {
  frame.time = frame.own;
  for (const child of frame.inner.values()) frame.time += sumFrames(child);
  return frame.time;
}

/** @param {Frame} into @param {Frame} from */
export function addFrames(into, from) {
  into.own += from.own;
  into.count += from.count;
  for (const call of from.long ?? []) (into.long ??= new Set()).add(call);
  for (const [key, child] of from.inner) addFrames(inner(into, key), child);
}

/** Thread 0 is idle, 1 none: what they do by themselves is no work. */
const FIRST_WORKER = 2;

/**
 * The work of threads, put together by group: the children of the root are groups.
 * @param {Frame} root @param {(thread: number) => number} group
 */
export function workBy(root, group) {
  const out = newFrame(root.key);
  for (const child of root.inner.values()) {
    const frame = inner(out, group(child.key));
    addFrames(frame, child.key < FIRST_WORKER ? { ...child, own: 0 } : child);
  }
  sumFrames(out);
  return out;
}
