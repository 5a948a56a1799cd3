// SPDX-License-Identifier: BSD-3-Clause
// Which rows are meant, where not all of them are: what CPUs did and what threads did. What stands on the
// row of a CPU and on that of a thread is one thing and counts once. In: ids of rows, "c0" of a CPU, "t20" of
// a thread, "p20" of all threads of a process; out: yes or no for a span, a call, an overlay.

/**
 * @typedef {object} Scope
 * @property {string[]} ids
 * @property {Uint8Array} cpus     1: by number
 * @property {Uint8Array} threads  1: by place in the trace's table
 */

/** @param {Scope | null} scope  null: everything @param {number} cpu  -1: none @param {number} thread */
export const inScope = (scope, cpu, thread) => scope === null || scope.threads[thread] === 1 || scope.cpus[cpu] === 1;

/** @param {import('./trace.js').Trace} trace @param {Iterable<number>} cpus @param {Iterable<number>} threads @returns {Scope | null} null: nothing is in it */
export function makeScope(trace, cpus, threads) {
  const scope = { ids: /** @type {string[]} */ ([]), cpus: new Uint8Array(Math.max(0, ...trace.cpus) + 1), threads: new Uint8Array(trace.threads.length) };
  for (const cpu of cpus) scope.cpus[cpu] = 1;
  for (const thread of threads) scope.threads[thread] = 1;
  scope.ids = idsOf(trace, scope);
  return scope.ids.length > 0 ? scope : null;
}

/** As few as tell it: a process stands for its threads where all of them are meant. @param {import('./trace.js').Trace} trace @param {Scope} scope */
function idsOf(trace, scope) {
  const ids = trace.cpus.filter((cpu) => scope.cpus[cpu] === 1).map((cpu) => `c${cpu}`);
  for (const [process, threads] of trace.processes) {
    const meant = threads.filter((thread) => scope.threads[thread] === 1);
    if (meant.length > 1 && meant.length === threads.length) ids.push(`p${process}`);
    else ids.push(...meant.map((thread) => trace.threadRowId(thread)));
  }
  return ids;
}

/** @param {import('./trace.js').Trace} trace @param {string[]} ids @returns {Scope | null} null: nothing is in it */
export function scopeOf(trace, ids) {
  const wanted = new Set(ids);
  const cpus = trace.cpus.filter((cpu) => wanted.has(`c${cpu}`));
  const threads = [...trace.processes].flatMap(([process, inside]) => (wanted.has(`p${process}`) ? inside
    : inside.filter((thread) => wanted.has(trace.threadRowId(thread)))));
  return makeScope(trace, cpus, threads);
}

/** "CPU 2 and 3 threads". @param {import('./trace.js').Trace} trace @param {Scope} scope */
export function scopeText(trace, scope) {
  const cpus = trace.cpus.filter((cpu) => scope.cpus[cpu] === 1);
  const threads = trace.threads.flatMap((_, i) => (scope.threads[i] === 1 ? [i] : []));
  const parts = [];
  if (cpus.length > 0) parts.push(cpus.length === 1 ? trace.cpuLabel(cpus[0]) : `${cpus.length} CPUs`);
  if (threads.length > 0) parts.push(threads.length === 1 ? trace.threadLabel(threads[0]) : `${threads.length} threads`);
  return parts.join(' and ');
}
