// SPDX-License-Identifier: BSD-3-Clause
// What a span is called where it stands alone.
import { waitWord } from '../model/kinds.js';
import { KIND, LOSS_REASONS } from '../model/tables.js';

/**
 * @param {import('../model/trace.js').Trace} trace
 * @param {import('../layout/hit.js').Found} found
 */
export function spanTitle(trace, found) {
  const what = trace.what[found.kind];
  if (what === KIND.wait) return `waits: ${waitWord(trace.event[found.kind])}`;
  if (what === KIND.idleLowPower) return 'idle, low power';
  if (what === KIND.idle) return 'idle';
  if (what === KIND.cExit) return 'leaving a C-state';
  if (what === KIND.loss) return `LOST: ${LOSS_REASONS[found.arg & 255] ?? 'unknown reason'}`;
  return trace.fullName(found.kind, found.arg, found.result);
}
