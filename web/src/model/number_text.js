// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them: shares, and how many there are of a thing.

/** A share that does not become 0 when there is something. @param {number} share */
export function percentText(share) {
  if (Number.isNaN(share)) return '–';
  const percent = Math.abs(share * 100);
  return `${share < 0 ? '-' : ''}${percent === 0 ? '0' : percent >= 0.01 ? percent.toFixed(2)
    : percent >= 0.0001 ? percent.toPrecision(1) : '<0.0001'} %`;
}

/** @param {number} count */
export const countText = (count) => Math.round(count).toLocaleString('en-US').replaceAll(',', '\u202f');

/** "1 CPU", "4 CPUs". @param {number} count @param {string} thing */
export const counted = (count, thing) => `${countText(count)} ${thing}${count === 1 ? '' : 's'}`;
