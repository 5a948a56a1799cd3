// SPDX-License-Identifier: BSD-3-Clause
// Opens a page of a made-up machine from file:// in headless Chromium and uses it as people do.
// In: the page, the JSON of its totals, Chromium; out: exit status. Any console message of a
// warning or worse, any exception and any network request fails.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { ask as askIn, runSteps, settled as settledIn, startBrowser, watch } from './tabs.mjs';

const [page, totalsFile, chromium, web, screenshots] = process.argv.slice(2);
const totals = JSON.parse(await readFile(totalsFile, 'utf8'));

const browser = await startBrowser(chromium, web);
/** Of the step that runs, and what went wrong in it. */
let tab;
let problems;
const settled = () => settledIn(tab);
const ask = (text) => askIn(tab, text);

const view = () => tab.evaluate(() => ({ ...kutrace.app.view }));
const pictures = async (name) => {
  if (screenshots) await tab.screenshot({ path: `${screenshots}/${name}.png` });
};
/** Colours in a rectangle of the bars, CSS pixels. */
const colours = (x, y, w, h) => tab.evaluate((area) => {
  const { pixels, width } = kutrace.app.picture.raster;
  const seen = new Set();
  for (let row = area[1]; row < area[1] + area[3]; row++) {
    for (let c = area[0]; c < area[0] + area[2]; c++) seen.add(pixels[row * width + c]);
  }
  return [...seen];
}, [x, y, w, h]);
const found = () => tab.evaluate(() => {
  const { count, total, min, max } = kutrace.app.matches;
  return [count, total, min, max];
});

const steps = {
  async 'a first visit is shown around in five steps, and only once'() {
    assert.ok(await tab.isHidden('#tour'));  // nobody is there yet
    await tab.mouse.move(300, 300);
    await pictures('tour');
    for (let step = 1; step <= 5; step++) {
      assert.match(await tab.textContent('#tour'), new RegExp(`${step} of 5`));
      await tab.keyboard.press('Enter');
    }
    assert.ok(await tab.isHidden('#tour'));
    const again = await tab.context().newPage();
    await again.goto(pathToFileURL(page).href);
    await again.waitForFunction(() => kutrace.app);
    await again.mouse.move(300, 300);
    assert.ok(await again.isHidden('#tour'));
    await again.close();
  },
  async 'the whole trace is shown at once, its title is text'() {
    assert.equal(await tab.textContent('#title'), 'made-up <b>machine</b>');
    assert.equal(await tab.locator('#title b').count(), 0);
    assert.ok(await tab.isHidden('#trouble'));
    const { t0, t1 } = await view();
    assert.ok(t0 <= 0 && t1 >= totals.end);
    const rows = await tab.evaluate(() => kutrace.app.rows.filter((r) => r.cpu >= 0).length);
    assert.equal(rows, 4);
    await settled();
    assert.ok((await colours(20, 26, 600, 40)).length > 4, 'CPU 0 shows work');
    await pictures('whole');
  },
  async 'the wheel zooms where the pointer is, dragging moves'() {
    const box = await tab.locator('#plot').boundingBox();
    await tab.mouse.move(box.x + 300, box.y + 60);
    const before = await view();
    const under = before.t0 + (before.t1 - before.t0) * 300 / box.width;
    for (let i = 0; i < 12; i++) await tab.mouse.wheel(0, -200);
    await settled();
    const zoomed = await view();
    assert.ok(zoomed.t1 - zoomed.t0 < (before.t1 - before.t0) / 4);
    const now = zoomed.t0 + (zoomed.t1 - zoomed.t0) * 300 / box.width;
    assert.ok(Math.abs(now - under) < (zoomed.t1 - zoomed.t0) / 50, 'the time under the pointer stays');
    await tab.mouse.down();
    await tab.mouse.move(box.x + 200, box.y + 60, { steps: 4 });
    await tab.mouse.up();
    const moved = await view();
    assert.ok(moved.t0 > zoomed.t0);
    await pictures('zoomed');
  },
  async 'keys move, undo and go back to the whole'() {
    await tab.evaluate(() => kutrace.app.navigation.setView(20_000_000, 30_000_000));
    const before = await view();
    await tab.keyboard.press('d');
    assert.ok((await view()).t0 > before.t0);
    await tab.keyboard.press('0');
    await settled();
    const { t0, t1 } = await view();
    assert.ok(t0 <= 0 && t1 >= totals.end);
    await tab.keyboard.press('z');
    assert.ok((await view()).t1 < totals.end);
    await tab.keyboard.press('x');
    assert.ok((await view()).t1 >= totals.end);
    for (const [key, back] of [['w', 's'], ['d', 'a'], ['ArrowRight', 'ArrowLeft'], ['ArrowDown', 'ArrowUp']]) {
      const was = await view();
      await tab.keyboard.press(key);
      assert.notDeepEqual(await view(), was, key);
      await tab.keyboard.press(back);
    }
    await tab.keyboard.press('0');
  },
  async 'without a mouse: step through spans and rows, mark a range, find a command'() {
    await tab.mouse.move(5, 5);
    await tab.evaluate(() => kutrace.app.navigation.setView(1_000_000, 1_060_000));
    await settled();
    const pin = () => tab.evaluate(() => {
      const p = kutrace.app.pins.at(-1);
      return p && { start: p.start, cpu: p.row.cpu, thread: p.row.thread };
    });
    await tab.keyboard.press(']');
    const first = await pin();
    assert.equal(first.cpu, 0);
    await tab.keyboard.press(']');
    assert.ok((await pin()).start > first.start);
    assert.match(await tab.textContent('#live'), /./);
    await tab.keyboard.press('[');
    assert.deepEqual(await pin(), first);
    await tab.keyboard.press('Shift+ArrowDown');
    assert.equal((await pin()).cpu, 1);
    await tab.keyboard.press('m');
    assert.match(await tab.textContent('#live'), /Marked/);
    assert.match(await tab.textContent('#toast'), /Marked/);
    for (let i = 0; i < 4; i++) await tab.keyboard.press(']');
    await tab.keyboard.press('m');
    await tab.waitForSelector('#copy-csv');
    await tab.keyboard.press('f');
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('?');
    await tab.fill('#help-filter', 'legend');
    await tab.press('#help-filter', 'Enter');
    assert.equal(await tab.evaluate(() => kutrace.app.side.panel), 'legend');
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('0');
  },
  async 'the wheel can scroll rows instead of zooming, and drag then selects'() {
    await tab.click('#tool-options');
    await tab.check('input[name=wheel][value=scroll]');
    const box = await tab.locator('#plot').boundingBox();
    const before = await view();
    await tab.mouse.move(box.x + 300, box.y + 60);
    await tab.mouse.wheel(0, 60);
    const after = await view();
    assert.deepEqual([after.t0, after.t1], [before.t0, before.t1]);
    assert.ok(after.top > before.top);
    await tab.keyboard.down('Control');
    await tab.mouse.wheel(0, -60);
    await tab.keyboard.up('Control');
    assert.ok((await view()).t1 - (await view()).t0 < before.t1 - before.t0);
    await tab.mouse.down();
    await tab.mouse.move(box.x + 500, box.y + 60, { steps: 3 });
    await tab.mouse.up();
    await tab.waitForSelector('#copy-csv');
    await tab.check('input[name=wheel][value=zoom]');
    await tab.click('#tool-options');
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('0');
    await tab.keyboard.press('Home');
  },
  async 'dragging on the axis selects, and its edges can be moved'() {
    const box = await tab.locator('#axis').boundingBox();
    const range = () => tab.evaluate(() => ({ ...kutrace.app.selection }));
    const drag = async (from, to) => {
      await tab.mouse.move(box.x + from, box.y + 10);
      await tab.mouse.down();
      await tab.mouse.move(box.x + to, box.y + 10, { steps: 3 });
      await tab.mouse.up();
    };
    await drag(200, 400);
    const first = await range();
    const edge = await tab.evaluate(() => kutrace.app.navigation.xOf(kutrace.app.selection.t1));
    await drag(edge, edge + 100);
    const second = await range();
    assert.ok(Math.abs(second.t0 - first.t0) < 2);
    assert.ok(second.t1 > first.t1);
    await tab.keyboard.press('Escape');
    assert.equal(await tab.evaluate(() => kutrace.app.selection), null);
  },
  async 'a search counts what the writer counted'() {
    for (const name of ['write', 'page_fault', 'local_timer', '-wakeup-']) {
      await ask(name);
      assert.deepEqual(await found(), totals.names[name], name);
    }
    for (const [text, total] of Object.entries(totals.questions)) {
      await ask(text);
      assert.deepEqual(await found(), total, text);
    }
    await ask('kind:irq');
    const irqs = (await found())[0];
    await ask('kind:interrupt');
    assert.equal((await found())[0], irqs);
    await tab.fill('#query', 'kind:nonsense');
    await tab.waitForFunction(() => /is no kind/.test(document.getElementById('found').textContent));
    await ask('result:EAGAIN kind:systemcall');
    const few = (await found())[0];
    await tab.click('#invert');
    await tab.waitForFunction((n) => kutrace.app.matches.count > n, few);
    await tab.waitForFunction(() => /·|no match/.test(document.getElementById('found').textContent));
    assert.equal((await found())[0] + few, totals.spans);
    await tab.click('#invert');
    await tab.fill('#query', '/^(read|close)$/');
    await tab.waitForFunction((n) => kutrace.app.matches.count === n, totals.names.read[0] + totals.names.close[0]);
    await tab.fill('#query', '/(/');
    await tab.waitForFunction(() => document.getElementById('found').classList.contains('bad'));
  },
  async 'every match is lit on its row, however short it is and from however far'() {
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('0');
    await ask('event:write cpu:0');
    await settled();
    const [top, height, accent] = await tab.evaluate(() => {
      const { app } = kutrace;
      const row = app.rows.find((r) => r.cpu === 0);
      return [row.top - app.view.top, row.height, app.palette.pixel.accent];
    });
    assert.ok((await colours(20, top, 600, height)).includes(accent), 'matches of CPU 0');
    assert.ok(!(await colours(20, top + height, 600, height)).includes(accent), 'none of CPU 1');
  },
  async 'next and previous go to matches'() {
    await tab.fill('#query', 'local_timer');
    await tab.waitForFunction((n) => kutrace.app.matches?.count === n, totals.names.local_timer[0]);
    await tab.press('#query', 'Enter');
    await tab.locator('#query').blur();
    await settled();
    const [hit, v] = await tab.evaluate(() => [kutrace.app.matches.hits[kutrace.app.search.at], { ...kutrace.app.view }]);
    assert.ok(hit.start >= v.t0 && hit.end <= v.t1);
    const at = await tab.evaluate(() => kutrace.app.search.at);
    await tab.keyboard.press('n');
    assert.equal(await tab.evaluate(() => kutrace.app.search.at), at + 1);
    await tab.fill('#query', '');
    await tab.locator('#query').blur();
    await tab.keyboard.press('Escape');
  },
  async 'hovering tells, clicking pins'() {
    await tab.keyboard.press('0');
    await tab.evaluate(() => kutrace.app.navigation.setView(1_000_000, 1_060_000));
    await settled();
    const at = await tab.evaluate(() => {
      const { app } = kutrace;
      const label = app.rows.find((r) => r.cpu === 0);
      return { y: label.top - app.view.top + label.height * 0.6 };
    });
    const box = await tab.locator('#plot').boundingBox();
    await tab.mouse.move(box.x + 400, box.y + at.y);
    await tab.waitForSelector('#card:not([hidden])');
    assert.match(await tab.textContent('#card'), /duration/);
    await tab.mouse.click(box.x + 400, box.y + at.y);
    await tab.waitForSelector('#side:not([hidden])');
    assert.match(await tab.textContent('#side'), /wall clock/);
    assert.equal(await tab.evaluate(() => kutrace.app.pins.length), 1);
    await settled();
    await pictures('pinned');
    await tab.keyboard.press('.');
    await tab.keyboard.press('Escape');
    assert.equal(await tab.evaluate(() => kutrace.app.pins.length), 0);
  },
  async 'a click takes the place of the last one, Shift adds, nothing unpins, a double click zooms'() {
    await tab.evaluate(() => kutrace.app.navigation.setView(1_000_000, 1_060_000));
    await settled();
    const box = await tab.locator('#plot').boundingBox();
    const pins = () => tab.evaluate(() => kutrace.app.pins.map((p) => p.start));
    // Two moments of two CPUs with different spans.
    const [a, b] = await tab.evaluate(() => {
      const { app } = kutrace;
      const points = app.rows.filter((r) => r.cpu >= 0).map((r) => [300, r.top - app.view.top + r.height * 0.6]);
      return [points[0], points[1]];
    });
    await tab.mouse.move(box.x + a[0], box.y + a[1]);
    assert.ok(await tab.isVisible('#cursor-time'));
    assert.match(await tab.textContent('#cursor-time'), /^0\.001/);
    await tab.mouse.click(box.x + a[0], box.y + a[1]);
    await tab.waitForFunction(() => kutrace.app.pins.length === 1);
    const [first] = await pins();
    await tab.mouse.click(box.x + b[0], box.y + b[1]);
    await tab.waitForFunction((start) => kutrace.app.pins.length === 1 && kutrace.app.pins[0].start !== start, first);
    await tab.keyboard.down('Shift');
    await tab.mouse.click(box.x + a[0], box.y + a[1]);
    await tab.keyboard.up('Shift');
    await tab.waitForFunction(() => kutrace.app.pins.length === 2);
    await tab.mouse.click(box.x + 300, box.y + 8);  // the heading of a group
    await tab.waitForFunction(() => kutrace.app.pins.length === 0);
    assert.ok(await tab.isHidden('#side'));
    await tab.mouse.dblclick(box.x + a[0], box.y + a[1]);
    await tab.waitForFunction(() => kutrace.app.pins.length === 1);
    const [pin, v] = await tab.evaluate(() => [{ ...kutrace.app.pins[0], row: 0 }, { ...kutrace.app.view }]);
    assert.ok(Math.abs((v.t1 - v.t0) - Math.max(1.5 * (pin.end - pin.start), pin.end - pin.start + 200)) < 2);
    await tab.keyboard.press('Escape');
  },
  async 'matches as a list: the longest is one key and one click away'() {
    await ask('write');
    await tab.locator('#query').blur();
    await tab.keyboard.press('Shift+J');
    assert.equal(await tab.locator('.matches tbody tr').count(), Math.min(200, totals.names.write[0]));
    await tab.click('.matches th:has-text("duration") button');
    await tab.locator('.matches tbody tr').first().click();
    await settled();
    const [hit, v] = await tab.evaluate(() => [kutrace.app.matches.hits[kutrace.app.search.at], { ...kutrace.app.view }]);
    assert.equal(hit.end - hit.start, totals.names.write[3], 'the longest');
    assert.ok(hit.start >= v.t0 && hit.end <= v.t1);
    await pictures('matches');
    await tab.keyboard.press('Shift+J');
    await tab.evaluate(() => kutrace.app.search.set(''));
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('0');
  },
  async 'all is reached with Tab and has a name; tables, menus and notes need no mouse'() {
    await tab.mouse.move(5, 5);
    for (const panel of ['l', 'o', 'g']) await tab.keyboard.press(panel);
    await tab.evaluate(() => kutrace.app.navigation.setView(1_000_000, 1_060_000));
    await settled();
    await tab.keyboard.press('Shift+M');
    await tab.waitForSelector('#copy-csv');
    const nameless = await tab.evaluate(() => [...document.querySelectorAll('button, input, select, textarea, [tabindex="0"], [role]')]
      .filter((e) => e.checkVisibility() && !['tr', 'span', 'g'].includes(e.tagName))
      .filter((e) => !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim() || e.getAttribute('aria-labelledby') || e.title))
      .map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    const reached = new Set();
    await tab.locator('#query').focus();
    for (let i = 0; i < 90; i++) {
      await tab.keyboard.press('Tab');
      reached.add(await tab.evaluate(() => document.activeElement?.id || document.activeElement?.tagName));
    }
    for (const id of ['invert', 'previous', 'next', 'match-list', 'tool-show', 'tool-export', 'tool-views', 'tool-legend', 'tool-about',
      'tool-options', 'tool-help', 'row-filter', 'plot', 'labels-edge', 'view-name', 'save-copy', 'side-close', 'drawer-edge', 'copy-csv',
      'compare', 'tab-name', 'with-idle', 'TR']) assert.ok(reached.has(id), `Tab reaches ${id}`);
    await tab.locator('#drawer tbody tr').first().focus();
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('Enter');
    assert.deepEqual(await tab.evaluate(() => [document.activeElement.getAttribute('aria-selected'), document.activeElement.rowIndex]), ['true', 2]);
    await tab.locator('#side-close').focus();
    await tab.keyboard.press('Enter');
    assert.equal(await tab.evaluate(() => document.activeElement.id), 'plot');
    await tab.keyboard.press(']');
    await tab.waitForFunction(() => kutrace.app.pins.length === 1);
    assert.match(await tab.textContent('#live'), /, on CPU 0$/);
    await tab.keyboard.press('u');
    await tab.keyboard.press('Enter');
    assert.equal(await tab.evaluate(() => kutrace.app.rows[0].pinned), true, 'the row that the menu pinned');
    await tab.evaluate(() => kutrace.app.rowList.restore({}));
    // A note at a pinned span that reaches out of the view still comes into it, and takes what is typed.
    await tab.evaluate(() => {
      const { start, end } = kutrace.app.pins[0];
      kutrace.app.navigation.setView((start + end) / 2, end + 50_000);
    });
    await settled();
    await tab.keyboard.press('e');
    await tab.keyboard.type('what held it?');
    assert.equal(await tab.evaluate(() => kutrace.app.keeping.notes[0].text), 'what held it?');
    await tab.evaluate(() => kutrace.app.keeping.removeNote(kutrace.app.keeping.notes[0]));
    await tab.locator('#plot').focus();
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('0');
  },
  async 'from a span to its like, to what woke its thread, and back, in view or not'() {
    const pin = () => tab.evaluate(() => {
      const p = kutrace.app.pins.at(-1);
      return { start: p.start, kind: p.kind, thread: p.thread, row: p.row.id };
    });
    await tab.mouse.move(5, 5);
    const thread = await tab.evaluate(async () => {
      const { app } = kutrace;
      const row = app.rows.find((r) => r.thread >= 0 && r.label.startsWith('nginx'));
      const wake = await app.looking.finder.waker(row.thread, app.trace.end / 2);
      app.navigation.setView(wake.start - 20_000, wake.start + 80_000);
      const run = await app.looking.finder.along(row, wake.start, 1, () => true);
      app.looking.pin(run);
      return row.thread;
    });
    await settled();
    const first = await pin();
    assert.equal(first.thread, thread);
    await tab.waitForFunction(() => /Woken by/.test(document.getElementById('side').textContent));
    await pictures('why');
    await tab.keyboard.press('b');
    await tab.waitForFunction((t) => kutrace.app.pins.at(-1).thread !== t, thread);
    assert.match(await tab.textContent('#side'), /How it came to this/);
    await pictures('chain');
    await tab.click('.chain button');
    assert.equal((await pin()).start, first.start);
    await tab.keyboard.press('{');
    await tab.waitForFunction((t) => kutrace.app.pins.at(-1).start < t, first.start);
    const before = await pin();
    assert.deepEqual([before.kind, before.row], [first.kind, first.row]);
    await tab.keyboard.press('}');
    await tab.waitForFunction((t) => kutrace.app.pins.at(-1).start === t, first.start);
    await tab.evaluate(() => kutrace.app.looking.unpinAll());
    await tab.keyboard.press('Escape');
  },
  async 'rows can be pinned, hidden, moved and folded by menu, keys and dragging'() {
    await tab.keyboard.press('0');
    await tab.keyboard.press('Home');
    await settled();
    const ids = () => tab.evaluate(() => kutrace.app.rows.map((r) => `${r.pinned ? '^' : ''}${r.id}`));
    const label = async (id) => {
      const box = await tab.locator('#gutter').boundingBox();
      const [top, height] = await tab.evaluate((wanted) => {
        const row = kutrace.app.rowList.byId(wanted);
        return [row.top - kutrace.app.rowList.shift(row), row.height];
      }, id);
      return [box.x + 60, box.y + top + height / 2];
    };
    await tab.mouse.click(...await label('c2'), { button: 'right' });
    await pictures('row-menu');
    await tab.click('#menu button:has-text("Pin to the top")');
    assert.equal((await ids())[0], '^c2');
    await tab.mouse.move(...await label('c1'));
    await tab.keyboard.press('h');
    assert.ok(!(await ids()).includes('c1'));
    await tab.click('#hidden-rows');
    assert.ok((await ids()).includes('c1'));
    await tab.mouse.move(...await label('c3'));
    await tab.mouse.down();
    await tab.mouse.move(...await label('c1'), { steps: 4 });
    await tab.mouse.move(...await label('c0'), { steps: 4 });
    await tab.mouse.up();
    assert.deepEqual((await ids()).slice(0, 4), ['^c2', 'cpus', 'c3', 'c0']);
    await tab.mouse.click(...await label('cpus'));
    assert.deepEqual((await ids()).slice(0, 3), ['^c2', 'cpus', 'threads']);
    await tab.mouse.click(...await label('cpus'));
    await tab.evaluate(() => kutrace.app.rowList.restore({}));
    await tab.mouse.move(5, 5);
  },
  async 'rows light up with Shift, threads that did not run go away, rows grow'() {
    await tab.keyboard.press('0');
    await tab.keyboard.press('Home');
    await settled();
    const box = await tab.locator('#gutter').boundingBox();
    const at = async (cpu) => box.y + await tab.evaluate((c) => {
      const row = kutrace.app.rows.find((r) => r.cpu === c);
      return row.top + row.height / 2;
    }, cpu);
    await tab.keyboard.down('Shift');
    await tab.mouse.click(box.x + 60, await at(1));
    await tab.mouse.click(box.x + 60, await at(3));
    await tab.keyboard.up('Shift');
    assert.equal(await tab.inputValue('#query'), 'cpu:1,3');
    await tab.mouse.move(box.x + 60, await at(1));
    await tab.keyboard.press('Shift+L');
    assert.equal(await tab.inputValue('#query'), 'cpu:3');
    await tab.keyboard.press('Shift+L');
    await tab.evaluate(() => kutrace.app.search.set(''));
    await tab.evaluate(() => kutrace.app.navigation.setView(1_000_000, 1_060_000));
    await settled();
    const threads = () => tab.evaluate(() => kutrace.app.rows.filter((r) => r.thread >= 0).map((r) => r.thread));
    const all = (await threads()).length;
    await tab.keyboard.press('Shift+K');
    const kept = await threads();
    const ran = await tab.evaluate(() => {
      const { app } = kutrace;
      const seen = new Set();
      for (const s of app.picture.lastPlan.slabs) {
        for (let p = 0; p < s.count; p++) if (s.end[p] > app.view.t0 && s.start[p] < app.view.t1 && s.thread[p] > 1) seen.add(s.thread[p]);
      }
      return [...seen];
    });
    assert.deepEqual([...kept].sort(), [...ran].sort());
    assert.ok(kept.length > 0 && kept.length < all, `${kept.length} of ${all}`);
    await pictures('active');
    await tab.keyboard.press('Shift+H');
    assert.equal((await threads()).length, all);
    const high = () => tab.evaluate(() => kutrace.app.rows.find((r) => r.cpu === 0).height);
    const before = await high();
    await tab.click('#tool-options');
    await tab.check('input[name=rows][value=high]');
    assert.ok(await high() > before * 1.5);
    await tab.check('input[name=rows][value=normal]');
    await tab.click('#tool-options');
    await tab.keyboard.press('0');
  },
  async 'a selected range adds up to its length on every CPU'() {
    const box = await tab.locator('#axis').boundingBox();
    await tab.mouse.move(box.x + 200, box.y + 10);
    await tab.mouse.down();
    await tab.mouse.move(box.x + 700, box.y + 10, { steps: 4 });
    await tab.mouse.up();
    await tab.waitForSelector('#copy-csv');
    await tab.click('#tab-kind');
    const sums = await tab.evaluate(() => [...document.querySelectorAll('#drawer tbody tr')]
      .reduce((sum, r) => sum + parseFloat(r.children[2].textContent), 0));
    assert.ok(Math.abs(sums - 100) < 0.1, `kinds add up to ${sums} %`);
    await tab.uncheck('#with-idle');
    const labels = await tab.locator('#drawer tbody td:first-child').allTextContents();
    assert.ok(labels.length > 4 && labels.every((label) => !label.includes('idle')), labels.join());
    await tab.check('#with-idle');
    await pictures('range');
    await tab.keyboard.press('Escape');
  },
  async 'the table of a range tells what the writer counted'() {
    const { begin, end, kinds, calls } = totals.range;
    await tab.evaluate(([a, b]) => kutrace.app.range.select(a, b, true), [begin, end]);
    await tab.waitForFunction((a) => kutrace.app.range.told?.t0 === a, begin);
    await tab.click('#tab-name');
    const got = await tab.evaluate(() => {
      const { byKind } = kutrace.app.range.told.usage;
      const { what } = kutrace.app.trace;
      const times = new Array(12).fill(0);
      for (const [k, d] of byKind) times[what[k]] += d.time;
      return times;
    });
    assert.deepEqual(got.map(Math.round), kinds);
    const rows = await tab.evaluate(() => Object.fromEntries(kutrace.app.range.view.tables.name.map((r) => [r.label, r.durations])));
    const shown = await tab.evaluate(() => Object.fromEntries([...document.querySelectorAll('#drawer tbody tr')]
      .map((r) => [r.children[0].textContent, [...r.children].slice(3).map((c) => c.textContent)])));
    for (const [name, [count, p50, p99, longest]] of Object.entries(calls)) {
      assert.equal(rows[name].count, count, name);
      assert.equal(rows[name].max, longest, name);
      assert.equal(shown[name][0].replace(/\D/g, ''), String(count));
      const micro = (text) => parseFloat(text) * { ns: 1, µs: 1e3, ms: 1e6 }[text.split(' ')[1]];
      assert.ok(Math.abs(micro(shown[name][2]) - p50) <= p50 * 0.0006, `${name} p50 ${shown[name][2]} ${p50}`);
      assert.ok(Math.abs(micro(shown[name][3]) - p99) <= p99 * 0.0006, `${name} p99 ${shown[name][3]} ${p99}`);
    }
    await pictures('range-names');
    await tab.click('#tab-flame');
    await tab.waitForSelector('.flame g');
    const flame = await tab.evaluate(() => document.querySelectorAll('.flame g').length);
    assert.ok(flame > 40, `${flame} frames`);
    await pictures('flame');
    await tab.click('.flame g:nth-child(2)');
    await tab.click('#tab-name');
  },
  async 'a range of what a search finds tells what the writer counted of it'() {
    await ask('event:write');
    await tab.locator('#query').focus();
    await tab.keyboard.press('Escape');
    assert.equal(await tab.inputValue('#query'), 'event:write', 'Escape leaves the box, not what is in it');
    await tab.evaluate(() => kutrace.app.range.select(kutrace.app.trace.begin, kutrace.app.trace.end, true));
    await tab.check('#only-matches');
    await tab.waitForFunction(() => kutrace.app.range.told?.only === 'event:write');
    const rows = await tab.evaluate(() => Object.fromEntries(kutrace.app.range.view.tables.name.map((r) => [r.label, r.durations])));
    assert.deepEqual(Object.keys(rows), ['write']);
    const [count, total, min, max] = totals.names.write;
    assert.deepEqual([rows.write.count, Math.round(rows.write.time), rows.write.min, rows.write.max], [count, total, min, max]);
    await tab.uncheck('#only-matches');
    await tab.evaluate(() => kutrace.app.search.set(''));
    const { begin, end } = totals.range;
    await tab.evaluate(([a, b]) => kutrace.app.range.select(a, b, true), [begin, end]);
    await tab.waitForFunction((a) => kutrace.app.range.told?.t0 === a && kutrace.app.range.told.only === '', begin);
  },
  async 'two ranges stand side by side, and a bar of the histogram finds its spans'() {
    const { begin, end } = totals.range;
    await tab.evaluate(([a, b]) => kutrace.app.range.select(a, b, true), [begin, end]);
    await tab.click('#compare');
    // The drawer says what comes next; nothing lies over its table, then or later.
    assert.match(await tab.textContent('#drawer'), /Now select the range to compare with/);
    assert.ok(await tab.isHidden('#toast'));
    await tab.evaluate(([a, b]) => kutrace.app.range.select(a, b, true), [end, end + (end - begin)]);
    await tab.waitForFunction(() => kutrace.app.range.view.before);
    assert.ok(await tab.isHidden('#toast'));
    assert.doesNotMatch(await tab.textContent('#drawer'), /Now select the range/);
    assert.match(await tab.textContent('#drawer thead'), /A share.*B share/);
    assert.deepEqual(await tab.evaluate(() => [kutrace.app.reference.t0, kutrace.app.selection.t0]), [begin, end]);
    await pictures('compare');
    await tab.evaluate(() => kutrace.app.range.stopComparing());
    await tab.click('#drawer tbody tr:has(td:text-is("read"))');
    await tab.locator('.histogram rect').first().click();
    await tab.waitForFunction(() => /·|no match/.test(document.getElementById('found').textContent));
    assert.ok((await found())[0] > 0);
    await tab.fill('#query', '');
    await tab.locator('#query').blur();
    await tab.keyboard.press('Escape');
  },
  async 'a time in the search box goes there'() {
    await tab.fill('#query', '0.150');
    const { t0, t1 } = await view();
    assert.deepEqual([Math.round(t0 / 1e6), Math.round(t1 / 1e6)], [145, 155]);
    await tab.fill('#query', '99.5');
    assert.match(await tab.textContent('#found'), /outside/);
    await tab.fill('#query', '@@');
    assert.match(await tab.inputValue('#query'), /^0\.15/);
    await tab.fill('#query', '');
    await tab.locator('#query').blur();
    await tab.keyboard.press('0');
  },
  async 'views are saved under keys and names, and a link goes to what is seen'() {
    const go = (t0, t1) => tab.evaluate(([a, b]) => kutrace.app.navigation.setView(a, b), [t0, t1]);
    await go(20_000_000, 30_000_000);
    await tab.keyboard.press('Shift+1');
    await go(50_000_000, 60_000_000);
    await tab.keyboard.press('y');
    await ask('write');
    await tab.locator('#query').blur();
    await tab.keyboard.press('g');
    await tab.fill('#view-name', '<i>late</i>');
    await tab.press('#view-name', 'Enter');
    assert.deepEqual(await tab.evaluate(() => kutrace.app.keeping.views.map((v) => v.name)), ['View 1', '<i>late</i>']);
    assert.equal(await tab.locator('#side i').count(), 0);
    await tab.keyboard.press('Escape');
    await tab.locator('#plot').focus();
    await tab.keyboard.press('1');
    assert.deepEqual(Object.values(await view()).slice(0, 2), [20_000_000, 30_000_000]);
    assert.ok(await tab.evaluate(() => kutrace.app.options.arcs && kutrace.app.search.text === ''));
    await tab.keyboard.press('3');
    assert.match(await tab.textContent('#toast'), /There is no view 3/);
    await tab.keyboard.press('2');
    assert.deepEqual(Object.values(await view()).slice(0, 2), [50_000_000, 60_000_000]);
    assert.ok(await tab.evaluate(() => !kutrace.app.options.arcs && kutrace.app.search.text === 'write'));
    await tab.waitForFunction(() => /t=50000000%2C60000000/.test(location.hash));
    const link = await tab.evaluate(() => kutrace.app.keeping.link());
    const other = await (await browser.newContext()).newPage();
    await other.goto(link);
    await other.waitForFunction(() => kutrace.app?.matches?.count > 0);
    assert.deepEqual(await other.evaluate(() => [kutrace.app.view.t0, kutrace.app.search.text, kutrace.app.keeping.views.length]),
      [50_000_000, 'write', 2]);
    await other.context().close();
    await tab.keyboard.press('y');
  },
  async 'notes are written on the page, and a copy of the page keeps them'() {
    await tab.mouse.move(5, 5);
    await tab.evaluate(() => kutrace.app.navigation.setView(50_000_000, 60_000_000));
    await ask('write');
    await tab.keyboard.press('e');
    await tab.keyboard.type('look <b>here</b> </script>');
    await tab.locator('#plot').focus();
    await tab.evaluate(() => kutrace.app.side.open('views'));
    await settled();
    await pictures('views');
    const download = tab.waitForEvent('download');
    await tab.click('#save-copy');
    const file = `${await (await download).path()}.html`;
    await (await download).saveAs(file);
    const copy = await (await browser.newContext()).newPage();
    watch(copy, problems);
    await copy.goto(pathToFileURL(file).href);
    await copy.waitForFunction(() => /·/.test(document.getElementById('found').textContent));
    assert.equal(await copy.inputValue('.bubble textarea'), 'look <b>here</b> </script>');
    assert.equal(await copy.evaluate(() => kutrace.app.view.t0), 50_000_000);
    assert.equal((await copy.evaluate(() => kutrace.app.matches.count)), totals.names.write[0]);
    assert.ok(await copy.isHidden('#trouble'));
    assert.equal(await copy.locator('#tools button').count(), await tab.locator('#tools button').count());
    await copy.context().close();
    await tab.evaluate(() => {
      const { keeping } = kutrace.app;
      keeping.removeNote(keeping.notes[0]);
      while (keeping.views.length) keeping.removeView(keeping.views.length - 1);
      kutrace.app.side.close();
      kutrace.app.search.set('');
    });
    await tab.keyboard.press('0');
  },
  async 'the visible picture is saved as SVG and PNG, with title, axis and legend'() {
    await tab.mouse.move(5, 5);
    await tab.evaluate(() => {
      kutrace.app.navigation.setView(1_000_000, 1_400_000);
      kutrace.app.keeping.addNote({ time: 1_100_000, row: 'c0', text: 'see <b> & this', dx: 0, dy: 0 });
    });
    await settled();
    const saved = async (name) => {
      const download = tab.waitForEvent('download');
      await tab.click('#tool-export');
      await tab.click(`#menu button:has-text("${name}")`);
      assert.match((await download).suggestedFilename(), /^made-up-b-machine-b\.(svg|png)$/);
      return readFile(await (await download).path());
    };
    const svg = String(await saved('as SVG'));
    const told = await tab.evaluate(async (text) => {
      const { app } = kutrace;
      const xml = new DOMParser().parseFromString(text, 'image/svg+xml');
      const image = new Image();
      image.src = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      const c = canvas.getContext('2d', { willReadFrequently: true });
      c.drawImage(image, 0, 0);
      const plot = xml.querySelector('svg > svg');
      const [left, top] = ['x', 'y'].map((name) => Number(plot.getAttribute(name)));
      // Bars of CPU 1, which nothing lies over: the same colours as on the page.
      const row = app.rows.find((r) => r.cpu === 1);
      const { data } = c.getImageData(left, top + row.top, app.picture.width, row.height);
      const colours = (pixels) => new Set(Array.from(pixels, (p) => p & 0xf0f0f0));
      const here = colours(new Uint32Array(data.buffer));
      const { pixels, width } = app.picture.raster;
      const there = colours(pixels.subarray(row.top * width, (row.top + row.height) * width));
      return { bad: xml.querySelector('parsererror') !== null, texts: [...xml.querySelectorAll('text')].map((t) => t.textContent),
        missing: [...there].filter((colour) => !here.has(colour)).length, colours: there.size };
    }, svg);
    assert.ok(!told.bad);
    for (const text of ['made-up <b>machine</b>', 'CPU 0', 'user', 'system call', 'see <b> & this']) assert.ok(told.texts.includes(text), text);
    assert.ok(told.texts.some((text) => /^\d+ µs$/.test(text)), 'axis');
    assert.ok(told.texts.some((text) => /400\.0 µs from 20/.test(text)), 'what is shown');
    assert.ok(told.colours > 6 && told.missing <= 1, `${told.missing} of ${told.colours} colours are missing`);
    const png = await saved('as PNG');
    assert.deepEqual([...png.subarray(1, 4)], [80, 78, 71]);
    assert.ok(png.readUInt32BE(16) > 2 * 1000 && png.length > 20_000);
    if (screenshots) {
      await writeFile(`${screenshots}/figure.svg`, svg);
      await writeFile(`${screenshots}/figure.png`, png);
    }
    await tab.evaluate(() => kutrace.app.keeping.removeNote(kutrace.app.keeping.notes[0]));
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('0');
  },
  async 'bars turn pale, threads of one name light up, notes are dragged, the cost of recording is hatched'() {
    await tab.evaluate(() => kutrace.app.navigation.setView(200_000_000, 200_200_000));
    await tab.keyboard.press('Home');
    await settled();
    const top = await tab.evaluate(() => kutrace.app.rows.find((r) => r.cpu === 1).top);
    const inUser = async () => {
      const user = await tab.evaluate(() => [...kutrace.app.palette.user, kutrace.app.palette.kind[2]]);
      const seen = await colours(0, top, 900, 50);
      return user.some((colour) => seen.includes(colour));
    };
    const show = async () => {
      await tab.click('#tool-show');
      await tab.click('#menu button:has-text("Pale bars")');
      await settled();
    };
    assert.ok(await inUser());
    await show();
    assert.ok(!await inUser(), 'pale');
    await show();
    const drawn = () => tab.evaluate(() => kutrace.app.picture.over.toDataURL());
    const before = await drawn();
    await tab.evaluate(() => {
      kutrace.app.picture.rowBars.cost = 4000;
      kutrace.app.schedule();
    });
    await settled();
    assert.notEqual(await drawn(), before, 'hatching');
    await tab.evaluate(() => { kutrace.app.picture.rowBars.cost = 0; });
    await tab.mouse.move(5, 5);
    await tab.keyboard.press('e');
    await tab.keyboard.type('here');
    const place = () => tab.evaluate(() => ({ ...kutrace.app.keeping.notes[0] }));
    const first = await place();
    const bubble = await tab.locator('.bubble').boundingBox();
    await tab.mouse.move(bubble.x + 4, bubble.y + 3);
    await tab.mouse.down();
    await tab.mouse.move(bubble.x + 44, bubble.y + 23, { steps: 4 });
    await tab.mouse.up();
    const second = await place();
    assert.deepEqual([second.dx - first.dx, second.dy - first.dy, second.time], [40, 20, first.time]);
    const foot = await tab.locator('.note .foot').boundingBox();
    await tab.mouse.move(foot.x + 5, foot.y + 5);
    await tab.mouse.down();
    await tab.mouse.move(foot.x + 65, foot.y + 5, { steps: 4 });
    await tab.mouse.up();
    assert.ok((await place()).time > second.time);
    await tab.evaluate(() => kutrace.app.keeping.removeNote(kutrace.app.keeping.notes[0]));
    const y = await tab.evaluate(() => {
      const { app } = kutrace;
      const row = app.rows.find((r) => r.thread >= 0 && r.label.startsWith('nginx'));
      app.navigation.revealRow(row);
      return row.top - app.view.top + row.height / 2;
    });
    const gutter = await tab.locator('#gutter').boundingBox();
    await tab.mouse.click(gutter.x + 60, gutter.y + y, { button: 'right' });
    await tab.click('#menu button:has-text("Light up all threads named nginx")');
    await tab.waitForFunction(() => kutrace.app.matches?.count > 0);
    assert.match(await tab.inputValue('#query'), /^thread:\/\^nginx/);
    await tab.evaluate(() => kutrace.app.search.set(''));
    await tab.keyboard.press('Home');
    await tab.keyboard.press('0');
  },
  async 'rows begin together when asked to, and what is pointed at is still the truth'() {
    await tab.keyboard.press('Home');
    await tab.evaluate(() => kutrace.app.navigation.setView(0, 500_000));
    await tab.keyboard.press('Shift+R');
    await tab.waitForFunction(() => {
      const { app } = kutrace;
      return app.picture.visible.filter((r) => r.thread >= 0).every((r) => typeof app.alignment.starts.get(r.id) === 'number');
    });
    await settled();
    await pictures('aligned');
    const found = await tab.evaluate(async () => {
      const { app } = kutrace;
      const rows = app.picture.visible.filter((r) => r.thread >= 0);
      const x = app.navigation.xOf(app.trace.begin) + 0.5;
      return Promise.all(rows.map(async (row) => {
        const first = await app.looking.finder.along(row, -Infinity, 1, () => true);
        const there = app.looking.find(x, row.top - app.view.top + row.height - 8);
        return [first.start, there.start - first.start, there.row.id === row.id];
      }));
    });
    const pixel = 500_000 / 1000;
    assert.ok(found.length > 5 && new Set(found.map(([start]) => start)).size > 5);
    for (const [start, off, same] of found) assert.ok(Math.abs(off) <= 2 * pixel && same, `${start} is shown ${off} ns off`);
    await tab.keyboard.press('m');
    assert.match(await tab.textContent('#toast'), /one time for all/);
    assert.equal(await tab.evaluate(() => kutrace.app.selection), null);
    await tab.keyboard.press('Shift+R');
    assert.ok(await tab.evaluate(() => kutrace.app.rows.every((r) => kutrace.app.alignment.of(r) === 0)));
    await tab.keyboard.press('0');
  },
  async 'loss is there to see'() {
    const loss = await tab.evaluate(() => kutrace.app.trace.losses[0]);
    await tab.evaluate((l) => kutrace.app.navigation.show(l.begin, l.end), loss);
    await settled();
    const [top, a, b] = await tab.evaluate(() => {
      const { app } = kutrace;
      return [app.rows.find((r) => r.cpu === 1).top - app.view.top, app.palette.pixel.lossA, app.palette.pixel.lossB];
    });
    const seen = await colours(400, top + 10, 60, 8);
    assert.ok(seen.includes(a) && seen.includes(b), 'stripes');
    await tab.click('#lost');
    assert.match(await tab.textContent('#lost'), /% lost/);
    assert.match(await tab.textContent('#side'), /buffer full/);
    await pictures('loss');
    await tab.keyboard.press('Escape');
  },
  async 'themes, legend and help open and close'() {
    for (const key of ['t', 'c', 'l']) await tab.keyboard.press(key);
    await settled();
    assert.equal(await tab.evaluate(() => kutrace.app.options.scheme), 'safe');
    await tab.keyboard.press('c');
    await settled();
    await pictures('grey');
    await tab.keyboard.press('c');
    await tab.keyboard.press('0');
    await settled();
    await pictures('other-theme');
    await tab.keyboard.press('?');
    assert.ok(await tab.evaluate(() => document.getElementById('help').open));
    await pictures('help');
    await tab.keyboard.press('Escape');
    assert.ok(await tab.evaluate(() => !document.getElementById('help').open));
  },
  async 'a first visit is as the system is: dark, without motion, and with a small window'() {
    const context = await browser.newContext({ colorScheme: 'dark', reducedMotion: 'reduce', viewport: { width: 760, height: 560 } });
    const other = await context.newPage();
    watch(other, problems);
    await other.goto(pathToFileURL(page).href);
    await other.waitForFunction(() => kutrace.app);
    await other.keyboard.press('Escape');
    const seen = await other.evaluate(() => ({ theme: document.documentElement.dataset.theme,
      motion: getComputedStyle(document.getElementById('tool-help')).transitionDuration,
      outside: [...document.querySelectorAll('#bar button, #bar input')].filter((e) => e.checkVisibility())
        .filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.id) }));
    assert.deepEqual(seen, { theme: 'dark', motion: '0s', outside: [] });
    for (const id of ['legend', 'about', 'options', 'views']) {
      await other.click(`#tool-${id}`);
      assert.ok((await other.locator('#plot').boundingBox()).width > 200, `room beside ${id}`);
    }
    if (screenshots) await other.screenshot({ path: `${screenshots}/small.png` });
    await context.close();
  },
  async 'rows can be filtered and folded'() {
    await tab.fill('#row-filter', 'nginx');
    const names = await tab.evaluate(() => kutrace.app.rows.filter((r) => r.thread >= 0).map((r) => r.label));
    assert.ok(names.length > 0 && names.every((n) => n.includes('nginx')));
    await tab.fill('#row-filter', '');
  },
};

const inTabs = Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, [
  { first: name.startsWith('a first visit is shown around') }, async (own, wrong) => {
    [tab, problems] = [own, wrong];
    await step();
  }]]));
let failed = 1;
try {
  failed = await runSteps(browser, { file: page }, inTabs, screenshots);
} finally {
  await browser.close();
}
process.exit(failed > 0 ? 1 : 0);
