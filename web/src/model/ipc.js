// SPDX-License-Identifier: BSD-3-Clause
// Instructions per cycle as the trace keeps them: 16 steps, finer at the low end.

/** Where each step begins, as text. */
export const IPC_TEXT = ['0', '1/8', '1/4', '3/8', '1/2', '5/8', '3/4', '7/8', '1', '1.25', '1.5', '1.75',
  '2', '2.5', '3', '3.5'];

const MIDDLE = [1, 3, 5, 7, 9, 11, 13, 15, 18, 22, 26, 30, 36, 44, 52, 60].map((n) => n / 16);

/** The most that is told apart. */
export const MOST_IPC = 4;

/** Middle of a step. @param {number} nibble */
export const ipcOf = (nibble) => MIDDLE[nibble & 15];
