// SPDX-License-Identifier: BSD-3-Clause
// What can be done with mouse and touchpad, for the help: by what the wheel does, and always.

/** What hands do, by the chosen way of the wheel. @type {Record<'zoom' | 'scroll', [string, string][]>} */
export const GESTURES = {
  zoom: [
    ['wheel', 'zoom at the pointer'], ['drag', 'move'], ['Shift + drag', 'select rows × time: only these rows in that time'],
    ['Shift + wheel, sideways wheel', 'earlier or later'],
  ],
  scroll: [
    ['wheel', 'rows up and down'], ['Ctrl + wheel, pinch', 'zoom at the pointer'],
    ['drag', 'select rows × time: only these rows in that time'], ['Shift + drag', 'move'],
    ['Shift + wheel, sideways wheel', 'earlier or later'],
  ],
};

/** @type {[string, string][]} */
export const GESTURES_ALWAYS = [
  ['drag on the time axis', 'select a range of all rows; the edges of any range can be dragged'],
  ['point', 'what is there'], ['click', 'pin it and see all of it; on nothing: unpin'],
  ['Shift + click', 'pin one more, to see both'],
  ['double click', 'zoom to it; on nothing: the whole trace'],
  ['drag a row’s name', 'move the row'], ['Shift + click on a row’s name', 'light up its spans'],
  ['right click', 'menu of the place, or of the row'],
  ['click or drag in the strip at the top', 'go there'],
];
