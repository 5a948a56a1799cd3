// SPDX-License-Identifier: BSD-3-Clause
// What is drawn and how: switches, theme, palette, what the wheel does; as chosen on the last page.
import { makePalette } from '../draw/palette.js';
import { keep, recall } from './memory.js';

/**
 * @typedef {'system' | 'light' | 'dark'} ThemeChoice
 * @typedef {'full' | 'safe' | 'grey'} Scheme  safe: told apart by colour-blind eyes
 * @typedef {{arcs: boolean, waits: boolean, marks: boolean, locks: boolean, samples: boolean, allArcs: boolean, ipc: boolean, pale: boolean, aligned: boolean}} Switches
 * @typedef {'zoom' | 'scroll'} Wheel  zoom: as upstream's page; scroll: as Perfetto
 */

/** @type {ThemeChoice[]} */
const THEMES = ['system', 'light', 'dark'];
/** @type {Scheme[]} */
const SCHEMES = ['full', 'safe', 'grey'];
/** @type {Wheel[]} */
const WHEELS = ['zoom', 'scroll'];

const ROW_SCALES = { normal: 1, low: 0.75, high: 1.7 };
const ROWS = /** @type {(keyof typeof ROW_SCALES)[]} */ (Object.keys(ROW_SCALES));

/** @template {string} T @param {string} key @param {T[]} choices @returns {T} */
function recalled(key, choices) {
  const text = recall(key);
  return choices.find((choice) => choice === text) ?? choices[0];
}

/** What is drawn at first; views and links remember what differs. @type {Readonly<Switches>} */
export const SWITCHES = Object.freeze({ arcs: true, allArcs: false, waits: true, marks: true, locks: true, samples: false, ipc: false,
  pale: false, aligned: false });

export class Settings {
  /** @param {() => void} changed @param {AbortSignal} signal  ends it */
  constructor(changed, signal) {
    this.changed = changed;
    this.printing = false;
    this.themeChoice = recalled('theme', THEMES);
    this.options = {
      ...SWITCHES, theme: this.#theme(),
      scheme: recalled('scheme', SCHEMES), wheel: recalled('wheel', WHEELS),
      shape: recall('shape') || 'seen', rows: recalled('rows', ROWS),
    };
    this.palette = makePalette(this.options.theme, this.options.scheme);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.apply(), { signal });
  }

  /** Paper is light. @param {boolean} printing */
  setPrinting(printing) {
    this.printing = printing;
    this.apply();
  }

  /** @returns {'light' | 'dark'} */
  #theme() {
    if (this.printing) return 'light';
    if (this.themeChoice !== 'system') return this.themeChoice;
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }

  /** The other of light and dark. */
  nextTheme() {
    this.setTheme(this.options.theme === 'dark' ? 'light' : 'dark');
  }

  /** @param {ThemeChoice} choice */
  setTheme(choice) {
    this.themeChoice = choice;
    keep('theme', choice);
    this.apply();
  }

  nextPalette() {
    this.choose('scheme', SCHEMES[(SCHEMES.indexOf(this.options.scheme) + 1) % SCHEMES.length]);
  }

  /**
   * @template {'scheme' | 'wheel' | 'rows' | 'shape'} Name
   * @param {Name} name @param {Settings['options'][Name]} value  remembered for the next page
   */
  choose(name, value) {
    this.options[name] = value;
    keep(name, String(value));
    this.apply();
  }

  get rowScale() {
    return ROW_SCALES[this.options.rows];
  }

  apply() {
    this.options.theme = this.#theme();
    document.documentElement.dataset.theme = this.options.theme;
    this.palette = makePalette(this.options.theme, this.options.scheme);
    this.changed();
  }
}
