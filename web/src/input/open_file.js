// SPDX-License-Identifier: BSD-3-Clause
// Opens a container that is dropped on the page or chosen: its size is bounded by the disk, not by
// what a page can hold. In: a file; out: a new trace in the same page.
import { byId, el } from '../base/dom.js';

/** @param {boolean} above whether a file is held over the page */
const showTarget = (above) => document.body.classList.toggle('dropping', above);

/** @param {(file: File) => void} open */
export function listenToDrops(open) {
  window.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    showTarget(true);
  });
  window.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) showTarget(false);
  });
  window.addEventListener('drop', (event) => {
    showTarget(false);
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    open(file);
  });
}

/** Asks for a container. @param {(file: File) => void} open */
export function chooseFile(open) {
  const input = /** @type {HTMLInputElement} */ (el('input', { type: 'file', accept: '.kux' }));
  input.addEventListener('change', () => {
    const file = input.files?.[0];
    if (file) open(file);
  });
  input.click();
}

/** What a page without a trace shows. @param {(file: File) => void} open */
export function inviteFile(open) {
  byId('trouble').replaceChildren('Drop a container here that kutrace report FILE -o trace.kux wrote, or ',
    el('button', { id: 'choose-file', onclick: () => chooseFile(open) }, 'choose one'));
  byId('trouble').hidden = false;
}
