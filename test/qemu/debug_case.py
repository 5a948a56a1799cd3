# SPDX-License-Identifier: BSD-3-Clause
"""The module tormented in a kernel that looks for mistakes (debug_kernel.py).

Everything kutrace-abuse does, allocations that fail one by one, recordings with a CPU that goes and
comes, two recorders, one that is killed. At the end nothing leaks, and the kernel's log has no complaint.
"""
import guest
import record_case

PROGRAMS = ["kutrace", "kutrace-abuse", "kutrace-pattern", "kutrace-starve"]
ACCELERATOR = guest.TWO_CPUS
TIMEOUT = 3600  # a checked kernel, emulated, is slow
SCRIPT = """
mount -t debugfs debugfs /sys/kernel/debug
leaks=/sys/kernel/debug/kmemleak
for kind in failslab fail_page_alloc; do
  echo N >/sys/kernel/debug/$kind/ignore-gfp-wait
  echo 0 >/sys/kernel/debug/$kind/verbose
done
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
echo clear >$leaks
kutrace-abuse /modules/kutrace.ko 1000 200 | tee /out/abuse
kutrace-starve /modules/kutrace.ko | tee /out/starved
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
# An object must be seen unreferenced twice.
echo scan >$leaks
sleep 6
echo scan >$leaks
cat $leaks >/out/leaks
"""


def check(out, arguments):
    findings = []
    for name, last in (("abuse", "loaded and unloaded under load"),
                       ("starved", "map without memory")):
        findings += record_case.expect(out, name, f"passed: {last}")
    for name in ("hotplug.raw", "outer.raw"):
        findings += record_case.check_law(arguments, out / name)
    findings += record_case.check_pattern(arguments, out / "outer.raw")
    findings += record_case.expect(out, "hotplug.log", "1 times a CPU was not recorded")
    findings += record_case.expect(out, "outer.log", "another process records")
    findings += record_case.expect(out, "killed.stat", "nothing is recorded")
    leaks = (out / "leaks").read_text(encoding="utf-8")
    return findings + ([f"leaks:\n{leaks}"] if leaks.strip() else [])
