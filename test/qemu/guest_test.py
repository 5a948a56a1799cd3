#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which guests are booted again for the emulator's sake: those that died in the kernel's own code."""
import sys

import guest

PARALLEL = ["-smp", "4", "-accel", "tcg,thread=multi"]
OOPS = """[   93.1] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI
[   93.1] CPU: 2 UID: 0 PID: 311 Comm: stress-ng
[   93.1] RIP: 0010:{at}
[   93.1] Code: 90 90 0f 1f 44 00 00
[   93.1] Modules linked in: kutrace(OE)
"""
KERNEL = "__sysvec_call_function_single+0x6/0x120"
EXPECTED = [
    (PARALLEL, OOPS.format(at=KERNEL), True),
    (PARALLEL, OOPS.format(at="on_switch+0x1a/0x90 [kutrace]"), False),
    (PARALLEL, OOPS.format(at="bpf_prog_0123456789abcdef_on_switch+0x1a/0x90"), False),
    (PARALLEL, OOPS.format(at="0xffffffffc0201234"), False),
    (PARALLEL, OOPS.format(at=KERNEL).replace("int3", "general protection fault"), False),
    (PARALLEL, "guest: script passed", False),
    (guest.TWO_CPUS, OOPS.format(at=KERNEL), False),
]


def main():
    wrong = [f"{accelerator[-1]}: not {expected}\n{console}"
             for accelerator, console, expected in EXPECTED
             if guest.died_of_patching(accelerator, console) != expected]
    sys.exit(guest.verdict(wrong))


if __name__ == "__main__":
    main()
