# SPDX-License-Identifier: BSD-3-Clause
"""The marks that languages_test.py expects of every language."""
import kutrace

LONG = "größer als sechs Buchstaben: " + 40 * "0123456789 " + "Ende"
with kutrace.scope("load the index"):
    kutrace.mark("a.b-9")
    kutrace.mark(LONG)
with kutrace.scope(1500 * "y"):
    pass
kutrace.mark_number(77)
for value in (3, -12, 3):
    kutrace.counter("queue length", value)
