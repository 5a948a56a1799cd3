// SPDX-License-Identifier: BSD-3-Clause
// The legend: every shape the plot uses, drawn as the plot draws it; of what lies over the bars only
// what this trace has.
import { hasData } from '../model/has_data.js';
import { CONTENDED, KIND_TEXT, reasonOfLetter } from '../model/kinds.js';
import { KIND } from '../model/tables.js';
import { WAITS } from '../draw/palette.js';
import { el } from '../base/dom.js';
import { kindSwatch, overSwatch, waitSwatch } from './swatch.js';

const SHOWN = [KIND.user, KIND.syscall, KIND.trap, KIND.irq, KIND.softirq, KIND.scheduler, KIND.idle,
  KIND.idleLowPower, KIND.cExit, KIND.loss];

/** Swatch, switch whose data it needs or '', name, text. @type {[import('../draw/shapes.js').Over, string, string, string][]} */
const OVER = [
  ['wake', 'arcs', 'wakeup', 'from the waker to the moment the woken thread runs'],
  ['ipi', 'arcs', 'interrupt to another CPU', 'from the sender to where it arrives'],
  ['mark', 'marks', 'mark', 'the program itself placed it here'],
  ['held', 'locks', 'lock held', 'above the bars of a thread'],
  ['wanted', 'locks', 'lock wanted', 'tries to get it'],
  ['sample', 'samples', 'program counter', 'sampled at the tick; dashed in the kernel'],
  ['dial', 'ipc', 'instructions per cycle', 'left 0, upright 1.75, right 3.5; zoomed out, a line; orange: cache misses, right 4 MB'],
  ['rx', 'network', 'received', 'message as a bar, packet as a slanting tick'],
  ['tx', 'network', 'sent', 'below what was received; upright: only a packet capture has it'],
  ['cost', 'cost', 'cost of recording', 'at the begin of a span, as long as it takes; zoomed in far'],
  ['density', '', 'several spans', 'share the pixel above: dozens are thicker, hundreds thickest'],
  ['call', 'calls', 'one call', 'in pieces, under the bars of its thread: from its begin to its end; blue for what is pointed at'],
  ['path', '', 'critical path', 'of what was asked about (Shift+W, Requests): whole where its thread runs, dashed where it waits, upright to who ended a wait'],
  ['match', '', 'match', 'of the search; all else is pale'],
];

/** @param {any} app */
export function legendPanel(app) {
  const { palette, trace } = app;
  const line = (/** @type {Node} */ swatch, /** @type {string} */ name, /** @type {string} */ text) => (
    el('li', {}, swatch, el('span', {}, el('b', {}, name), ` ${text}`)));
  return el('div', {}, el('h2', {}, 'Legend'),
    el('p', {}, 'A bar’s height and pattern say what a CPU did, not only its colour. Zoomed out, a '
      + 'column is a stack: each part is as high as its share of the time. Work is never hidden by idle.'),
    el('ul', { class: 'legend' }, ...SHOWN.map((kind) => line(kindSwatch(palette, kind), ...legendText(kind)))),
    el('p', {}, 'A user bar’s colour is its process’s.'),
    el('h3', {}, 'Over and under the bars'),
    el('ul', { class: 'legend' }, ...OVER.filter(([, data]) => data === '' || hasData(trace, data))
      .map(([shape, , name, text]) => line(overSwatch(palette, shape), name, text))),
    el('h3', {}, 'Why a thread waits'),
    el('p', {}, 'Thin and pale lines: most threads wait for most of the time. What delays them is drawn strongly.'),
    el('ul', { class: 'legend waits' }, line(waitSwatch(palette, reasonOfLetter('c')), WAITS.c[0], 'could run, but did not run yet'),
      ...(trace.what.includes(KIND.lockWanted) ? [line(waitSwatch(palette, CONTENDED), 'lock', 'while another thread held it')] : []),
      ...Object.keys(WAITS).filter((letter) => letter !== 'c').map((letter) => (
        line(waitSwatch(palette, reasonOfLetter(letter)), WAITS[letter][0], '')))));
}

/** @param {number} kind @returns {[string, string]} */
const legendText = (kind) => [KIND_TEXT[kind][0], KIND_TEXT[kind][1]];
