// SPDX-License-Identifier: BSD-3-Clause
// What lay on what within a range, and what called what. Runs in workers and in the page alike. In: a slab, a range;
// out: nested frames, which can be added up.
import { CallFrames } from './call_frames.js';
import { FlameStack, newFrame } from './flame.js';
import { eachPiece } from './pieces.js';
import { pieceMatches } from './match.js';

/**
 * @param {import('./slab.js').Slab} slab @param {Uint8Array} what @param {number} t0 @param {number} t1
 * @param {import('./query.js').Query | null} only  what counts @param {import('./scope.js').Scope | null} scope  on which rows
 * @returns {import('./flame.js').Frame}
 */
export function framesOfSlab(slab, what, t0, t1, only, scope) {
  const root = newFrame(-1);
  const calls = slab.hasCalls ? new CallFrames(root, slab, what) : null;
  const stacks = slab.sections.map(() => (calls ? null : new FlameStack(root, what)));
  eachPiece(slab, t0, t1, scope, (i, time, section) => {
    const counts = !only || pieceMatches(only, slab, i);
    if (!calls) stacks[section]?.push(slab.kind[i], slab.thread[i], counts ? time : 0);  // the others lie on it
    else if (counts) calls.add(i, slab.sections[section].cpu, time);
  });
  return root;
}
