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
// microseconds. Nothing is thrown.
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

const named = new Map();
let marks = 0;

function put(entry) {
  try {
    fs.writeSync(kEntryFd, entry);
  } catch {
    // Always: the descriptor cannot be open.
  }
}

// A point event that kutrace gives to programs (include/kutrace/events.def), with 32 bits.
function insert(event, argument) {
  const entry = Buffer.alloc(8);
  entry.writeUInt32LE(argument >>> 0, 0);
  entry.writeUInt32LE(event, 4);
  put(entry);
}

// What a number of this kind is called: at most 56 bytes.
function name(kind, number, text) {
  const bytes = Buffer.from(text).subarray(0, kNameBytes);
  if (bytes.length === 0) return;
  const words = 1 + Math.ceil(bytes.length / 8);
  const entry = Buffer.alloc(words * 8);
  entry.writeUInt32LE(number >>> 0, 0);
  entry.writeUInt32LE(kind | (words << 4), 4);
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

function mark(label) {
  const bytes = Buffer.from(label).subarray(0, kMostBytes);
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
  markLong(kMarkC, Buffer.from(`${text}=${Math.round(value)}`).subarray(-kMostBytes));
}

function markNumber(number) {
  insert(kMarkD, number);
}

function scope(label, work) {
  mark(label);
  const end = () => mark(`/${label}`);
  let result;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (typeof result?.then === "function") return result.finally(end);
  end();
  return result;
}

module.exports = { counter, insert, mark, markNumber, name, scope };
