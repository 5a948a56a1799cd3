// SPDX-License-Identifier: BSD-3-Clause
// The machines of a trace that `kutrace align` made of several. In: the page's facts ("machine.1":
// host=db cpus=2-3 threads_from=4194304 ...); out: whose a CPU or a thread is. Of one machine there is nothing to tell.

/** @typedef {{host: string, cpus: Set<number>, firstThread: number}} Machine */

/** Threads of the n-th machine have numbers from n times that on; no machine gives such numbers. */
const THREADS = 2 ** 22;
/** @param {number} pid */
export const machineOfThread = (pid) => Math.floor(pid / THREADS);

/** In place of a host. */
const NOT_TOLD = '-';

const FAMILY = /^machine\.(\d+)$/;
const WORDS = /^host=(\S*) cpus=(\S*) threads_from=(\d+)/;

/** "0-3,8" @param {string} text */
function cpuList(text) {
  const cpus = new Set();
  for (const range of text.split(',')) {
    const [first, last = first] = range.split('-').map(Number);
    for (let cpu = first; cpu <= last && cpus.size < 8192; cpu++) cpus.add(cpu);
  }
  return cpus;
}

export class Machines {
  /** @param {[string, string][]} meta */
  constructor(meta) {
    /** @type {Machine[]} */
    this.all = meta.flatMap(([key, text]) => {
      const [, host, cpus, first] = (FAMILY.test(key) && WORDS.exec(text)) || [];
      return host === undefined ? [] : [{ host, cpus: cpuList(cpus), firstThread: Number(first) }];
    }).sort((a, b) => b.firstThread - a.firstThread);
    if (this.all.length < 2) this.all = [];
  }

  /** Behind its number: " (db)". @param {number} cpu */
  ofCpu(cpu) {
    const machine = this.all.find((one) => one.cpus.has(cpu));
    return machine ? ` (${machine.host})` : '';
  }

  /** Behind its number: "@db". @param {number} pid */
  ofThread(pid) {
    const machine = this.all.find((one) => one.firstThread <= pid);
    return machine && machine.host !== NOT_TOLD ? `@${machine.host}` : '';
  }
}
