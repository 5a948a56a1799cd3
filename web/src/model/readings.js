// SPDX-License-Identifier: BSD-3-Clause
// Counters of the machine and of processes over time, as steps. In: the page's facts ("counter",
// "reading"); out: of each one that changes its steps. What counts up is told by its rate.
import { percentText } from './number_text.js';
import { FACT } from './tables.js';

/**
 * @typedef {object} Counter
 * @property {string} id       stays the same in pages of one trace
 * @property {string} name
 * @property {number} process  -1: of the machine
 * @property {string} unit     of its steps: bytes, events, tasks, ns, Hz, mdegC, count
 * @property {boolean} isRate  steps are per second
 * @property {number[]} at     ns, ascending: when each step begins
 * @property {number[]} value  until the next step; NaN: not known
 * @property {number} lowest
 * @property {number} highest
 */

/** Steps are shares of the time. @param {Pick<Counter, 'unit' | 'isRate'>} counter */
const isShare = ({ unit, isRate }) => unit === 'ns' && isRate;
/** A share of the time is at most 1 s/s; readings are not taken at the very moment that they tell. */
const JITTER = 1.01;
const LEAST_TOP = 1e7;  // ns/s: 1 %, so that next to nothing does not look like all of the time

/** What a row's foot and top stand for. @param {Counter} counter @returns {[number, number]} */
export function rangeOf(counter) {
  const { lowest, highest } = counter;
  return [counter.unit === 'tasks' ? Math.min(0, lowest) : lowest, isShare(counter) ? Math.max(highest, LEAST_TOP) : highest];
}

/** @param {string} text "3 level bytes - mem_free" */
function toldOf(text) {
  const [, number, kind, unit, process, name] = /^(\d+) (level|total) (\S+) (-|\d+) (.+)$/.exec(text) ?? [];
  return number === undefined ? null : { number: Number(number), isRate: kind === 'total', unit, process: process === '-' ? -1 : Number(process), name };
}

/** @param {[string, string][]} meta @returns {Counter[]} of the machine first */
export function countersOf(meta) {
  /** @type {Map<number, {told: NonNullable<ReturnType<typeof toldOf>>, at: number[], value: number[]}>} */
  const series = new Map();
  /** @type {number[]} */
  const times = [];
  for (const [key, text] of meta) {
    const told = key === FACT.counter ? toldOf(text) : null;
    if (told && !series.has(told.number)) series.set(told.number, { told, at: [], value: [] });
  }
  for (const [key, text] of meta) {
    if (key !== FACT.reading) continue;
    const [time, ...values] = text.split(' ');
    const at = Number(time);
    if (times.at(-1) !== at) times.push(at);
    for (const one of values) {
      const [number, value] = one.split('=');
      const of = series.get(Number(number));
      of?.at.push(at);
      of?.value.push(value === '-' ? NaN : Number(value));
    }
  }
  /** @type {Map<string, number>} */
  const again = new Map();
  return [...series.values()].sort((a, b) => a.told.process - b.told.process).flatMap(({ told, at, value }) => {
    const { name, process, unit, isRate } = told;
    const key = `k${process}.${name}`;
    const which = again.get(key) ?? 0;
    again.set(key, which + 1);
    if (!value.some((v, i) => i > 0 && v !== value[i - 1] && !Number.isNaN(v) && !Number.isNaN(value[i - 1]))) return [];
    const steps = isRate ? ratesOf(at, value, times) : { at, value };
    if (isShare(told)) steps.value = steps.value.map((v) => (v > 1e9 && v < JITTER * 1e9 ? 1e9 : v));
    const known = steps.value.filter((v) => !Number.isNaN(v));
    return [{ id: which > 0 ? `${key}.${which}` : key, name, process, unit, isRate, ...steps,
      lowest: isRate ? 0 : known.reduce((a, b) => Math.min(a, b)), highest: known.reduce((a, b) => Math.max(a, b)) }];
  });
}

/**
 * A value that is told grew since the reading before, of which there are many more than values of one counter.
 * @param {number[]} at @param {number[]} value @param {number[]} times of all readings
 */
function ratesOf(at, value, times) {
  /** @type {{at: number[], value: number[]}} */
  const steps = { at: [], value: [] };
  const step = (/** @type {number} */ from, /** @type {number} */ rate) => {
    if (steps.at.at(-1) === from) steps.value[steps.value.length - 1] = rate;
    else steps.at.push(from), steps.value.push(rate);
  };
  let t = 0;
  for (let i = 0; i < at.length; i++) {
    if (i > 0 && !Number.isNaN(value[i]) && !Number.isNaN(value[i - 1])) {
      while (t < times.length && times[t] < at[i]) t++;
      const before = Math.max(at[i - 1], times[t - 1] ?? at[i - 1]);
      step(before, (value[i] - value[i - 1]) * 1e9 / Math.max(1, at[i] - before));
    }
    step(at[i], Number.isNaN(value[i]) ? NaN : 0);
  }
  return steps;
}

/** Which step holds at a time; -1: none does yet. @param {Counter} counter @param {number} time */
export function stepAt({ at }, time) {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @type {Record<string, [number, string][]>} */
const SCALES = { bytes: [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'KB'], [1, 'bytes']], Hz: [[1e9, 'GHz'], [1e6, 'MHz'], [1, 'Hz']],
  mdegC: [[1000, '°C']], ns: [[1e9, 's'], [1e6, 'ms'], [1, 'ns']] };

/** "16.1 – 16.2 GB". @param {Pick<Counter, 'unit' | 'isRate'>} counter @param {number} lowest @param {number} highest */
export function rangeText(counter, lowest, highest) {
  const [from, to] = [readingText(counter, lowest), readingText(counter, highest)];
  const unit = to.slice(to.search(/ ?[^\d.\u202f-]*$/));
  return `${unit && from.endsWith(unit) ? from.slice(0, -unit.length) : from} – ${to}`;
}

/** "16.66 GB", "81 925 /s", "3.2 %" of the time. @param {Pick<Counter, 'unit' | 'isRate'>} counter @param {number} value */
export function readingText({ unit, isRate }, value) {
  if (Number.isNaN(value)) return 'not known';
  if (isShare({ unit, isRate })) return percentText(value / 1e9);
  const scale = Object.hasOwn(SCALES, unit) ? SCALES[unit] : [];  // a unit may be any text
  const [size, name] = scale.find(([least]) => Math.abs(value) >= least) ?? scale.at(-1) ?? [1, ''];
  const digits = value === 0 || (size === 1 && !isRate) ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value) / size)));
  const text = Number((value / size).toFixed(Math.min(3, digits))).toLocaleString('en-US').replaceAll(',', '\u202f');
  return `${text}${name ? ` ${name}` : ''}${isRate ? '/s' : ''}`;
}
