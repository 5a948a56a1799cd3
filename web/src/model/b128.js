// SPDX-License-Identifier: BSD-3-Clause
// Text of 7 bits a character back to bytes; src/base/b128.h is the other half.

const ESCAPED = new Map([[0xa1, 0], [0xa2, 13], [0xa3, 60]]);

/**
 * U+00C2 is skipped, so that a page served as windows-1252 decodes as well.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function decodeB128(text) {
  const out = new Uint8Array(Math.floor(text.length * 7 / 8));
  let size = 0;
  let held = 0;
  let bits = 0;
  for (let i = 0; i < text.length; i++) {
    let value = text.charCodeAt(i);
    if (value > 127) {
      if (value === 0xc2) continue;
      const meant = ESCAPED.get(value);
      if (meant === undefined) throw new Error(`character ${value} does not belong here`);
      value = meant;
    }
    held |= value << bits;
    bits += 7;
    if (bits >= 8) {
      out[size++] = held & 255;
      held >>>= 8;
      bits -= 8;
    }
  }
  return out.subarray(0, size);
}
