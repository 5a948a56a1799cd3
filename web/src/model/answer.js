// SPDX-License-Identifier: BSD-3-Clause
// One piece of work on a block of the page: unpacks it and gives its arrays, or only what a scan found in it.
import { backtraceBuffers, decodeBacktraces } from './backtraces.js';
import { callFileBuffers, decodeCallFiles } from './call_files.js';
import { decodeOverview } from './overview.js';
import { decodeSlab, slabBuffers } from './slab.js';
import { framesOfSlab } from './frames.js';
import { gatherSlab } from './gather.js';
import { runsWith, sumsOfRuns } from './run_sums.js';
import { wholeKinds } from './overlays.js';
import { narrowCalls } from './narrow.js';
import { searchSlab, sentMatches } from './scan.js';
import { takersOf } from './takers.js';
import { USE, unpackSlab, useOf } from './slab_use.js';
import { UsageTally, usageBuffers } from './usage.js';

/** Of the slabs that were added up last: its memory is used for those that come next. @type {UsageTally | null} */
let spare = null;

/** What every view has. @param {import('./slab.js').Slab} slab @param {import('./slab.js').Tables} tables */
function longOf(slab, tables) {
  const calls = narrowCalls(slab.calls);
  const far = wholeKinds(slab.overlays, tables);
  const parts = [calls, slab.overlays, slab.overlays.index, far.overlays.index];
  const buffers = new Set(parts.flatMap((part) => Object.values(part).filter((value) => ArrayBuffer.isView(value)).map(({ buffer }) => buffer)));
  return { result: { overlays: slab.overlays, calls, far }, transfer: [...buffers] };
}

/**
 * What a search finds in a slab; a call that is to be shown needs its arguments, which it was unpacked without if that seemed unlikely.
 * @param {import('./slab.js').Slab} slab @param {import('./crew.js').Work} work @param {import('./slab.js').Tables} tables @param {number} use
 */
async function searched(slab, work, tables, use) {
  const { query, order, last } = work.task;
  const matches = searchSlab(slab, query, order, last);
  if (use !== USE.sums || !matches.hits.some(({ call }) => call)) return matches;
  return searchSlab(decodeSlab(await unpackSlab(work, USE.times), tables, undefined, USE.times), query, order, last);
}

/**
 * @param {import('./crew.js').Work} work
 * @param {import('./slab.js').Tables} tables
 * @returns {Promise<{result: any, transfer: Transferable[]}>} transfer: what of the result may change hands
 */
export async function answer(work, tables) {
  const { expected, task, long, more = [] } = work;
  const use = useOf(task);
  if (task.kind !== 'usage') spare = null;
  const bytes = await unpackSlab(work, use);
  if (task.kind === 'overview') {
    const overview = decodeOverview(bytes, 'ipc' in expected);
    const { at, first, bucket } = overview.threads;
    return { result: overview, transfer: [bytes.buffer, at.buffer, first.buffer, bucket.buffer] };
  }
  if (task.kind === 'backtraces') {
    const backtraces = decodeBacktraces(bytes);
    return { result: backtraces, transfer: backtraceBuffers(backtraces) };
  }
  if (task.kind === 'files') {
    const files = decodeCallFiles(bytes);
    return { result: files, transfer: callFileBuffers(files) };
  }
  if (task.kind === 'runs') {
    const part = sumsOfRuns(bytes, tables, task.runs, task.reasons);
    return { result: part, transfer: usageBuffers(part) };
  }
  if (task.kind === 'runs-with') return { result: runsWith(bytes, tables, task.kinds), transfer: [] };
  const slab = decodeSlab(bytes, tables, long, use, use === USE.sums && task.kind === 'search' && !task.query.invert ? task.query.kinds : null);
  switch (task.kind) {
    case 'long':
      return longOf(slab, tables);
    case 'warm':
      return { result: null, transfer: [] };
    case 'search':
      return sentMatches(await searched(slab, work, tables, use));
    case 'list':
      return { result: searchSlab(slab, task.query, task.order, task.last).hits, transfer: [] };
    case 'first': {
      const { hits, count } = searchSlab(slab, task.query, task.order, task.last, task.most);
      return { result: { hits: hits.slice(0, task.most), count }, transfer: [] };
    }
    case 'gather':
    case 'look': {
      const events = gatherSlab(slab, task.kinds, tables.what);
      return { result: events, transfer: Object.values(events).flatMap((column) => (ArrayBuffer.isView(column) ? [column.buffer] : [])) };
    }
    case 'takers':
      return { result: takersOf(slab, task.rpc, task.end), transfer: [] };
    case 'usage': {
      const asked = /** @type {import('./usage.js').Asked} */ (/** @type {unknown} */ (task));
      const tally = spare?.what === tables.what ? spare : new UsageTally(tables, asked);
      if (tally === spare) tally.again(asked);
      spare = null;
      tally.add(slab);
      for (const other of more) tally.add(decodeSlab(await unpackSlab(other, use), tables, undefined, use));
      const part = tally.part();
      spare = tally;
      return { result: part, transfer: usageBuffers(part) };
    }
    case 'flame':
      return { result: framesOfSlab(slab, tables.what, task.t0, task.t1, task.only, task.scope), transfer: [] };
    default:
      return { result: slab, transfer: slabBuffers(slab) };
  }
}
