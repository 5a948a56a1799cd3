// SPDX-License-Identifier: BSD-3-Clause
// When a group of events was not recorded, as format/group_times.h of the program has it. In: the page's facts
// ("events", "groups_change": "1200300 +net -faults"); out: times in which the group was off on some machine.
import { FACT } from './tables.js';

/** @typedef {{begin: number, end: number}} Window  ns */

/** @param {[string, string][]} meta @returns {{at: number, words: string[]}[]} in order */
function changesOf(meta) {
  return meta.filter(([key]) => key === FACT.groupsChange).map(([, text]) => {
    const [at, ...words] = text.split(' ');
    return { at: Number(at), words };
  }).sort((a, b) => a.at - b.at);
}

/** @param {[string, string][]} meta @param {string} group @param {number} machines @returns {Window[]} disjoint, in order */
export function timesOff(meta, group, machines) {
  const changes = changesOf(meta).filter(({ words }) => words.includes(`+${group}`) || words.includes(`-${group}`));
  if (changes.length === 0) return [];
  // What is switched on first, or was not among the events at the begin, was off until then.
  const [, events] = meta.find(([key]) => key === FACT.events) ?? [];
  const offAtFirst = events !== undefined && !events.split(',').includes(group);
  /** @type {Window[]} */
  const windows = [];
  if (offAtFirst) windows.push({ begin: -Infinity, end: Infinity });
  else if (changes[0].words.includes(`+${group}`)) windows.push({ begin: -Infinity, end: changes[0].at });
  let off = offAtFirst ? machines : 0;
  for (const { at, words } of changes) {
    if (words.includes(`-${group}`) && off++ === 0) windows.push({ begin: at, end: Infinity });
    if (words.includes(`+${group}`) && off > 0 && --off === 0) windows[windows.length - 1].end = at;
  }
  return windows;
}
