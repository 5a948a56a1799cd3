// SPDX-License-Identifier: BSD-3-Clause
// What a viewer remembers between pages, as text by name. A browser may refuse it; then nothing is
// remembered and nothing else changes.

/** @param {string} key @returns {string | null} */
export function recall(key) {
  try {
    return localStorage.getItem(`kutrace-${key}`);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function keep(key, value) {
  try {
    localStorage.setItem(`kutrace-${key}`, value);
  } catch { /* not remembered then */ }
}

/** Forgets everything of every page. */
export function forgetAll() {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith('kutrace-')) localStorage.removeItem(key);
  } catch { /* then there was nothing */ }
}
