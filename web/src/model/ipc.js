// SPDX-License-Identifier: BSD-3-Clause
// What the processor counted during a span, as the trace keeps it in four bits: instructions per
// cycle in 16 steps, or cache misses in 16, or both in four each.

/** Where each step begins, as text. */
export const IPC_TEXT = ['0', '1/8', '1/4', '3/8', '1/2', '5/8', '3/4', '7/8', '1', '1.25', '1.5', '1.75',
  '2', '2.5', '3', '3.5'];

const MIDDLE = [1, 3, 5, 7, 9, 11, 13, 15, 18, 22, 26, 30, 36, 44, 52, 60].map((n) => n / 16);

/** The most that is told apart. */
export const MOST_IPC = 4;

/** Middle of a step. @param {number} nibble */
export const ipcOf = (nibble) => MIDDLE[nibble & 15];

const LINE = 64;  // bytes that a miss fetches

/** Bytes fetched for the misses of a step, at least. @param {number} step */
export const missBytes = (step) => (step === 0 ? 0 : step === 1 ? LINE : LINE * 2 ** (step + 1));

/** @param {number} step */
export function missText(step) {
  const bytes = missBytes(step);
  const text = bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MB` : bytes >= 1024 ? `${bytes / 1024} KB` : `${bytes} B`;
  return step === 15 ? `${text} or more` : text;
}

/** @typedef {'ipc' | 'misses' | 'both'} Counter  what the four bits of a trace tell */

const IPC_FLAG = 0x80;
const MISS_FLAG = 0x20;

/** @param {number} flags of the trace @returns {Counter} */
export const counterOf = (flags) => (flags & MISS_FLAG ? (flags & IPC_FLAG ? 'both' : 'misses') : 'ipc');

/** @param {number} flags of the trace */
export const countsAnything = (flags) => (flags & (IPC_FLAG | MISS_FLAG)) !== 0;

const FEW_MISSES = [0, 2, 5, 8];  // the steps that two bits stand for

/**
 * The steps that a span's four bits stand for; -1: not counted.
 * @param {number} nibble @param {Counter} counter
 */
export function stepsOf(nibble, counter) {
  if (counter === 'both') return { ipc: (nibble & 12) + 1, misses: FEW_MISSES[nibble & 3] };
  return counter === 'ipc' ? { ipc: nibble & 15, misses: -1 } : { ipc: -1, misses: nibble & 15 };
}
