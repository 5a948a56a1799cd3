// SPDX-License-Identifier: BSD-3-Clause
// The visible picture as a file that the browser saves: SVG for papers, PNG for mails.
import { drawFigure } from '../draw/figure.js';
import { pixelPaper, vectorPaper } from '../draw/papers.js';
import { percentText } from '../model/number_text.js';
import { lostShare } from './about.js';
import { byId, saveFile } from '../base/dom.js';

const FIGURE_WIDTH = 1100;  // of the plot, where its shape is chosen

/** Proportions of an exported plot. @type {[string, string][]} value, text */
export const SHAPES = [['seen', 'as seen here'], ['3:1', '3:1'], ['16:9', '16:9'], ['4:3', '4:3'], ['1:1', '1:1']];

/** @param {import('../app.js').App} app @param {'svg' | 'png'} format */
export async function savePicture(app, format) {
  const { lost, share } = lostShare(app.trace);
  const gutter = byId('gutter').clientWidth;
  const [across, down] = app.options.shape.split(':').map(Number);
  const size = down > 0 ? { width: FIGURE_WIDTH, height: FIGURE_WIDTH * down / across, gutter }
    : { width: app.picture.width, height: app.picture.height, gutter };
  try {
    const blob = await drawFigure(app, format === 'svg' ? vectorPaper : pixelPaper, size, lost > 0 ? `${percentText(share)} lost` : '');
    saveFile(blob, app.trace.title, `.${format}`);
    app.tell(`Saved as ${format.toUpperCase()}, ${(blob.size / 1e6).toFixed(2)} MB`);
  } catch (error) {
    app.tell(`No picture: ${error instanceof Error ? error.message : String(error)}`);
  }
}
