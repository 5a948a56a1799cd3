# SPDX-License-Identifier: BSD-3-Clause
"""Several CPUs that really run at once, busy with what stress-ng has that makes the most events.

The program with a known pattern runs among it, by both sources: its events are exact, every nanosecond
of every CPU is accounted for, and the kernel has no complaint.
"""
import shutil

import guest
import kernels
import record_case

# Few operations of each kind: an emulated CPU is slow, and they are to end by themselves.
LOADS = ("--switch 2 --switch-ops 4000 --pipe 1 --pipe-ops 2000 --futex 1 --futex-ops 2000 "
         "--fork 2 --fork-ops 100 --sigsegv 1 --sigsegv-ops 500 --yield 2 --yield-ops 20000 "
         "--udp 1 --udp-ops 500 --hrtimers 1 --hrtimers-ops 2000")
LIMIT_S = 20
SCRIPT = f"""
insmod /modules/kutrace.ko
cat >/tmp/loads <<'END'
stress-ng --quiet --timeout {LIMIT_S}s {LOADS} >/out/stress.$1 2>&1 &
kutrace-pattern /tmp/data
wait
END
for source in {' '.join(record_case.SOURCES)}; do
  kutrace record --source $source --buffer-mb 256 -o /out/$source.raw -- sh /tmp/loads $source \\
    >/out/$source.told 2>/out/$source.log
done
rmmod kutrace
"""


def stress_ng():
    """It is no part of the build."""
    found = shutil.which("stress-ng")
    if not found:
        raise kernels.Unavailable("missing: stress-ng; scripts/setup installs it")
    return found


class StressCase:
    """A case as run_case.py has them."""
    PROGRAMS = ["kutrace", "kutrace-pattern"]
    TIMEOUT = 1200
    SCRIPT = SCRIPT

    def __init__(self, cpus):
        self.cpus = cpus
        self.ACCELERATOR = ["-smp", str(cpus), "-accel", "tcg,thread=multi"]

    def more_programs(self):
        return [stress_ng()]

    def check(self, out, arguments):
        findings = []
        for source in record_case.SOURCES:
            trace = out / f"{source}.raw"
            findings += record_case.check_law(arguments, trace)
            findings += record_case.check_pattern(arguments, trace)
            findings += record_case.check_loss(out, f"{source}.log")
            said = record_case.run(arguments, "kutrace", "check", str(trace)).stdout
            findings += [] if f"on {self.cpus} CPUs" in said else [f"{trace.name}: {said}"]
        return findings


CASES = {f"stress-{cpus}": StressCase(cpus) for cpus in (4, 8)}
