// SPDX-License-Identifier: BSD-3-Clause
// All that is known of one span: as a card under the pointer and as a panel after a click.
import { KIND_TEXT, isMoment, letterOf, reasonOf, waitWord } from '../model/kinds.js';
import { INFERRED, KIND, MARK_A, MARK_D, WAIT_FIRST } from '../model/tables.js';
import { IPC_TEXT, counterOf, missText, stepsOf } from '../model/ipc.js';
import { spanTitle } from '../draw/span_title.js';
import { countText, percentText } from '../model/number_text.js';
import { durationText, exactTime, wallText } from '../layout/time_text.js';
import { methodOf } from '../model/intervals.js';
import { searchOfKind } from './usage_rows.js';
import { argumentText, resultText } from '../model/trace.js';
import { el } from '../base/dom.js';
import { waitingFor } from '../state/cause_text.js';
import { waitSwatch } from './swatch.js';

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
  const { call } = found;
  if (!isMoment(what)) facts.push([call && !found.isCall ? 'this piece' : 'duration', durationText(found.end - found.start)]);
  if (call) facts.push(...callFacts(call, Boolean(found.isCall)));
  facts.push(['start', exactTime(found.start)]);
  if (found.cpu >= 0) facts.push(['CPU', String(found.cpu)]);
  const thread = trace.threads[found.thread];
  if (thread && thread.pid > 0) {
    facts.push(['thread', trace.threadLabel(found.thread)]);
    if (thread.process >= 0 && thread.process !== thread.pid) facts.push(['process', String(thread.process)]);
  }
  if (what === KIND.syscall) {
    facts.push(['argument', `${argumentText(found.arg)} (low 16 bits of the first)`]);
    // An interrupted call's return stands on another piece of it, which has to be looked for.
    if (found.file) facts.push(['file', found.file]);
    if (found.result > 0 || found.sought) facts.push(['result', found.result > 0 ? resultText(found.result - 1) : 'not in the trace']);
  } else if ((what === KIND.idleLowPower || what === KIND.cExit) && found.arg > 0) {
    facts.push(['C-state', stateText(trace, found.arg)]);
  } else if (what === KIND.function) {
    facts.push(['in itself', durationText(Number(found.value ?? 0n))], ['depth', `${found.arg}`]);
  } else if (found.arg > 0 && what !== KIND.loss && what !== KIND.user) {
    facts.push(['argument', `${found.arg} (0x${found.arg.toString(16)})`]);
  }
  if (found.ipc > 0) facts.push(...counted(trace, found.ipc));
  if (found.rpc > 0) facts.push(['RPC', String(found.rpc)]);
  if (what === KIND.syscall || what === KIND.trap || what === KIND.irq) {
    facts.push(['event', `0x${trace.event[found.kind].toString(16)}`]);
  }
  return facts;
}

/** A call that is more than a span. @param {import('../model/calls.js').Call} call @param {boolean} whole @returns {[string, string][]} */
function callFacts(call, whole) {
  /** @type {[string, string][]} */
  const facts = whole ? [] : [['the whole call', durationText(call.end - call.start)]];
  facts.push(['on a CPU', durationText(call.onCpu)]);
  for (const [letter, ns] of call.waits) facts.push([`waiting: ${waitWord(WAIT_FIRST + letter)}`, durationText(ns)]);
  const unknown = call.end - call.start - call.onCpu - call.waits.reduce((sum, [, ns]) => sum + ns, 0);
  if (unknown > 0) facts.push(['not known', durationText(unknown)]);
  facts.push(['pieces', countText(call.pieces)]);
  const unseen = [call.inferred & INFERRED.begin ? 'begin' : '', call.inferred & INFERRED.end ? 'return' : ''].filter(Boolean);
  if (unseen.length > 0) facts.push(['not seen', `its ${unseen.join(' and ')}`]);
  return facts;
}

/** Lines of what a wait went to that are seen at once. */
const MOST_BLAMED = 8;
const HALT = 255;  // in place of an mwait hint: halt, or an I/O port

/**
 * A C-state as the kernel calls it, where the recorder stored its table of them.
 * @param {import('../model/trace.js').Trace} trace @param {number} arg  mwait hint; above it the place in that table + 1
 */
function stateText(trace, arg) {
  const place = (arg >>> 16) - 1;
  const hint = arg & 0xffff;
  const [, known] = trace.header.meta.find((/** @type {[string, string]} */ [key]) => key === `cstate.${place}`) ?? [];
  const [name = '', latency = ''] = known?.split(',') ?? [];
  const words = [name || (place >= 0 ? `state ${place}` : ''), latency && `${latency} µs to leave it, says the kernel`,
    hint > 0 && hint !== HALT ? `mwait hint 0x${hint.toString(16)}` : ''];
  return words.filter(Boolean).join(', ') || 'not known';
}

/** @param {import('../model/trace.js').Trace} trace @param {number} nibble @returns {[string, string][]} */
function counted(trace, nibble) {
  const { ipc, misses } = stepsOf(nibble, counterOf(trace.header.flags));
  /** @type {[string, string][]} */
  const facts = [];
  if (ipc >= 0) facts.push(['instructions per cycle', IPC_TEXT[ipc]]);
  if (misses >= 0) facts.push(['cache misses fetched', missText(misses)]);
  return facts;
}

/** @param {any} app @param {import('../layout/hit.js').Found} found */
export function hoverCard(app, found) {
  const { trace } = app;
  const file = app.files.known(found);
  const facts = spanFacts(trace, { ...found, file }).filter(([name]) => name !== 'event');
  const more = found.folded > 1
    ? el('div', { class: 'quiet' }, `${countText(found.folded)} spans share this pixel; this is the longest`) : null;
  return el('div', {}, el('b', {}, spanTitle(trace, found)),
    el('dl', {}, ...facts.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)])), more);
}

/** @typedef {import('../state/finder.js').Cause & {woke: import('../state/finder.js').Woken[],
 *   waits: import('../state/finder.js').Wait[], blame: import('../state/blamer.js').Part[] | null}} Before  blame: of a wait */

/**
 * @param {import('../app.js').App} app
 * @param {any} found  a pin
 * @param {Before | null} before  the run it belongs to; null: not looked up yet
 */
export function detailsPanel(app, found, before) {
  const { trace, looking, search } = app;
  const facts = spanFacts(trace, found);
  const wall = wallText(trace.wallUsec(found.start), 6);
  if (wall) facts.push(['wall clock', wall]);
  const calls = trace.callTotals[found.kind]?.count ? trace.callTotals[found.kind] : null;
  const totals = calls ?? trace.kindTotals[found.kind];
  facts.push(['all of this kind', `${countText(totals.count)}${calls ? ' calls' : ''}, ${durationText(totals.total)} in all, `
    + `${durationText(totals.min)} to ${durationText(totals.max)}`]);
  const step = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ go) => (
    el('button', { title: `Key ${key}`, onclick: go }, text));
  return el('div', {},
    el('h2', {}, spanTitle(trace, found)),
    el('dl', {}, ...facts.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)])),
    el('div', { class: 'steps' },
      el('span', {}, 'on this row'), step('← previous', '[', () => looking.step(-1)), step('next →', ']', () => looking.step(1)),
      el('span', {}, 'same kind'), step('← previous', '{', () => looking.stepSame(-1)), step('next →', '}', () => looking.stepSame(1))),
    el('p', { class: 'buttons' },
      el('button', { onclick: () => looking.show(found) }, 'Zoom to it (F)'),
      el('button', { onclick: () => search.set(searchOfKind(trace, found.kind)) }, 'Find all'),
      el('button', { onclick: () => app.noteLayer.write() }, 'Write a note (E)')),
    ...explanation(app, found), ...slowness(app, found),
    ...markActions(app, found), ...why(app, found, before), ...blamed(app, found, before), ...whom(app, before), ...chain(app));
}

/** What a wait went to, as kutrace blame says it. @param {import('../app.js').App} app @param {any} found @param {Before | null} before @returns {Node[]} */
function blamed({ trace }, found, before) {
  if (!before || trace.what[found.kind] !== KIND.wait) return [];
  const head = el('h3', {}, 'What this wait went to');
  if (!before.blame) return [head, el('p', { class: 'quiet' }, 'It lies over too many parts of the page to be looked through here; kutrace blame tells it.')];
  const whole = Math.max(1, found.end - found.start);
  const rows = before.blame.map(({ text, ns }) => el('tr', {}, el('td', {}, text), el('td', {}, durationText(ns)), el('td', {}, percentText(ns / whole))));
  const sum = el('tfoot', {}, el('tr', {}, el('th', {}, 'all of it'), el('th', {}, durationText(before.blame.reduce((all, { ns }) => all + ns, 0))), el('th', {}, '')));
  const rest = rows.slice(MOST_BLAMED);
  return [head, el('table', { class: 'blame' }, el('tbody', {}, ...rows.slice(0, MOST_BLAMED)), sum), rest.length > 0
    ? el('details', {}, el('summary', {}, `and ${countText(rest.length)} more`), el('table', { class: 'blame' }, el('tbody', {}, ...rest))) : el('span', {})];
}

/** To what it passed with. @param {import('../app.js').App} app @param {any} found @returns {Node[]} */
const explanation = ({ looking }, found) => (looking.explains(found)
  ? [el('p', { class: 'buttons' }, el('button', { id: 'explain', title: 'Key Shift+W', onclick: () => looking.explain() }, 'Why so long? (Shift+W)'))] : []);

/** To the slowest of its name, and to the slowest RPC of its row's method. @param {import('../app.js').App} app @param {any} found @returns {Node[]} */
function slowness({ slowest, trace }, found) {
  const own = slowest.knows(found.kind) ? [steps('slowest', slowest.nameOf(found.kind), slowest.placeOf(found), (step) => { slowest.ofKind(found.kind, step); })] : [];
  if (found.row?.type !== 'rpc') return own;
  const method = methodOf(trace.objects[found.row.object].name);
  if (slowest.nameOf(found.kind) === `rpc ${method}`) return own;
  const list = slowest.list?.name === `rpc ${method}` ? slowest.list : null;
  return [...own, steps('slowest-rpc', `rpc ${method}`, list, (step) => { slowest.ofRpc(found.row, step); })];
}

/** @param {string} id @param {string} name @param {import('../state/slowest.js').Slow | null} list  while one of them is looked at @param {(step: number) => void} go */
function steps(id, name, list, go) {
  if (!list) return el('p', { class: 'buttons' }, el('button', { id, title: 'Key Shift+T', onclick: () => go(1) }, `Slowest ${name} (Shift+T)`));
  return el('p', { class: 'buttons' }, el('button', { onclick: () => go(-1) }, '← slower'), el('button', { id, title: 'Key Shift+T', onclick: () => go(1) }, 'next slowest → (Shift+T)'),
    el('span', { class: 'quiet' }, ` number ${countText(list.at + 1)} of the ${countText(list.hits.length)} slowest of ${countText(list.count)}`));
}

/** Why the thread did not run earlier. @param {import('../app.js').App} app @param {any} found @param {Before | null} before @returns {Node[]} */
function why(app, found, before) {
  const { trace } = app;
  if (!before || (before.waits.length === 0 && !before.waker && !before.before && !before.holder)) return [];
  const { run, waits, waker, sender, before: other, holder } = before;
  const list = waits.map(({ start, end, kind }) => {
    const show = () => app.looking.show({ start, end, row: found.row });
    const own = start === found.start && kind === found.kind ? ' (this wait)' : '';
    return el('li', {}, waitSwatch(app.palette, reasonOf(trace.event[kind])), el('button', { class: 'plain', onclick: show },
      el('b', {}, durationText(end - start)), ` ${waitingFor(letterOf(trace.event[kind]))}${own}`));
  });
  const out = [el('h3', {}, 'Why not earlier?'), el('p', {}, whenItRan(trace, found, before))];
  if (list.length > 0) out.push(el('ul', { class: 'legend waits' }, ...list));
  if (holder) {
    out.push(el('p', {}, 'The lock was held by ', el('b', {}, trace.threadLabel(holder.thread)), ` until ${exactTime(holder.end)}. `,
      goBack(app, 'Go to what held it (B)')));
  }
  if (waker) {
    out.push(el('p', {}, 'Woken by ', el('b', {}, waker.thread > 1 ? trace.threadLabel(waker.thread) : 'an interrupt while idle'),
      ...(sender ? [', sent by ', el('b', {}, trace.threadLabel(sender.thread)), ` on CPU ${sender.cpu},`] : []),
      ` on CPU ${waker.cpu} at ${exactTime(waker.start)}${Number.isFinite(run) ? `; it ran ${durationText(Math.max(0, run - waker.start))} later` : ''}. `,
      goBack(app, 'Go to what woke it (B)')));
  }
  if (other) {
    out.push(el('p', {}, `Nobody woke it for this: it had been ready, and CPU ${other.cpu} ran `, el('b', {}, trace.threadLabel(other.thread)),
      ' until then. ', goBack(app, 'Go there (B)')));
  }
  return out;
}

/** @param {import('../model/trace.js').Trace} trace @param {any} found @param {Before} before */
function whenItRan(trace, found, { run, waits }) {
  const thread = trace.threadLabel(found.thread);
  if (trace.what[found.kind] === KIND.lockWanted) return `${thread} had to wait for this lock until ${exactTime(found.end)}.`;
  if (!Number.isFinite(run)) return `${thread} did not run any more in this recording.`;
  const ago = found.start > run ? `, ${durationText(found.start - run)} before this span` : '';
  return `${thread} ${found.end <= run ? 'ran next at' : 'has been running since'} ${exactTime(run)}${ago}.${waits.length > 0 ? ' Before that:' : ''}`;
}

/** @param {import('../app.js').App} app @param {string} text */
const goBack = (app, text) => el('button', { onclick: () => app.looking.goToCause() }, text);

/** Whom the thread woke in this span. @param {import('../app.js').App} app @param {Before | null} before @returns {Node[]} */
function whom({ trace, looking }, before) {
  if (!before || before.woke.length === 0) return [];
  return [el('h3', {}, 'Whom it woke here'), el('ul', { class: 'legend' }, ...before.woke.map((woken) => el('li', {},
    el('button', { class: 'plain', onclick: () => looking.goToWoken(woken) }, el('b', {}, trace.threadLabel(woken.thread)),
      ` at ${exactTime(woken.time)}, ran ${durationText(Math.max(0, woken.run - woken.time))} later on CPU ${woken.cpu}`))))];
}

/** The way back from a chain of wakeups. @param {import('../app.js').App} app @returns {Node[]} */
function chain({ looking, trace }) {
  if (looking.chain.length === 0) return [];
  const links = looking.chain.map(({ found, how }, i) => el('li', {},
    el('button', { class: 'plain', onclick: () => looking.backInChain(i) }, `${trace.threadLabel(found.thread)}: ${found.text}`),
    el('span', { class: 'quiet' }, ` ${how}`)));
  return [el('h3', {}, 'How it came to this'), el('ol', { class: 'chain' }, ...links, el('li', {}, el('b', {}, 'this span')))];
}

/** From a mark to the one that ends it, "work" to "/work", or to the next mark. @param {import('../app.js').App} app @param {any} found @returns {Node[]} */
function markActions(app, found) {
  const { trace, looking } = app;
  const event = trace.event[found.kind];
  if (trace.what[found.kind] !== KIND.mark || event < MARK_A || event > MARK_D) return [];
  return [el('p', { class: 'buttons' }, el('button', { onclick: () => looking.selectFromMark(found) }, 'Select from here to the mark that ends it'))];
}
