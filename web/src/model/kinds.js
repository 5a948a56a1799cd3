// SPDX-License-Identifier: BSD-3-Clause
// The kinds of span, numbered as enum SpanKind of src/spans/span.h, and what readers call them.

export const KIND = Object.freeze({
  user: 0, kernelThread: 1, syscall: 2, trap: 3, irq: 4, softirq: 5, scheduler: 6,
  idle: 7, idleLowPower: 8, cExit: 9, hidden: 10, loss: 11,
  wait: 12, lockHeld: 13, lockWanted: 14, queued: 15, rpc: 16, message: 17, frequency: 18,
  sample: 19, mark: 20, point: 21, rename: 22, wakeupArc: 23, ipiArc: 24,
});

export const EXECUTION_KINDS = 12;

/** Name, and the sentence that the legend prints. */
export const KIND_TEXT = [
  ['user', 'a program’s own code'],
  ['kernel thread', 'a thread that lives in the kernel'],
  ['system call', 'kernel code a program asked for'],
  ['fault', 'page fault or other exception'],
  ['interrupt', 'hardware or another CPU interrupts'],
  ['softirq', 'deferred interrupt work'],
  ['scheduler', 'choosing what runs next'],
  ['idle', 'nothing to run'],
  ['low-power idle', 'core asleep in a C-state'],
  ['C-state exit', 'core waking up, estimated'],
  ['hidden', 'left out by the filter that made this page'],
  ['loss', 'not recorded: unknown what happened'],
  ['wait', 'thread off the CPU, by reason'],
  ['lock held', 'lock held'],
  ['lock wanted', 'trying to get a lock'],
  ['queued', 'request waiting in a queue'],
  ['RPC', 'RPC'],
  ['message', 'message on the network link'],
  ['frequency', 'CPU frequency'],
  ['PC sample', 'program counter sample'],
  ['mark', 'placed by the program itself'],
  ['point', 'a moment'],
  ['rename', 'the thread changed its name'],
  ['wakeup', 'who made whom runnable'],
  ['IPI', 'one CPU interrupts another'],
];

export const LOSS_REASONS = [
  'unknown', 'buffer full', 'hook skipped by the kernel', 'disk too slow or full', 'overwritten',
  'limit reached', 'damaged block', 'CPU offline',
];

/** @param {number} kind */
export const isIdle = (kind) => kind === KIND.idle || kind === KIND.idleLowPower;
