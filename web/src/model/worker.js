// SPDX-License-Identifier: BSD-3-Clause
// A worker: unpacks a block and hands over its arrays, or only what a scan found in it.
import { unpackBlock } from './inflate.js';
import { decodeOverview } from './overview.js';
import { decodeSlab, slabBuffers } from './slab.js';
import { wholeKinds } from './overlays.js';
import { searchSlab } from './scan.js';
import { usageOfSlab } from './usage.js';

/** @type {import('./slab.js').Tables | null} */
let tables = null;

self.onmessage = async (message) => {
  const { stored, expected, task } = message.data;
  if (message.data.tables) {
    tables = message.data.tables;
    return;
  }
  try {
    if (!tables) throw new Error('a worker was asked before it was told');
    const bytes = await unpackBlock(stored, expected);
    if (task.kind === 'overview') {
      self.postMessage({ result: decodeOverview(bytes) }, { transfer: [bytes.buffer] });
      return;
    }
    const slab = decodeSlab(bytes, tables);
    if (task.kind === 'long') {
      self.postMessage({ result: { overlays: slab.overlays, far: wholeKinds(slab.overlays, tables) } });
    } else if (task.kind === 'decode' || task.kind === 'load') {
      self.postMessage({ result: slab }, { transfer: slabBuffers(slab) });
    } else if (task.kind === 'search') {
      self.postMessage({ result: searchSlab(slab, task.query) });
    } else {
      self.postMessage({ result: usageOfSlab(slab, tables.what, task.t0, task.t1, task.only) });
    }
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};
