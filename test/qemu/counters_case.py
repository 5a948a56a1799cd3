# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per cycle, from the processor's counters, where the emulated one has them: arm64.

QEMU counts a cycle for each nanosecond and, with -icount, an instruction for each nanosecond, too: so
whatever runs has one instruction per cycle, and its spans must say so. An idle CPU has cycles only.
"""
import re

import guest
import record_case
import tiny_case

PROGRAMS = ["kutrace-tiny"]
ACCELERATOR = guest.COUNTED
SCRIPT = """
insmod /modules/kutrace.ko
kutrace-tiny /out/tiny.raw ipc >/out/tiny.told
rmmod kutrace
"""
ONE = (7, 8)  # 7/8, or 1
SHORT = 200  # ns: of so few instructions, reading the counters is a part that counts


def nibbles(arguments, trace):
    """Of the spans that are neither short nor idle."""
    text = record_case.run(arguments, "kutrace", "dump", "--stage", "spans", str(trace)).stdout
    found = re.findall(r'^\d+ (\d+) \d+ \d+ (user|syscall|fault) \S+ \S+ \S+ \S+ (\d+) "', text,
                       re.MULTILINE)
    return [int(nibble) for length, _, nibble in found if int(length) > SHORT]


def check(out, arguments):
    findings = tiny_case.check(out, arguments)
    found = nibbles(arguments, out / "tiny.raw")
    good = sum(1 for nibble in found if nibble in ONE)
    if len(found) < 1000 or good < 0.95 * len(found):
        counts = {nibble: found.count(nibble) for nibble in sorted(set(found))}
        findings.append(f"{good} of {len(found)} spans have one instruction per cycle: {counts}")
    return findings
