# SPDX-License-Identifier: BSD-3-Clause
"""A recording by ioctl and mmap alone, where nothing but a C compiler is to be had: arm64.

The trace keeps the law, and holds what the program did, exactly.
"""
import re

import guest
import record_case

PROGRAMS = ["kutrace-tiny"]
ACCELERATOR = guest.TWO_CPUS
SCRIPT = """
insmod /modules/kutrace.ko
kutrace-tiny /out/tiny.raw >/out/tiny.told
rmmod kutrace
"""
PAGE_FAULT = 0x40e
GETPPID = {"amd64": 0x800 + 110, "arm64": 0x800 + 173}


def between(lines, begin, end):
    """From the mark with one number to that with the other."""
    at = [i for number in (begin, end) for i, line in enumerate(lines)
          if re.search(rf" 20b mark_b {number}$", line)]
    return lines[at[0]:at[1]] if len(at) == 2 else []


def count(lines, number, argument=""):
    return sum(1 for line in lines if re.match(rf"\d+ \S+ {number:x} \S+ {argument}", line))


def check(out, arguments):
    told = dict(line.split("=") for line in (out / "tiny.told").read_text().split())
    trace = out / "tiny.raw"
    findings = record_case.check_law(arguments, trace)
    events = record_case.run(arguments, "kutrace", "dump", str(trace)).stdout.splitlines()
    calls = count(events, GETPPID[arguments.architecture], told["tag"])
    if calls != int(told["calls"]):
        findings.append(f"{calls} calls of getppid, not {told['calls']}")
    faults = count(between(events, told["fault"], told["/fault"]), PAGE_FAULT)
    if faults != int(told["pages"]):
        findings.append(f"{faults} page faults, not {told['pages']}")
    law = record_case.run(arguments, "kutrace", "check", str(trace)).stdout
    findings += re.findall("repair: return_without_call.*", law)
    return findings
