// SPDX-License-Identifier: BSD-3-Clause
// What readers call the kinds of span.
import { EXECUTION_KINDS, KIND, WAIT_FIRST } from './tables.js';

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
  ['function', 'of the program, each below its caller'],
];

/** @param {number} kind */
export const isIdle = (kind) => kind === KIND.idle || kind === KIND.idleLowPower;

/** Whether a CPU did it; all else lies over that. @param {number} kind */
export const isExecution = (kind) => kind < EXECUTION_KINDS;

/** Why a thread waited, as a place in lists: letter - 'a' + 1. @param {number} event of a wait */
export const reasonOf = (event) => event - WAIT_FIRST + 1;

/** Why a thread waited, as a letter. @param {number} event of a wait */
export const letterOf = (event) => String.fromCharCode(96 + reasonOf(event));

/** Words for reasons, by letter, as src/format/wait_word.cpp has them. @type {Record<string, string>} */
export const WAIT_WORDS = { c: 'ready', d: 'disk', k: 'task', l: 'lock', m: 'mem', n: 'net', p: 'pipe', r: 'rcu', s: 'sche', t: 'time', z: 'unexplained' };

/** @param {number} event of a wait */
export const waitWord = (event) => WAIT_WORDS[letterOf(event)] ?? 'other';

/** So many places there are, with 0 for none. */
export const REASONS = 27;

/** @param {string} letter of a reason */
export const reasonOfLetter = (letter) => letter.charCodeAt(0) - 96;

/** Whether a thread that waited so was ready to run. @param {number} event */
export const isWaitForCpu = (event) => reasonOf(event) === reasonOfLetter('c');

/** In place of a reason: waited for a lock while another thread held it. No letter has it. */
export const CONTENDED = 33;

/** What has no length by its nature. @param {number} kind */
export const isMoment = (kind) => kind === KIND.mark || kind === KIND.point || kind === KIND.rename;
