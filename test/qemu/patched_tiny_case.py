# SPDX-License-Identifier: BSD-3-Clause
"""A patched kernel recorded by ioctl and mmap alone, where the program itself is not built: arm64.

What the program did is in the trace, exactly; every fault and every call of the scheduler has its
return, which tracepoints do not show there.
"""
import patch_case
import patched
import tiny_case

PROGRAMS, ACCELERATOR, SCRIPT = tiny_case.PROGRAMS, tiny_case.ACCELERATOR, tiny_case.SCRIPT
TIMEOUT = 300


def check(out, arguments):
    arguments.architecture = patched.TARGETS[arguments.target].architecture
    trace = out / "tiny.raw"
    return tiny_case.check(out, arguments) + patch_case.pairing(arguments, trace) + \
        patch_case.missing_returns(arguments, trace)
