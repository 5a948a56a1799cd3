// SPDX-License-Identifier: BSD-3-Clause
// The search box's language. In: what was typed; out: which kinds, threads, CPUs and durations match.
//
//   write            names that contain "write"; /^wr/ is a regular expression; -text must not match
//   event:0x801 pid:1200 cpu:2 kind:syscall min:10us max:1ms error:
// Everything must hold.
import { KIND_TEXT } from './kinds.js';

/** For the help overlay. @type {[string, string][]} */
export const SEARCH_WORDS = [
  ['write', 'names that contain it'], ['/^(read|write)$/', 'regular expression'],
  ['-write', 'leading minus: must not contain'], ['event:0x801 pid:12 cpu:0,2', 'number, thread, CPUs'],
  ['thread:bash kind:fault', 'thread name, kind of span'], ['min:10us max:1ms', 'duration'],
  ['error:', 'calls that failed'],
];

/** @type {Record<string, number>} */
const UNITS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** "12.5us" to ns; without a unit: µs. @param {string} text */
export function parseDuration(text) {
  const match = /^(\d+(?:\.\d+)?)(ns|us|µs|ms|s)?$/.exec(text);
  if (!match) throw new Error(`“${text}” is not a duration such as 10us`);
  return Number(match[1]) * UNITS[match[2] ?? 'us'];
}

/**
 * @typedef {object} Query
 * @property {Uint8Array} kinds    1: the kind matches
 * @property {Uint8Array} threads  1: the thread matches
 * @property {number[] | null} cpus
 * @property {number} min  ns
 * @property {number} max
 * @property {boolean} errors  only results that are errors
 */

/** @param {string} text */
function textTest(text) {
  const regex = /^\/(.*)\/(i?)$/.exec(text);
  if (regex) {
    const pattern = new RegExp(regex[1], regex[2]);
    return (/** @type {string} */ name) => pattern.test(name);
  }
  const lower = text.toLowerCase();
  return (/** @type {string} */ name) => name.toLowerCase().includes(lower);
}

/**
 * @param {string} text
 * @param {import('./trace.js').Trace} trace
 * @returns {Query | null} null: nothing was typed
 */
export function compileQuery(text, trace) {
  /** @type {((kind: number) => boolean)[]} */
  const kindTests = [];
  /** @type {Query} */
  const query = {
    kinds: new Uint8Array(trace.kindCount), threads: new Uint8Array(trace.threads.length).fill(1),
    cpus: null, min: 0, max: Infinity, errors: false,
  };
  const words = text.match(/\/(?:[^/\\]|\\.)*\/i?(?=\s|$)|\S+/g) ?? [];
  if (words.length === 0) return null;
  for (const word of words) {
    const [, key, value] = /^(event|pid|cpu|kind|min|max|error|thread):(.*)$/.exec(word) ?? [];
    if (key === 'min') query.min = parseDuration(value);
    else if (key === 'max') query.max = parseDuration(value);
    else if (key === 'error') query.errors = true;
    else if (key === 'cpu') query.cpus = value.split(',').map(Number);
    else if (key === 'pid') {
      const pids = new Set(value.split(',').map(Number));
      trace.threads.forEach((t, i) => { query.threads[i] &= Number(pids.has(t.pid)); });
    } else if (key === 'thread') {
      const test = textTest(value);
      trace.threads.forEach((t, i) => { query.threads[i] &= Number(test(t.name)); });
    } else if (key === 'kind') {
      kindTests.push((k) => KIND_TEXT[trace.what[k]][0].replace(/\W/g, '')
        .includes(value.toLowerCase().replace(/\W/g, '')));
    } else if (key === 'event') {
      const number = Number(value);
      const test = textTest(value);
      kindTests.push((k) => (Number.isNaN(number) ? test(trace.name(k)) : trace.event[k] === number));
    } else if (word.length > 1 && word[0] === '-' && !/^-(idle|sched|wakeup|c-exit|loss)/.test(word)) {
      const test = textTest(word.slice(1));
      kindTests.push((k) => !test(trace.name(k)));
    } else {
      const test = textTest(word);
      kindTests.push((k) => test(trace.name(k)));
    }
  }
  for (let k = 0; k < trace.kindCount; k++) {
    query.kinds[k] = Number(kindTests.every((test) => test(k)));
  }
  return query;
}
