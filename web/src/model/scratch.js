// SPDX-License-Identifier: BSD-3-Clause
// Memory for one slab after the other. Fresh memory comes page by page from the system, which takes about as long as
// what is done with it. In: types and lengths of arrays; out: arrays that hold until all are given back.

/** @typedef {{new (length: number): any, new (buffer: ArrayBuffer, at: number, length: number): any, BYTES_PER_ELEMENT: number}} ArrayType */

const ALIGNED = 8;
/** No slab that the program writes takes as much; a damaged one may ask for any. */
const MOST_KEPT = 64e6;

/** Where arrays come from. */
export class Scratch {
  constructor() {
    this.buffer = new ArrayBuffer(0);
    this.used = 0;
  }

  /** Nobody uses what was taken any more. Where there is no memory to keep, arrays go on being fresh. */
  giveBack() {
    const { used } = this;
    this.used = 0;
    if (used <= this.buffer.byteLength || used > MOST_KEPT) return;
    try {
      this.buffer = new ArrayBuffer(used);
    } catch {
      this.buffer = new ArrayBuffer(0);
    }
  }

  /**
   * With whatever it held. @template {ArrayType} T @param {T} Type @param {number} length
   * @returns {InstanceType<T>}
   */
  take(Type, length) {
    const at = this.used;
    this.used += Math.ceil(length * Type.BYTES_PER_ELEMENT / ALIGNED) * ALIGNED;
    return this.used > this.buffer.byteLength ? new Type(length) : new Type(this.buffer, at, length);
  }

  /** @template {ArrayType} T @param {T} Type @param {number} length @returns {InstanceType<T>} */
  zeros(Type, length) {
    return this.take(Type, length).fill(0);
  }
}

/** Arrays of their own, for what is kept or sent. */
export const FRESH = {
  /** @template {ArrayType} T @param {T} Type @param {number} length @returns {InstanceType<T>} */
  take: (Type, length) => new Type(length),
  /** @template {ArrayType} T @param {T} Type @param {number} length @returns {InstanceType<T>} */
  zeros: (Type, length) => new Type(length),
};

/** Of this thread. */
export const scratch = new Scratch();
