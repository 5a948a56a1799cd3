// SPDX-License-Identifier: BSD-3-Clause
// Colours by theme and scheme (full, for colour-blind eyes, grey). Out: CSS texts and the same as
// pixels. Kinds also differ in height and pattern, never in colour alone.
import { CONTENDED, WAIT_WORDS, reasonOfLetter } from '../model/kinds.js';
import { KIND } from '../model/tables.js';

const USER = ['#f2b544', '#5fb3e8', '#e8976a', '#d9b382', '#8fc7f0', '#f4d75e', '#4fa3b8', '#cfa585',
  '#a9bccf', '#f0c3a0'];
const USER_SAFE = ['#e69f00', '#56b4e9', '#f0e442', '#9ad0f5', '#f5c76b', '#c7c7c7', '#7fb8d6',
  '#fff3a3', '#b8a46a', '#dfe9f2'];

/** @type {Record<number, string>} */
const CLASSES = {
  [KIND.syscall]: '#56b56a', [KIND.trap]: '#ee6f92', [KIND.irq]: '#7386f2',
  [KIND.softirq]: '#b58cf2', [KIND.scheduler]: '#9aa7b4', [KIND.cExit]: '#e0524f',
};
/** @type {Record<number, string>} */
const CLASSES_SAFE = {
  [KIND.syscall]: '#1fae86', [KIND.trap]: '#e0762b', [KIND.irq]: '#3f8fd2',
  [KIND.softirq]: '#d287b1', [KIND.scheduler]: '#9aa7b4', [KIND.cExit]: '#b03a2e',
};

// Grey: lighter or darker, beside height and pattern. Names within bars stay legible on all of them.
const USER_GREY = ['#dcdcdc', '#c9c9c9', '#e6e6e6', '#d2d2d2', '#bfbfbf'];
/** @type {Record<'light' | 'dark', Record<number, string>>} */
const CLASSES_GREY = {
  light: { [KIND.syscall]: '#adadad', [KIND.trap]: '#858585', [KIND.irq]: '#6e6e6e',
    [KIND.softirq]: '#999999', [KIND.scheduler]: '#b8b8b8', [KIND.cExit]: '#555555' },
  dark: { [KIND.syscall]: '#9c9c9c', [KIND.trap]: '#7e7e7e', [KIND.irq]: '#f4f4f4',
    [KIND.softirq]: '#b4b4b4', [KIND.scheduler]: '#737373', [KIND.cExit]: '#dddddd' },
};

/** By letter. @type {Record<string, string>} */
const WAIT_COLOURS = { c: '#f08c00', d: '#2f9e44', k: '#ae3ec9', l: '#e03131', m: '#a0623a', n: '#1c7ed6', p: '#66788a',
  r: '#0b7285', s: '#5c7cfa', t: '#a3adb8', z: '#868e96' };

/** Letters of wait reasons: word, colour. @type {Record<string, [string, string]>} */
export const WAITS = Object.fromEntries(Object.entries(WAIT_COLOURS).map(([letter, css]) => [letter, [WAIT_WORDS[letter], css]]));

/** @type {Record<string, string>} */
const WAITS_SAFE = { c: '#e69f00', d: '#009e73', k: '#cc79a7', l: '#d55e00', m: '#8a6d3b', n: '#0072b2',
  p: '#66788a', r: '#56b4e9', s: '#5c7cfa', t: '#a3adb8', z: '#868e96' };

/**
 * How a reason's line looks without colour: 16 pixels of which set bits are drawn. A thread that waits
 * says little, so these lines are thin and pale; the fewer dots, the less they say.
 * @type {Record<string, number>}
 */
const WAIT_PATTERN = { c: 0xffff, d: 0xffff, k: 0xff3c, l: 0xfff0, m: 0xcccc, n: 0xff18, p: 0xff00, r: 0xaaaa, s: 0xf0f0,
  t: 0x0303, z: 0x8888 };
const OTHER_PATTERN = 0x8080;

/** Lines of pixels above and below the middle. @type {Record<'thin' | 'ready' | 'contended', number[]>} */
const WAIT_LINES = { thin: [0], ready: [-2, -1, 0, 1, 2], contended: [-1, 0, 1] };
/** How much of a pale line is paper. */
const PALE = 0.45;

/** @param {string} css "#rrggbb" */
export function pixelOf(css) {
  const rgb = parseInt(css.slice(1), 16);
  return (0xff000000 | (rgb & 255) << 16 | (rgb & 0xff00) | rgb >> 16) >>> 0;
}

/** @param {string} css @param {string} to @param {number} part of `to` */
export function mix(css, to, part) {
  const a = parseInt(css.slice(1), 16);
  const b = parseInt(to.slice(1), 16);
  let out = 0;
  for (const shift of [16, 8, 0]) {
    const from = a >> shift & 255;
    out |= Math.round(from + ((b >> shift & 255) - from) * part) << shift;
  }
  return `#${out.toString(16).padStart(6, '0')}`;
}

/** Flags of marks a to d, white text on them. */
const MARKS = {
  full: ['#d6336c', '#1c7ed6', '#2b8a3e', '#6b4fbb'], safe: ['#b34700', '#0072b2', '#007a5a', '#6b4fbb'],
  grey: ['#444444', '#6a6a6a', '#585858', '#333333'],
};

/** A colour as light as it is, without hue. @param {string} css */
function greyOf(css) {
  const rgb = parseInt(css.slice(1), 16);
  const light = Math.round(0.299 * (rgb >> 16) + 0.587 * (rgb >> 8 & 255) + 0.114 * (rgb & 255));
  return `#${light.toString(16).padStart(2, '0').repeat(3)}`;
}

/**
 * @template {Record<string, string>} T
 * @param {'full' | 'safe' | 'grey'} scheme @param {T} css @returns {T}
 */
function inScheme(scheme, css) {
  if (scheme !== 'grey') return css;
  return /** @type {T} */ (Object.fromEntries(Object.entries(css).map(([name, value]) => [name, greyOf(value)])));
}

/** By letter - 'a' + 1. @param {'full' | 'safe' | 'grey'} scheme @param {{text: string, back: string}} paper */
function waitStyles(scheme, { text, back }) {
  const style = (/** @type {string} */ letter, /** @type {'thin' | 'ready' | 'contended'} */ lines) => {
    const [name, full] = WAITS[letter] ?? ['other', '#868e96'];
    const strong = scheme === 'grey' ? text : (scheme === 'safe' && WAITS_SAFE[letter]) || full;
    const css = lines === 'thin' ? mix(strong, back, PALE) : strong;
    return { name, css, pixel: pixelOf(css), mask: WAIT_PATTERN[letter] ?? OTHER_PATTERN, lines: WAIT_LINES[lines], pale: lines === 'thin' };
  };
  const ready = reasonOfLetter('c');
  const styles = Array.from({ length: CONTENDED }, (_, n) => style(String.fromCharCode(96 + n), n === ready ? 'ready' : 'thin'));
  return [...styles, { ...style('l', 'contended'), name: 'lock that another holds' }];
}

/**
 * @param {'light' | 'dark'} theme
 * @param {'full' | 'safe' | 'grey'} scheme  safe: told apart by colour-blind eyes
 */
export function makePalette(theme, scheme) {
  const safe = scheme === 'safe';
  const dark = theme === 'dark';
  const css = inScheme(scheme, dark ? {
    back: '#11151b', row: '#161b23', header: '#1e2530', text: '#e6edf3', muted: '#9aa8b7',
    grid: '#262e3a', idle: '#5b6b7d', accent: '#6cb2ff', density: '#c3ccd6', faded: '#39424e',
    fadedTop: '#4a5563', lossA: '#ffd43b', lossB: '#1b1300', ink: '#0d1117', arc: '#41b6d9',
    ipi: '#8b98a8', select: '#6cb2ff', hidden: '#39424e', rx: safe ? '#f0a04b' : '#ff8787',
    tx: '#4fc3d9', held: '#9aa8b7', wanted: safe ? '#f0a04b' : '#ff6b6b', line: '#6cb2ff', sampleEnd: '#e6edf3', litBack: '#22405f', misses: '#ffa94d', path: '#f783ff',
  } : {
    back: '#ffffff', row: '#f6f8fa', header: '#e9edf2', text: '#16202b', muted: '#566473',
    grid: '#e3e8ed', idle: '#8795a4', accent: '#0b63c5', density: '#3a4652', faded: '#dde2e7',
    fadedTop: '#c6ced6', lossA: '#ffd43b', lossB: '#3b2f00', ink: '#10161d', arc: '#0a7ea4',
    ipi: '#77838f', select: '#0b63c5', hidden: '#dde2e7', rx: safe ? '#b35300' : '#a61e4d',
    tx: '#0b7285', held: '#566473', wanted: safe ? '#d55e00' : '#e03131', line: '#0b63c5', sampleEnd: '#16202b', litBack: '#cfe2f7', misses: '#c05600', path: '#9c00b8',
  });
  const user = { full: USER, safe: USER_SAFE, grey: [...USER_GREY, ...USER_GREY] }[scheme];
  const classes = { full: CLASSES, safe: CLASSES_SAFE, grey: CLASSES_GREY[theme] }[scheme];
  /** @type {Record<string, number>} */
  const pixel = {};
  for (const [name, value] of Object.entries(css)) pixel[name] = pixelOf(value);
  pixel.idleLow = pixelOf(mix(css.idle, css.back, 0.5));  // in rows that are so low that there are many
  return {
    theme, scheme, css, pixel, classes,
    waits: waitStyles(scheme, css),
    marks: MARKS[scheme],
    bracket: mix(css.muted, css.back, 0.25),
    userCss: user,
    user: Uint32Array.from(user, pixelOf),
    userLow: Uint32Array.from(user, (c) => pixelOf(mix(c, '#000000', 0.15))),
    kind: Uint32Array.from({ length: 11 }, (_, k) => pixelOf(k === KIND.hidden ? css.hidden : classes[k] ?? css.idle)),
    cap: Uint32Array.from({ length: 11 }, (_, k) => pixelOf(mix(classes[k] ?? css.idle, '#000000', 0.3))),
  };
}

/** @typedef {ReturnType<typeof makePalette>} Palette */
