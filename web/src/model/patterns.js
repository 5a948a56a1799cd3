// SPDX-License-Identifier: BSD-3-Clause
// Regular expressions that people write, or that came with a link. One that could go through a name in too many
// ways is refused: it would stop the page.

/** What may be tried in more ways than one: repetitions and choices; and those of these without an end. */
const MOST_CHOICES = 8;
const MOST_ENDLESS = 3;

/** @param {string} source @param {string} flags */
export function readPattern(source, flags) {
  const pattern = new RegExp(source, flags);
  // Without escapes, classes, and what tells what a group is for.
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x').replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(');
  /** Choices in each open group. */
  const open = [0];
  let endless = 0;
  const tokens = plain.match(/[*+?]\??|\{\d+(?:,\d*)?\}\??|./gs) ?? [];
  tokens.forEach((token, i) => {
    const inner = open.at(-1) ?? 0;
    const isRepetition = /^(?:[*+?]|\{\d)/.test(token);
    if (token === '(') open.push(0);
    else if (token === '|') open[open.length - 1] = Math.max(1, inner);
    else if (token === ')') {
      open.pop();
      if (inner > 0 && /^(?:[*+]|\{\d)/.test(tokens[i + 1] ?? '')) refuse('a repeated group has repetitions or choices');
      open[open.length - 1] += inner;
    } else if (isRepetition && !/^\{\d+\}/.test(token)) {
      open[open.length - 1]++;
      if (/^(?:[*+]|\{\d+,\})/.test(token)) endless++;
    }
  });
  if (endless > MOST_ENDLESS || open[0] > MOST_CHOICES) refuse(`more than ${MOST_ENDLESS} of * and +, or ${MOST_CHOICES} choices`);
  return pattern;
}

/** @param {string} why @returns {never} */
function refuse(why) {
  throw new Error(`this expression could take for ever: ${why}`);
}
