// SPDX-License-Identifier: BSD-3-Clause
// The page's model without a browser: codec, columns, queries, times.
import test from 'node:test';
import assert from 'node:assert/strict';
import { constants, deflateRawSync } from 'node:zlib';
import { decodeB128 } from '../src/model/b128.js';
import { Reader } from '../src/model/reader.js';
import { crc32, unpackBlock, unpackHeader, unpackParts } from '../src/model/inflate.js';
import { parseDuration, parsePlace, placeText } from '../src/model/query.js';
import { resultText } from '../src/model/trace.js';
import { addDuration, bucketBegin, bucketOf, durationsOf, noDurations, quantile } from '../src/model/durations.js';
import { FlameStack, newFrame, workBy } from '../src/model/flame.js';
import { keyName } from '../src/input/keyboard.js';
import { History } from '../src/state/history.js';
import { decodeSlab } from '../src/model/slab.js';
import { eachRange } from '../src/model/lit.js';
import { searchSlab } from '../src/model/scan.js';
import { UsageTally, addUsage, noUsage } from '../src/model/usage.js';
import { Turns } from '../src/model/breathe.js';
import { Tally, addColumns } from '../src/model/tally.js';
import { percentText } from '../src/model/number_text.js';
import { durationText, exactTime, tickStep, timeTicks, wallText } from '../src/layout/time_text.js';
import { Columns, addRow, cpuSpans } from '../src/layout/columns.js';
import { EXECUTION_KINDS, KIND } from '../src/model/tables.js';

/** The writer's encoding, restated to test the reader. @param {Uint8Array} bytes */
function encodeB128(bytes) {
  let text = '';
  let held = 0;
  let bits = 0;
  const put = (value) => {
    text += String.fromCharCode({ 0: 0xa1, 13: 0xa2, 60: 0xa3 }[value] ?? value);
  };
  for (const byte of bytes) {
    held |= byte << bits;
    bits += 8;
    for (; bits >= 7; bits -= 7, held >>>= 7) put(held & 127);
  }
  if (bits > 0) put(held & 127);
  return text;
}

const varint = (n) => {
  const out = [];
  while (n >= 128) {
    out.push((n % 128) | 128);
    n = Math.floor(n / 128);
  }
  return [...out, n];
};
const column = (...numbers) => {
  const bytes = numbers.flatMap(varint);
  return [...varint(bytes.length), ...bytes];
};

test('text of 7 bits a character gives back every byte', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 37 + (i >> 3)) & 255);
  const text = encodeB128(bytes);
  assert.ok(!/[<\r\0]/.test(text));
  assert.deepEqual(decodeB128(text).subarray(0, 1000), bytes);
});

test('a page that was served as windows-1252 decodes as well', () => {
  const bytes = Uint8Array.from([0, 0, 60, 13, 255]);
  const text = encodeB128(bytes).replace(/[\u00a1-\u00a3]/g, (c) => `\u00c2${c}`);
  assert.deepEqual(decodeB128(text).subarray(0, 5), bytes);
});

// Node 18 cannot unpack this way, browsers can; test/browser/damage_test.mjs shows that they refuse.
const packs = (() => {
  try {
    return Boolean(new CompressionStream('deflate-raw'));
  } catch {
    return false;
  }
})();

test('a changed block is refused', { skip: packs ? false : 'needs node 20' }, async () => {
  const raw = new TextEncoder().encode('spans spans spans');
  const stream = new Blob([raw]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const row = { packed: packed.length, crc: crc32(raw) };
  assert.deepEqual(await unpackBlock(encodeB128(packed), row), raw);
  await assert.rejects(unpackBlock(encodeB128(packed), { ...row, crc: row.crc ^ 1 }), /checksum/);
  await assert.rejects(unpackBlock(encodeB128(packed.subarray(0, 5)), row), /cut short/);
});

test('a block is unpacked without some of its parts, and those that are wanted are checked', { skip: packs ? false : 'needs node 20' }, async () => {
  const raws = [3000, 500, 2001].map((size, seed) => Uint8Array.from({ length: size }, (_, i) => (i * (seed + 3)) & 255));
  const pieces = raws.map((raw, i) => deflateRawSync(raw, i < 2 ? { finishFlush: constants.Z_FULL_FLUSH } : {}));
  const parts = raws.map((raw, i) => /** @type {[number, number, number]} */ ([pieces[i].length, raw.length, crc32(raw)]));
  const packed = Buffer.concat(pieces);
  const row = { packed: packed.length, crc: crc32(Buffer.concat(raws)), parts };
  const text = encodeB128(packed);
  const without = (/** @type {any} */ expected) => unpackParts(text, expected, [null, [7, 9], null]);
  assert.deepEqual(Buffer.from(await unpackBlock(text, row)), Buffer.concat(raws));
  assert.deepEqual(Buffer.from(await without(row)), Buffer.concat([raws[0], Uint8Array.of(7, 9), raws[2]]));
  assert.deepEqual(Buffer.from(await without({ packed: row.packed, crc: row.crc })), Buffer.concat(raws), 'one without parts is unpacked as a whole');
  const wrong = (/** @type {number} */ at) => ({ ...row, parts: parts.map(([size, raw, crc], i) => [size, raw, i === at ? crc ^ 1 : crc]) });
  assert.equal((await without(wrong(1))).length, 5003);
  for (const at of [0, 2]) await assert.rejects(without(wrong(at)), /checksum/);
});

test('numbers of up to 53 bits survive', () => {
  for (const n of [0, 1, 127, 128, 16383, 16384, 2 ** 28, 2 ** 31, 2 ** 35 + 3, Number.MAX_SAFE_INTEGER]) {
    assert.equal(new Reader(Uint8Array.from(varint(n))).next(), n);
  }
});

// One CPU: user 10, write 5, user 20, idle 100; all in units of 16 ns from 160.
const WHAT = Uint8Array.from([KIND.user, KIND.syscall, KIND.idle]);
const OWNER = Int32Array.from([2, -1, 0]);
const TABLES = { what: WHAT, owner: OWNER, event: new Uint32Array(WHAT.length), counts: new Float64Array(WHAT.length),
  hues: new Uint8Array(WHAT.length).fill(255), makers: new Uint8Array(WHAT.length), threads: 3 };
const overlays = [0, ...Array(11).fill(0)];
const SLAB = Uint8Array.from([16, ...varint(320),
  ...column(1, 3, 4, 0),               // one section: CPU 3, 4 spans, starts at the base
  ...column(0, 1, 0, 2),               // kinds
  ...column(10, 20, 5, 100),           // durations, kind by kind
  ...column(), ...column(),            // no gaps, no unexpected threads
  ...column(7), ...column(14),         // argument 7, result 13
  ...column(), ...column(),            // no IPC, no RPC
  overlays.length, ...overlays]);

test('a slab decodes to spans that tile the CPU', () => {
  const slab = decodeSlab(SLAB, TABLES);
  assert.deepEqual([...slab.start], [160, 320, 400, 720]);
  assert.deepEqual([...slab.end], [320, 400, 720, 2320]);
  assert.deepEqual([...slab.thread], [2, 2, 2, 0]);
  assert.equal(slab.arg[1], 7);
  assert.equal(resultText(slab.result[1] - 1), '13');
});

test('a search counts what matches', () => {
  const slab = decodeSlab(SLAB, TABLES);
  const query = { kinds: Uint8Array.from([1, 0, 0]), threads: new Uint8Array(3).fill(1), cpus: null,
    min: 0, max: Infinity, from: -Infinity, to: Infinity, endsFrom: -Infinity, endsTo: Infinity, arg: -1, result: -1, errors: false, ipc: null, misses: null, rows: null, without: [], counter: 'ipc', invert: false,
    grid: { begin: 0, cpuWidth: 100, threadWidth: 1000 } };
  const { count, total, min, max } = searchSlab(slab, query);
  assert.deepEqual([count, total, min, max], [2, 480, 160, 320]);
  assert.equal(searchSlab(slab, { ...query, min: 200 }).count, 1);
  assert.equal(searchSlab(slab, { ...query, without: [{ ...query, min: 200 }] }).count, 1);
  assert.equal(searchSlab(slab, { ...query, cpus: [0] }).count, 0);
  /** @type {number[][]} */
  const lit = [];
  eachRange(searchSlab(slab, query).lit.cpus, 3, (...range) => lit.push(range));
  assert.deepEqual(lit, [[1, 7]]);
  assert.equal(searchSlab(slab, { ...query, from: 500 }).count, 1);
  assert.equal(searchSlab(slab, { ...query, invert: true }).count, 2);
});

test('frames lie on what they interrupted, also when that goes on later', () => {
  const what = Uint8Array.from([KIND.user, KIND.syscall, KIND.trap, KIND.irq, KIND.scheduler]);
  const root = newFrame(-1);
  const stack = new FlameStack(root, what);
  // user, write, fault in it, interrupt in the fault, fault again, write again, scheduler in it, user
  for (const kind of [0, 1, 2, 3, 2, 1, 4, 0]) stack.push(kind, 2, 10);
  const all = workBy(root, (thread) => thread);
  const thread = all.inner.get(2);
  const write = thread.inner.get(1);
  const fault = write.inner.get(2);
  assert.deepEqual([all.time, thread.own, write.own, write.time, fault.own, fault.time, write.count],
    [80, 20, 20, 60, 20, 30, 1]);
  assert.equal(fault.inner.get(3).time, 10);
  assert.equal(write.inner.get(4).time, 10);
});

test('quantiles are of buckets that are at most an eighth wide', () => {
  const durations = noDurations();
  for (let ns = 1; ns <= 10000; ns++) addDuration(durations, ns);
  assert.ok(Math.abs(quantile(durations, 0.5) - 5000) < 5000 / 16);
  assert.ok(Math.abs(quantile(durations, 0.99) - 9900) < 9900 / 16);
  for (let ns = 1; ns < 1e13; ns = ns * 1.7 + 1) {
    const b = bucketOf(ns);
    assert.ok(bucketBegin(b) <= Math.floor(ns) && Math.floor(ns) < bucketBegin(b + 1), `${ns}`);
  }
});

test('a time is a place, and a view has one', () => {
  assert.deepEqual(parsePlace('39.540'), { t0: 39.535e9, t1: 39.545e9 });
  assert.deepEqual(parsePlace('1:00.5'), { t0: 60e9, t1: 61e9 });
  const wider = parsePlace('39.540--');
  assert.equal(Math.round(wider.t1 - wider.t0), 50e6);
  assert.equal(parsePlace('write'), null);
  assert.equal(placeText({ t0: 39.535e9, t1: 39.545e9 }), '39.540');
});

test('one key has one name on every keyboard', () => {
  const key = (more) => keyName({ key: '', code: '', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more }, (one) => '/=[]{}'.includes(one));
  assert.equal(key({ key: 'W', code: 'KeyW', shiftKey: true }), 'shift+w');
  assert.equal(key({ key: '?', code: 'Slash', shiftKey: true }), '?');
  assert.equal(key({ key: '&', code: 'Digit1' }), '1');
  assert.equal(key({ key: 'ц', code: 'KeyW' }), 'w');
  assert.equal(key({ key: 'Σ', code: 'KeyS', shiftKey: true }), 'shift+s');
  assert.equal(key({ key: 'a', code: 'KeyQ' }), 'a', 'a Latin layout of another order');
  assert.equal(key({ key: '!', code: 'Digit1', shiftKey: true }), 'shift+1');
  assert.equal(key({ key: 'z', code: 'KeyZ', metaKey: true }), 'ctrl+z');
  assert.equal(key({ key: '/', code: 'Digit7', shiftKey: true }), '/');
  assert.equal(key({ key: '(', code: 'Digit8', shiftKey: true }), 'shift+8');
  const altGraph = (/** @type {string} */ name) => name === 'AltGraph';
  assert.equal(key({ key: '[', code: 'Digit8', getModifierState: altGraph }), '[');
  assert.equal(key({ key: '{', code: 'Digit7', ctrlKey: true, altKey: true, getModifierState: altGraph }), '{');
  assert.equal(key({ key: '=', code: 'Digit0', ctrlKey: true, shiftKey: true }), 'ctrl+shift+0');
});

test('movements that follow each other closely are undone as one', () => {
  const history = new History();
  history.remember({ t0: 1, t1: 2, top: 0 }, 1000);
  history.remember({ t0: 2, t1: 3, top: 0 }, 1100);
  history.remember({ t0: 3, t1: 4, top: 0 }, 3000);
  assert.equal(history.undo({ t0: 4, t1: 5, top: 0 })?.t0, 3);
  assert.equal(history.undo({ t0: 3, t1: 4, top: 0 })?.t0, 1);
  assert.equal(history.undo({ t0: 1, t1: 2, top: 0 }), null);
  assert.equal(history.redo({ t0: 1, t1: 2, top: 0 })?.t0, 3);
});

test('a range adds up to its own length', async () => {
  const usage = noUsage();
  const tally = new UsageTally(TABLES, { t0: 200, t1: 1000, only: null, scope: null, reasons: false });
  tally.add(decodeSlab(SLAB, TABLES));
  await addUsage(usage, tally.part(), new Turns(12));
  const sum = [...usage.byKind.values()].reduce((all, use) => all + use.time, 0);
  assert.equal(sum, 800);
});

test('a pixel column holds what its time held, and idle does not hide work', () => {
  const slab = decodeSlab(SLAB, TABLES);
  const columns = new Columns(2);
  columns.clear();
  const row = cpuSpans(slab, 3);
  assert.ok(row);
  addRow(columns, row, { t0: 160, t1: 160 + 4320, scale: 2 / 4320 }, WHAT, null);
  const first = columns.shares.subarray(0, EXECUTION_KINDS);
  assert.ok(Math.abs(first[KIND.user] - 480 / 2160) < 1e-6);
  assert.ok(Math.abs(first.reduce((a, b) => a + b) - 1) < 1e-6);
  assert.equal(columns.topKind[0], 0);
});

test('durations and times are told in the fitting unit', () => {
  assert.equal(durationText(12345), '12.35 µs');
  assert.equal(durationText(2_000_000_000), '2.000 s');
  assert.deepEqual([999, 999_949, 999_950, 999_999, 99_996, 999_999_999, 0.5].map(durationText), ['999.0 ns', '999.9 µs', '1.000 ms', '1.000 ms', '100.0 µs', '1.000 s', '0.500 ns']);
  assert.deepEqual([0.5, 0, NaN].map(percentText), ['50.00 %', '0 %', '–']);
  assert.equal(exactTime(1_234_567_890), '1.234\u202f567\u202f890 s');
  assert.equal(parseDuration('1.5ms'), 1.5e6);
  assert.throws(() => parseDuration('soon'), /not a duration/);
  assert.equal(tickStep(1000, 10), 100);
  assert.deepEqual(timeTicks(0, 2e6, 4).ticks.map((t) => t.label), ['0 µs', '500 µs', '1000 µs', '1500 µs', '2000 µs']);
});

test('a date is rounded down, before 1970, too, and one that is not known is no text', () => {
  assert.deepEqual([0, 3, 6].map((digits) => wallText(1_758_088_619_999_999, digits)),
    ['2025-09-17 05:56:59 UTC', '2025-09-17 05:56:59.999 UTC', '2025-09-17 05:56:59.999999 UTC']);
  assert.deepEqual([[-2000, 3], [-1, 6], [-1_000_000, 0], [0, 3]].map(([usec, digits]) => wallText(usec, digits)),
    ['1969-12-31 23:59:59.998 UTC', '1969-12-31 23:59:59.999999 UTC', '1969-12-31 23:59:59 UTC', '1970-01-01 00:00:00.000 UTC']);
  assert.equal(wallText(null, 3), '');
});

test('results that are errors have names', () => {
  assert.equal(resultText(65536 - 11), 'EAGAIN');
  assert.equal(resultText(65536 - 110), 'ETIMEDOUT');
  assert.equal(resultText(44), '44');
});

test('durations in columns are those that were added one by one', () => {
  /** @type {Map<number, import('../src/model/durations.js').Durations>} */
  const one = new Map();
  /** @type {Map<number, import('../src/model/durations.js').Durations>} */
  const columns = new Map();
  let seed = 1;
  const random = (/** @type {number} */ below) => {
    seed = (seed * 48271) % 0x7fffffff;
    return seed % below;
  };
  for (let part = 0; part < 3; part++) {
    const tally = new Tally(100);
    for (let i = 0; i < 1000; i++) {
      const number = random(4) ? random(100) : 7;  // few of most, many of one
      const ns = random(2) ? random(50) : random(0x7ffffff) * 2 ** random(14);
      tally.add(number, ns);
      addDuration(durationsOf(one, number), ns);
    }
    tally.add(100, 5);  // not below
    addColumns(columns, tally.columns());
  }
  assert.deepEqual([...columns].sort((a, b) => a[0] - b[0]), [...one].sort((a, b) => a[0] - b[0]));
});

test('a header whose checksum is not that of its text is refused', async () => {
  const start = '{"title":"Größe"';
  const packed = (/** @type {string} */ text) => unpackHeader(encodeB128(deflateRawSync(Buffer.from(text))));
  const whole = `${start},"crc":${crc32(Buffer.from(start))}}`;
  assert.equal(await packed(whole), whole);
  await assert.rejects(packed(whole.replace('title', 'tidle')), /checksum/);
  await assert.rejects(packed(`${start}}`), /checksum/);
});
