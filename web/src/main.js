// SPDX-License-Identifier: BSD-3-Clause
// The page's start: reads header and overview as soon as they are parsed and shows the whole trace,
// or says why it cannot. A container that is dropped on the page takes the place of its trace.
import { App, timing } from './app.js';
import { Crew } from './model/crew.js';
import { noOverlays } from './model/overlays.js';
import { noCalls } from './model/calls.js';
import { noOverview } from './model/overview.js';
import { Trace } from './model/trace.js';
import { counted } from './model/number_text.js';
import { bytesText } from './layout/time_text.js';
import { pageSource } from './base/page_source.js';
import { fileSource } from './model/source.js';
import { threadSteps } from './layout/row_tree.js';
import { FIRST_ROWS } from './state/row_list.js';
import { unpackHeader } from './model/inflate.js';
import { chooseFile, inviteFile, listenToDrops } from './input/open_file.js';
import { byId, el } from './base/dom.js';
import { loaded } from './base/loading.js';
import { Turns, breathe } from './model/breathe.js';

/** @type {string} put in by build.mjs */
const workerSource = WORKER_SOURCE;

/** @type {App | null} */
export let app = null;
export { timing };
/** So long the first picture waits for what every view has beside the overview. */
const REST_MS = 20;
/** So long the page works before the input has its turn. */
const TURN_MS = 8;
/** So often it is looked whether a part of the page has been read. */
const READ_MS = 10;
/** So long the page counts as loading for the sake of details. */
const DETAILS_MS = 2000;
/** Traces that were asked for, and the last of these that could be opened: it is shown. */
let asked = 0;
let wanted = 0;
let begun = false;
let complete = false;

/** Where the page stands until the first picture does. @param {string} text '' when it does */
function opening(text) {
  const box = byId('opening');
  box.hidden = text === '';
  box.replaceChildren(text);
}

/**
 * Says how much of what the first picture needs is there.
 * @param {Trace} trace @param {string} name
 */
function progress({ header, spans }, name) {
  const needed = header.overview.packed;
  const all = [header.long, header.far, ...header.slabs].reduce((sum, part) => sum + (part?.packed ?? 0), needed);
  return (/** @type {number} */ share) => (
    opening(`Opening ${name}: ${counted(spans, 'span')}, ${bytesText(all)}; ${share} % of ${bytesText(needed)} for the first picture…`));
}

/** Ends when what is seen has its details, or after a while without them. @param {App} shown */
async function detailed(shown) {
  const end = performance.now() + DETAILS_MS;
  while (performance.now() < end && (shown.scheduled || shown.picture.plan().refining)) {
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** @param {string} text */
function trouble(text) {
  const box = byId('trouble');
  const before = box.hidden ? '' : box.firstChild?.textContent ?? '';  // what was wrong already
  box.replaceChildren(before.includes(text) ? before : `${before} ${text}`.trim(), ' ', el('button', { 'aria-label': 'Close', title: 'Close', onclick: () => { box.hidden = true; } }, '×'));
  box.hidden = false;
}

/** A part of the page, once it has been read. @param {import('./model/source.js').Source} source @param {string} id */
async function read(source, id) {
  for (;;) {
    const stored = source.block(id);
    if (stored !== null) return stored;
    if (document.readyState !== 'loading') return '';
    await new Promise((resume) => setTimeout(resume, READ_MS));
  }
}

/** The page's elements before a trace changed them, and without their data. */
const untouched = [...document.body.children].filter((child) => child.tagName !== 'SCRIPT')
  .map((child) => child.cloneNode(true));

/**
 * What every view has, and what is drawn where the slabs are not.
 * @param {{overlays: import('./model/slab.js').Overlays, calls: import('./model/calls.js').Calls, far: {overlays: import('./model/slab.js').Overlays, left: number[]}}} long
 * @param {import('./model/slab.js').Overlays | null} tier  of kinds of which there are many, one for each slice of time
 * @param {Uint8Array} what
 */
function everyView({ overlays, calls, far }, tier, what) {
  const joined = new Set(tier ? Array.from(tier.kind, (kind) => what[kind]) : []);
  return { overlays, calls, far: { parts: tier ? [far.overlays, tier] : [far.overlays], joined: [...joined],
    left: far.left.filter((kind) => !joined.has(kind)) } };
}

/** Whether the address is of a trace that the page has, and not of this one. @param {import('./model/source.js').Source} source */
const isStranger = (source) => source !== pageSource && pageSource.block('kutrace-header') !== null;

/** @typedef {<T>(step: Promise<T>) => Promise<T>} Held  a step, after which it fails if another trace is wanted by then */

/** @param {import('./model/source.js').Source} source @param {Crew} crew @param {string} name  of the trace, '' for this page's own @param {Held} held */
async function show(source, crew, name, held) {
  opening(`Opening ${name || 'the trace'}: its header…`);
  const text = await held(unpackHeader(source.block('kutrace-header') ?? ''));
  await held(breathe());
  const header = JSON.parse(text);
  await held(breathe());
  const trace = new Trace(header);
  crew.tell(trace.tables);
  const decoded = async (/** @type {string} */ id, /** @type {string} */ kind) => {
    const stored = await read(source, `kutrace-${id}`);
    return crew.ask({ stored, expected: trace.header[id], task: { kind } });
  };
  /** @type {string[]} */
  const damage = [];
  // A part that was damaged costs what it holds, and no more.
  const whole = async (/** @type {string} */ id, /** @type {string} */ kind, /** @type {string} */ cost, /** @type {any} */ otherwise) => {
    try {
      return await decoded(id, kind);
    } catch (error) {
      damage.push(`${cost}: ${error instanceof Error ? error.message : String(error)}.`);
      return otherwise;
    }
  };
  const came = progress(trace, name || trace.title || 'the trace');
  came(0);
  const none = { overlays: noOverlays(), calls: noCalls(), far: { overlays: noOverlays(), left: [] } };
  const first = whole('overview', 'overview', 'The overview cannot be shown, only what is zoomed in on', noOverview(trace));
  const rest = (async () => {
    const long = await whole('long', 'long', 'Long waits, locks and marks are not shown', none);
    const tier = trace.header.far ? await whole('far', 'decode', 'Zoomed out, wakeups and samples are not shown', none) : null;
    return everyView(long, tier && tier.overlays, trace.what);
  })();
  const turns = new Turns(TURN_MS);
  for (const _ of threadSteps(trace, FIRST_ROWS)) if (turns.over) await held(turns.end());
  const overview = await held(first);
  came(100);
  const soon = await held(Promise.race([rest, new Promise((resume) => setTimeout(resume, REST_MS, null))]));
  const saved = source.block('kutrace-saved');
  await held(breathe());
  if (app) {
    app.end();
    document.body.prepend(...untouched.map((node) => node.cloneNode(true)));
    for (const child of [...document.body.children].slice(untouched.length)) {
      if (child.tagName !== 'SCRIPT') child.remove();
    }
  }
  if (app || isStranger(source)) history.replaceState(null, '', '#');
  if (source !== pageSource) byId('trouble').hidden = true;
  const next = new App(trace, overview, crew, trouble, typeof saved === 'string' ? saved : '', source);
  if (soon) next.complete(soon);
  app = next;
  await held(breathe());
  await held(app.start());
  opening('');
  if (!soon) app.complete(await held(rest));
  if (damage.length > 0) trouble(`This trace is damaged. ${damage.join(' ')}`);
  await held(detailed(app));
  loaded();
  app.store.warm();
}

/** @param {() => Promise<import('./model/source.js').Source>} open @param {string} failure  what it is called if it fails @param {string} [name] */
async function attempt(open, failure, name = '') {
  const crew = new Crew(workerSource);
  const mine = ++asked;
  /** @type {Held} */
  const held = async (step) => {
    const result = await step;
    if (mine < wanted) throw new Error('another trace was opened meanwhile');
    return result;
  };
  try {
    const source = await held(open());
    wanted = mine;
    await show(source, crew, name, held);
  } catch (error) {
    crew.end();
    if (mine < wanted) return;
    opening('');
    loaded();
    trouble(`${failure} ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Called by the page when header and overview have been parsed. */
export function begin() {
  begun = true;
  attempt(async () => pageSource, 'This page cannot show its trace.');
}

/** Takes a container in place of what is shown. @param {File} file */
const openFile = (file) => attempt(() => fileSource(file), `${file.name} cannot be opened.`, file.name);

export const choose = () => chooseFile(openFile);

/** Called at the end of the file: every slab is there. */
export { finished as complete };
function finished() {
  complete = true;
  app?.schedule();
}

function parsed() {
  listenToDrops(openFile);
  if (complete) return;
  if (!begun) {
    opening('');
    loaded();
  }
  if (pageSource.block('kutrace-header') === null) inviteFile(openFile);
  else {
    trouble('This page is cut short: its end is missing, so some of the trace cannot be shown.');
    app?.schedule();
  }
}
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', parsed);
else setTimeout(parsed);  // after the calls that came before the viewer
