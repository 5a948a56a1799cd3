// SPDX-License-Identifier: BSD-3-Clause
// The page's critical path is the program's: over traces drawn from seeds, some of two machines, the way to the end of
// calls and waits has the same pieces, of the same causes, in the same words, as `kutrace why --format json` says of
// the same trace.
// In: the kutrace program, what writes the traces; out: exit status.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { CauseText } from '../../web/src/state/cause_text.js';
import { CriticalPath } from '../../web/src/state/critical_path.js';
import { Happenings } from '../../web/src/state/happenings.js';
import { KIND } from '../../web/src/model/tables.js';
import { openContainer } from './page_in_node.mjs';

const [program, maker] = process.argv.slice(2);
const SEEDS = 150;
const OF_EACH = 5;
const TALKING = 10;  // every so many traces
const OF_TALKING = 60;  // where few waits end by a message
const ALL_CAUSES = 16;  // of src/reports/cause.h
const folder = await mkdtemp(`${tmpdir()}/kutrace-path-`);
const quiet = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', maxBuffer: 2 ** 30 };

/** Numbers that look like chance, the same for a seed. @param {number} seed */
function chance(seed) {
  let state = seed;
  return (/** @type {number} */ most) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % most;
  };
}

/** Waits and system calls of threads, some of all. @param {any} page @param {number} most @param {(most: number) => number} random */
async function intervalsOf({ trace, store, longOverlays, longCalls }, most, random) {
  const found = [];
  const add = (thread, begin, end) => { if (thread > 1 && end > begin) found.push({ thread, begin }); };
  const overlays = [longOverlays];
  const calls = [longCalls];
  for (let i = 0; i < trace.slabs.length; i++) {
    const slab = await store.load(i);
    overlays.push(slab.overlays);
    calls.push(slab.calls);
    for (let p = 0; p < slab.count; p++) {
      if (trace.what[slab.kind[p]] === KIND.syscall && slab.callOf?.[p] === 0) add(slab.thread[p], slab.start[p], slab.end[p]);
    }
  }
  const short = found.splice(0).filter(() => random(8) === 0);
  for (const o of overlays) for (let i = 0; i < o.count; i++) if (trace.what[o.kind[i]] === KIND.wait) add(o.thread[i], o.start[i], o.end[i]);
  for (const c of calls) for (let i = 0; i < c.count; i++) if (trace.what[c.kind[i]] === KIND.syscall) add(c.thread[i], c.start[i], c.end[i]);
  found.push(...short);
  return Array.from({ length: Math.min(most, found.length) }, () => found[random(found.length)]);
}

/** As `kutrace why --format json` has it. @param {any} page @param {{thread: number, begin: number, end: number}} interval */
async function walked(page, interval) {
  const window = { t0: interval.begin, t1: interval.end };
  const pieces = await new CriticalPath(new Happenings(page, window)).walk(interval);
  const text = new CauseText(page.trace);
  return pieces.reverse().map(({ begin, end, cpu, cause }) => ({ begin_ns: begin, duration_ns: end - begin, ...(cpu < 0 ? {} : { cpu }),
    thread: cause.thread ? text.thread(cause.thread) : '', cause: cause.kind, text: text.words(cause, page.trace.threads[interval.thread].first) }));
}

/** @param {any} page @param {{thread: number, begin: number}} asked */
const place = ({ trace }, { thread, begin }) => `${trace.threads[thread].pid}@${begin}ns`;

const causes = new Set();
let [compared, followed, pieces, crossed] = [0, 0, 0, 0];
for (let seed = 1; seed <= SEEDS; seed++) {
  const talks = seed % TALKING === 0;
  execFileSync(maker, [talks ? 'talking' : 'truth', `${folder}/t.raw`, String(seed)]);
  execFileSync(program, ['report', `${folder}/t.raw`, '-o', `${folder}/t.kux`], quiet);
  const page = await openContainer(`${folder}/t.kux`);
  for (const asked of await intervalsOf(page, talks ? OF_TALKING : OF_EACH, chance(seed))) {
    const told = JSON.parse(execFileSync(program, ['why', '--at', place(page, asked), '--format', 'json', `${folder}/t.raw`], quiet));
    const own = await walked(page, { thread: asked.thread, begin: told.begin_ns, end: told.begin_ns + told.duration_ns });
    assert.deepEqual(own, told.path, `seed ${seed}, ${place(page, asked)}`);
    assert.equal(own.reduce((sum, piece) => sum + piece.duration_ns, 0), told.duration_ns);
    compared++;
    pieces += own.length;
    followed += Number(own.some(({ thread }) => thread !== told.thread));
    crossed += Number(own.some(({ text }) => text.includes('brought what')));
    for (const { cause } of own) causes.add(cause);
  }
}
console.log(`${compared} ways in ${SEEDS} traces are equal: ${pieces} pieces of ${causes.size} causes; ${followed} lead to other threads, ${crossed} to another machine`);
assert.ok(compared >= 4 * SEEDS && followed > SEEDS && crossed > SEEDS / TALKING && causes.size === ALL_CAUSES, [...causes].join());
await rm(folder, { recursive: true });
