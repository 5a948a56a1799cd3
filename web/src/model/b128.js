// SPDX-License-Identifier: BSD-3-Clause
// Text of 7 bits a character back to bytes; src/base/b128.h is the other half.

const SKIPPED = 0xc2;
const FOREIGN = 0x100;
/** Of a character its 7 bits, SKIPPED, or FOREIGN. */
const VALUES = new Uint16Array(65536).fill(FOREIGN);
for (let code = 0; code < 128; code++) VALUES[code] = code;
VALUES.set([0, 13, 60], 0xa1);
VALUES[SKIPPED] = SKIPPED;

/**
 * U+00C2 is skipped, so that a page served as windows-1252 decodes as well.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function decodeB128(text) {
  const out = new Uint8Array(Math.floor(text.length * 7 / 8));
  let size = 0;
  let i = 0;
  // Eight characters are seven bytes; ends where one is skipped or does not belong here.
  for (; i + 8 <= text.length; i += 8) {
    const a = VALUES[text.charCodeAt(i)];
    const b = VALUES[text.charCodeAt(i + 1)];
    const c = VALUES[text.charCodeAt(i + 2)];
    const d = VALUES[text.charCodeAt(i + 3)];
    const e = VALUES[text.charCodeAt(i + 4)];
    const f = VALUES[text.charCodeAt(i + 5)];
    const g = VALUES[text.charCodeAt(i + 6)];
    const h = VALUES[text.charCodeAt(i + 7)];
    if ((a | b | c | d | e | f | g | h) >= 128) break;
    out[size] = a | b << 7;
    out[size + 1] = b >> 1 | c << 6;
    out[size + 2] = c >> 2 | d << 5;
    out[size + 3] = d >> 3 | e << 4;
    out[size + 4] = e >> 4 | f << 3;
    out[size + 5] = f >> 5 | g << 2;
    out[size + 6] = g >> 6 | h << 1;
    size += 7;
  }
  let held = 0;
  let bits = 0;
  for (; i < text.length; i++) {
    const value = VALUES[text.charCodeAt(i)];
    if (value === SKIPPED) continue;
    if (value === FOREIGN) throw new Error(`character ${text.charCodeAt(i)} does not belong here`);
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
