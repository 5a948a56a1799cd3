#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is exported as CTF and read again tells what was exported.

ctf_again_test.py KUTRACE SMALL_TRACE ODD_TRACE: time by CPU and thread, system calls and interrupts
of made traces, and of a recording."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "exports"))
from exported import Exports  # noqa: E402
from round_trip import judge_round_trip  # noqa: E402


def check(exports, small, odd):
    traces = [exports.made(small)]
    traces += [exports.made(odd, which, "odd", "0") for which in ("lock-convoy", "priority-inversion")]
    for trace in traces + exports.recorded():
        judge_round_trip(exports, trace, "ctf")


Exports.main(check)
