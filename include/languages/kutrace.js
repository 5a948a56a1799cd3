// SPDX-License-Identifier: BSD-3-Clause
// Marks that a Node program puts into a trace of itself, as include/kutrace/mark.h does for C.
// Copy this file; it is a module of either kind: require("./kutrace.js"), import from "./kutrace.js".
//
//   const kutrace = require("./kutrace.js");
//   kutrace.mark("load the index");          a label of any length
//   kutrace.mark("/load the index");         a leading / ends what the label began
//   kutrace.markNumber(requestId);
//   kutrace.counter("queue", queue.length);  a number that changes: a track on the page
//   kutrace.scope("answer", () => ...);      both marks; of a promise the second when it is settled
//
// A mark is a write to a descriptor that cannot be open, which fails, and which a recorder of
// kutrace sees. Node maps no files, so it is made whether somebody records or not: some
// microseconds.
//
// Nothing is thrown, whatever the values. Bytes go out as they are, and what is no text as String()
// has it. A number is what Number() makes of it, rounded, or a BigInt: a mark, counter or point whose
// number is none (null, a NaN, an infinity), or a counter beyond 64 bits, is left out.
"use strict";

const fs = require("node:fs");

const kEntryFd = 0x7fffffd3;
const kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-./";
const kFirstLong = 40 ** 6;
const kMostBytes = 1024;
const kNameBytes = 56;
const kPiece = 51;
const kLock = 0x007;
const kMarkA = 0x20a;
const kMarkC = 0x20c;
const kMarkD = 0x20d;
const kNamesEvery = 8; // marks
const kSlash = Buffer.from("/");

const named = new Map();
let marks = 0;

function put(entry) {
  try {
    fs.writeSync(kEntryFd, entry);
  } catch {
    // Always: the descriptor cannot be open.
  }
}

// What goes out for a label or a name: nothing if it has no text.
function bytesOf(text) {
  try {
    return Buffer.from(text instanceof Uint8Array ? text : String(text));
  } catch {
    return Buffer.alloc(0); // whatever the program's own toString() throws
  }
}

// A number as a whole one; undefined: it is none.
function wholeOf(value) {
  try {
    if (typeof value === "bigint") return value;
    return value === null ? undefined : BigInt(Math.round(Number(value)));
  } catch {
    return undefined; // a NaN, an infinity, or whatever the program's own valueOf() throws
  }
}

// Its low 32 bits.
function wordOf(value) {
  const whole = wholeOf(value);
  return whole === undefined ? undefined : Number(BigInt.asUintN(32, whole));
}

// A point event that kutrace gives to programs (include/kutrace/events.def), with 32 bits.
function insert(event, argument) {
  const words = [wordOf(argument), wordOf(event)];
  if (words.includes(undefined)) return;
  const entry = Buffer.alloc(8);
  words.forEach((word, i) => entry.writeUInt32LE(word, 4 * i));
  put(entry);
}

// What a number of this kind is called: at most 56 bytes.
function name(kind, number, text) {
  const bytes = bytesOf(text).subarray(0, kNameBytes);
  const ids = [wordOf(number), wordOf(kind)];
  if (bytes.length === 0 || ids.includes(undefined)) return;
  const words = 1 + Math.ceil(bytes.length / 8);
  const entry = Buffer.alloc(words * 8);
  entry.writeUInt32LE(ids[0], 0);
  entry.writeUInt32LE((ids[1] & 0xf0f) | (words << 4), 4);
  bytes.copy(entry, 8);
  put(entry);
}

function long(bytes) {
  let hash = 2166136261; // FNV-1a
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return kFirstLong + (hash % (0xffffffff - kFirstLong));
}

function nameLabel(bytes) {
  let number = long(bytes);
  while (bytes.length > kNameBytes) {
    const rest = long(bytes.subarray(kPiece));
    const piece = Buffer.alloc(kNameBytes);
    bytes.copy(piece, 0, 0, kPiece);
    piece.writeUInt32LE(rest, kNameBytes - 4);
    name(kLock, number, piece);
    bytes = bytes.subarray(kPiece);
    number = rest;
  }
  name(kLock, number, bytes);
}

function wasNamed(number) {
  const now = Math.floor(marks++ / kNamesEvery);
  const was = named.get(number % 64);
  named.set(number % 64, { number, now });
  return was !== undefined && was.number === number && was.now === now;
}

// A label, of which 1024 bytes are kept; one less of a label that begins something, so that its end
// is as long.
function mark(label) {
  const whole = bytesOf(label);
  const bytes = whole.subarray(0, whole[0] === kSlash[0] ? kMostBytes : kMostBytes - 1);
  const text = bytes.toString();
  if (/^(?:[-a-z0-9./]{0,6}|\/[-a-z0-9./]{6})$/.test(text)) {
    const digits = [...text.slice(0, 6)].map((letter) => kLetters.indexOf(letter) + 1);
    insert(kMarkA, digits.reduceRight((sum, digit) => sum * 40 + digit, 0));
    return;
  }
  markLong(kMarkA, bytes);
}

function markLong(event, bytes) {
  const number = long(bytes);
  if (!wasNamed(number)) nameLabel(bytes);
  insert(event, number);
}

// A counter of the program's own is this now.
function counter(text, value) {
  const whole = wholeOf(value);
  if (whole === undefined || BigInt.asIntN(64, whole) !== whole) return;
  markLong(kMarkC, Buffer.concat([bytesOf(text), Buffer.from(`=${whole}`)]).subarray(-kMostBytes));
}

function markNumber(number) {
  insert(kMarkD, number);
}

function scope(label, work) {
  const bytes = bytesOf(label); // once: the end is that of the begin, whatever becomes of the label
  mark(bytes);
  const end = () => mark(Buffer.concat([kSlash, bytes]));
  let result;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (typeof result?.finally === "function") return result.finally(end);
  if (typeof result?.then === "function") return Promise.resolve(result).finally(end);
  end();
  return result;
}

module.exports = { counter, insert, mark, markNumber, name, scope };
