// SPDX-License-Identifier: BSD-3-Clause
// Keys to commands. Letters work wherever no text is being typed.

/**
 * A pressed key as commands name it: "w", "shift+w", "?", "shift+1", "ctrl+z", "arrowleft".
 * Shift is told only where the character itself does not tell it; digits go by their place, since
 * some layouts need Shift for them. Others have characters there that mean something: these go first.
 * @param {{key: string, code: string, shiftKey: boolean, ctrlKey: boolean, metaKey: boolean, altKey: boolean, getModifierState?: (key: string) => boolean}} event
 * @param {(key: string) => boolean} means  whether it is a command's
 */
export function keyName(event, means) {
  const digit = /^Digit(\d)$/.exec(event.code);
  const typed = event.getModifierState?.('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey);
  if (digit && typed && /^\D$/.test(event.key) && means(event.key)) return event.key;
  const letter = event.key.length > 1 || /^\p{L}$/u.test(event.key);
  // Where letters are not Latin, what stands at a letter's place counts.
  const place = /^Key([A-Z])$/.exec(event.code);
  const foreign = place && event.key.length === 1 && letter && !/\p{Script=Latin}/u.test(event.key);
  const key = digit ? digit[1] : foreign ? place[1].toLowerCase() : event.key === ' ' ? 'space' : event.key.toLowerCase();
  return `${event.ctrlKey || event.metaKey ? 'ctrl+' : ''}${event.altKey ? 'alt+' : ''}${
    event.shiftKey && (letter || digit) ? 'shift+' : ''}${key}`;
}

/** @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  || (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type));

/** What scrolls the part of the page that has the focus. */
const SCROLLING = new Set(['arrowup', 'arrowdown', 'pageup', 'pagedown', 'home', 'end']);

/** @param {EventTarget | null} target @param {string} key */
const belongsToControl = (target, key) => target instanceof HTMLElement
  && (((key === 'enter' || key === 'space') && target.closest('button, a, summary, tr, input, [role]') !== null)
    || (SCROLLING.has(key) && target.closest('#side, #drawer') !== null)
    || (key.startsWith('arrow') && target.closest('[role="menu"], [role="radiogroup"], input') !== null));

/** @param {import('./commands.js').Command[]} commands @param {AbortSignal} signal  ends it */
export function listenToKeys(commands, signal) {
  /** @type {Map<string, import('./commands.js').Command>} */
  const byKey = new Map(commands.flatMap((command) => command.keys.map((key) => [key, command])));
  window.addEventListener('keydown', (event) => {
    const key = keyName(event, (one) => byKey.has(one));
    const typing = isTyping(event.target);
    // Out of a box first; what was typed stays.
    if (typing && key === 'escape' && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      document.getElementById('plot')?.focus();
    }
    const command = byKey.get(key);
    if (!command || typing) return;
    if (belongsToControl(event.target, key) || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    command.run(event);
  }, { signal });
}
