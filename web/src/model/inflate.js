// SPDX-License-Identifier: BSD-3-Clause
// A block of a page or container to checked bytes: b128, raw deflate, CRC-32.
import { decodeB128 } from './b128.js';

/** Of a byte, followed by none, one, two or three bytes of zeros. */
const CRC_TABLES = [new Int32Array(256).map((_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
})];
for (let zeros = 1; zeros < 4; zeros++) CRC_TABLES[zeros] = CRC_TABLES[zeros - 1].map((c) => CRC_TABLES[0][c & 255] ^ (c >>> 8));

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  const [last, third, second, first] = CRC_TABLES;
  let crc = -1;
  let i = 0;
  for (; i + 4 <= bytes.length; i += 4) {
    crc ^= bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 | bytes[i + 3] << 24;
    crc = first[crc & 255] ^ second[crc >>> 8 & 255] ^ third[crc >>> 16 & 255] ^ last[crc >>> 24];
  }
  for (; i < bytes.length; i++) crc = last[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** @typedef {{packed: number, crc: number, parts?: [number, number, number][]}} Expected  parts: bytes packed, unpacked, and CRC of each */

/** @param {string | Blob} stored @param {Expected | null} expected */
async function packedBytes(stored, expected) {
  const packed = typeof stored === 'string' ? decodeB128(stored) : new Uint8Array(await stored.arrayBuffer());
  if (!expected) return packed;
  if (packed.length < expected.packed) throw new Error('a block of this page is cut short');
  return packed.subarray(0, expected.packed);
}

const changed = () => new Error('a block of this page was changed on its way here (checksum)');

/** Before the checksum of the header, which is its last key. */
const CHECKSUM = ',"crc":';

/** The text of a header, which is checked. @param {string | Blob} stored @returns {Promise<string>} */
export async function unpackHeader(stored) {
  const raw = await unpackBlock(stored, null);
  const text = new TextDecoder().decode(raw);
  const told = text.slice(text.lastIndexOf(CHECKSUM));
  if (told !== `${CHECKSUM}${crc32(raw.subarray(0, -told.length))}}`) throw changed();
  return text;
}

/** @param {Uint8Array<ArrayBuffer>[]} packed  one after the other */
async function inflate(packed) {
  const inflater = new DecompressionStream('deflate-raw');
  // Bytes that are written take half the time of those of a Blob, which another process keeps.
  const writer = inflater.writable.getWriter();
  for (const step of [...packed.map((bytes) => writer.write(bytes)), writer.close()]) step.catch(() => {});  // the reader hears of it, too
  // What does not unpack fails as if it had been fetched from somewhere.
  const raw = await new Response(inflater.readable).arrayBuffer().catch(() => null);
  if (raw === null) throw changed();
  return new Uint8Array(raw);
}

/**
 * @param {string | Blob} stored  text of a page, or bytes of a container
 * @param {Expected | null} expected null for the header, which has no row
 * @returns {Promise<Uint8Array>}
 */
export async function unpackBlock(stored, expected) {
  const raw = await inflate([await packedBytes(stored, expected)]);
  if (expected && crc32(raw) !== expected.crc) throw changed();
  return raw;
}

/**
 * A block without some of its parts; all of it where it has none.
 * @param {string | Blob} stored @param {Expected} expected
 * @param {(number[] | null)[]} instead  of each part: bytes that stand in its place; null: it is wanted, as the last one is
 * @returns {Promise<Uint8Array>}
 */
export async function unpackParts(stored, expected, instead) {
  const { parts } = expected;
  if (parts?.length !== instead.length) return unpackBlock(stored, expected);
  const packed = await packedBytes(stored, expected);
  const wanted = [];
  let size = 0;
  let from = 0;
  for (const [i, [length, unpacked]] of parts.entries()) {
    if (!instead[i]) wanted.push(packed.subarray(from, from + length));
    from += length;
    size += instead[i]?.length ?? unpacked;
  }
  const raw = await inflate(wanted);
  const out = new Uint8Array(size);
  let read = 0;
  let at = 0;
  for (const [i, [, unpacked, crc]] of parts.entries()) {
    const bytes = instead[i] ?? raw.subarray(read, read + unpacked);
    if (!instead[i]) {
      if (crc32(raw.subarray(read, read + unpacked)) !== crc) throw changed();
      read += unpacked;
    }
    out.set(bytes, at);
    at += bytes.length;
  }
  return out;
}
