// SPDX-License-Identifier: BSD-3-Clause
// Who took part in an RPC: the threads that worked for it and the CPUs on which they did. Runs in workers and in
// the page alike. In: slabs or overlays; out: places of threads, numbers of CPUs.
import { cpuOf } from './slab.js';

/** Threads up to this number are none. */
const IDLE = 1;

/** @typedef {{threads: Set<number>, cpus: Set<number>}} Takers */

/** @returns {Takers} */
export const noTakers = () => ({ threads: new Set(), cpus: new Set() });

/** @param {Takers} takers @param {number} thread @param {number} cpu */
function take({ threads, cpus }, thread, cpu) {
  if (thread > IDLE) threads.add(thread);
  if (cpu >= 0) cpus.add(cpu);
}

/** @param {import('./slab.js').Overlays} o @param {number} rpc @param {Takers} takers */
export function takersAmong(o, rpc, takers) {
  for (let i = 0; o.rpc && i < o.count; i++) {
    if ((o.rpc[i] & 0xffff) === rpc) take(takers, o.thread[i], o.cpu[i]);
  }
}

/** @param {import('./slab.js').Slab} slab @param {number} rpc @param {number} end  of the RPC: its thread may have nothing else to do afterwards */
export function takersOf(slab, rpc, end) {
  const takers = noTakers();
  const at = slab.rpcs ? slab.rpcs.ids.indexOf(rpc) : -1;
  if (slab.rpcs && at >= 0) {
    for (let i = slab.rpcs.first[at]; i < slab.rpcs.first[at + 1]; i++) {
      const p = slab.rpcs.order[i];
      if (slab.start[p] < end) take(takers, slab.thread[p], cpuOf(slab, p));
    }
  }
  takersAmong(slab.overlays, rpc, takers);
  return takers;
}

/** @param {Takers} into @param {Takers} from */
export function addTakers(into, from) {
  for (const thread of from.threads) into.threads.add(thread);
  for (const cpu of from.cpus) into.cpus.add(cpu);
}
