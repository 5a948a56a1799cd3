// SPDX-License-Identifier: BSD-3-Clause
// Which of a palette's colours of programs something has. In: what it is; out: a number below HUES.
import { KIND } from './tables.js';

const HUES = 10;
/** A sample that is not drawn, since nothing ran. */
export const NO_HUE = 255;
const BY_ADDRESS = 254;

const LAST_OF_NO_ONE = 1;  // threads up to this are none

/** Neighbouring thread numbers get colours far apart. @param {number} process */
export const userColour = (process) => ((Math.imul(process, 0x9e3779b1) >>> 8) % HUES);

/** Of sampled code. @param {string} name */
export function nameColour(name) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 8) % HUES;
}

/**
 * Of each kind of the dictionary, if its spans are samples.
 * @param {Uint8Array} what @param {string[]} names
 */
export const sampleKindHues = (what, names) => Uint8Array.from(what, (kind, k) => (
  kind !== KIND.sample ? NO_HUE : names[k] ? nameColour(names[k]) : BY_ADDRESS));

/**
 * Equal routines have equal colours; where they have no names, equal program counters.
 * @param {{count: number, kind: Uint32Array, thread: Uint32Array, value: BigUint64Array | null}} overlays
 * @param {Uint8Array} kindHues
 * @returns {Uint8Array | null} null: there is no sample
 */
export function sampleHues({ count, kind, thread, value }, kindHues) {
  if (!kind.some((k) => kindHues[k] !== NO_HUE)) return null;
  const halves = value && new Uint32Array(value.buffer, value.byteOffset, 2 * value.length);  // low ones first
  const hues = new Uint8Array(count).fill(NO_HUE);
  for (let i = 0; i < count; i++) {
    const hue = thread[i] > LAST_OF_NO_ONE ? kindHues[kind[i]] : NO_HUE;
    hues[i] = hue === BY_ADDRESS ? userColour(halves ? halves[2 * i] : 0) : hue;
  }
  return hues;
}
