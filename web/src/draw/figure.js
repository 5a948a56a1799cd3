// SPDX-License-Identifier: BSD-3-Clause
// The visible picture as one figure for papers and mails: title, what is shown, axis, row names, plot,
// notes, legend of what occurs in it. In: the app, a kind of paper, a size; out: SVG or PNG.
import { CONTENDED, KIND_TEXT, reasonOfLetter } from '../model/kinds.js';
import { KIND } from '../model/tables.js';
import { counted } from '../model/number_text.js';
import { durationText, exactTime, timeTicks, wallText } from '../layout/time_text.js';
import { LIST, eachOverlay } from '../model/overlays.js';
import { fitted } from './fitted.js';
import { drawGutter } from './gutter.js';
import { WAITS } from './palette.js';
import { Picture } from './picture.js';
import { WIDTH, drawKind, drawOver, drawWait } from './shapes.js';

const MARGIN = 16;
const HEAD = 50;   // title and what is shown
const AXIS = 24;
const LINE = 27;   // of the legend
const GAP = 14;
const NOTE = { font: '11px system-ui, sans-serif', line: 14, most: 60, lift: 34 };

/** @typedef {import('./papers.js').Paper} Paper */
/** @typedef {{width: number, height: number, gutter: number}} Size  of the plot and the names, CSS pixels */
/** @typedef {{text: string, draw: (c: any) => void}} Entry */

/**
 * @param {any} app
 * @param {(width: number, height: number, back: string) => Paper} makePaper
 * @param {Size} size
 * @param {string} lost  what the title says of losses, '' if there are none
 */
export async function drawFigure(app, makePaper, size, lost) {
  // The same state, but nothing is pointed at.
  const still = Object.create(app, { hoverRow: { value: -1 }, hover: { value: { dropOn: '' } } });
  const height = wholeRows(app, size.height);
  const width = Math.round(size.width);
  const bars = document.createElement('canvas');
  const { css } = app.palette;
  // The legend's height is known only when the picture is: it is drawn on a first, small paper.
  const trial = makePaper(1, 1, css.back);
  const picture = new Picture(bars, trial.layer(), still, 0);
  picture.resize(width, height, trial.ratio);
  await settled(picture);
  picture.draw();
  const entries = legendOf(still, picture);
  const whole = MARGIN * 2 + size.gutter + width;
  const lines = flow(trial.c, entries, whole - 2 * MARGIN);
  const top = MARGIN + HEAD + AXIS;
  const paper = makePaper(whole, top + height + 12 + lines.length * LINE + MARGIN, css.back);
  const over = paper.layer();
  picture.drawOn(over);
  const plot = { x: MARGIN + size.gutter, y: top, width, height };
  const names = paper.layer();
  drawGutter(names, still, size.gutter, height, paper.ratio);
  paper.putPixels(picture.raster, plot);
  paper.put(over, plot);
  paper.put(names, { x: MARGIN, y: top, width: size.gutter, height });
  drawHead(still, paper.c, whole, lost);
  drawTicks(still, paper.c, plot);
  drawNotes(still, paper.c, plot);
  drawLegend(paper.c, css, lines, top + height + 12);
  return paper.finish();
}

/** The height of all rows that fit, none of them cut. @param {any} app @param {number} most */
function wholeRows({ rows, view }, most) {
  const ends = rows.map((/** @type {import('../layout/rows.js').Row} */ row) => row.top + row.height - (row.pinned ? 0 : view.top));
  return Math.max(0, ...ends.filter((/** @type {number} */ end) => end <= most)) || Math.round(most);
}

/** Until all spans of the view are decoded. @param {Picture} picture */
async function settled(picture) {
  while (picture.plan().refining) await new Promise((resume) => setTimeout(resume, 20));
}

/** @param {any} app @param {any} c @param {number} width @param {string} lost */
function drawHead(app, c, width, lost) {
  const { trace, view, palette: { css } } = app;
  const { host, kernel, cpu_model: model } = trace.header;
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  c.fillStyle = css.text;
  c.font = 'bold 16px system-ui, sans-serif';
  c.fillText(fitted(c, trace.title || 'kutrace', width - 2 * MARGIN), MARGIN, MARGIN + 8);
  c.font = '11px system-ui, sans-serif';
  c.fillStyle = css.muted;
  const where = [host, kernel, model, trace.cpusText, lost].filter(Boolean).join(' · ');
  c.fillText(fitted(c, where, width - 2 * MARGIN), MARGIN, MARGIN + 27);
  const wall = wallText(trace.wallUsec(view.t0), 6);
  const when = `${exactTime(view.t0)} to ${exactTime(view.t1)}, ${durationText(view.t1 - view.t0)}${wall && ` from ${wall}`}`;
  c.fillText(fitted(c, when, width - 2 * MARGIN), MARGIN, MARGIN + 42);
}

/** @param {any} app @param {any} c @param {import('./papers.js').Box} plot */
function drawTicks(app, c, plot) {
  const { view, palette: { css } } = app;
  const { zero, on } = app.alignment;
  const { ticks, base } = timeTicks(view.t0 - zero, view.t1 - zero, plot.width / 110);
  c.font = '11px system-ui, sans-serif';
  c.fillStyle = css.text;
  c.textAlign = 'center';
  let free = plot.x;
  for (const { time, label } of ticks) {
    const x = plot.x + (time + zero - view.t0) / (view.t1 - view.t0) * plot.width;
    c.fillRect(x - 0.5, plot.y - 5, 1, 5);
    const half = c.measureText(label).width / 2;
    if (x - half < free || x + half > plot.x + plot.width) continue;
    c.fillText(label, x, plot.y - 13);
    free = x + half + 6;
  }
  c.textAlign = 'right';
  c.fillStyle = css.muted;
  c.fillText(on ? 'from each row’s begin' : base === 0 ? '' : `${exactTime(base)} +`, plot.x - 8, plot.y - 13);
  c.textAlign = 'left';
  c.strokeStyle = css.muted;
  c.lineWidth = 1;
  c.strokeRect(plot.x - 0.5, plot.y - 0.5, plot.width + 1, plot.height + 1);
}

/** As bubbles with a line to what they are about. @param {any} app @param {any} c @param {import('./papers.js').Box} plot */
function drawNotes(app, c, plot) {
  const { view, keeping, rowList, alignment } = app;
  c.font = NOTE.font;
  for (const note of keeping.notes) {
    const row = rowList.byId(note.row);
    const y = row ? row.top + row.height / 2 - rowList.shift(row) : 12;
    const time = note.time - (row ? alignment.of(row) : 0);
    if (note.text.trim() === '' || time < view.t0 || time > view.t1 || y < 0 || y > plot.height) continue;
    const foot = [plot.x + (time - view.t0) / (view.t1 - view.t0) * plot.width, plot.y + y];
    const lines = note.text.split('\n').map((/** @type {string} */ line) => line.slice(0, NOTE.most));
    const wide = Math.max(...lines.map((/** @type {string} */ line) => c.measureText(line).width)) + 14;
    const x = Math.max(plot.x, Math.min(plot.x + plot.width - wide, foot[0] + 6 + note.dx));
    const top = foot[1] + Math.max(note.dy - NOTE.lift, 4 - y);
    c.strokeStyle = '#d9a800';
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(foot[0], foot[1]);
    c.lineTo(x + 10, top + 10);
    c.stroke();
    c.fillStyle = '#fff8d6';
    c.fillRect(x, top, wide, lines.length * NOTE.line + 6);
    c.strokeRect(x, top, wide, lines.length * NOTE.line + 6);
    c.fillStyle = '#2b2300';
    lines.forEach((/** @type {string} */ line, /** @type {number} */ i) => c.fillText(line, x + 7, top + 3 + NOTE.line * (i + 0.5)));
  }
}

/** Whether a mark is in view. @param {any} app @param {Picture} picture */
function hasMarks({ view, longOverlays, far }, { lastPlan: { detailed, slabs } }) {
  let found = false;
  eachOverlay(detailed ? [longOverlays, ...slabs.map(({ overlays }) => overlays)] : far.parts, LIST.marks, 0, view, () => {
    found = true;
    return true;
  });
  return found;
}

/** What occurs in the picture. @param {any} app @param {Picture} picture @returns {Entry[]} */
function legendOf(app, picture) {
  const { palette, options, trace, has } = app;
  const seen = new Set(picture.raster.pixels);
  const bar = (/** @type {number} */ kind) => (kind === KIND.user ? palette.user.some((/** @type {number} */ p) => seen.has(p))
    : kind === KIND.loss ? seen.has(palette.pixel.lossA)
      : kind === KIND.idle || kind === KIND.idleLowPower ? seen.has(palette.pixel.idle) && trace.what.includes(kind)
        : seen.has(palette.kind[kind]));
  /** @type {Entry[]} */
  const entries = [KIND.user, KIND.syscall, KIND.trap, KIND.irq, KIND.softirq, KIND.scheduler, KIND.idle, KIND.idleLowPower,
    KIND.cExit, KIND.loss].filter(bar).map((kind) => ({ text: KIND_TEXT[kind][0], draw: (c) => drawKind(c, palette, kind) }));
  /** @type {[import('./shapes.js').Over, boolean, string][]} */
  const over = [['wake', options.arcs && picture.arcs.drawn > 0, 'wakeup'],
    ['ipi', options.arcs && picture.arcs.drawn > 0 && trace.what.includes(KIND.ipiArc), 'interrupt to another CPU'],
    ['mark', options.marks && hasMarks(app, picture), 'mark'], ['held', options.locks && has.locks, 'lock held'],
    ['wanted', options.locks && has.locks, 'lock wanted'], ['sample', options.samples && has.samples, 'program counter sample'],
    ['dial', options.ipc, 'instructions per cycle'], ['call', picture.rowBars.brackets > 0, 'one call, in pieces'], ['path', app.path.pieces.length > 0, 'critical path'],
    ['match', app.query !== null, 'match of the search']];
  for (const [shape, is, text] of over) if (is) entries.push({ text, draw: (c) => drawOver(c, palette, shape) });
  if (options.waits) {
    for (const reason of [...Object.keys(WAITS).map(reasonOfLetter), CONTENDED]) {
      const { name, pixel } = palette.waits[reason];
      if (seen.has(pixel)) entries.push({ text: `waits: ${name}`, draw: (c) => drawWait(c, palette, reason) });
    }
  }
  return entries;
}

/** @param {any} c @param {Entry[]} entries @param {number} room @returns {{entry: Entry, x: number}[][]} lines */
function flow(c, entries, room) {
  c.font = '11px system-ui, sans-serif';
  /** @type {{entry: Entry, x: number}[][]} */
  const lines = [[]];
  let x = 0;
  for (const entry of entries) {
    const wide = WIDTH + 6 + c.measureText(entry.text).width + GAP;
    if (x + wide > room && x > 0) {
      lines.push([]);
      x = 0;
    }
    lines[lines.length - 1].push({ entry, x });
    x += wide;
  }
  return lines;
}

/** @param {any} c @param {Record<string, string>} css @param {{entry: Entry, x: number}[][]} lines @param {number} top */
function drawLegend(c, css, lines, top) {
  lines.forEach((line, n) => line.forEach(({ entry, x }) => {
    c.save();
    c.translate(MARGIN + x, top + n * LINE);
    entry.draw(c);
    c.restore();
    c.font = '11px system-ui, sans-serif';
    c.textBaseline = 'middle';
    c.fillStyle = css.text;
    c.fillText(entry.text, MARGIN + x + WIDTH + 6, top + n * LINE + 13);
  }));
}
