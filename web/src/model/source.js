// SPDX-License-Identifier: BSD-3-Clause
// Where a trace's blocks come from: script elements of this page (base/page_source.js), or a container
// file that was opened (doc/page-format.md). In: the name of a block; out: its text, its bytes on
// disk, or null.

/**
 * @typedef {object} Source
 * @property {(id: string) => string | Blob | null} block  null: not there, or not parsed yet
 * @property {boolean} whole  whether all has been parsed: what is not there will not come
 */

const MAGIC = 'kutrace\x00';
const HEAD = 16;  // magic, format, size of the header

/**
 * A container: only its header is read now, everything else when it is wanted.
 * @param {Blob} file
 * @returns {Promise<Source>}
 */
export async function fileSource(file) {
  const head = new DataView(await file.slice(0, HEAD).arrayBuffer());
  const magic = Array.from({ length: Math.min(8, head.byteLength) }, (_, i) => String.fromCharCode(head.getUint8(i))).join('');
  if (head.byteLength < HEAD || magic !== MAGIC) {
    throw new Error('This is no container: kutrace report FILE -o trace.kux writes one.');
  }
  const size = head.getUint32(12, true);
  const stored = file.slice(HEAD, HEAD + size);
  const header = JSON.parse(await new Response(
    stored.stream().pipeThrough(new DecompressionStream('deflate-raw'))).text());
  /** @type {Map<string, Blob>} */
  const blocks = new Map([['kutrace-header', stored]]);
  let at = HEAD + size;
  const add = (/** @type {string} */ id, /** @type {{packed: number}} */ row) => {
    blocks.set(id, file.slice(at, at + row.packed));
    at += row.packed;
  };
  add('kutrace-overview', header.overview);
  add('kutrace-long', header.long);
  if (header.far) add('kutrace-far', header.far);
  header.slabs.forEach((/** @type {{packed: number}} */ row, /** @type {number} */ i) => add(`kutrace-slab-${i}`, row));
  if (header.sums) add('kutrace-sums', header.sums);
  if (header.files) add('kutrace-files', header.files);
  if (header.backtraces) add('kutrace-backtraces', header.backtraces);
  if (header.runs) add('kutrace-runs', header.runs);
  if (at > file.size) throw new Error('This container is cut short.');
  return { block: (id) => blocks.get(id) ?? null, whole: true };
}
