// SPDX-License-Identifier: BSD-3-Clause
// Calls that no slab holds may be millions: in: their columns; out: the same numbers in as few bytes as hold them.

/** @template {ArrayLike<number>} T @param {T} values @returns {T | Uint8Array | Uint16Array | Uint32Array | Int16Array} */
function narrow(values) {
  let least = 0;
  let most = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value !== Math.trunc(value)) return values;
    if (value < least) least = value;
    else if (value > most) most = value;
  }
  if (least < 0) return least >= -(2 ** 15) && most < 2 ** 15 ? Int16Array.from(values) : values;
  return most < 2 ** 8 ? Uint8Array.from(values) : most < 2 ** 16 ? Uint16Array.from(values) : most < 2 ** 32 ? Uint32Array.from(values) : values;
}

/** @param {import('./calls.js').Calls} calls @returns {import('./calls.js').Calls} */
export function narrowCalls(calls) {
  const out = { ...calls };
  for (const name of /** @type {const} */ (['own', 'onCpu', 'kind', 'thread', 'cpu', 'arg', 'result', 'pieces', 'waited'])) {
    out[name] = /** @type {any} */ (narrow(calls[name]));
  }
  return out;
}
