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

/** Hears what other windows keep. @param {string} key @param {(value: string) => void} heard @param {AbortSignal} signal  ends it */
export function listenToMemory(key, heard, signal) {
  window.addEventListener('storage', (event) => { if (event.key === `kutrace-${key}` && event.newValue) heard(event.newValue); }, { signal });
}

/** Forgets everything of every page. */
export function forgetAll() {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith('kutrace-')) localStorage.removeItem(key);
  } catch { /* then there was nothing */ }
}
