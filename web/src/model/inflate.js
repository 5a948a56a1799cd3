// SPDX-License-Identifier: BSD-3-Clause
// A block of a page or container to checked bytes: b128, raw deflate, CRC-32.
import { decodeB128 } from './b128.js';

const CRC_TABLE = new Uint32Array(256).map((_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = CRC_TABLE[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * @param {string | Blob} stored  text of a page, or bytes of a container
 * @param {{packed: number, crc: number} | null} expected null for the header, which has no row
 * @returns {Promise<Uint8Array>}
 */
export async function unpackBlock(stored, expected) {
  let packed = typeof stored === 'string' ? decodeB128(stored) : new Uint8Array(await stored.arrayBuffer());
  if (expected) {
    if (packed.length < expected.packed) throw new Error('a block of this page is cut short');
    packed = packed.subarray(0, expected.packed);
  }
  const inflater = new DecompressionStream('deflate-raw');
  // Bytes that are written take half the time of those of a Blob, which another process keeps.
  const writer = inflater.writable.getWriter();
  for (const step of [writer.write(packed), writer.close()]) step.catch(() => {});  // the reader hears of it, too
  // What does not unpack fails as if it had been fetched from somewhere.
  const raw = await new Response(inflater.readable).arrayBuffer().then((buffer) => new Uint8Array(buffer), () => null);
  if (raw === null || (expected && crc32(raw) !== expected.crc)) throw new Error('a block of this page was changed on its way here (checksum)');
  return raw;
}
