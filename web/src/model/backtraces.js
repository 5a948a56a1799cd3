// SPDX-License-Identifier: BSD-3-Clause
// How threads came to where they ran or waited: the page's block of backtraces (doc/page-format.md), and flame
// graphs of a range of it. In: the block's bytes; out: functions, stacks, samples and waits as columns; frames.
import { inner, newFrame, sumFrames } from './flame.js';
import { REASONS } from './kinds.js';
import { Reader } from './reader.js';
import { inScope } from './scope.js';

/**
 * @typedef {object} Backtraces
 * @property {string[]} functions
 * @property {Uint32Array} caller     of each node of the tree of calls, which are numbered from 1; 0: none
 * @property {Uint32Array} called     its function
 * @property {Uint32Array} innermost  of each stack, which are numbered from 1, its node
 * @property {number} count           of samples and waits
 * @property {Float64Array} start     ns; of a sample, when the one before it on its CPU was taken
 * @property {Float64Array} end       ns; of a sample, when it was taken
 * @property {Uint32Array} thread
 * @property {Int32Array} cpu         -1: none
 * @property {Uint8Array} reason      letter of a wait's reason - 'a' + 1; 0: a sample
 * @property {Uint32Array} stack      0: not recorded
 *
 * @typedef {import('./flame.js').Frame} Frame
 * @typedef {import('./scope.js').Scope} Scope
 */

/** Keys of frames that are no functions. */
export const UNKNOWN = -1;
const FIRST_REASON = -2;
/** @param {number} reason from 1 */
const reasonKey = (reason) => FIRST_REASON - reason;
/** @param {number} key @returns {number} 0: of no reason */
export const reasonOf = (key) => Math.max(0, FIRST_REASON - key);

/** @param {Uint8Array} bytes @returns {Backtraces} */
export function decodeBacktraces(bytes) {
  const reader = new Reader(bytes);
  const functions = reader.texts();
  const nodes = reader.next();
  const caller = reader.numbers(nodes);
  for (let i = 0; i < nodes; i++) caller[i] = i + 1 - caller[i];
  const called = reader.numbers(nodes);
  const innermost = reader.numbers(reader.next());
  const count = reader.next();
  const starts = reader.column();
  const durations = reader.column();
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  let last = 0;
  for (let i = 0; i < count; i++) {
    start[i] = last += starts.signed();
    end[i] = last + durations.next();
  }
  const thread = reader.numbers(count);
  const cpus = reader.column();
  const cpu = Int32Array.from({ length: count }, () => cpus.next() - 1);
  const reason = Uint8Array.from(reader.numbers(count));
  const stack = reader.numbers(count);
  return { functions, caller, called, innermost, count, start, end, thread, cpu, reason, stack };
}

/** For transfer. @param {Backtraces} backtraces */
export const backtraceBuffers = (backtraces) => Object.values(backtraces)
  .flatMap((column) => (ArrayBuffer.isView(column) ? [column.buffer] : []));

/** @param {Backtraces} b @param {number} stack @returns {number[]} its functions, the outermost first */
function functionsOf(b, stack) {
  const keys = [];
  for (let node = b.innermost[stack - 1]; node > 0; node = b.caller[node - 1]) keys.push(b.called[node - 1]);
  return keys.reverse();
}

/** @param {Frame} root @param {number[]} keys  the outermost first @param {number} time @param {number} count */
function addStack(root, keys, time, count) {
  let frame = root;
  root.count += count;
  for (const key of keys) {
    frame = inner(frame, key);
    frame.count += count;
  }
  frame.own += time;
}

/**
 * Where threads ran: the samples taken in a range. A frame's children are functions, the root's are groups.
 * @param {Backtraces} b @param {number} t0 @param {number} t1 @param {Scope | null} scope @param {(thread: number) => number} group
 */
export function framesOfSamples(b, t0, t1, scope, group) {
  const root = newFrame(-1);
  for (let i = 0; i < b.count; i++) {
    if (b.reason[i] !== 0 || b.end[i] < t0 || b.end[i] > t1 || !inScope(scope, b.cpu[i], b.thread[i])) continue;
    const keys = b.stack[i] === 0 ? [UNKNOWN] : functionsOf(b, b.stack[i]);
    addStack(root, [group(b.thread[i]), ...keys], b.end[i] - b.start[i], 1);
  }
  sumFrames(root);
  return root;
}

/**
 * Where threads left their CPUs: of each wait, what of it lies in the range. The innermost frame is the reason.
 * @param {Backtraces} b @param {number} t0 @param {number} t1 @param {Scope | null} scope @param {(thread: number) => number} group
 * @param {Map<number, {time: number, count: number}>} all  waits of that range and scope, with a stack or without; thread * REASONS + reason
 */
export function framesOfWaits(b, t0, t1, scope, group, all) {
  const root = newFrame(-1);
  /** @type {Map<number, {time: number, count: number}>} */
  const known = new Map();
  for (let i = 0; i < b.count; i++) {
    const reason = b.reason[i];
    if (reason === 0 || b.start[i] >= t1 || (b.end[i] <= t0 && b.start[i] < t0) || !inScope(scope, b.cpu[i], b.thread[i])) continue;
    const time = Math.min(b.end[i], t1) - Math.max(b.start[i], t0);
    addStack(root, [group(b.thread[i]), ...functionsOf(b, b.stack[i]), reasonKey(reason)], time, 1);
    const sum = known.get(b.thread[i] * REASONS + reason);
    if (sum) {
      sum.time += time;
      sum.count++;
    } else {
      known.set(b.thread[i] * REASONS + reason, { time, count: 1 });
    }
  }
  for (const [key, { time, count }] of all) {
    const sum = known.get(key) ?? { time: 0, count: 0 };
    if (count > sum.count) {
      addStack(root, [group(Math.floor(key / REASONS)), UNKNOWN, reasonKey(key % REASONS)], time - sum.time, count - sum.count);
    }
  }
  sumFrames(root);
  return root;
}
