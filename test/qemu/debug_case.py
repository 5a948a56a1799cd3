# SPDX-License-Identifier: BSD-3-Clause
"""The module tormented in a kernel that looks for mistakes (debug_kernel.py): one guest for each torment.

At the end of each the module is unloaded, nothing leaks, and the kernel's log has no complaint.
"""
import dataclasses
import typing

import guest
import record_case

BEGIN = """
mount -t debugfs debugfs /sys/kernel/debug
leaks=/sys/kernel/debug/kmemleak
echo clear >$leaks
"""
# An object must be seen unreferenced twice, and is not looked at while it is young.
END = """
sleep 6
echo scan >$leaks
echo scan >$leaks
cat $leaks >/out/leaks
"""


@dataclasses.dataclass
class DebugCase:
    """A case as run_case.py has them; what it finds itself is told by `found`."""
    script: str
    found: typing.Callable
    PROGRAMS: list
    TIMEOUT: int  # a checked kernel, emulated, is slow
    NO_COMPLAINT: tuple = ()  # in the kernel's log
    ACCELERATOR = guest.TWO_CPUS

    @property
    def SCRIPT(self):
        return BEGIN + self.script + END

    def check(self, out, arguments):
        leaks = (out / "leaks").read_text(encoding="utf-8")
        return self.found(out, arguments) + ([f"leaks:\n{leaks}"] if leaks.strip() else [])


USE = """
kutrace-abuse /modules/kutrace.ko use 1 | tee /out/use
"""
SHARE = """
kutrace-abuse /modules/kutrace.ko share 1 | tee /out/share
"""
LOADS = """
kutrace-abuse /modules/kutrace.ko loads 5 | tee /out/loads
"""
FAULTS = """
for kind in failslab fail_page_alloc; do
  echo N >/sys/kernel/debug/$kind/ignore-gfp-wait
  echo 0 >/sys/kernel/debug/$kind/verbose
done
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
kutrace-starve /modules/kutrace.ko | tee /out/faults
"""
RECORD = """
insmod /modules/kutrace.ko
cpu1=/sys/devices/system/cpu/cpu1/online
kutrace record -o /out/hotplug.raw -- \\
  sh -c "sleep 0.2; echo 0 >$cpu1; sleep 0.3; echo 1 >$cpu1; sleep 0.3" 2>/out/hotplug.log
kutrace record -o /out/outer.raw -- sh -c "kutrace-pattern /tmp/data; \\
  kutrace record --source module -o /out/inner.raw -- true" >/out/outer.told 2>/out/outer.log || true
kutrace control go
kill -9 $(pidof kutrace)
kutrace control stat >/out/killed.stat
rmmod kutrace
"""


def all_passed(name, last):
    return lambda out, _: record_case.expect(out, name, f"passed: {last}")


def recorded(out, arguments):
    findings = []
    for name in ("hotplug.raw", "outer.raw"):
        findings += record_case.check_law(arguments, out / name)
    findings += record_case.check_pattern(arguments, out / "outer.raw")
    findings += record_case.expect(out, "hotplug.log", "1 time a CPU was not recorded")
    findings += record_case.expect(out, "outer.log", "uses the module")
    return findings + record_case.expect(out, "killed.stat", "nothing is recorded")


# The kernel's words for memory that it refused; what is wrong has a line before its trace.
REFUSED = ("Call Trace",)
CASES = {
    "debug-use": DebugCase(USE, all_passed("use", "random commands under load"),
                           ["kutrace-abuse"], 1800),
    "debug-share": DebugCase(SHARE, all_passed("share", "random commands on shared files"),
                             ["kutrace-abuse"], 1800),
    "debug-loads": DebugCase(LOADS, all_passed("loads", "loaded and unloaded under load"),
                             ["kutrace-abuse"], 3600),
    "debug-faults": DebugCase(FAULTS, all_passed("faults", "map without memory"),
                              ["kutrace-starve"], 3600, REFUSED),
    "debug-record": DebugCase(RECORD, recorded, ["kutrace", "kutrace-pattern"], 1800),
}
