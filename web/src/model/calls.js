// SPDX-License-Identifier: BSD-3-Clause
// Calls that are more than one span without anything inside (doc/page-format.md). In: their columns, the spans
// of a slab, and the calls that no slab holds; out: typed arrays, one entry a call, and for each span the call
// that it is a piece of. All other spans of these kinds are whole calls themselves.
import { FRESH, scratch } from './scratch.js';
import { INFERRED, KIND, PIECE, SAME_WAITS } from './tables.js';

/**
 * @typedef {object} Calls  times in ns
 * @property {number} count
 * @property {number} within         so many are the slab's own; the others reach into it
 * @property {Uint32Array} longAt    of each of the others: its place among the calls that no slab holds
 * @property {Float64Array} start
 * @property {Float64Array} end
 * @property {Float64Array} own      executing in itself
 * @property {Float64Array} onCpu    with what it called and what interrupted it
 * @property {Uint32Array} kind
 * @property {Uint32Array} thread    0: it is a CPU's
 * @property {Int32Array} cpu        where it ended
 * @property {Uint32Array} arg
 * @property {Uint32Array} result    result + 1, 0: none
 * @property {Uint32Array} pieces
 * @property {Uint8Array} inferred   which of INFERRED
 * @property {Uint8Array} birth      1: a new thread's way out of the call that made it, not counted as a call
 * @property {Uint32Array} firstWait where its waits begin; one more than calls
 * @property {Uint8Array} letter     of waits
 * @property {Float64Array} waited
 * @property {Uint32Array} byEnd     calls by kind, then by owner, then by their ends
 *
 * @typedef {ReturnType<typeof rows>} Rows
 * @typedef {Omit<Calls, 'within' | 'byEnd'>} Reaching  of the calls that no slab holds, those that reach into it
 */

/** Whether spans of a kind are pieces of calls. @param {number} what */
export const isCall = (what) => what >= KIND.syscall && what <= KIND.scheduler;

const CPUS = 2 ** 32;
/** Threads, then CPUs. @param {number} thread 0: a CPU's @param {number} cpu */
const ownerNumber = (thread, cpu) => (thread === 0 ? CPUS + 1 + cpu : thread);
/** Interrupts are a CPU's. @param {number} what @param {number} thread @returns {number} 0: a CPU's */
export const ownerOf = (what, thread) => (what === KIND.irq || what === KIND.softirq ? 0 : thread);

/** @typedef {{count: number, start: Float64Array, end: Float64Array, kind: ArrayLike<number>, thread: ArrayLike<number>,
 *   argOf: (p: number) => number, resultOf: (p: number) => number, cpuOf: (p: number) => number}} Spans */

/** @param {number} count @param {import('./slab.js').Room} [room] */
function rows(count, room = FRESH) {
  return { count, start: room.zeros(Float64Array, count), end: room.zeros(Float64Array, count), own: room.zeros(Float64Array, count), onCpu: room.zeros(Float64Array, count),
    kind: room.zeros(Uint32Array, count), thread: room.zeros(Uint32Array, count), cpu: room.zeros(Int32Array, count), arg: room.zeros(Uint32Array, count),
    result: room.zeros(Uint32Array, count), pieces: room.zeros(Uint32Array, count), inferred: room.zeros(Uint8Array, count),
    birth: room.zeros(Uint8Array, count), firstWait: room.zeros(Uint32Array, count + 1) };
}

/**
 * Places in order of `start`, as they stood where that is the same. Those of one CPU are in order, so few runs are merged.
 * @param {Float64Array} start @returns {Uint32Array}
 */
function inTime(start) {
  const size = start.length;
  let order = scratch.take(Uint32Array, size);
  let merged = scratch.take(Uint32Array, size);
  let runs = [0];
  for (let i = 0; i < size; i++) {
    order[i] = i;
    if (i > 0 && start[i] < start[i - 1]) runs.push(i);
  }
  while (runs.length > 1) {
    for (let r = 0; r < runs.length; r += 2) {
      const middle = runs[r + 1] ?? size;
      const stop = runs[r + 2] ?? size;
      let left = runs[r];
      let right = middle;
      for (let to = left; to < stop; to++) {
        merged[to] = right === stop || (left < middle && start[order[left]] <= start[order[right]]) ? order[left++] : order[right++];
      }
    }
    runs = runs.filter((_, r) => r % 2 === 0);
    [order, merged] = [merged, order];
  }
  return order;
}

/**
 * Pieces of calls that are no more than these, by position: `at`. Of each piece the one before it of the same call, -1: none;
 * which was the first, how many there are so far, and their time; `lasts` are the last ones of calls. Calls of one kind and owner
 * never overlap, so that those of other kinds than the wanted ones need not be joined.
 * @param {Uint8Array} codes @param {Spans} spans @param {Uint8Array | null} wanted  1: the kind is; null: all are
 */
function joined(codes, { start, end, kind, thread, cpuOf }, wanted) {
  let size = 0;
  for (let p = 0; p < codes.length; p++) if (codes[p] === PIECE.part || codes[p] === PIECE.last) size++;
  const at = scratch.take(Uint32Array, size);
  const starts = scratch.take(Float64Array, size);
  const owner = scratch.take(Uint32Array, size);
  let threads = 1;
  let cpus = 0;
  for (let p = 0, i = 0; i < size; p++) {
    if (codes[p] !== PIECE.part && codes[p] !== PIECE.last) continue;
    at[i] = p;
    starts[i++] = start[p];
    threads = Math.max(threads, thread[p] + 1);
    cpus = Math.max(cpus, cpuOf(p) + 1);
  }
  for (let i = 0; i < size; i++) owner[i] = thread[at[i]] === 0 ? threads + cpuOf(at[i]) : thread[at[i]];
  // Of an owner, then of each open call's last piece: the last piece of the next call that is open; -1: none.
  const open = scratch.take(Int32Array, threads + cpus).fill(-1);
  const next = scratch.take(Int32Array, size);
  const before = scratch.take(Int32Array, size);
  const first = scratch.take(Uint32Array, size);
  const count = scratch.take(Uint32Array, size);
  const own = scratch.take(Float64Array, size);
  const lasts = scratch.take(Uint32Array, size);
  const order = inTime(starts);
  for (let n = 0; n < size; n++) {
    const i = order[n];
    const p = at[i];
    if (wanted && wanted[kind[p]] !== 1) {
      before[i] = -1;
      first[i] = i;
      continue;
    }
    let front = -1;
    let piece = open[owner[i]];
    while (piece >= 0 && kind[at[piece]] !== kind[p]) {
      front = piece;
      piece = next[piece];
    }
    const goesOn = piece >= 0;
    before[i] = piece;
    first[i] = goesOn ? first[piece] : i;
    count[i] = goesOn ? count[piece] + 1 : 1;
    own[i] = end[p] - start[p] + (goesOn ? own[piece] : 0);
    next[i] = goesOn ? next[piece] : -1;
    const here = codes[p] === PIECE.last ? next[i] : i;  // what stands in its place from now on
    if (front < 0) open[owner[i]] = here;
    else next[front] = here;
  }
  let calls = 0;
  for (let i = 0; i < size; i++) if (codes[at[i]] === PIECE.last) lasts[calls++] = i;
  return { at, lasts: lasts.subarray(0, calls), before, first, count, own };
}

/**
 * Places in an order, those of one number one after another, as they stood.
 * @param {Uint32Array} order @param {(i: number) => number} numberOf @param {number} numbers
 */
function sortedBy(order, numberOf, numbers) {
  const next = new Uint32Array(numbers + 1);
  for (const i of order) next[numberOf(i) + 1]++;
  for (let n = 0; n < numbers; n++) next[n + 1] += next[n];
  const sorted = new Uint32Array(order.length);
  for (const i of order) sorted[next[numberOf(i)]++] = i;
  return sorted;
}

/** @param {Rows} calls @param {Pick<import('./slab.js').Tables, 'what'>} tables @returns {Uint32Array} `byEnd` */
function inOrder({ count, kind, thread, cpu, end }, { what }) {
  const threads = thread.reduce((most, t) => Math.max(most, t), 0) + 1;
  const cpus = cpu.reduce((most, c) => Math.max(most, c), -1) + 2;
  const owners = Uint32Array.from(kind, (k, i) => {
    const owner = ownerOf(what[k], thread[i]);
    return owner === 0 ? threads + 1 + cpu[i] : owner;
  });
  const byOwner = sortedBy(Uint32Array.from(kind.keys()), (i) => owners[i], threads + cpus);
  const order = sortedBy(byOwner, (i) => kind[i], what.length);
  for (let first = 0; first < count;) {
    const [k, owner] = [kind[order[first]], owners[order[first]]];
    let stop = first + 1;
    let sorted = true;
    for (; stop < count && kind[order[stop]] === k && owners[order[stop]] === owner; stop++) sorted &&= end[order[stop]] >= end[order[stop - 1]];
    if (!sorted) order.subarray(first, stop).sort((x, y) => end[x] - end[y] || x - y);
    first = stop;
  }
  return order;
}

/** 0, 1 for the same as another one, else units + 1. @param {import('./reader.js').Reader} column @param {number} like @param {number} unit */
function timeOf(column, like, unit) {
  const code = column.done ? 0 : column.next();
  return code === 0 ? 0 : code === 1 ? like : (code - 1) * unit;
}

/** @param {number} size @param {(n: number) => boolean} past @returns {number} the first place of which it holds */
export function firstPlace(size, past) {
  let low = 0;
  for (let high = size; low < high;) {
    const middle = (low + high) >>> 1;
    if (past(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The call of a kind and owner that reaches over a piece; -1: it is not among these.
 * @param {Calls} calls @param {{kind: number, thread: number, cpu: number, start: number, end: number}} piece @param {number} what of its kind
 */
export function callAround(calls, { kind, thread, cpu, start, end }, what) {
  const { byEnd } = calls;
  const key = ownerNumber(ownerOf(what, thread), cpu);
  const ownerAt = (/** @type {number} */ i) => ownerNumber(ownerOf(what, calls.thread[i]), calls.cpu[i]);
  const n = firstPlace(byEnd.length, (m) => {
    const i = byEnd[m];
    if (calls.kind[i] !== kind) return calls.kind[i] > kind;
    const owner = ownerAt(i);
    return owner === key ? calls.end[i] >= end : owner > key;
  });
  if (n === byEnd.length) return -1;
  const i = byEnd[n];
  return calls.kind[i] === kind && ownerAt(i) === key && calls.start[i] <= start ? i : -1;
}

/**
 * Those of the calls that no slab holds which reach into a time; `longAt` tells which they are.
 * @param {Calls} long @param {number} begin @param {number} end
 * @returns {Reaching}
 */
export function callsReaching(long, begin, end) {
  const { start, end: ends, firstWait } = long;
  const at = [];
  for (let i = 0; i < long.count; i++) if (start[i] <= end && ends[i] >= begin) at.push(i);
  const waits = [];
  const first = new Uint32Array(at.length + 1);
  for (let n = 0; n < at.length; n++) {
    for (let w = firstWait[at[n]]; w < firstWait[at[n] + 1]; w++) waits.push(w);
    first[n + 1] = waits.length;
  }
  const out = { ...long, count: at.length, longAt: Uint32Array.from(at), firstWait: first, letter: picked(long.letter, waits), waited: picked(long.waited, waits) };
  for (const name of COLUMNS) out[name] = /** @type {any} */ (picked(long[name], at));
  const { within, byEnd, ...reaching } = out;
  return reaching;
}

/** @template {Uint8Array | Uint32Array | Int32Array | Float64Array} T @param {T} values @param {number[]} at @returns {T} */
function picked(values, at) {
  const out = new /** @type {any} */ (values.constructor)(at.length);
  for (let n = 0; n < at.length; n++) out[n] = values[at[n]];
  return out;
}

/** Of a call, beside its waits. */
const COLUMNS = /** @type {const} */ (['start', 'end', 'own', 'onCpu', 'kind', 'thread', 'cpu', 'arg', 'result', 'pieces', 'inferred', 'birth']);

/** @param {Rows} into @param {number} i @param {Reaching} from @param {number} at  all but its waits */
function copyCall(into, i, from, at) {
  for (const name of COLUMNS) into[name][i] = from[name][at];
}

/**
 * @param {import('./reader.js').Reader} reader @param {Uint8Array} codes  what piece each span is
 * @param {Spans} spans @param {{base: number, unit: number}} clock
 * @param {Pick<import('./slab.js').Tables, 'what' | 'makers'>} tables @param {number} full  calls that are written in full
 * @param {Reaching} [long]  that reach into it
 * @param {boolean} [told]  whether it is told which call a piece is of that is written in full; else only that it is a piece
 * @param {import('./slab.js').Room} [room]  for what is decoded
 * @param {Uint8Array | null} [wanted]  1: of this kind it must be right; null: of all
 * @returns {{calls: Calls, callOf: Int32Array | null}} callOf: per span 0: none but itself, n: the call n - 1, -1: one that is not known
 */
export function decodeCalls(reader, codes, spans, { base, unit }, tables, full, long = noCalls(), told = true, room = FRESH, wanted = null) {
  const { at, lasts, before, ...plain } = joined(codes, spans, wanted);
  const { longAt } = long;
  const within = lasts.length + full;
  const calls = rows(within + long.count, room);
  const callOf = room.zeros(Int32Array, codes.length);
  for (let i = 0; i < lasts.length; i++) {
    const piece = lasts[i];
    const last = at[piece];
    for (let other = piece; other >= 0; other = before[other]) callOf[at[other]] = i + 1;
    calls.start[i] = spans.start[at[plain.first[piece]]];
    calls.end[i] = spans.end[last];
    calls.own[i] = plain.own[piece];
    calls.kind[i] = spans.kind[last];
    calls.thread[i] = spans.thread[last];
    calls.cpu[i] = spans.cpuOf(last);
    calls.arg[i] = spans.argOf(last);
    calls.result[i] = spans.resultOf(last);
    calls.pieces[i] = plain.count[piece];
  }
  const counts = reader.column();
  const letters = reader.column();
  const times = reader.column();
  const unknown = reader.column();
  const [flags, leads, tails, kinds, threads, cpus, ends, durations, owns, pieces, args, results] = (
    Array.from({ length: 12 }, () => reader.column()));
  let clock = base;
  for (let i = lasts.length; i < within; i++) {
    calls.kind[i] = kinds.next();
    calls.thread[i] = threads.next();
    calls.cpu[i] = cpus.next() - 1;
    calls.end[i] = clock += ends.signed() * unit;
    calls.start[i] = clock - durations.next() * unit;
    calls.own[i] = owns.next() * unit;
    calls.pieces[i] = pieces.next();
    calls.arg[i] = args.next();
    calls.result[i] = results.next();
  }
  /** @type {number[]} */
  const letter = [];
  /** @type {number[]} */
  const waited = [];
  const waits = !counts.done;
  let first = 0;  // of the waits of the call before
  let unseen = 0;
  for (let i = 0; i < within; i++) {
    const reasons = waits ? counts.next() : 0;
    const again = reasons === SAME_WAITS;
    const stop = again ? letter.length : letter.length + reasons;
    if (again) {
      for (let n = first; n < stop; n++) {
        letter.push(letter[n]);
        waited.push(waited[n]);
      }
    }
    first = stop;
    for (let left = again ? 0 : reasons; left > 0; left--) {
      letter.push(letters.next());
      waited.push(times.next() * unit);
    }
    if (!again) first = stop - reasons;
    calls.firstWait[i + 1] = letter.length;
    unseen = timeOf(unknown, unseen, unit);
    if (!flags.done) calls.inferred[i] = flags.next();
    // Of a thread that made one the result is known, also where those of spans are not decoded: such a call is written in full.
    if (calls.inferred[i] & INFERRED.begin && calls.result[i] <= 1) calls.birth[i] = tables.makers[calls.kind[i]];
    let blocked = 0;
    for (let n = calls.firstWait[i]; n < letter.length; n++) blocked += waited[n];
    if (i < lasts.length) {
      calls.start[i] -= timeOf(leads, blocked, unit);
      calls.end[i] += timeOf(tails, blocked, unit);
    }
    calls.onCpu[i] = calls.end[i] - calls.start[i] - blocked - unseen;
  }
  for (let n = 0; n < long.count; n++) {
    copyCall(calls, within + n, long, n);
    for (let w = long.firstWait[n]; w < long.firstWait[n + 1]; w++) {
      letter.push(long.letter[w]);
      waited.push(long.waited[w]);
    }
    calls.firstWait[within + n + 1] = letter.length;
  }
  const whole = { ...calls, within, longAt, letter: new Uint8Array(letter), waited: new Float64Array(waited), byEnd: told ? inOrder(calls, tables) : new Uint32Array(0) };
  for (let p = 0; p < codes.length; p++) {
    if (codes[p] !== PIECE.ofOther || !isCall(tables.what[spans.kind[p]])) continue;
    if (!told) {
      callOf[p] = -1;
      continue;
    }
    const piece = { kind: spans.kind[p], thread: spans.thread[p], cpu: spans.cpuOf(p), start: spans.start[p], end: spans.end[p] };
    callOf[p] = callAround(whole, piece, tables.what[piece.kind]) + 1 || -1;
  }
  return { calls: whole, callOf: callOf.some((n) => n !== 0) ? callOf : null };
}

/** @returns {Calls} */
export function noCalls() {
  const none = rows(0);
  return { ...none, within: 0, longAt: new Uint32Array(0), letter: new Uint8Array(0), waited: new Float64Array(0), byEnd: new Uint32Array(0) };
}

/**
 * One call by itself.
 * @typedef {object} Call  times in ns
 * @property {number} start
 * @property {number} end
 * @property {number} onCpu
 * @property {number} arg
 * @property {number} result  result + 1, 0: none
 * @property {number} pieces
 * @property {number} inferred
 * @property {[number, number][]} waits  letter - 'a' and ns
 */

/** @param {Calls} calls @param {number} i @returns {Call} */
export function callAt(calls, i) {
  const { start, end, onCpu, arg, result, pieces, inferred, firstWait, letter, waited } = calls;
  /** @type {[number, number][]} */
  const waits = [];
  for (let n = firstWait[i]; n < firstWait[i + 1]; n++) waits.push([letter[n], waited[n]]);
  return { start: start[i], end: end[i], onCpu: onCpu[i], arg: arg[i], result: result[i], pieces: pieces[i], inferred: inferred[i], waits };
}
