// SPDX-License-Identifier: BSD-3-Clause
// A worker: does the work that it is sent, one piece at a time.
import { answer } from './answer.js';

/** @type {import('./slab.js').Tables | null} */
let tables = null;

self.onmessage = async (message) => {
  if (message.data.tables) {
    tables = message.data.tables;
    return;
  }
  try {
    if (!tables) throw new Error('a worker was asked before it was told');
    const { result, transfer } = await answer(message.data, tables);
    self.postMessage({ result }, { transfer });
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};
