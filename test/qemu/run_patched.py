#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One test of the kernel patches: builds the patched kernel if the cache has none, boots it.

    run_patched.py --build build/dev record 6.1          what is recorded is exact
    run_patched.py --build build/dev tiny 6.1-arm64      the same by the smallest recorder
    run_patched.py --build build/dev remove 6.1          the module can go while it records; remove-often
    run_patched.py --build build/dev rare 6.1            NMIs, machine checks, monitor stores
    run_patched.py --build build/dev cost 6.1            what it costs, in instructions
    run_patched.py --build build/dev cost 6.1 --ebpf     with eBPF beside: the table of doc/overhead.md
    run_patched.py --build build/dev same-code 6.1       without the option the code is the same
    run_patched.py --build build/dev style 6.1           the series applies, checkpatch is content
    run_patched.py --build build/dev version 6.1         no module of another version is built for it
    run_patched.py --build build/dev record 6.1 --debug  with lockdep on; remove and rare, too
    run_patched.py --build build/dev record 6.1 --shell  the same guest with a prompt
    run_patched.py --build build/dev record 6.1-arm64    any of them on another architecture
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import cross
import guest
import kernels
import patch_case
import patched
import patched_cost_case
import patched_rare_case
import patched_remove_case
import patched_tiny_case
from run_case import kernel_complaints, TOLD_LINES

BOOTED = {"record": patch_case, "rare": patched_rare_case, "tiny": patched_tiny_case,
          **patched_remove_case.CASES}
TESTS = [*BOOTED, "cost", "same-code", "style", "version"]
TOLD_BYTES = 2000  # of what the compiler says
REFUSAL = "patches of kutrace that are of another version"


def other_version(of):
    """Findings of a module whose patches would be of the next version."""
    sources = [(name, re.sub(rb"(#define KUTRACE_PATCH_VERSION) 1u", rb"\1 2u", data))
               for name, data in kernels.module_sources()]
    with tempfile.TemporaryDirectory() as scratch:
        done = kernels.make_module(scratch, sources, of, kernels.machine(of.architecture).cross)
    if done.returncode == 0:
        return ["a module of another version is built"]
    return [] if REFUSAL in done.stderr else [f"refused for another reason: {done.stderr[-TOLD_BYTES:]}"]


def boot(case, script, flavour, arguments, out):
    """Findings of one boot."""
    of = patched.kernel(arguments.target, flavour)
    machine = kernels.machine(of.architecture)
    modules = [kernels.built_module(of, machine.cross)] if "insmod" in script else []
    programs = cross.taken_along(case.PROGRAMS, of.architecture, machine, arguments.build, out)
    passed, console = guest.run(of, None if arguments.shell else script, out, programs, modules,
                                case.ACCELERATOR, case.TIMEOUT, machine.busybox,
                                getattr(case, "WORDS", ""), getattr(case, "MONITOR", False))
    (out / f"console-{flavour}").write_text(console, encoding="utf-8")
    if arguments.shell:
        return []
    findings = [] if passed else [f"the script did not reach its end ({out}/console-{flavour}):\n"
                                  + "\n".join(console.splitlines()[-TOLD_LINES:])]
    return findings + kernel_complaints(out / "dmesg")


def run_test(arguments):
    flavour = "debug" if arguments.debug else "bpf" if arguments.ebpf else "on"
    out = pathlib.Path(arguments.build) / "qemu" / \
        f"patched-{arguments.test}-{flavour}-{arguments.target}"
    out.mkdir(parents=True, exist_ok=True)
    if arguments.test == "same-code":
        differ, count = patched.same_code(arguments.target)
        print(f"{count} objects compared, {len(differ)} differ")
        return [f"{name}: other code than unpatched" for name in differ] or \
            ([] if count else ["nothing was compared"])
    if arguments.test == "style":
        tree = patched.unpatched_source(patched.TARGETS[arguments.target].version)
        done = subprocess.run([kernels.ROOT / "scripts" / "kpatch", "check", tree], check=False,
                              capture_output=True, text=True)
        return [] if done.returncode == 0 else [done.stdout + done.stderr]
    if arguments.test == "version":
        return other_version(patched.kernel(arguments.target, flavour))
    if arguments.test in BOOTED:
        case = BOOTED[arguments.test]
        return boot(case, case.SCRIPT, flavour, arguments, out) or case.check(out, arguments)
    findings = []
    for flavour, script in patched_cost_case.boots(arguments):
        findings += boot(patched_cost_case, script, flavour, arguments, out)
    return findings or patched_cost_case.check(out, arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="folder with kutrace and the test programs")
    parser.add_argument("--debug", action="store_true", help="in a kernel that looks for mistakes")
    parser.add_argument("--ebpf", action="store_true", help="in kernels that have eBPF")
    parser.add_argument("--shell", action="store_true", help="a prompt in the guest")
    parser.add_argument("test", choices=TESTS)
    parser.add_argument("target", choices=patched.TARGETS)
    arguments = parser.parse_args()
    try:
        guest.require_tools(patched.TARGETS[arguments.target].architecture)
        findings = run_test(arguments)
    except kernels.Unavailable as why:
        return guest.skipped(why)
    return guest.verdict(findings)


if __name__ == "__main__":
    sys.exit(main())
