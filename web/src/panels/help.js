// SPDX-License-Identifier: BSD-3-Clause
// The help overlay: every gesture and key.
import { el } from './dom.js';

/** @type {[string, [string, string][]][]} */
const HELP = [
  ['Move', [
    ['wheel, W / S', 'zoom at the pointer'], ['drag, A / D, ← / →', 'pan (Shift: faster)'],
    ['↑ / ↓, wheel over names', 'scroll rows'], ['Shift + wheel', 'pan'],
    ['0, double click', 'whole trace'], ['F', 'fit the selection or the pinned span'],
    ['Z / X', 'view back / forward'], ['minimap', 'click or drag: go there'],
  ]],
  ['Look', [
    ['pointer', 'what is under it'], ['click', 'pin a span and see all of it'],
    [', / .', 'previous / next span on the row'], ['[', 'who woke this thread'],
    ['Shift + drag', 'select a range: where did the time go?'], ['M', 'select what is in view'],
    ['Esc', 'clear search, selection and pins'],
  ]],
  ['Find', [
    ['/', 'search'], ['N / Shift + N, Enter', 'next / previous match'],
    ['write', 'names that contain it'], ['/^(read|write)$/', 'regular expression'],
    ['-write', 'leading minus: must not contain'], ['event:0x801 pid:12 cpu:0', 'number, thread, CPU'],
    ['thread:bash kind:fault', 'thread name, kind of span'], ['min:10us max:1ms', 'duration'],
    ['error:', 'calls that failed'],
  ]],
  ['Show', [
    ['Y', 'wakeup and interrupt arcs'], ['Q', 'wait lines'], ['I', 'instructions per cycle'],
    ['L', 'legend'], ['T', 'light / dark'], ['C', 'colour-blind palette'],
    ['R', 'sort threads: time, name, number'], ['?', 'this help'],
  ]],
];

export function helpContent() {
  return el('div', { class: 'help' }, ...HELP.map(([title, keys]) => el('section', {},
    el('h3', {}, title),
    el('dl', {}, ...keys.flatMap(([key, text]) => [el('dt', {}, key), el('dd', {}, text)])))));
}
