// SPDX-License-Identifier: BSD-3-Clause
// The workers. In: a block of the page and what is wanted of it; out: a promise of that. Where none answers,
// as in a browser that allows none to a file or prints the page in virtual time, the page's own thread works.
import { answer } from './answer.js';

const MOST_WORKERS = 4;
/** So long they have to answer anything at all. */
const PATIENCE_MS = 2000;

/**
 * @typedef {object} Work
 * @property {string | Blob} stored
 * @property {import('./inflate.js').Expected & {ipc?: boolean}} expected
 * @property {{kind: string, [more: string]: any}} task
 * @property {import('./calls.js').Reaching} [long]  what a slab is decoded with
 * @property {Pick<Work, 'stored' | 'expected'>[]} [more]  slabs that the same is wanted of
 *
 * @typedef {{work: Work, resolve: (result: any) => void, reject: (error: Error) => void}} Asker
 */

export class Crew {
  /** @param {string} workerSource */
  constructor(workerSource) {
    const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
    const size = Math.max(2, Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2));
    this.workers = Array.from({ length: size }, () => new Worker(url));
    this.idle = [...this.workers];
    /** @type {Map<Worker, Asker>} */
    this.askers = new Map();
    /** @type {import('./slab.js').Tables | null} */
    this.tables = null;
    this.alone = false;
    for (const worker of this.workers) worker.onmessage = (message) => this.#heard(worker, message.data);
    this.patience = setTimeout(() => this.#goAlone(), PATIENCE_MS);
  }

  /** What all of them must know of the trace before they are asked. @param {import('./slab.js').Tables} tables */
  tell(tables) {
    this.tables = tables;
    for (const worker of this.workers) worker.postMessage({ tables });
  }

  /** How many work at once. */
  get size() {
    return this.alone ? 1 : this.workers.length;
  }

  /** Whether work would begin at once. */
  get free() {
    return this.alone || this.idle.length > 0;
  }

  /** Only while `free`. @param {Work} work @returns {Promise<any>} */
  ask(work) {
    if (this.alone) return this.#do(work);
    const worker = this.idle.pop();
    if (!worker) throw new Error('all workers are busy');
    worker.postMessage(work);
    return new Promise((resolve, reject) => this.askers.set(worker, { work, resolve, reject }));
  }

  /** Stops them; nothing can be asked after it. */
  end() {
    clearTimeout(this.patience);
    for (const worker of this.workers) worker.terminate();
  }

  /** @param {Work} work */
  async #do(work) {
    if (!this.tables) throw new Error('a block was asked for before the header');
    return (await answer(work, this.tables)).result;
  }

  #goAlone() {
    this.alone = true;
    for (const { work, resolve, reject } of this.askers.values()) this.#do(work).then(resolve, reject);
  }

  /** @param {Worker} worker @param {{error?: string, result: any}} answered */
  #heard(worker, { error, result }) {
    const asker = this.askers.get(worker);
    this.askers.delete(worker);
    this.idle.push(worker);
    this.alone = false;
    clearTimeout(this.patience);
    if (error) asker?.reject(new Error(error));
    else asker?.resolve(result);
  }
}
