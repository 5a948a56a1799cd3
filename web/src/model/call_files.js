// SPDX-License-Identifier: BSD-3-Clause
// Which file or connection system calls are about: the page's block of files (doc/page-format.md). In: the block's
// bytes; out: names and calls as columns, in order of their ends; which of them a call is about.
import { Reader } from './reader.js';

/**
 * @typedef {object} CallFiles
 * @property {string[]} files
 * @property {Float64Array} begin  ns; of each call that is about a file
 * @property {Float64Array} end
 * @property {Uint32Array} thread
 * @property {Uint32Array} file    number of its file
 */

/** @param {Uint8Array} bytes @returns {CallFiles} */
export function decodeCallFiles(bytes) {
  const reader = new Reader(bytes);
  const files = reader.texts();
  const count = reader.next();
  const begin = new Float64Array(count);
  const end = new Float64Array(count);
  const begins = reader.column();
  const durations = reader.column();
  let last = 0;
  for (let i = 0; i < count; i++) {
    begin[i] = last += begins.signed();
    end[i] = last + durations.next();
  }
  return { files, begin, end, thread: reader.numbers(count), file: reader.numbers(count) };
}

/** For transfer. @param {CallFiles} files */
export const callFileBuffers = ({ begin, end, thread, file }) => [begin, end, thread, file].map(({ buffer }) => buffer);

/**
 * The file of the call of a thread that began at a moment; '' if it is about none.
 * @param {CallFiles} all @param {number} thread @param {number} begin @param {number} end
 */
export function fileOf(all, thread, begin, end) {
  let low = 0;
  let high = all.end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all.end[middle] < end) low = middle + 1;
    else high = middle;
  }
  for (; low < all.end.length && all.end[low] === end; low++) {
    if (all.thread[low] === thread && all.begin[low] === begin) return all.files[all.file[low]];
  }
  return '';
}
