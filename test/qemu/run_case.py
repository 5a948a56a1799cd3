#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One test in a booted kernel: boots, runs the case's script, checks on the host what came out.

    run_case.py --build build/dev record 6.1          as ctest does
    run_case.py --build build/dev record 6.1 --shell  the same guest with a prompt
"""
import argparse
import os
import pathlib
import sys

import cost_case
import guest
import kernels
import record_case
import use_case

KERNELS = {"6.1": "linux-image-cloud-amd64", "6.12": "linux-image-6.12-cloud-amd64"}
TOLD_LINES = 80  # of the console
CASES = {"record": record_case, "cost": cost_case, "use": use_case}


def replay_command(arguments):
    return (f"python3 {pathlib.Path(__file__).resolve()} --build {arguments.build} "
            f"{arguments.case} {arguments.kernel}")


def run_case(case, of, arguments):
    """Findings of the case; empty if it passed."""
    out = pathlib.Path(arguments.build) / "qemu" / f"{arguments.case}-{arguments.kernel}"
    out.mkdir(parents=True, exist_ok=True)
    modules = [kernels.built_module(of)]
    programs = [pathlib.Path(arguments.build) / name for name in case.PROGRAMS]
    script = None if arguments.shell else case.SCRIPT
    passed, console = guest.run(of, script, out, programs, modules, case.ACCELERATOR)
    (out / "console").write_text(console, encoding="utf-8")
    if arguments.shell:
        return []
    findings = [] if passed else [f"the script did not reach its end ({out}/console):\n"
                                  + "\n".join(console.splitlines()[-TOLD_LINES:])]
    findings += kernel_complaints(out / "dmesg")
    return findings + (case.check(out, arguments) if passed else [])


def kernel_complaints(log):
    """Lines of the kernel's log that say that something is wrong, except that our module is unsigned."""
    if not log.exists():
        return ["the guest left no kernel log"]
    bad = ("WARNING", "BUG", "Oops", "Call Trace", "INFO: ", "general protection", "leak", "stall")
    return [f"kernel log: {line}" for line in log.read_text(errors="replace").splitlines()
            if any(word in line for word in bad)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="folder with kutrace and the test programs")
    parser.add_argument("--shell", action="store_true", help="a prompt in the guest")
    parser.add_argument("--table", action="store_true", help="cost: prints the table, too")
    parser.add_argument("case", choices=CASES)
    parser.add_argument("kernel", choices=KERNELS)
    arguments = parser.parse_args()
    try:
        guest.require_tools()
        of = kernels.kernel(KERNELS[arguments.kernel])
    except kernels.Unavailable as why:
        print("SKIPPED:", why, file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else guest.SKIPPED_EXIT
    findings = run_case(CASES[arguments.case], of, arguments)
    for finding in findings:
        print("FAILED:", finding)
    if findings:
        print("replay:", replay_command(arguments), "\na prompt there: the same with --shell")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
