// SPDX-License-Identifier: BSD-3-Clause
// Reads numbers of src/emit/page/column.h: little-endian base 128.

export class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** Exact up to 2^53. @returns {number} */
  next() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let shift = 7;
    while (shift < 28) {
      byte = bytes[this.at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7;
    }
    let scale = 2 ** 28;
    for (;;) {
      byte = bytes[this.at++];
      value += (byte & 127) * scale;
      if (!(byte >= 128)) return value;
      scale *= 128;
    }
  }

  /** Fills places of an array. @param {Uint8Array | Uint16Array | Uint32Array | Float64Array} out @param {number} from @param {number} to */
  fill(out, from, to) {
    const { bytes } = this;
    let { at } = this;
    for (let i = from; i < to; i++) {
      const byte = bytes[at];
      const second = bytes[at + 1];
      if (byte < 128) {
        out[i] = byte;
        at++;
      } else if (second < 128) {
        out[i] = (byte & 127) | second << 7;
        at += 2;
      } else {
        this.at = at;
        out[i] = this.next();
        at = this.at;
      }
    }
    this.at = at;
  }

  signed() {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** All 64 bits, for program counters. @returns {bigint} */
  nextBig() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      value |= BigInt(byte & 127) << shift;
      if (!(byte >= 128)) return value;
    }
  }

  get done() {
    return this.at >= this.bytes.length;
  }

  /** @returns {Reader} of a nested column */
  column() {
    const length = this.next();
    const column = new Reader(this.bytes.subarray(this.at, this.at + length));
    this.at += length;
    return column;
  }

  /** A nested column of so many numbers below 2^32. @param {number} count */
  numbers(count) {
    const column = this.column();
    return Uint32Array.from({ length: count }, () => column.next());
  }

  /** How many texts, their lengths and their bytes. @returns {string[]} */
  texts() {
    const lengths = this.numbers(this.next());
    const bytes = this.column();
    const decoder = new TextDecoder();
    return Array.from(lengths, (length) => decoder.decode(bytes.raw(length)));
  }

  /** @param {number} length */
  raw(length) {
    const bytes = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return bytes;
  }
}
