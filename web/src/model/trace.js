// SPDX-License-Identifier: BSD-3-Clause
// The trace as a whole: the page's header with its tables made easy to ask.
import { counted } from './number_text.js';
import { FACT, KIND, MAKERS, SUCCESS, THREAD } from './tables.js';
import { isCall } from './calls.js';
import { sampleKindHues } from './hues.js';
import { errnoName } from './errno.js';
import { waitWord } from './kinds.js';
import { Cgroups } from './cgroups.js';
import { Machines } from './machines.js';
import { countersOf } from './readings.js';

/**
 * @typedef {{pid: number, name: string, process: number, parent: number, flags: number,
 *            user: number, kernel: number, spans: number, begin: number, end: number, unknown: number, first: number}} Thread
 *            begin, end: of its life, NaN: not told; unknown: time of it that is not told; first: the same thread with its
 *            first number, most often itself
 * @typedef {{sort: number, id: number, name: string, count: number, total: number, lowest: number,
 *            highest: number, begin: number, end: number}} TraceObject  begin, end: ns, NaN: not told
 * @typedef {{cpu: number, begin: number, end: number, entries: number, reason: number}} Loss
 * @typedef {{sections: [number, number, number, number][], overlays: [number, number, number],
 *            packed: number, raw: number, crc: number}} SlabRow
 * @typedef {{first: number, slabs: number, begin: number, end: number}} SlabRun  a range that begins at `begin` or before
 *   and ends at `end` or after has all of what they hold
 */

/** Kernel threads stand together, all others by their process. */
export const KERNEL = -2;

/** Numbers of rows of sums, in place of threads', as src/reports/profile_page.cpp gives them. */
const FIRST_ROW = 2 ** 24;

/** @param {[string, string][]} meta @returns {Map<number, string> | null} null: all rows are CPUs */
function rowLabelsOf(meta) {
  const rows = meta.filter(([key]) => key === FACT.row).map(([, text]) => /^(\d+) (.*)$/.exec(text));
  const labels = new Map(rows.flatMap((row) => (row ? [[Number(row[1]), row[2]]] : [])));
  return labels.size > 0 ? labels : null;
}

export class Trace {
  /** @param {any} header parsed JSON, see doc/page-format.md */
  constructor(header) {
    if (header.format !== 2 && header.format !== 3) throw new Error(`page format ${header.format} is not known here`);
    this.header = header;
    /** Whether it tells of stacks of samples and waits. */
    this.hasBacktraces = Boolean(header.backtraces);
    /** Whether it tells of files that calls are about. */
    this.hasFiles = Boolean(header.files);
    /** Whether it tells of calls, else only of their pieces. */
    this.hasCalls = header.format > 2 && Boolean(header.calls);
    this.title = /** @type {string} */ (header.title);
    this.begin = /** @type {number} */ (header.begin);
    this.end = Math.max(header.end, header.begin + 1);
    this.spans = /** @type {number} */ (header.spans);
    this.cpus = /** @type {number[]} */ (header.cpus);
    this.slabs = /** @type {SlabRow[]} */ (header.slabs);
    /** By kind, 1: a call that makes a thread. */
    this.makers = Uint8Array.from(header.kinds, (/** @type {number[]} */ k) => Number(k[0] === KIND.syscall && MAKERS.has(header.names[k[2]])));
    /** Whether sums of calls that earlier versions wrote have new threads' ways out of what made them. */
    this.countsBirths = this.hasCalls && header.births !== 0 && this.makers.includes(1);
    /** Slabs whose sums are told. @type {SlabRun[]} */
    this.runs = this.countsBirths ? [] : (header.runs?.slabs ?? []).map((/** @type {number[]} */ [first, slabs, begin, end]) => ({ first, slabs, begin, end }));
    /** @type {Loss[]} */
    this.losses = header.losses.map((/** @type {number[]} */ l) => ({
      cpu: l[0], begin: l[1], end: l[2], entries: l[3], reason: l[4],
    }));
    /** @type {TraceObject[]} */
    this.objects = header.objects.map((/** @type {number[]} */ o) => ({
      sort: o[0], id: o[1], name: header.names[o[2]], count: o[3], total: o[4], lowest: o[5], highest: o[6],
      begin: o[7] ?? NaN, end: o[8] ?? NaN,
    }));
    this.cgroups = new Cgroups(header.meta ?? []);
    this.machines = new Machines(header.meta ?? []);
    /** Of the machine and of processes: those that change. */
    this.counters = countersOf(header.meta ?? []);
    /** Rows that are no CPUs, as of a profile. @type {Map<number, string> | null} */
    this.rowLabels = rowLabelsOf(header.meta ?? []);
    const kinds = header.kinds;
    this.kindCount = kinds.length;
    this.what = Uint8Array.from(kinds, (/** @type {number[]} */ k) => k[0]);
    this.event = Uint32Array.from(kinds, (/** @type {number[]} */ k) => k[1]);
    /** @type {string[]} */
    this.kindName = kinds.map((/** @type {number[]} */ k) => header.names[k[2]]);
    this.owner = Int32Array.from(kinds, (/** @type {number[]} */ k) => k[3]);
    /** @type {{count: number, total: number, min: number, max: number}[]} */
    this.kindTotals = kinds.map((/** @type {number[]} */ k) => ({
      count: k[4], total: k[5], min: k[6], max: k[7],
    }));
    /** The same of calls, null for what is none. @type {({count: number, total: number, min: number, max: number} | null)[]} */
    this.callTotals = kinds.map((/** @type {number[]} */ k, /** @type {number} */ i) => (!this.hasCalls || !isCall(k[0]) || (this.countsBirths && this.makers[i]) ? null
      : { count: k[8] ?? 0, total: k[9] ?? 0, min: k[10] ?? Infinity, max: k[11] ?? 0 }));
    /** @type {Thread[]} */
    this.threads = header.threads.map((/** @type {number[]} */ t, /** @type {number} */ i) => ({
      pid: t[0], name: header.names[t[1]], process: t[2], parent: t[3], flags: t[4],
      user: t[5], kernel: t[6], spans: t[7], begin: t[8] ?? NaN, end: t[9] ?? NaN,
      unknown: (t[9] ?? NaN) - (t[8] ?? NaN) - t[5] - t[6] - (t[10] ?? NaN), first: t[11] || i,
    }));
    this.#nameThreads();
    /** Of threads that got another number, the place of the last one, by that of the first. @type {Map<number, number>} */
    this.lastOf = new Map();
    this.threads.forEach(({ first, begin }, i) => {
      const last = this.lastOf.get(first) ?? first;
      if (first !== i && !(begin < this.threads[last].begin)) this.lastOf.set(first, i);
    });
    // What stands above in another form; of tens of thousands it is some MB.
    delete header.threads;
    delete header.kinds;
    /** Of several that had one number in turn, the last. @type {Map<number, number>} */
    this.threadOfPid = new Map();
    this.threads.forEach((t, i) => this.threadOfPid.set(t.pid, i));
  }

  /** The slabs of these runs, by number. @param {number[]} runs @returns {number[]} */
  slabsOfRuns(runs) {
    return runs.flatMap((i) => Array.from({ length: this.runs[i].slabs }, (_, n) => this.runs[i].first + n));
  }

  /** Threads that ran, by the number of their process or KERNEL. @returns {Map<number, number[]>} */
  get processes() {
    /** @type {Map<number, number[]>} */
    const processes = new Map();
    this.threads.forEach((thread, i) => {
      if (i < 2 || thread.spans === 0) return;
      const process = thread.flags & THREAD.kernelThread ? KERNEL : thread.process >= 0 ? thread.process : thread.pid;
      const list = processes.get(process);
      if (list) list.push(i);
      else processes.set(process, [i]);
    });
    return processes;
  }

  /** Path of the control group of its process; empty: not told. @param {Thread} thread */
  cgroupOf(thread) {
    const parentOf = (/** @type {number} */ process) => {
      const known = this.threadOfPid.get(process);
      return known === undefined ? undefined : this.threads[known].parent;
    };
    return this.cgroups.of(thread.process >= 0 ? thread.process : thread.pid, parentOf);
  }

  // A thread without a name of its own goes by that of its user-mode spans.
  #nameThreads() {
    for (let k = 0; k < this.kindCount; k++) {
      const owner = this.owner[k];
      if (owner > 1 && !this.threads[owner].name) this.threads[owner].name = this.kindName[k];
    }
  }

  /** What decoding a slab needs of this. @returns {import('./slab.js').Tables} */
  get tables() {
    return { what: this.what, owner: this.owner, event: this.event, threads: this.threads.length, calls: this.hasCalls,
      counts: Float64Array.from(this.kindTotals, (total) => total.count),
      makers: this.makers, hues: sampleKindHues(this.what, this.kindName) };
  }

  get duration() {
    return this.end - this.begin;
  }

  /** The id of its row: its number, unless another thread has it later. @param {number} thread */
  threadRowId(thread) {
    const { pid } = this.threads[thread];
    return this.threadOfPid.get(pid) === thread ? `t${pid}` : `t${pid}.${thread}`;
  }

  /** "4 CPUs". */
  get cpusText() {
    return counted(this.cpus.length, this.rowLabels ? 'row' : 'CPU');
  }

  /** @param {number} cpu */
  cpuLabel(cpu) {
    return this.rowLabels?.get(cpu) ?? `CPU ${cpu}${this.machines.ofCpu(cpu)}`;
  }

  /** The same thread with its last number. @param {number} thread */
  lastOfThread(thread) {
    return this.threads[this.lastOf.get(this.threads[thread].first) ?? thread];
  }

  /** Its last name. @param {number} thread */
  threadName(thread) {
    return this.lastOfThread(thread).name || this.threads[thread].name;
  }

  /** @param {number} thread */
  threadLabel(thread) {
    const t = this.threads[thread];
    if (!t || t.pid < 0) return 'no thread';
    if (t.pid === 0) return 'idle';
    return this.labelOf(this.threadName(thread), this.lastOfThread(thread).pid);
  }

  /** Of a thread or process, as src/model/thread_label.cpp makes it. @param {string} name @param {number} number */
  labelOf(name, number) {
    if (this.rowLabels && number >= FIRST_ROW) return name;
    return `${name}${name ? '.' : ''}${number}${this.machines.ofThread(number)}`;
  }

  /**
   * A span's short name.
   * @param {number} kind
   */
  name(kind) {
    return this.kindName[kind] || KIND_FALLBACK[this.what[kind]] || `event ${this.event[kind]}`;
  }

  /** The same, of a wait the word for its reason: "ready" for "wait_cpu". @param {number} kind */
  label(kind) {
    return this.what[kind] === KIND.wait ? waitWord(this.event[kind]) : this.name(kind);
  }

  /**
   * With argument and result: "write(1) = 13", "read(3) = eagain".
   * @param {number} kind
   * @param {number} arg
   * @param {number} result  result + 1, 0: none
   */
  fullName(kind, arg, result) {
    const name = this.name(kind);
    if (this.what[kind] !== KIND.syscall) return name;
    return `${name}(${argumentText(arg)})${result > 0 ? ` = ${resultText(result - 1)}` : ''}`;
  }

  /** Whole us since 1970 of a time in ns; null: the trace does not tell when it began. @param {number} ns */
  wallUsec(ns) {
    return this.header.wall_usec ? this.header.wall_usec + Math.floor(ns / 1000) : null;
  }
}

/** Low 16 bits of an argument; the topmost are small negative numbers. @param {number} low */
export const argumentText = (low) => String(low >= 65408 && low < 65536 ? low - 65536 : low);

/** @type {Record<number, string>} */
const KIND_FALLBACK = {
  [KIND.user]: 'user', [KIND.idle]: 'idle', [KIND.idleLowPower]: 'idle (low power)',
  [KIND.cExit]: 'C-state exit', [KIND.loss]: 'LOST', [KIND.kernelThread]: 'kernel thread',
};

/**
 * The low 16 bits of a result: small negative ones are errors, but for those of a success, which is told.
 * @param {number} held
 */
export const resultText = (held) => (held < SUCCESS ? errnoName(65536 - held) ?? argumentText(held) : String(held - SUCCESS));
