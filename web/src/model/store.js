// SPDX-License-Identifier: BSD-3-Clause
// Slabs on demand: the text stays in the document until a view needs it; workers decode; the least
// recently used are dropped. In: which slabs a view wants; out: those that are there.
import { Turns, breathe } from './breathe.js';
import { callsReaching, noCalls } from './calls.js';
import { searchSlab } from './scan.js';
import { slabBuffers } from './slab.js';
import { USE, useOf } from './slab_use.js';

const MOST_SLABS = 20;
/** So much decoded is kept, beside what a view needs. */
const MOST_BYTES = 80e6;
const TURN_MS = 12;
/** Of slabs that are added up together, and shares that each worker gets: then none waits long for the others. */
const MOST_TOGETHER = 8;
const SHARES = 4;

/** @typedef {{slab: number, more?: number[], task: any, done: (result: any) => void, fail: (e: Error) => void}} Job  more: slabs that go with it */

/** @param {import('./slab.js').Slab} slab */
const bytesOf = (slab) => slabBuffers(slab).reduce((sum, buffer) => sum + buffer.byteLength, 0);

/** @param {any} row @param {number} t0 @param {number} t1 */
function slabTouches(row, t0, t1) {
  const [overlays, begin, end] = row.overlays;
  if (overlays > 0 && begin < t1 && end >= t0) return true;
  return row.sections.some((/** @type {number[]} */ s) => s[2] < t1 && s[3] > t0);
}

export class Store {
  /**
   * @param {import('./trace.js').Trace} trace
   * @param {import('./crew.js').Crew} crew
   * @param {import('./source.js').Source} source
   */
  constructor(trace, crew, source) {
    this.trace = trace;
    this.crew = crew;
    this.source = source;
    /** @type {Map<number, import('./slab.js').Slab>} in order of use */
    this.slabs = new Map();
    /** @type {Set<number>} */
    this.failed = new Set();
    this.changed = () => {};
    this.problem = (/** @type {string} */ _) => {};
    /** @type {Job[]} */
    this.queue = [];
    /** @type {Set<Job>} */
    this.running = new Set();
    /** @type {Set<number>} slabs being decoded or waiting for it */
    this.pending = new Set();
    /** Of the slabs that are there. @type {Map<number, number>} */
    this.bytes = new Map();
    /** So many they are together. */
    this.kept = 0;
    /** What the view asked for last: it stays, whatever its size. @type {number[]} */
    this.wanted = [];
    this.giving = false;
    /** Calls that no slab holds, without which none is decoded. @type {import('./calls.js').Calls | null} */
    this.long = null;
  }

  /** From now on slabs can be decoded. @param {import('./calls.js').Calls} long  that no slab holds */
  begin(long) {
    this.long = long;
    this.#pump();
  }

  /** Numbers of the slabs that hold spans of a range. */
  touching(/** @type {number} */ t0, /** @type {number} */ t1) {
    const out = [];
    for (let i = 0; i < this.trace.slabs.length; i++) {
      if (slabTouches(this.trace.slabs[i], t0, t1)) out.push(i);
    }
    return out;
  }

  /** @param {number} slab */
  get(slab) {
    const found = this.slabs.get(slab);
    if (found) {
      this.slabs.delete(slab);
      this.slabs.set(slab, found);
    }
    return found;
  }

  /**
   * Makes these slabs come, forgetting earlier wishes.
   * @param {number[]} needed @param {number[]} [around]  that come if there is room for them, too
   */
  want(needed, around = []) {
    this.queue = this.queue.filter((job) => job.task.kind !== 'decode');
    this.pending = new Set([...this.running]
      .filter((job) => job.task.kind === 'decode').map((job) => job.slab));
    const room = Math.min(MOST_SLABS, Math.floor(MOST_BYTES * this.slabs.size / Math.max(1, this.kept)) || MOST_SLABS);
    this.wanted = [...new Set([...needed, ...around])].slice(0, Math.max(Math.min(needed.length, MOST_SLABS), room));
    /** @type {Job[]} */
    const jobs = [];
    for (const slab of this.wanted) {
      if (this.slabs.has(slab) || this.failed.has(slab) || this.pending.has(slab)) continue;
      if (this.source.block(`kutrace-slab-${slab}`) === null) {
        if (this.source.whole) this.#miss(slab);
        continue;
      }
      this.pending.add(slab);
      jobs.push({ slab, task: { kind: 'decode' }, done: (result) => this.#keep(slab, result),
        fail: (error) => { this.failed.add(slab); this.problem(error.message); } });
    }
    this.queue.unshift(...jobs);
    this.#pump();
  }

  /**
   * One slab, for a question about a place that may not be in view.
   * @param {number} slab @returns {Promise<import('./slab.js').Slab | null>} null: it cannot be had
   */
  async load(slab) {
    const found = this.get(slab);
    if (found || this.failed.has(slab) || this.source.block(`kutrace-slab-${slab}`) === null) return found ?? null;
    return new Promise((resolve) => {
      this.queue.unshift({ slab, task: { kind: 'load' }, done: (result) => {
        this.#keep(slab, result);
        resolve(result);
      }, fail: (error) => {
        this.failed.add(slab);
        this.problem(error.message);
        resolve(null);
      } });
      this.#pump();
    });
  }

  /**
   * A block that is no slab, whose description stands in the header.
   * @param {string} name @param {any} [task]  what is wanted of it, unless that is all @returns {Promise<any>}
   */
  async block(name, task = { kind: name }) {
    const stored = this.source.block(`kutrace-${name}`);
    if (stored === null) throw new Error(`the ${name} of this page are missing: the file is cut short`);
    while (!this.crew.free) await new Promise((resume) => setTimeout(resume, 5));
    return this.crew.ask({ stored, expected: this.trace.header[name], task });
  }

  /** Has idle workers decode something, so that their code is warm when a view needs it. */
  warm() {
    const { crew, trace } = this;
    const size = crew.alone || this.queue.length > 0 ? 0 : crew.idle.length;
    for (let slab = 0; slab < Math.min(size, trace.slabs.length - MOST_SLABS); slab++) {
      this.queue.push({ slab, task: { kind: 'warm' }, done: () => {}, fail: () => {} });
    }
    this.#pump();
  }

  get refining() {
    return this.pending.size > 0;
  }

  /** What the file that was cut short does not have: views are drawn without it. @param {number} slab */
  #miss(slab) {
    this.failed.add(slab);
    this.problem('Some of what is seen is missing: the file is cut short.');
  }

  /** @param {number} slab @param {any} decoded */
  #keep(slab, decoded) {
    this.pending.delete(slab);
    this.slabs.set(slab, decoded);
    const bytes = bytesOf(decoded);
    this.kept += bytes - (this.bytes.get(slab) ?? 0);
    this.bytes.set(slab, bytes);
    for (const oldest of [...this.slabs.keys()]) {
      if (this.kept <= MOST_BYTES && this.slabs.size <= MOST_SLABS) break;
      if (oldest === slab || this.wanted.includes(oldest)) continue;
      this.kept -= this.bytes.get(oldest) ?? 0;
      this.bytes.delete(oldest);
      this.slabs.delete(oldest);
    }
    this.changed();
  }

  /**
   * Runs a scan over slabs, `each` gets every slab's part. Resolves to false if it was cancelled.
   * Searching a decoded slab takes a few ms and is done here; all else is work for workers.
   * @param {number[]} slabs
   * @param {any} task  {kind: 'search' or 'list', query, order, last}, {kind: 'first', query, order, last, most}, {kind: 'usage', t0, t1, only, scope, reasons} or {kind: 'takers', rpc, end}
   * @param {(part: any, slabs: number) => void} each  slabs: of so many
   * @param {() => boolean} cancelled
   */
  async scan(slabs, task, each, cancelled) {
    this.queue = this.queue.filter((job) => job.task.kind !== task.kind);
    const cold = [];
    const turns = new Turns(TURN_MS);
    for (const number of slabs) {
      const slab = task.kind === 'search' ? this.slabs.get(number) : undefined;
      if (!slab) {
        cold.push(number);
        continue;
      }
      each(searchSlab(slab, task.query, task.order, task.last), 1);
      if (!turns.over) continue;
      await turns.end();
      if (cancelled()) return false;
    }
    const together = this.#together(cold.length, task);
    const jobs = [];
    for (let i = 0; i < cold.length; i += together) jobs.push(this.#ask(cold.slice(i, i + together), task, each, cancelled));
    await Promise.all(jobs);
    return !cancelled();
  }

  /** Of how many slabs a worker adds up what they were used for: what it sends is as much for many as for one. @param {number} slabs @param {any} task */
  #together(slabs, task) {
    if (task.kind !== 'usage' || useOf(task) !== USE.sums) return 1;
    return Math.max(1, Math.min(MOST_TOGETHER, Math.floor(slabs / (SHARES * this.crew.size))));
  }

  /** @param {number[]} slabs @param {any} task @param {(part: any, slabs: number) => void} each @param {() => boolean} cancelled @returns {Promise<any>} */
  #ask(slabs, task, each, cancelled) {
    const [slab, ...more] = slabs;
    return new Promise((resume) => {
      this.queue.push({ slab, more, task, done: (part) => {
        if (!cancelled()) each(part, slabs.length);
        resume(null);
      }, fail: (error) => {
        if (more.length === 0) this.problem(error.message);
        // One that is damaged costs what it holds, and no more.
        resume(more.length === 0 ? null : Promise.all(slabs.map((one) => this.#ask([one], task, each, cancelled))));
      } });
      this.#pump();
    });
  }

  /** Gives out work, one piece in a turn: a frame that asks for some is drawn first. */
  async #pump() {
    if (this.giving) return;
    this.giving = true;
    await breathe();
    while (this.long && this.crew.free && this.queue.length > 0) {
      this.#run(/** @type {Job} */ (this.queue.shift()));
      await breathe();
    }
    this.giving = false;
  }

  /** Calls that no slab holds, where it takes them to decode this one. @param {Job} job */
  #reaching({ slab, task }) {
    if (useOf(task) >= USE.times) return undefined;
    const { sections } = this.trace.slabs[slab];
    return callsReaching(this.long ?? noCalls(), Math.min(...sections.map((s) => s[2])), Math.max(...sections.map((s) => s[3])));
  }

  /** @param {Job} job */
  async #run(job) {
    const [first, ...more] = [job.slab, ...job.more ?? []].map((slab) => ({ stored: this.source.block(`kutrace-slab-${slab}`), expected: this.trace.slabs[slab] }));
    const missing = [first, ...more].findIndex(({ stored }) => stored === null);
    if (missing >= 0) {
      job.fail(new Error(`part ${[job.slab, ...job.more ?? []][missing]} of this page is missing: the file is cut short`));
      return;
    }
    this.running.add(job);
    try {
      const result = await this.crew.ask(/** @type {any} */ ({ ...first, more, task: job.task, long: this.#reaching(job) }));
      this.running.delete(job);
      job.done(result);
    } catch (error) {
      this.running.delete(job);
      this.pending.delete(job.slab);
      job.fail(/** @type {Error} */ (error));
    }
    this.#pump();
  }
}
