// SPDX-License-Identifier: BSD-3-Clause
// What is drawn and how: switches, theme and palette, as remembered from the last page.
import { makePalette } from '../draw/palette.js';
import { keep, recall } from './memory.js';

export class Settings {
  constructor() {
    const theme = recall('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    this.options = {
      arcs: true, waits: true, marks: true, ipc: false,
      theme: /** @type {'light' | 'dark'} */ (theme), safe: recall('safe') === 'true',
    };
    this.palette = makePalette(this.options.theme, this.options.safe);
  }

  toggleTheme() {
    this.options.theme = this.options.theme === 'dark' ? 'light' : 'dark';
    keep('theme', this.options.theme);
    this.apply();
  }

  togglePalette() {
    this.options.safe = !this.options.safe;
    keep('safe', String(this.options.safe));
    this.apply();
  }

  apply() {
    document.documentElement.dataset.theme = this.options.theme;
    this.palette = makePalette(this.options.theme, this.options.safe);
  }
}
