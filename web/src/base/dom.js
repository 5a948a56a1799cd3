// SPDX-License-Identifier: BSD-3-Clause
// Elements from plain calls. Text always becomes text nodes, so names can never be markup.

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]  on* are listeners, `class` is the class
 * @param {...(Node | string | null | undefined)} children
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/**
 * Changes what a box holds. The focus stays on what stands for what had it: the head of a table, its chosen row,
 * an element with an id.
 * @param {HTMLElement} box @param {() => void} change
 */
export function keepFocus(box, change) {
  const before = box.contains(document.activeElement) ? document.activeElement : null;
  const heads = () => [...box.querySelectorAll('th')];
  const head = heads().findIndex((one) => one.contains(before));
  const inRow = Boolean(before?.closest('tbody tr'));
  change();
  if (!before || before.isConnected) return;
  const after = head >= 0 ? heads()[head]?.querySelector('button')
    : inRow ? box.querySelector('tr[aria-selected="true"]') : document.getElementById(before.id);
  /** @type {HTMLElement | null | undefined} */ (after)?.focus({ preventScroll: true });
}

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * @param {string[]} heads
 * @param {(string | number)[][]} rows
 * @param {(row: number) => void} [onRow]
 */
export function table(heads, rows, onRow) {
  return el('table', {},
    el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', {}, head)))),
    el('tbody', {}, ...rows.map((row, i) => el('tr',
      onRow ? { class: 'link', tabindex: 0, onclick: () => onRow(i),
        onkeydown: (/** @type {KeyboardEvent} */ e) => { if (e.key === 'Enter') onRow(i); } } : {},
      ...row.map((cell) => el('td', {}, String(cell)))))));
}

/** @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el('textarea', {});
    /** @type {any} */ (area).value = text;
    document.body.append(area);
    /** @type {any} */ (area).select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/**
 * Hands a file to the browser to save.
 * @param {Blob} blob @param {string} title  what its name is made of @param {string} ending
 */
export function saveFile(blob, title, ending) {
  const name = title.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|-+$/g, '').slice(0, 60) || 'trace';
  const url = URL.createObjectURL(blob);
  /** @type {HTMLAnchorElement} */ (el('a', { href: url, download: `${name}${ending}` })).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
