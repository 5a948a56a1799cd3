// SPDX-License-Identifier: BSD-3-Clause
// The workers. In: a block of the page and what is wanted of it; out: a promise of that.

const MOST_WORKERS = 4;

/**
 * @typedef {object} Work
 * @property {string | Blob} stored
 * @property {{packed: number, crc: number}} expected
 * @property {{kind: string, [more: string]: any}} task
 *
 * @typedef {{resolve: (result: any) => void, reject: (error: Error) => void}} Asker
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
    for (const worker of this.workers) worker.onmessage = (message) => this.#answered(worker, message.data);
  }

  /** What all of them must know of the trace before they are asked. @param {import('./slab.js').Tables} tables */
  tell(tables) {
    for (const worker of this.workers) worker.postMessage({ tables });
  }

  /** Whether one of them has nothing to do. */
  get free() {
    return this.idle.length > 0;
  }

  /** Only while one of them is free. @param {Work} work @returns {Promise<any>} */
  ask(work) {
    const worker = this.idle.pop();
    if (!worker) throw new Error('all workers are busy');
    worker.postMessage(work);
    return new Promise((resolve, reject) => this.askers.set(worker, { resolve, reject }));
  }

  /** Stops them; nothing can be asked after it. */
  end() {
    for (const worker of this.workers) worker.terminate();
  }

  /** @param {Worker} worker @param {{error?: string, result: any}} answer */
  #answered(worker, { error, result }) {
    const asker = this.askers.get(worker);
    this.askers.delete(worker);
    this.idle.push(worker);
    if (error) asker?.reject(new Error(error));
    else asker?.resolve(result);
  }
}
