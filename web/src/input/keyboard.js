// SPDX-License-Identifier: BSD-3-Clause
// Keys to actions. Letters work wherever no text is being typed.

/** @param {Record<string, (event: KeyboardEvent) => void>} actions by key, lower case */
export function listenToKeys(actions) {
  window.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.key === 'Escape') {
      if (typing) /** @type {HTMLElement} */ (event.target).blur();
      actions.escape(event);
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const onControl = event.target instanceof HTMLElement && event.target.closest('button, a, summary, [tabindex="0"]')
      && (event.key === 'Enter' || event.key === ' ');
    const action = actions[event.key.toLowerCase()];
    if (!action || onControl) return;
    event.preventDefault();
    action(event);
  });
}
