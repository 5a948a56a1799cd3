// SPDX-License-Identifier: BSD-3-Clause
// Finds overlays by what they belong to. In: the overlays of a slab; out: lists by thread, CPU or
// object, each by start, that can be asked for a range without looking at all of it.
import { CAPTURED, KIND, OBJECT, RX_PACKET, TX_USER } from './tables.js';

/** @typedef {import('./slab.js').Overlays} Overlays */

/** Seen by the kernel, by a program, or by a packet capture. @param {number} event */
export const isPacket = (event) => (event >= RX_PACKET && event <= TX_USER) || event === CAPTURED;

/** What a list holds; an id stands beside it: a thread, a CPU, a lock, ... */
export const LIST = Object.freeze({
  rpc: OBJECT.rpc, lock: OBJECT.lock, queue: OBJECT.queue, frequency: OBJECT.frequency,
  network: OBJECT.network, marks: OBJECT.marks,
  waits: 8, locksOfThread: 9, samplesOfThread: 10, samplesOfCpu: 11, arcs: 12, marksOfThread: 13,
  marksOfCpu: 14, waitsOfCpu: 15, wokenBy: 16, ipisTo: 17, wakes: 18,
  functionsOfThread: 19,
});

const STRIDE = 64;
/** To look for where to go on costs as much as so many visits. */
const WORTH = 8;

/**
 * Lists one after another, each ordered by start.
 * @typedef {object} OverlayIndex
 * @property {Float64Array} keys       list and id, ascending
 * @property {Uint32Array} first       where each begins in `at`; one more than keys
 * @property {Uint32Array} at          positions in the overlays
 * @property {Float64Array} latest     per STRIDE places of a list: latest end of these and all before
 * @property {Float64Array} longest    per STRIDE places: duration of the longest
 * @property {Uint32Array} latestFirst where each list's begin
 */

/** @param {number} list @param {number} id */
const keyOf = (list, id) => list * 2 ** 32 + id;

/**
 * Lists that an overlay belongs to, as keys.
 * @param {Overlays} o @param {number} i @param {number} kind @param {number} event
 * @param {(list: number, id: number) => void} add
 */
function listsOf(o, i, kind, event, add) {
  const thread = o.thread[i];
  const arg = o.arg ? o.arg[i] : 0;
  const rpc = o.rpc ? o.rpc[i] & 0xffff : 0;
  if (rpc > 0) add(LIST.rpc, rpc);
  switch (kind) {
    case KIND.wait:
      if (o.cpu[i] >= 0) add(LIST.waitsOfCpu, o.cpu[i]);
      else add(LIST.waits, thread);
      return;
    case KIND.lockHeld:
    case KIND.lockWanted:
      add(LIST.lock, arg);
      if (o.cpu[i] >= 0) add(LIST.waitsOfCpu, o.cpu[i]);
      else add(LIST.locksOfThread, thread);
      return;
    case KIND.function:
      add(LIST.functionsOfThread, thread);
      return;
    case KIND.queued:
      add(LIST.queue, arg);
      return;
    case KIND.frequency:
      add(LIST.frequency, o.cpu[i]);
      return;
    case KIND.message:
      add(LIST.network, 0);
      return;
    case KIND.point:
      if (isPacket(event)) add(LIST.network, 0);
      return;
    case KIND.sample:
      add(LIST.samplesOfThread, thread);
      add(LIST.samplesOfCpu, o.cpu[i]);
      return;
    case KIND.mark:
      add(LIST.marks, 0);
      add(LIST.marksOfThread, thread);
      add(LIST.marksOfCpu, o.cpu[i]);
      return;
    case KIND.wakeupArc:
      if (o.other) add(LIST.wokenBy, o.other[i]);
      add(LIST.wakes, thread);
      add(LIST.arcs, 0);
      return;
    case KIND.ipiArc:
      add(LIST.ipisTo, arg);
      add(LIST.arcs, 0);
      return;
    default:
  }
}

/**
 * @param {Overlays} o
 * @param {Uint8Array} what   per kind of the dictionary
 * @param {Uint32Array} event
 * @param {number[]} [left]  kinds that are in no list
 * @returns {OverlayIndex}
 */
export function indexOverlays(o, what, event, left = []) {
  /** @type {Map<number, number>} */
  const slots = new Map();
  /** @type {number[]} */
  const sizes = [];
  /** @type {number[]} */
  const slotOf = [];
  /** @type {number[]} */
  const position = [];
  for (let i = 0; i < o.count; i++) {
    if (left.includes(what[o.kind[i]])) continue;
    listsOf(o, i, what[o.kind[i]], event[o.kind[i]], (list, id) => {
      const key = keyOf(list, id);
      let slot = slots.get(key);
      if (slot === undefined) {
        slot = sizes.length;
        slots.set(key, slot);
        sizes.push(0);
      }
      sizes[slot]++;
      slotOf.push(slot);
      position.push(i);
    });
  }
  const keys = Float64Array.from(slots.keys()).sort();
  const first = new Uint32Array(keys.length + 1);
  const latestFirst = new Uint32Array(keys.length + 1);
  const write = new Uint32Array(keys.length);  // by slot
  keys.forEach((key, k) => {
    const slot = Number(slots.get(key));
    write[slot] = first[k];
    first[k + 1] = first[k] + sizes[slot];
    latestFirst[k + 1] = latestFirst[k] + Math.ceil(sizes[slot] / STRIDE);
  });
  const at = new Uint32Array(position.length);
  for (let n = 0; n < position.length; n++) at[write[slotOf[n]]++] = position[n];
  const latest = new Float64Array(latestFirst[keys.length]);
  const longest = new Float64Array(latest.length);
  for (let k = 0; k < keys.length; k++) {
    let end = -Infinity;
    for (let n = first[k]; n < first[k + 1]; n++) {
      const stride = latestFirst[k] + Math.floor((n - first[k]) / STRIDE);
      end = Math.max(end, o.end[at[n]]);
      latest[stride] = end;
      longest[stride] = Math.max(longest[stride], o.end[at[n]] - o.start[at[n]]);
    }
  }
  return { keys, first, at, latest, longest, latestFirst };
}

/** @param {OverlayIndex} index @param {number} list @param {number} id @returns {number} -1: no such */
function placeOf(index, list, id) {
  const key = keyOf(list, id);
  const k = firstPlace(index.keys.length, (n) => index.keys[n] >= key);
  return k < index.keys.length && index.keys[k] === key ? k : -1;
}

/** First place in [0, size) where `past` holds; it holds for all after it. */
function firstPlace(/** @type {number} */ size, /** @type {(n: number) => boolean} */ past) {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (past(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * First place in [from, size) where `past` holds, found near `from` at little cost.
 * @param {number} from @param {number} size @param {(n: number) => boolean} past
 */
function nextPlace(from, size, past) {
  let step = 1;
  let low = from;
  while (low + step < size && !past(low + step)) {
    low += step;
    step *= 2;
  }
  const high = Math.min(size, low + step);
  return low + firstPlace(high - low, (n) => past(low + n));
}

/**
 * Visits the overlays of one list that touch [t0, t1], by start. A visitor that returns true has
 * seen enough; one that returns a time may go on with the last overlay that begins at or before it,
 * so that a pixel that holds thousands need not visit each.
 * @param {Overlays[]} parts  of one trace, by time
 * @param {number} list  of LIST
 * @param {number} id
 * @param {{t0: number, t1: number}} range
 * @param {(o: Overlays, i: number) => boolean | number | void} visit
 */
export function eachOverlay(parts, list, id, range, visit) {
  for (const o of parts) {
    const { at } = o.index;
    const { begin, stop } = placesIn(o, list, id, range);
    for (let n = begin; n < stop;) {
      const answer = o.end[at[n]] >= range.t0 ? visit(o, at[n]) : false;
      if (answer === true) return;
      n++;
      if (typeof answer === 'number' && n + WORTH < stop && o.start[at[n + WORTH]] <= answer) {
        n = nextPlace(n, stop, (m) => o.start[at[m]] > answer) - 1;
      }
    }
  }
}

/**
 * As eachOverlay, but may leave out those that are shorter than `least()` says when their turn comes.
 * @param {Overlays[]} parts @param {number} list @param {number} id @param {{t0: number, t1: number}} range
 * @param {() => number} least
 * @param {(o: Overlays, i: number) => void} visit
 * @returns {number} how many there are, those left out too
 */
export function eachLongOverlay(parts, list, id, range, least, visit) {
  let count = 0;
  for (const o of parts) {
    const { at, longest } = o.index;
    const { begin, stop, strides } = placesIn(o, list, id, range);
    for (let n = begin; n < stop;) {
      const next = Math.min(stop, n + STRIDE);
      if (longest[strides + (n - begin) / STRIDE] >= least() || o.start[at[n]] < range.t0) {
        for (; n < next; n++) {
          if (o.end[at[n]] < range.t0) continue;
          count++;
          visit(o, at[n]);
        }
      } else {
        count += next - n;
        n = next;
      }
    }
  }
  return count;
}

/**
 * Where the overlays of a list that may touch [t0, t1] stand in `at`, and the stride they begin with.
 * @param {Overlays} o @param {number} list @param {number} id @param {{t0: number, t1: number}} range
 */
function placesIn({ index, start }, list, id, range) {
  const k = placeOf(index, list, id);
  if (k < 0) return { begin: 0, stop: 0, strides: 0 };
  const { at, latest } = index;
  const first = index.first[k];
  const strides = index.latestFirst[k];
  const skipped = firstPlace(index.latestFirst[k + 1] - strides, (b) => latest[strides + b] >= range.t0);
  const stop = first + firstPlace(index.first[k + 1] - first, (n) => start[at[first + n]] > range.t1);
  return { begin: first + STRIDE * skipped, stop, strides: strides + skipped };
}

/**
 * The last overlay of a list that begins at or before `time`.
 * @param {Overlays[]} parts @param {number} list @param {number} id @param {number} time
 * @returns {{o: Overlays, i: number} | null}
 */
export function lastOverlay(parts, list, id, time) {
  /** @type {{o: Overlays, i: number} | null} */
  let best = null;
  for (const o of parts) {
    const k = placeOf(o.index, list, id);
    if (k < 0) continue;
    const { at, first } = o.index;
    const size = first[k + 1] - first[k];
    const n = first[k] + firstPlace(size, (m) => o.start[at[first[k] + m]] > time) - 1;
    if (n >= first[k] && (!best || o.start[at[n]] > best.o.start[best.i])) best = { o, i: at[n] };
  }
  return best;
}

/** Kinds of which a page keeps only the first ones where every view has them. @type {Set<number>} */
const SELDOM = new Set([KIND.lockHeld, KIND.lockWanted, KIND.queued, KIND.message, KIND.frequency, KIND.sample, KIND.mark,
  KIND.function]);

/**
 * What may be drawn without the slabs: where there are more of a kind than stand here, none of them,
 * so that nobody takes the end of those for the end of what happened.
 * @param {Overlays} o
 * @param {{what: Uint8Array, event: Uint32Array, counts: Float64Array}} tables
 * @returns {{overlays: Overlays, left: number[]}} the same ones; left: kinds that are in no list
 */
export function wholeKinds(o, { what, event, counts }) {
  const missing = new Map();
  what.forEach((kind, k) => {
    if (SELDOM.has(kind)) missing.set(kind, (missing.get(kind) ?? 0) + counts[k]);
  });
  for (let i = 0; i < o.count; i++) {
    const kind = what[o.kind[i]];
    if (missing.has(kind)) missing.set(kind, missing.get(kind) - 1);
  }
  const left = [...missing].filter(([, count]) => count > 0).map(([kind]) => kind);
  if (left.length === 0) return { overlays: o, left };
  return { overlays: { ...o, index: indexOverlays(o, what, event, left) }, left };
}

/** @returns {OverlayIndex} */
export const noIndex = () => ({ keys: new Float64Array(0), first: new Uint32Array(1), at: new Uint32Array(0), latest: new Float64Array(0),
  longest: new Float64Array(0), latestFirst: new Uint32Array(1) });

/** In place of those that cannot be read. @returns {Overlays} */
export function noOverlays() {
  const none = { count: 0, start: new Float64Array(0), end: new Float64Array(0), kind: new Uint32Array(0), cpu: new Int32Array(0),
    thread: new Uint32Array(0), other: null, arg: null, rpc: null, value: null, hue: null };
  return { ...none, index: noIndex() };
}
