// SPDX-License-Identifier: BSD-3-Clause
// Whether a trace has what a switch shows or the legend explains. In: the trace, a name; out: yes or no.
import { countsAnything } from './ipc.js';
import { isPacket } from './overlays.js';
import { FACT, KIND } from './tables.js';

/** @type {Record<string, number[]>} */
const KINDS = {
  arcs: [KIND.wakeupArc, KIND.ipiArc], allArcs: [KIND.wakeupArc, KIND.ipiArc], waits: [KIND.wait], marks: [KIND.mark], samples: [KIND.sample],
  locks: [KIND.lockHeld, KIND.lockWanted], network: [KIND.message], functions: [KIND.function],
};

/** @param {import('./trace.js').Trace} trace @param {string} name */
export function hasData(trace, name) {
  if (name === 'cost') return trace.header.meta.some((/** @type {[string, string]} */ [key]) => key === FACT.costNsPerEvent);
  if (name === 'calls') return trace.hasCalls;
  if (name === 'ipc') return countsAnything(trace.header.flags);
  if (name === 'network' && trace.event.some(isPacket)) return true;
  const kinds = KINDS[name];
  return kinds === undefined || trace.what.some((what) => kinds.includes(what));
}
