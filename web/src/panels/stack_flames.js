// SPDX-License-Identifier: BSD-3-Clause
// Flame graphs of recorded stacks: where threads ran, by samples, and where they left their CPUs, by time. In: what
// was told of a range, the page's backtraces; out: frames, and what they look like.
import { UNKNOWN, framesOfSamples, framesOfWaits, reasonOf } from '../model/backtraces.js';
import { KIND } from '../model/tables.js';
import { reasonOf as reasonOfEvent } from '../model/kinds.js';
import { counted, percentText } from '../model/number_text.js';
import { durationText } from '../layout/time_text.js';

/**
 * @typedef {import('../model/backtraces.js').Backtraces} Backtraces
 * @typedef {import('../state/range.js').Told} Told
 */

/** What may be drawn. @type {[string, string][]} */
export const STACK_FLAMES = [['on', 'stacks of samples: on a CPU'], ['off', 'stacks of waits: off CPUs']];
/** What stands for functions that nobody knows (src/model/stack.h). */
const NOT_RECORDED = '[stack not recorded]';

/** As `kutrace profile --stacks` calls it. @param {import('../model/trace.js').Trace} trace @param {number} reason */
export function waitWord(trace, reason) {
  if (reason === 3) return 'wait:ready';
  if (reason === 26) return 'wait:unexplained';
  const kind = trace.what.findIndex((what, k) => what === KIND.wait && reasonOfEvent(trace.event[k]) === reason);
  return `wait:${trace.name(kind).replace(/^wait_/, '')}`;
}

/** @param {Backtraces} backtraces @param {string} which @param {Told} told @param {(thread: number) => number} group */
export const stackFrames = (backtraces, which, { t0, t1, scope, usage }, group) => (which === 'on'
  ? framesOfSamples(backtraces, t0, t1, scope, group) : framesOfWaits(backtraces, t0, t1, scope, group, usage.byReason));

/**
 * @param {import('../app.js').App} app @param {Backtraces} backtraces @param {string} which
 * @param {(key: number) => string} rootName @returns {import('./flame.js').Look}
 */
export function stackLook({ palette, trace }, backtraces, which, rootName) {
  const on = which === 'on';
  const size = (/** @type {import('../model/flame.js').Frame} */ frame) => (on ? frame.count : frame.time);
  const colours = [KIND.syscall, KIND.softirq, KIND.scheduler, KIND.irq].map((kind) => palette.classes[kind]);
  return {
    all: on ? 'all samples' : 'all waits', rootName, size,
    name: (key) => (key === UNKNOWN ? NOT_RECORDED : key < 0 ? waitWord(trace, reasonOf(key)) : backtraces.functions[key]),
    colour: (key) => (key < 0 ? palette.css.idle : colours[key % colours.length]),
    told: (frame, root) => [on ? counted(frame.count, 'sample') : `${durationText(frame.time)} in ${counted(frame.count, 'wait')}`,
      `${percentText(size(frame) / Math.max(1, size(root)))} of ${on ? 'all samples' : 'all time waited'}`,
      ...(on ? [`${durationText(frame.time)} from the samples before to these`] : [])],
  };
}

/** What stacks by frame pointers cannot tell. */
export const STACK_LIMITS = 'Stacks are found by frame pointers: callers are missing, or wrong, above code that was built without them, '
  + 'as most of libc. [name] is a file without symbols; kutrace symbolize names what it can.';
