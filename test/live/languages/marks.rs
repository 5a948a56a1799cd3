// SPDX-License-Identifier: BSD-3-Clause
//! The marks that languages_test.py expects of every language.
mod kutrace;

fn main() {
    {
        let _scope = kutrace::scope("load the index");
        kutrace::mark("a.b-9");
        kutrace::mark(&format!("größer als sechs Buchstaben: {}Ende", "0123456789 ".repeat(40)));
    }
    drop(kutrace::scope(&"y".repeat(1500)));
    kutrace::mark_number(77);
    for value in [3, -12, 3] {
        kutrace::counter("queue length", value);
    }
}
