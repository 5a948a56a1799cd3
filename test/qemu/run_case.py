#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One test in a booted kernel: boots, runs the case's script, checks on the host what came out.

    run_case.py --build build/dev record 6.1          as ctest does
    run_case.py --build build/dev record 6.1 --shell  the same guest with a prompt
    run_case.py --build build/dev tiny 6.1-arm64      on another architecture
    run_case.py --build build/dev debug-use 6.1-debug in a kernel that looks for mistakes
    run_case.py --build build/dev record newest       in the newest one that Debian has today
"""
import argparse
import pathlib
import shutil
import re
import sys

import cost_case
import counters_case
import cross
import daemon_case
import debug_case
import debug_kernel
import filter_case
import flight_case
import foreign_case
import groups_case
import guest
import headers_test
import kcsan_case
import kernels
import lab_case
import marks_case
import record_case
import shared_case
import stress_case
import suites
import tiny_case
import torment_case
import use_case

# Metapackage and architecture.
KERNELS = {"6.1": ("linux-image-cloud-amd64", "amd64"),
           "6.12": ("linux-image-6.12-cloud-amd64", "amd64"),
           "6.12-rt": ("linux-image-6.12-rt-amd64", "amd64"),
           "6.1-arm64": ("linux-image-cloud-arm64", "arm64")}
# Of other releases: what has them.
OTHERS = {"newest": lambda: suites.kernel(suites.NEWEST),
          "newest-rt": lambda: suites.kernel(suites.NEWEST, flavour="rt-"),
          "6.18": lambda: suites.image_of_series(suites.NEWEST, "6.18")}
# The module says there if it is called where it must not be: preemption is their own business.
CHECKED = ("6.12-rt", "newest", "newest-rt")
DEBUG_KERNELS = {"6.1-debug": ("6.1", "debug"), "6.1-kcsan": ("6.1", "kcsan")}
TOLD_LINES = 80  # of the console
CASES = {"record": record_case, "cost": cost_case, "use": use_case, "tiny": tiny_case,
         "torment": torment_case, "filter": filter_case, "flight": flight_case, "counters": counters_case, "daemon": daemon_case,
         "groups": groups_case, "shared": shared_case, "lab": lab_case, "marks": marks_case,
         "kcsan": kcsan_case, "foreign": foreign_case, **debug_case.CASES, **stress_case.CASES}


def replay_command(arguments):
    return (f"python3 {pathlib.Path(__file__).resolve()} --build {arguments.build} "
            f"{arguments.case} {arguments.kernel}")


def run_case(case, of, machine, arguments):
    """Findings of the case; empty if it passed."""
    out = pathlib.Path(arguments.build) / "qemu" / f"{arguments.case}-{arguments.kernel}"
    shutil.rmtree(out, ignore_errors=True)  # what an earlier run left is no answer of this one
    out.mkdir(parents=True)
    modules = arguments.modules = built_modules(of, machine, arguments)
    circles = [finding for module in modules for finding in headers_test.circles_of(module)]
    programs = cross.taken_along(case.PROGRAMS, arguments.architecture, machine, arguments.build, out)
    programs += getattr(case, "more_programs", list)()
    carried = [*modules, *getattr(case, "more_modules", lambda *_: [])(of, out)]
    devices = getattr(case, "devices", lambda _: [])(out)
    script = None if arguments.shell else case.SCRIPT
    passed, console = guest.run(of, script, out, programs, carried, case.ACCELERATOR,
                                getattr(case, "TIMEOUT", guest.TIMEOUT), machine.busybox, devices=devices)
    (out / "console").write_text(console, encoding="utf-8")
    if arguments.shell:
        return []
    findings = [] if passed else [f"the script did not reach its end ({out}/console):\n"
                                  + "\n".join(console.splitlines()[-TOLD_LINES:])]
    findings += circles
    findings += kernel_complaints(out / "dmesg", getattr(case, "NO_COMPLAINT", ()),
                                  getattr(case, "of_interest", lambda log: log))
    if arguments.kernel == "newest":
        findings += check_newest(of)
    return findings + (case.check(out, arguments) if passed else [])


def built_modules(of, machine, arguments):
    """The module, or none where there are no headers to build it with."""
    arguments.has_module = of.has_headers
    if not of.has_headers:
        return []
    return [kernels.built_module(of, machine.cross, arguments.kernel in CHECKED)]


def check_newest(of):
    """The module calls no kernel tested that is newer than the newest one booted; a newer one may be."""
    tested, booted = kernels.newest_tested(), kernels.series_of(of.release)
    if tested < booted:
        print(f"booted in {of.release}: kmod/check-kernel may name it as the newest")
    return [f"kmod/check-kernel names {tested}, newer than {of.release}"] if tested > booted else []


# The kernel measures its NMI handlers by the clock; an emulator on a busy machine is slow at times.
SLOW_EMULATOR = re.compile(r"INFO: NMI handler \(\w+\) took too long to run")


def kernel_complaints(log, allowed=(), of_interest=lambda log: log):
    """Lines of the kernel's log that say that something is wrong, except that our module is unsigned."""
    if not log.exists():
        return ["the guest left no kernel log"]
    bad = ("WARNING", "BUG", "Oops", "Call Trace", "INFO: ", "general protection", "leaked",
           "memory leaks", "stall")
    return [f"kernel log: {line}" for line in of_interest(log.read_text(errors="replace")).splitlines()
            if any(word in line for word in bad) and not any(word in line for word in allowed)
            and not SLOW_EMULATOR.search(line)]


def wanted_kernel(arguments):
    """The kernel, and what else its architecture needs."""
    if arguments.kernel in DEBUG_KERNELS:
        arguments.architecture = "amd64"
        guest.require_tools()
        return debug_kernel.kernel(*DEBUG_KERNELS[arguments.kernel]), kernels.Machine()
    if arguments.kernel in OTHERS:
        arguments.architecture = "amd64"
        guest.require_tools()
        return OTHERS[arguments.kernel](), kernels.Machine()
    metapackage, arguments.architecture = KERNELS[arguments.kernel]
    cross = kernels.CROSS.get(arguments.architecture)
    guest.require_tools(arguments.architecture, [f"{cross[1]}gcc"] if cross else [])
    machine = kernels.machine(arguments.architecture)
    return kernels.kernel(metapackage, arguments.architecture, machine.environment), machine


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="folder with kutrace and the test programs")
    parser.add_argument("--shell", action="store_true", help="a prompt in the guest")
    parser.add_argument("--table", action="store_true", help="cost: prints the table, too")
    parser.add_argument("case", choices=CASES)
    parser.add_argument("kernel", choices=[*KERNELS, *OTHERS, *DEBUG_KERNELS])
    arguments = parser.parse_args()
    try:
        of, machine = wanted_kernel(arguments)
    except kernels.Unavailable as why:
        return guest.skipped(why)
    findings = run_case(CASES[arguments.case], of, machine, arguments)
    status = guest.verdict(findings)
    if findings:
        print("replay:", replay_command(arguments), "\na prompt there: the same with --shell")
    return status


if __name__ == "__main__":
    sys.exit(main())
