// SPDX-License-Identifier: BSD-3-Clause
// A worker: unpacks a slab and hands over its arrays, or only what a scan found in it.
import { unpackBlock } from './inflate.js';
import { decodeSlab, slabBuffers } from './slab.js';
import { searchSlab } from './scan.js';
import { usageOfSlab } from './usage.js';

/** @type {import('./slab.js').Tables | null} */
let tables = null;

self.onmessage = async (message) => {
  const { job, stored, expected, task } = message.data;
  if (message.data.tables) {
    tables = message.data.tables;
    return;
  }
  try {
    if (!tables) throw new Error('a worker was asked before it was told');
    const bytes = await unpackBlock(stored, expected);
    const slab = decodeSlab(bytes, tables);
    if (task.kind === 'decode' || task.kind === 'load') {
      self.postMessage({ job, result: slab }, { transfer: slabBuffers(slab) });
    } else if (task.kind === 'search') {
      self.postMessage({ job, result: searchSlab(slab, task.query) });
    } else {
      self.postMessage({ job, result: usageOfSlab(slab, tables.what, task.t0, task.t1, task.only) });
    }
  } catch (error) {
    self.postMessage({ job, error: error instanceof Error ? error.message : String(error) });
  }
};
