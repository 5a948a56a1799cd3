// SPDX-License-Identifier: BSD-3-Clause
// What this trace is and how far it can be trusted: what was lost, what the recording could not see,
// what had to be repaired, what it cost, whether it agrees with the kernel's own counters.
import { COUNTERS, FACT, FACT_MEANINGS, LOSS_REASONS } from '../model/tables.js';
import { countText, percentText } from '../model/number_text.js';
import { durationText, exactTime, wallText } from '../layout/time_text.js';
import { el, table } from '../base/dom.js';

const MOST_LOSSES = 100;

/** @typedef {import('../app.js').App} App @typedef {[string, string | Node, string?]} Fact  name, value, meaning */

/** Time lost on all CPUs together. @param {import('../model/trace.js').Trace} trace */
export function lostShare(trace) {
  const lost = trace.losses.reduce((sum, l) => sum + l.end - l.begin, 0);
  return { lost, share: lost / (trace.duration * Math.max(1, trace.cpus.length)) };
}

/** @param {Fact[]} facts */
const list = (facts) => el('dl', {}, ...facts.flatMap(([name, value, meaning]) => [el('dt', meaning ? { title: meaning } : {}, name), el('dd', {}, value)]));
/** A fact under the name that the recorder gave it. @param {[string, string]} fact @returns {Fact} */
const explained = ([key, value]) => [key, value, /** @type {Record<string, string>} */ (FACT_MEANINGS)[key]];
/** @param {string} text */
const quiet = (text) => el('p', { class: 'quiet' }, text);
/** @param {string} title @param {...(Node | string)} content */
const section = (title, ...content) => el('section', {}, el('h3', {}, title), ...content);

/** @param {App} app */
export function aboutPanel(app) {
  const { trace } = app;
  const meta = new Map(/** @type {[string, string][]} */ (trace.header.meta));
  return el('div', { class: 'about' }, el('h2', {}, 'About this trace'), verdict(trace), machine(trace, meta),
    recording(trace, meta), unseen(trace), losses(app), repairs(trace), selfCheck(trace));
}

/** @param {import('../model/trace.js').Trace} trace */
function verdict(trace) {
  const { lost, share } = lostShare(trace);
  const sound = 'the spans of every CPU add up to the recorded time.';
  const none = trace.losses.length === 0;
  return el('p', { class: none ? 'verdict' : 'verdict lost' }, lost > 0
    ? `${durationText(lost)} of CPU time (${percentText(share)}) is not known: see losses. All other time is told, to the nanosecond.`
    : none ? `Nothing was lost: ${sound}` : `Events were lost, see losses, but no CPU's time: ${sound}`);
}

/** @param {import('../model/trace.js').Trace} trace @param {Map<string, string>} meta */
function machine(trace, meta) {
  const { host, kernel, cpu_model: model } = trace.header;
  return section('Machine', list([['host', host || 'not recorded'], ['kernel', meta.get(FACT.uname) || kernel || 'not recorded'],
    ['CPU', model || 'not recorded'], [trace.rowLabels ? 'rows' : 'CPUs', String(trace.cpus.length)]]));
}

/** What the recorder leaves under these names has a place of its own here. */
const TOLD = new Set([FACT.source, FACT.clock, FACT.mode, FACT.uname, FACT.commandLine, FACT.events, FACT.costNsPerEvent,
  FACT.costPercent, FACT.unseen, FACT.counter, FACT.reading, FACT.saved, FACT.savedView, FACT.extra, FACT.callouts].map(String));

/** @param {import('../model/trace.js').Trace} trace @param {Map<string, string>} meta */
function recording(trace, meta) {
  const h = trace.header;
  const each = meta.get(FACT.costNsPerEvent);
  const share = meta.get(FACT.costPercent);
  const cost = each ? `${share ? `${share} % of the CPUs’ time, ` : ''}${each} ns an event` : 'not recorded';
  /** @type {Fact[]} */
  const facts = [['of', durationText(trace.duration)], ['from', wallText(trace.wallUsec(trace.begin), 6) || 'not known when'],
    ['source', [meta.get(FACT.source), meta.get(FACT.mode) && `mode ${meta.get(FACT.mode)}`].filter(Boolean).join(', ') || 'not recorded'],
    ['cost of recording', cost], ['events', `${countText(h.events)}, ${countText(trace.spans)} spans here`],
    ['clock', [meta.get(FACT.clock), h.ns_per_tick ? `ticks of ${Number(h.ns_per_tick.toPrecision(6))} ns` : ''].filter(Boolean).join(', ') || 'unknown']];
  if (meta.has(FACT.events)) facts.push(['groups', String(meta.get(FACT.events)).replaceAll(',', ', ')]);
  if (meta.has(FACT.commandLine)) facts.push(['command', el('code', {}, String(meta.get(FACT.commandLine)))]);
  const rest = h.meta.filter((/** @type {[string, string]} */ [key]) => !TOLD.has(key) && !key.startsWith('selfcheck.'));
  return section('Recording', list(facts), rest.length === 0 ? el('span', {})
    : el('details', {}, el('summary', {}, `${rest.length} more facts from the recorder`), list(rest.map(explained))));
}

/** @param {import('../model/trace.js').Trace} trace */
function unseen(trace) {
  const texts = trace.header.meta.filter((/** @type {[string, string]} */ [key]) => key === FACT.unseen);
  return section('What it could not see', texts.length > 0
    ? el('ul', {}, ...texts.map((/** @type {[string, string]} */ [, text]) => el('li', {}, text)))
    : quiet('The recorder reported nothing that it could not see.'));
}

/** @param {App} app */
function losses({ trace, navigation }) {
  if (trace.losses.length === 0) return section('Losses', quiet('Nothing was lost.'));
  const more = trace.losses.length - MOST_LOSSES;
  return section('Losses', table(['CPU', 'at', 'for', 'entries', 'why'],
    trace.losses.slice(0, MOST_LOSSES).map((l) => [l.cpu, exactTime(l.begin), durationText(l.end - l.begin),
      l.entries < 0 ? 'unknown' : countText(l.entries), LOSS_REASONS[l.reason] ?? l.reason]),
    (i) => navigation.show(trace.losses[i].begin, trace.losses[i].end)),
  quiet(more > 0 ? `and ${countText(more)} more; a click goes there` : 'A click goes there.'));
}

/** @param {import('../model/trace.js').Trace} trace */
function repairs(trace) {
  const { repairs: rules, damage, notes = {} } = trace.header;
  const used = Object.entries(rules);
  const damaged = Object.entries(damage);
  const noted = Object.entries(notes);
  return section('Repairs', used.length === 0 ? quiet('Nothing had to be repaired.')
    : counts(used),
  damaged.length === 0 ? quiet('The file was whole.')
    : el('div', {}, el('p', {}, 'The file was damaged:'), counts(damaged)),
  noted.length === 0 ? '' : el('div', {}, el('p', {}, 'Nothing is wrong with this:'), counts(noted)));
}

/** Counters and how often each counted. @param {[string, number][]} rules */
const counts = (rules) => el('ul', { class: 'repairs' }, ...rules.map(([rule, count]) => el('li', {}, el('b', {}, `${countText(count)} ×`),
  ` ${/** @type {Record<string, string>} */ (COUNTERS)[rule] ?? ''} `, el('code', { class: 'quiet' }, rule))));

/** Events counted by the recorder and by the kernel over the same time. @param {import('../model/trace.js').Trace} trace */
function selfCheck(trace) {
  const rows = trace.header.meta.flatMap((/** @type {[string, string]} */ [key, value]) => {
    const [, name] = /^selfcheck\.(.*)$/.exec(key) ?? [];
    const [, recorded, kernel] = /^recorded (\d+) kernel (\d+)$/.exec(value) ?? [];
    return name && recorded ? [[name, countText(Number(recorded)), countText(Number(kernel))]] : [];
  });
  return rows.length === 0 ? '' : section('Beside the kernel’s counters',
    table(['counter', 'recorded', 'kernel'], rows), quiet('The two are read one after the other, so small differences are no loss.'));
}
