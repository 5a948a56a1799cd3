// SPDX-License-Identifier: BSD-3-Clause
// The search box's language. In: what was typed; out: which kinds, threads, CPUs, durations and
// times match, or a place to go to. All words must hold; SEARCH_WORDS lists them.
import { errnoNumber } from './errno.js';
import { counterOf, countsAnything } from './ipc.js';
import { KIND_TEXT } from './kinds.js';
import { asksForKindsAlone } from './match.js';
import { readPattern } from './patterns.js';
import { KIND } from './tables.js';
import { scopeOf } from './scope.js';

/** For the help overlay. @type {[string, string][]} */
export const SEARCH_WORDS = [
  ['write', 'names that contain it'], ['/^(read|write)$/', 'regular expression; one that could take for ever is refused'],
  ['ready  disk  unexplained', 'waits, by the word for their reason'],
  ['-write  -kind:fault  -error:', 'leading minus: not what the word after it finds'], ['!', 'button: all that does not match'],
  ['event:0x801  event:write', 'event by number or name'], ['kind:fault,interrupt', 'kinds of span, as the legend calls them'],
  ['pid:12,13  thread:bash', 'threads by number or name'], ['cpu:0,2', 'on these CPUs'],
  ['row:c0,t20,p30', 'on rows: of a CPU, a thread, a process'],
  ['min:10us max:1ms', 'duration'], ['from:39.5 to:39.6', 'seconds, as on the axis'], ['ends:39.5-39.6', 'what ended in this time'],
  ['arg:3  result:13  result:EAGAIN', 'argument, result'], ['error:', 'calls that failed'],
  ['ipc:<0.5  ipc:>2  ipc:1-2', 'instructions per cycle, where recorded'],
  ['misses:>64k', 'bytes that cache misses fetched, where recorded'],
  ['39.540', 'go there; + and - after it: closer, wider'], ['@@', 'becomes the time in view'],
];

/** @type {Record<string, number>} */
const UNITS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9, min: 60e9, h: 3600e9 };
const A_DURATION = new RegExp(`^(\\d+(?:\\.\\d+)?)(${Object.keys(UNITS).join('|')})?$`);

/** "12.5us" to ns; without a unit: µs. @param {string} text */
export function parseDuration(text) {
  const match = A_DURATION.exec(text);
  if (!match) throw new Error(`“${text}” is not a duration such as 10us`);
  return Math.round(Number(match[1]) * UNITS[match[2] ?? 'us']);
}

/**
 * @typedef {object} Query
 * @property {Uint8Array} kinds    1: the kind matches
 * @property {Uint8Array} threads  1: the thread matches
 * @property {number[] | null} cpus
 * @property {number} min  ns
 * @property {number} max
 * @property {number} from  ns
 * @property {number} to
 * @property {number} endsFrom  ns; it ends after this time
 * @property {number} endsTo    and not after this
 * @property {number} arg     -1: any
 * @property {number} result  low 16 bits; -1: any
 * @property {boolean} failed  the result is negative
 * @property {boolean} errors only results that are errors
 * @property {[number, number] | null} ipc  from and up to, instructions per cycle
 * @property {[number, number] | null} misses  from and up to, bytes
 * @property {import('./ipc.js').Counter} counter  what the trace counts
 * @property {import('./scope.js').Scope | null} rows  on which rows
 * @property {Query[]} without  what any of these finds is left out
 * @property {boolean} invert what does not match
 * @property {Grid} grid
 *
 * @typedef {{begin: number, cpuWidth: number, threadWidth: number}} Grid  of the overview, ns
 *
 * @typedef {{query: Query, trace: import('./trace.js').Trace, kindTests: ((kind: number) => boolean)[]}} Compiling
 */

/** @param {string} text @returns {(name: string) => boolean} */
function textTest(text) {
  const regex = /^\/(.*)\/(i?)$/.exec(text);
  if (regex) {
    const pattern = readPattern(regex[1], regex[2]);
    return (name) => pattern.test(name);
  }
  const lower = text.toLowerCase();
  return (name) => name.toLowerCase().includes(lower);
}

/** By name, by the word for a wait's reason, or what runs in user mode by its thread's label. @param {string} text @param {import('./trace.js').Trace} trace @returns {(kind: number) => boolean} */
function nameTest(text, trace) {
  const test = textTest(text);
  const isLabel = labelTest(text, trace);
  return (kind) => test(trace.name(kind)) || test(trace.label(kind)) || (trace.owner[kind] > 1 && isLabel(trace.owner[kind]));
}

/** Whether a thread is called so where it is shown: "bash.1200". @param {string} text @param {import('./trace.js').Trace} trace @returns {(thread: number) => boolean} */
function labelTest(text, trace) {
  const lower = text.toLowerCase();
  return (thread) => trace.threadLabel(thread).toLowerCase() === lower;
}

/** @param {string} text @param {string} what */
function number(text, what) {
  const value = text === '' ? NaN : Number(text);
  if (Number.isNaN(value)) throw new Error(`“${text}” is not ${what}`);
  return value;
}

/** Seconds to whole ns, as times are. @param {string} text */
const time = (text) => Math.round(number(text, 'a time in seconds') * 1e9);

/** @param {string} text @param {string} what */
const numbers = (text, what) => text.split(',').map((part) => number(part, what));

/** @param {Compiling} c @param {(thread: import('./trace.js').Thread, i: number) => boolean} test */
function keepThreads({ query, trace }, test) {
  trace.threads.forEach((thread, i) => { query.threads[i] &= Number(test(thread, i)); });
}

const SIZES = { '': 1, k: 1024, m: 2 ** 20 };

/** "<2", ">64k", "1-2", "1" as from and up to. @param {string} text @param {string} what @returns {[number, number]} */
function bounds(text, what) {
  const [, sign, low, size, high, highSize] = /^([<>]?)(\d*\.?\d+)([km]?)(?:-(\d*\.?\d+)([km]?))?$/i.exec(text) ?? [];
  if (low === undefined) throw new Error(`“${text}” is no ${what}`);
  const scaled = (/** @type {string} */ n, /** @type {string} */ unit) => Number(n) * SIZES[/** @type {keyof typeof SIZES} */ (unit.toLowerCase())];
  const from = scaled(low, size);
  return sign === '<' ? [0, from] : sign === '>' ? [from, Infinity] : [from, high === undefined ? from : scaled(high, highSize)];
}

const letters = (/** @type {string} */ text) => text.toLowerCase().replace(/\W/g, '');

/** Kinds of span whose name, or that of the code, begins so. @param {string} text @returns {Set<number>} */
function kindsNamed(text) {
  const wanted = letters(text);
  if (wanted === '') throw new Error('kind: is followed by a kind, such as kind:fault');
  const names = Object.entries(KIND).map(([name, kind]) => ({ kind, short: letters(name), long: letters(KIND_TEXT[kind][0]) }));
  const exact = names.filter(({ short, long }) => short === wanted || long === wanted);
  const found = exact.length > 0 ? exact : names.filter(({ short, long }) => short.startsWith(wanted) || long.startsWith(wanted));
  if (found.length === 0) throw new Error(`“${text}” is no kind: try ${KIND_TEXT.slice(0, 8).map(([name]) => name.replace(/\W/g, '')).join(', ')} …`);
  return new Set(found.map(({ kind }) => kind));
}

/** What stands before a colon. @type {Record<string, (value: string, c: Compiling) => void>} */
const KEYS = {
  min: (value, { query }) => { query.min = parseDuration(value); },
  max: (value, { query }) => { query.max = parseDuration(value); },
  from: (value, { query }) => { query.from = time(value); },
  to: (value, { query }) => { query.to = time(value); },
  ends: (value, { query }) => {
    const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(value) ?? [];
    if (to === undefined) throw new Error(`“${value}” is no time from and to such as 39.5-39.6`);
    [query.endsFrom, query.endsTo] = [time(from), time(to)];
  },
  arg: (value, { query }) => { query.arg = number(value, 'an argument'); },
  result: (value, { query }) => {
    const error = errnoNumber(value);
    const result = error > 0 ? -error : number(value, 'a result or the name of an error');
    query.failed = result < 0;
    query.result = result & 0xffff;
  },
  ipc: (value, { query, trace }) => {
    if (query.counter === 'misses') throw new Error('this trace counts cache misses, not instructions: misses:>64k');
    if (!countsAnything(trace.header.flags)) throw new Error('this trace does not count instructions');
    query.ipc = bounds(value, 'IPC such as <0.5, >2 or 1-2');
  },
  misses: (value, { query }) => {
    if (query.counter === 'ipc') throw new Error('this trace does not count cache misses');
    query.misses = bounds(value, 'size such as >64k, <1m or 64k-1m');
  },
  error: (_, { query }) => { query.errors = true; },
  cpu: (value, { query }) => { query.cpus = numbers(value, 'the number of a CPU'); },
  row: (value, { query, trace }) => {
    query.rows = scopeOf(trace, value.split(','));
    if (!query.rows) throw new Error(`“${value}” is no row: c0 is a CPU, t20 a thread, p20 all threads of a process`);
  },
  pid: (value, c) => {
    const pids = new Set(numbers(value, 'the number of a thread'));
    keepThreads(c, (thread) => pids.has(thread.pid));
  },
  thread: (value, c) => {
    const test = textTest(value);
    const isLabel = labelTest(value, c.trace);
    keepThreads(c, (thread, i) => test(thread.name) || isLabel(i));
  },
  kind: (value, { trace, kindTests }) => {
    const wanted = new Set(value.split(',').flatMap((name) => [...kindsNamed(name)]));
    kindTests.push((k) => wanted.has(trace.what[k]));
  },
  event: (value, { trace, kindTests }) => {
    const event = value === '' ? NaN : Number(value);
    const test = nameTest(value, trace);
    kindTests.push((k) => (Number.isNaN(event) ? test(k) : trace.event[k] === event));
  },
};

/** Names that begin with a minus, and would be taken for "must not contain". */
const DASHED = /^-(idle|sched|wakeup|c-exit|loss|freq|ipi)/;

/** Leaves out what a word finds. @param {Query} found @param {Compiling} c */
function leaveOut(found, { query, kindTests }) {
  if (asksForKindsAlone(found)) kindTests.push((k) => found.kinds[k] === 0);
  else query.without.push(found);
}

/** @param {string} word @param {Compiling} c */
function addWord(word, c) {
  const [, minus, key, value] = /^(-?)([a-z]+):(.*)$/.exec(word) ?? [];
  if (key && Object.hasOwn(KEYS, key)) {
    if (minus) leaveOut(compiled([word.slice(1)], c.trace, c.query.grid), c);
    else KEYS[key](value, c);
  } else if (word.length > 1 && word[0] === '-' && !DASHED.test(word)) {
    const test = nameTest(word.slice(1), c.trace);
    c.kindTests.push((k) => !test(k));
  } else {
    c.kindTests.push(nameTest(word, c.trace));
  }
}

/** @param {Query} query */
function refuseEmptyBounds({ min, max, from, to }) {
  if (min > max) throw new Error('min: is longer than max:');
  if (from > to) throw new Error('from: is later than to:');
}

/** @param {string[]} words @param {import('./trace.js').Trace} trace @param {Grid} grid @returns {Query} what all of them find */
function compiled(words, trace, grid) {
  /** @type {Query} */
  const query = {
    kinds: new Uint8Array(trace.kindCount), threads: new Uint8Array(trace.threads.length).fill(1),
    cpus: null, min: 0, max: Infinity, from: -Infinity, to: Infinity, endsFrom: -Infinity, endsTo: Infinity, arg: -1, result: -1, failed: false,
    errors: false, ipc: null, misses: null, rows: null, without: [], counter: counterOf(trace.header.flags), invert: false,
    grid: { begin: grid.begin, cpuWidth: grid.cpuWidth, threadWidth: grid.threadWidth },
  };
  /** @type {Compiling} */
  const compiling = { query, trace, kindTests: [] };
  for (const word of words) addWord(word, compiling);
  for (let k = 0; k < trace.kindCount; k++) query.kinds[k] = Number(compiling.kindTests.every((test) => test(k)));
  refuseEmptyBounds(query);
  return query;
}

/**
 * @param {string} text
 * @param {import('./trace.js').Trace} trace
 * @param {Grid} grid
 * @param {boolean} [invert]
 * @returns {Query | null} null: nothing was typed
 */
export function compileQuery(text, trace, grid, invert = false) {
  const words = text.match(/-?(?:[a-z]+:)?\/(?:[^/\\]|\\.)*\/i?(?=\s|$)|\S+/g) ?? [];
  return words.length === 0 ? null : { ...compiled(words, trace, grid), invert };
}

/** What may have been meant where nothing was found. @param {string} text @returns {string} */
export function noMatchText(text) {
  for (const word of text.split(/\s+/)) {
    const [, key] = /^-?([a-z]+):/.exec(word) ?? [];
    if (key && !Object.hasOwn(KEYS, key)) return `no match; unknown word ${key}:`;
    if (A_DURATION.exec(word)?.[2]) return `no match; a duration is min:${word} or max:${word}`;
  }
  return 'no match';
}

const MOST_STEPS = 8;

/**
 * "39.540" or "1:39.540": a place to go to. Five of the last digit's units are to be seen to either
 * side; each + or - after it makes that closer or wider by 1, 2, 5.
 * @param {string} text
 * @returns {{t0: number, t1: number} | null} ns
 */
export function parsePlace(text) {
  const match = /^(?:(\d+):)?(\d+)\.(\d+)([+-]*)$/.exec(text.trim());
  if (!match) return null;
  const [, minutes = '0', seconds, fraction, signs] = match;
  const middle = Math.round((Number(minutes) * 60 + Number(`${seconds}.${fraction}`)) * 1e9);
  const steps = [...signs].slice(0, MOST_STEPS).reduce((sum, sign) => sum + (sign === '+' ? -1 : 1), 0);
  const factor = 10 ** Math.floor(steps / 3) * [1, 2, 5][((steps % 3) + 3) % 3];
  const half = 5 * 10 ** (9 - fraction.length) * factor;
  return { t0: middle - half, t1: middle + half };
}

/** The shortest place that shows about the view, what "@@" becomes. @param {{t0: number, t1: number}} view ns */
export function placeText(view) {
  const digits = Math.max(1, Math.min(9, Math.round(9 - Math.log10((view.t1 - view.t0) / 10))));
  return ((view.t0 + view.t1) / 2e9).toFixed(digits);
}
