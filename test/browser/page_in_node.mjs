// SPDX-License-Identifier: BSD-3-Clause
// A trace as the page's code has it, without a browser. In: a container (kutrace report -o FILE.kux); out: what
// the page's questions are asked of: the trace, its parts, what every view has and the header.
import { readFile } from 'node:fs/promises';
import { answer } from '../../web/src/model/answer.js';
import { unpackBlock } from '../../web/src/model/inflate.js';
import { fileSource } from '../../web/src/model/source.js';
import { Store } from '../../web/src/model/store.js';
import { Trace } from '../../web/src/model/trace.js';

/** @param {string} file */
export async function openContainer(file) {
  const source = await fileSource(new Blob([await readFile(file)]));
  const text = new TextDecoder().decode(await unpackBlock(source.block('kutrace-header'), null));
  const header = () => JSON.parse(text);
  const trace = new Trace(header());
  const { tables } = trace;
  const crew = { free: true, size: 1, ask: async (work) => (await answer(work, tables)).result };
  const { overlays, calls } = await crew.ask({ stored: source.block('kutrace-long'), expected: trace.header.long, task: { kind: 'long' } });
  const store = new Store(trace, /** @type {any} */ (crew), source);
  store.begin(calls);
  store.problem = (text) => { throw new Error(text); };
  return { header, trace, store, longOverlays: overlays, longCalls: calls };
}
