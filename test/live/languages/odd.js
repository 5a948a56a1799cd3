// SPDX-License-Identifier: BSD-3-Clause
// Values that are no text or no numbers, which languages_test.py expects to do no harm.
"use strict";
const kutrace = require("./kutrace.js");

const hostile = {
  toString() {
    throw new Error("no text");
  },
  valueOf() {
    throw new Error("no number");
  },
};

for (const label of [5, null, undefined, "/5", new TextEncoder().encode("bytes")]) kutrace.mark(label);
for (const value of [NaN, Infinity, null, undefined, "many", Symbol("x"), hostile, 2n ** 63n, 1e300, 1, 2.4, 10n])
  kutrace.counter("x", value);
for (const number of [null, NaN, 1e400, hostile, Symbol("x"), true, 7n]) kutrace.markNumber(number);
for (const value of [null, NaN, hostile]) {
  kutrace.name(value, value, value);
  kutrace.insert(value, value);
}
