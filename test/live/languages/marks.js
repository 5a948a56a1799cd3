// SPDX-License-Identifier: BSD-3-Clause
// The marks that languages_test.py expects of every language.
"use strict";
const kutrace = require("./kutrace.js");

const long = `größer als sechs Buchstaben: ${"0123456789 ".repeat(40)}Ende`;
kutrace.scope("load the index", () => {
  kutrace.mark("a.b-9");
  kutrace.mark(long);
});
kutrace.scope("y".repeat(1500), () => {});
kutrace.markNumber(77);
for (const value of [3, -12, 3]) kutrace.counter("queue length", value);
