// SPDX-License-Identifier: BSD-3-Clause
// The one state object: trace, view, rows, settings, what is pinned, selected and searched; and the
// scheduler that draws a frame after any of it has changed.
import { noCalls } from './model/calls.js';
import { hasData } from './model/has_data.js';
import { noOverlays } from './model/overlays.js';
import { Store } from './model/store.js';
import { Picture } from './draw/picture.js';
import { drawAxis } from './draw/axis.js';
import { drawGutter } from './draw/gutter.js';
import { drawMinimap } from './draw/minimap.js';
import { makeCommands } from './input/commands.js';
import { listenToKeys } from './input/keyboard.js';
import { listenToPrinting } from './input/printing.js';
import { wire } from './input/wiring.js';
import { byId } from './base/dom.js';
import { detailsPanel } from './panels/details.js';
import { RangePanel } from './panels/range_panel.js';
import { openHelp, wireHelp } from './panels/help.js';
import { Hover } from './panels/hover.js';
import { aboutPanel } from './panels/about.js';
import { legendPanel } from './panels/legend.js';
import { optionsPanel } from './panels/options.js';
import { matchesPanel } from './panels/match_list.js';
import { Panel } from './panels/panel.js';
import { NoteLayer } from './panels/note_layer.js';
import { toast, wireToast } from './panels/toast.js';
import { pathPanel } from './panels/path_panel.js';
import { RequestsPanel } from './panels/requests_panel.js';
import { makeToolbar, showStatus } from './panels/toolbar.js';
import { Menu } from './panels/menu.js';
import { exportItems, showItems } from './panels/top_menus.js';
import { Tour } from './panels/tour.js';
import { viewsPanel } from './panels/views.js';
import { Turns, breathe } from './model/breathe.js';
import { Alignment } from './state/alignment.js';
import { Looking } from './state/looking.js';
import { Files } from './state/files.js';
import { Keeping } from './state/keeping.js';
import { Navigation } from './state/navigation.js';
import { Path } from './state/path.js';
import { Range } from './state/range.js';
import { Requests } from './state/requests.js';
import { RowList } from './state/row_list.js';
import { Search } from './state/search.js';
import { Settings } from './state/settings.js';
import { Slowest } from './state/slowest.js';
import { restoreView } from './state/view_state.js';

const MINIMAP_HEIGHT = 48;
/** So long a picture is drawn before the input has its turn; at the start nothing is warm. */
const TURN_MS = 16;
const FIRST_TURN_MS = 6;

/** Measured for the tests: script time of each frame, when the first picture stood. */
export const timing = { frames: /** @type {number[]} */ ([]), firstPaint: 0, refined: 0 };

export class App {
  #isWhole = () => {};

  /**
   * @param {import('./model/trace.js').Trace} trace
   * @param {import('./model/overview.js').Overview} overview
   * @param {import('./model/crew.js').Crew} crew
   * @param {(text: string) => void} trouble
   * @param {string} saved  views and notes that the page itself carries
   * @param {import('./model/source.js').Source} source
   */
  constructor(trace, overview, crew, trouble, saved, source) {
    /** Ends what listens to the window when another trace takes this one's place. */
    this.ending = new AbortController();
    this.trace = trace;
    this.overview = overview;
    /** What every view has; `complete` brings it. */
    this.longOverlays = noOverlays();
    /** Calls that are not within one slab. */
    this.longCalls = noCalls();
    /** What is drawn where the slabs are not; kinds of which one stands for many, and kinds of which there are too
     *  many for that. @type {{parts: import('./model/slab.js').Overlays[], joined: number[], left: number[]}} */
    this.far = { parts: [], joined: [], left: [] };
    /** Only the overview is there. */
    this.waiting = true;
    this.crew = crew;
    /** Ends when all that every view has is there. @type {Promise<void>} */
    this.whole = new Promise((resume) => { this.#isWhole = resume; });
    this.has = { samples: hasData(trace, 'samples'), locks: hasData(trace, 'locks'), functions: hasData(trace, 'functions') };
    /** A frame will come; it is the first picture that ends this at the start. */
    this.scheduled = true;
    /** Whether the picture being drawn is out of date. */
    this.changed = false;
    /** Begun, so that one drawn in turns sees when a newer one took its place. */
    this.pictures = 0;
    /** What the names of the rows were drawn from. @type {unknown[]} */
    this.namesDrawn = [];
    /** CSS pixels; asked for while drawing, it would have the browser lay out the page in each frame. */
    this.namesWidth = 0;
    /** The part of the minimap that does not change while moving. @type {any} */
    this.minimap = null;
    this.store = new Store(trace, crew, source);
    this.store.changed = () => this.schedule();
    this.store.problem = trouble;
    this.settings = new Settings(() => this.settingsChanged(), this.ending.signal);
    this.rowList = new RowList(this);
    this.navigation = new Navigation(this);
    this.looking = new Looking(this, detailsPanel);
    this.alignment = new Alignment(this);
    this.range = new Range(this, new RangePanel(this));
    this.search = new Search(this);
    this.slowest = new Slowest(this);
    this.files = new Files(this);
    this.requests = new Requests(this);
    this.path = new Path(this);
    this.requestsPanel = new RequestsPanel(this);
    this.side = new Panel(this, 'side', { legend: legendPanel, about: aboutPanel, options: optionsPanel,
      views: viewsPanel, matches: matchesPanel, path: pathPanel });
    this.drawer = new Panel(this, 'drawer', { requests: () => this.requestsPanel.make() });
    this.hover = new Hover(this);
    this.picture = new Picture(byId('bars'), byId('over'), this);
    this.keeping = new Keeping(this, saved);
    this.noteLayer = new NoteLayer(this);
    this.tour = new Tour();
    this.menu = new Menu(this.ending.signal);
    this.commands = makeCommands(this);
  }

  // What a frame is drawn from.
  get view() { return this.navigation.view; }
  get rows() { return this.rowList.rows; }
  get options() { return this.settings.options; }
  get palette() { return this.settings.palette; }
  get pins() { return this.looking.pins; }
  get selection() { return this.range.selection; }
  get reference() { return this.range.referenceSelection; }
  get query() { return this.search.query; }
  get matches() { return this.search.matches; }
  get hoverRow() { return this.hover.row; }

  /** Which lanes rows have above their bars. */
  shownLanes() {
    const { samples, locks } = this.options;
    return { samples: samples && this.has.samples, locks: locks && this.has.locks, functions: this.has.functions };
  }

  /**
   * What every view has is there: until then only the overview is drawn.
   * @param {{overlays: import('./model/slab.js').Overlays, calls: import('./model/calls.js').Calls, far: App['far']}} rest
   */
  complete({ overlays, calls, far }) {
    this.longOverlays = overlays;
    this.longCalls = calls;
    this.far = far;
    this.waiting = false;
    this.store.begin(calls);
    this.#isWhole();
    this.schedule();
  }

  async start() {
    makeToolbar(this);
    wire(this);
    wireHelp(this);
    listenToKeys(this.commands, this.ending.signal);
    listenToPrinting(this, this.ending.signal);
    wireToast(this.ending.signal);
    await breathe();
    this.settings.apply();
    this.resize();
    let windowSize = '';
    const observer = new ResizeObserver(() => {
      const before = windowSize;
      windowSize = `${innerWidth} ${innerHeight}`;
      // In the frame that shows the window's new size: whoever shoots a page may set it just before.
      if (this.resize() && windowSize !== before) this.draw();
    });
    observer.observe(byId('plot'));
    this.ending.signal.addEventListener('abort', () => observer.disconnect());
    this.keeping.start();
    await breathe();
    this.tour.offer(this.ending.signal);
    await breathe();
    await this.#drawInTurns(FIRST_TURN_MS);
    requestAnimationFrame(() => requestAnimationFrame(() => { timing.firstPaint = performance.now(); }));
  }

  /** What a button or key shows or hides. @param {string} id */
  toggle(id) {
    if (id === 'help') openHelp(this);
    else if (id === 'show') this.menu.openBelow('Show', showItems(this), byId('tool-show'));
    else if (id === 'requests') this.drawer.toggle(id);
    else if (id === 'export') this.menu.openBelow('Export', exportItems(this), byId('tool-export'));
    else if (byId(`tool-${id}`)?.dataset.panel) this.side.toggle(id);
    else if (hasData(this.trace, id)) {
      const options = /** @type {any} */ (this.options);
      options[id] = !options[id];
      if (id === 'aligned') this.range.clear();
    }
    this.schedule();
  }

  /** What was found of requests. */
  requestsChanged() {
    if (this.drawer.panel === 'requests') this.requestsPanel.update();
    this.schedule();
  }

  settingsChanged() {
    this.rowList.setScale(this.settings.rowScale);
    this.side.redraw();
    this.range.redraw();
    this.schedule();
  }

  /** Where keys zoom: at the pointer, else at the pinned span, else in the middle; px. */
  focusX() {
    const { hover, navigation } = this;
    if (hover.inside) return hover.pointer.x;
    const x = this.pins.length > 0 ? navigation.xOf(this.focusTime()) : -1;
    return x >= 0 && x <= navigation.width ? x : navigation.width / 2;
  }

  /** The row that is looked at. */
  focusRow() {
    if (this.hover.label) return this.hover.label;
    return this.hover.inside ? this.looking.rowAt(this.hover.pointer.y) : this.pins.at(-1)?.row;
  }

  /** The moment that is looked at. */
  focusTime() {
    const pin = this.pins.at(-1);
    if (!this.hover.inside && pin) return (this.range.marked === null ? pin.start : pin.end) - this.alignment.of(pin.row);
    return this.navigation.timeAt(this.hover.inside ? this.hover.pointer.x : this.navigation.width / 2);
  }

  /** @returns {boolean} whether the size is another: what was drawn is gone then */
  resize() {
    const plot = byId('plot').getBoundingClientRect();
    this.namesWidth = byId('gutter').clientWidth;
    if (!this.picture.resize(Math.max(50, plot.width), Math.max(20, plot.height))) return false;
    this.navigation.rowsChanged();
    this.tour.place();
    return true;
  }

  schedule() {
    this.changed = true;
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => this.#drawInTurns(TURN_MS));
  }

  /**
   * A picture. Where it takes long, as before the code is warm, the input has its turn between its parts.
   * @param {number} turn ms
   */
  async #drawInTurns(turn) {
    this.changed = false;
    try {
      await this.#drawParts(turn);
    } finally {
      this.scheduled = false;
    }
    if (this.changed && !this.ending.signal.aborted) this.schedule();
  }

  /** @param {number} turn ms */
  async #drawParts(turn) {
    const mine = ++this.pictures;
    let took = 0;
    const turns = new Turns(turn);
    for (const _ of this.#steps()) {
      if (!turns.over) continue;
      took += turns.took;
      await turns.end();
      if (this.ending.signal.aborted || this.pictures !== mine) return;
    }
    timing.frames.push(took + turns.took);
    if (timing.frames.length > 5000) timing.frames.splice(0, 1000);
    if (!this.picture.lastPlan.refining) timing.refined = performance.now();
  }

  /** Draws a picture now. */
  draw() {
    this.pictures++;
    for (const _ of this.#steps());
  }

  /** A frame, part by part. */
  * #steps() {
    const { width, height } = this.picture;
    yield* this.picture.steps();
    yield drawAxis(byId('axis'), byId('base'), this, width);
    yield this.#drawNames(height);
    yield drawMinimap(byId('minimap'), this, Math.round(width), MINIMAP_HEIGHT);
    this.noteLayer.draw();
    showStatus(this, this.picture.lastPlan);
    this.keeping.mirror();
  }

  /** The names of the rows, which most movements leave as they are. @param {number} height */
  #drawNames(height) {
    const { namesWidth: width } = this;
    const { rows, palette, hoverRow, hover: { dropOn }, view: { top } } = this;
    const now = [rows, palette, hoverRow, dropOn, top, width, height, window.devicePixelRatio];
    if (now.every((value, i) => value === this.namesDrawn[i])) return;
    this.namesDrawn = now;
    drawGutter(byId('gutter'), this, width, height);
  }

  /** For those who hear the page. @param {string} text */
  say(text) {
    byId('live').textContent = text;
  }

  /** What a command did or why it could not, for all. @param {string} text */
  tell(text) {
    this.say(text);
    toast(text);
  }

  /** All as it was when the page was opened; Z goes back to the view before. */
  reset() {
    const { begin, end, duration } = this.trace;
    const room = duration * 0.005;
    this.looking.unpinAll();
    this.side.close();
    restoreView(this, { t0: begin - room, t1: end + room });
  }

  end() {
    this.ending.abort();
    this.crew.end();
  }

  /** Closes what lies uppermost. */
  escape() {
    this.hover.hide();
    if (this.tour.step >= 0) {
      this.tour.end();
      return;
    }
    if (this.pins.length > 0 || this.selection || this.path.asked) {
      this.path.clear();
      this.looking.unpinAll();
      this.range.clear();
      this.side.close();
    } else if (this.query) {
      this.search.set('');
    } else if (this.rowList.options.only) {
      this.rowList.showHidden();
    } else if (this.side.panel !== '') {
      this.side.close();
    } else {
      this.drawer.close();
    }
    this.schedule();
  }
}
