# SPDX-License-Identifier: BSD-3-Clause
"""The module tormented in a kernel that looks for races of data: threads that share a file, random
commands, loading and unloading under load, a CPU that goes and comes while it records.

What counts is a race in which the module has a part; the kernel has some of its own, also in
interrupts of the module.
"""
import re

import guest
import record_case
import use_case

SCRIPT = use_case.abuse_all(1) + """
insmod /modules/kutrace.ko
cpu1=/sys/devices/system/cpu/cpu1/online
# What has arguments is kept in the module.
for mode in stream wrap "wrap --args"; do
  name=$(echo $mode | tr -d ' -')
  kutrace record --mode $mode -o /out/$name.raw -- sh -c "kutrace-pattern /tmp/data; \\
    echo 0 >$cpu1; sleep 0.3; echo 1 >$cpu1; kutrace-pattern /tmp/data" >/dev/null 2>/out/$name.log
done
rmmod kutrace
"""
PROGRAMS = ["kutrace", "kutrace-pattern", "kutrace-abuse"]
ACCELERATOR = guest.TWO_CPUS
TIMEOUT = 3600
REPORT = re.compile(r"^.*={60,}\n.*BUG: KCSAN(?s:.*?)={60,}$", re.MULTILINE)
INTERRUPT = re.compile(r"\basm_\w+\+0x")


def concerns_module(report):
    """Whether one of its stacks, of which each stands apart, is in the module, or called by it."""
    return any("[kutrace]" in INTERRUPT.split(stack)[0] for stack in report.split("\n\n"))


def of_interest(log):
    """The kernel's log without races that are not the module's."""
    return REPORT.sub(lambda report: report[0] if concerns_module(report[0]) else "", log)


def check(out, arguments):
    findings = use_case.surprises(out)
    findings += record_case.expect(out, "dmesg", "selftest: 4/4 tests passed")
    for mode in ("stream", "wrap", "wrapargs"):
        findings += record_case.check_law(arguments, out / f"{mode}.raw")
    watched = any(b"__tsan_write" in module.read_bytes() for module in arguments.modules)
    return findings + ([] if watched else ["the module was built without being watched"])
