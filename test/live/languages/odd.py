# SPDX-License-Identifier: BSD-3-Clause
"""Values that are no text or no numbers, which languages_test.py expects to do no harm."""
import math
import os

import kutrace


class Hostile:
    def __str__(self):
        raise KeyError("no text")

    __int__ = __bool__ = __str__


with kutrace.scope("load " + os.fsdecode(b"file-\xff.dat")):
    pass
for label in ("\ud800?", 5, None, b"bytes"):
    kutrace.mark(label)
for value in (math.nan, math.inf, -math.inf, None, "many", Hostile(), 2**63, 10**5000, 1, 2.5):
    kutrace.counter("x", value)
for number in (None, math.nan, Hostile(), True, 7.9):
    kutrace.mark_number(number)
for value in (None, math.inf, Hostile()):
    kutrace.name_method(value, value)
    kutrace.name_lock(value, value)
    kutrace.name_queue(value, value)
    kutrace.rpc_request(value, value)
    kutrace.rpc_middle(value)
    kutrace.lock_try(value)
    kutrace.enqueue(value)
