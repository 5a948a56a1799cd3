// SPDX-License-Identifier: BSD-3-Clause
// All that is known of one span: as a card under the pointer and as a panel after a click.
import { KIND, KIND_TEXT, LOSS_REASONS } from '../model/kinds.js';
import { WAITS, waitText } from '../draw/palette.js';
import { countText, durationText, exactTime, wallText } from '../layout/time_text.js';
import { argumentText, resultText } from '../model/trace.js';
import { el } from './dom.js';

/**
 * @param {import('../model/trace.js').Trace} trace
 * @param {import('../layout/hit.js').Found} found
 */
export function spanTitle(trace, found) {
  const what = trace.what[found.kind];
  if (what === KIND.wait) return `waits: ${waitText(trace.event[found.kind])[0]}`;
  if (what === KIND.idleLowPower) return 'idle, low power';
  if (what === KIND.idle) return 'idle';
  if (what === KIND.cExit) return 'leaving a C-state';
  if (what === KIND.loss) return `LOST: ${LOSS_REASONS[found.arg & 255] ?? 'unknown reason'}`;
  return trace.fullName(found.kind, found.arg, found.result);
}

/** @param {number} nibble */
function ipcText(nibble) {
  return ['0', '1/8', '1/4', '3/8', '1/2', '5/8', '3/4', '7/8', '1', '1.25', '1.5', '1.75', '2',
    '2.5', '3', '3.5'][nibble & 15];
}

/**
 * Facts as [name, text].
 * @param {import('../model/trace.js').Trace} trace
 * @param {import('../layout/hit.js').Found} found
 * @returns {[string, string][]}
 */
export function spanFacts(trace, found) {
  const what = trace.what[found.kind];
  /** @type {[string, string][]} */
  const facts = [['kind', KIND_TEXT[what][0]]];
  if (found.end > found.start) facts.push(['duration', durationText(found.end - found.start)]);
  facts.push(['start', exactTime(found.start)]);
  if (found.cpu >= 0) facts.push(['CPU', String(found.cpu)]);
  const thread = trace.threads[found.thread];
  if (thread && thread.pid > 0) {
    facts.push(['thread', trace.threadLabel(found.thread)]);
    if (thread.process >= 0 && thread.process !== thread.pid) facts.push(['process', String(thread.process)]);
  }
  if (what === KIND.syscall) {
    facts.push(['argument', `${argumentText(found.arg)} (low 16 bits of the first)`]);
    facts.push(['result', found.result > 0 ? resultText(found.result - 1) : 'not seen']);
  } else if (what === KIND.idleLowPower && found.arg > 0) {
    const state = found.arg >>> 16;
    facts.push(['C-state', state > 0 ? `index ${state - 1}, hint 0x${(found.arg & 0xffff).toString(16)}`
      : `hint 0x${found.arg.toString(16)}`]);
  } else if (found.arg > 0 && what !== KIND.loss && what !== KIND.user) {
    facts.push(['argument', `${found.arg} (0x${found.arg.toString(16)})`]);
  }
  if (found.ipc > 0) facts.push(['instructions per cycle', ipcText(found.ipc)]);
  if (found.rpc > 0) facts.push(['RPC', String(found.rpc)]);
  if (what === KIND.syscall || what === KIND.trap || what === KIND.irq) {
    facts.push(['event', `0x${trace.event[found.kind].toString(16)}`]);
  }
  return facts;
}

/** @param {any} app @param {import('../layout/hit.js').Found} found */
export function hoverCard(app, found) {
  const { trace } = app;
  const facts = spanFacts(trace, found).filter(([name]) => name !== 'event');
  const more = found.folded > 1
    ? el('div', { class: 'quiet' }, `${countText(found.folded)} spans share this pixel; this is the longest`) : null;
  return el('div', {}, el('b', {}, spanTitle(trace, found)),
    el('dl', {}, ...facts.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)])), more);
}

/**
 * @param {any} app
 * @param {import('../layout/hit.js').Found} found
 * @param {{waker: any, show: (t0: number, t1: number) => void, step: (d: number) => void}} actions
 */
export function detailsPanel(app, found, actions) {
  const { trace } = app;
  const facts = spanFacts(trace, found);
  facts.push(['wall clock', wallText(trace.wallMs(found.start), 6)]);
  const totals = trace.kindTotals[found.kind];
  facts.push(['all of this kind', `${countText(totals.count)}, ${durationText(totals.total)} in all, `
    + `${durationText(totals.min)} to ${durationText(totals.max)}`]);
  const waker = actions.waker && el('p', {}, 'Last woken by ',
    el('button', { onclick: () => actions.show(actions.waker.start, actions.waker.end) },
      trace.threadLabel(actions.waker.thread)),
    ` on CPU ${actions.waker.cpu}, ${durationText(Math.max(0, found.start - actions.waker.start))} before this span.`);
  return el('div', {},
    el('h2', {}, spanTitle(trace, found)),
    el('dl', {}, ...facts.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)])),
    waker || null,
    el('p', { class: 'buttons' },
      el('button', { onclick: () => actions.step(-1) }, '← previous'),
      el('button', { onclick: () => actions.step(1) }, 'next →'),
      el('button', { onclick: () => actions.show(found.start, found.end) }, 'zoom to it (F)'),
      el('button', { onclick: () => app.search.set(`event:${trace.name(found.kind)}`) }, 'find all')));
}

export const WAIT_REASONS = Object.values(WAITS);
