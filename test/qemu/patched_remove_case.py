# SPDX-License-Identifier: BSD-3-Clause
"""The module taken out of a patched kernel while every hook fires on both processors, many times.

One recording of it shows that every hook does fire, on both. Then, each time, the module is loaded, told
to record, and taken out: nothing may crash, nothing may be said in the kernel's log.
"""
import re

import guest
import patched
import record_case

SCRIPT = """
kutrace-storm &
storm=$!
insmod /modules/kutrace.ko
kutrace record --source module --buffer-mb 16 -o /out/storm.raw -- sleep 1 2>/out/storm.log
rmmod kutrace
removed=0
while [ $removed -lt {removals} ]; do
  insmod /modules/kutrace.ko
  kutrace-switch $((10 + removed % 20)) >>/out/switched
  rmmod kutrace
  removed=$((removed + 1))
done
kill $storm
echo $removed >/out/removed
"""
# Events of the hooks that can fire in an emulated machine: no NMI, no machine check.
FIRED = {0x403: "exception", 0x40E: "page fault", 0x207: "interrupt sent", 0x5FF: "softirq",
         0xDFF: "scheduler", 0x200: "switch", 0x206: "wakeup", 0x208: "idle", 0x214: "packet received",
         0x215: "packet sent"}
# With numbers of the architecture; arm64's timer has that of a device.
FIRED_ON = {"amd64": {0x86E: "system call", 0x5EC: "timer interrupt", 0x5FB: "call by another processor"},
            "arm64": {0x8AD: "system call", 0x50B: "timer interrupt", 0x5FC: "call by another processor"}}


def silent_hooks(arguments, trace):
    text = record_case.run(arguments, "kutrace", "dump", "--stage", "events", str(trace)).stdout
    counts = {}
    for found in re.finditer(r"^\d+ ([01]) ([0-9a-f]+) ", text, re.MULTILINE):
        key = found[1], int(found[2], 16)
        counts[key] = counts.get(key, 0) + 1
    fired = FIRED | FIRED_ON[patched.TARGETS[arguments.target].architecture]
    for event, name in fired.items():
        print(f"{name}: {counts.get(('0', event), 0)} and {counts.get(('1', event), 0)}")
    return [f"{trace.name}: no {name} on processor {cpu}" for event, name in fired.items()
            for cpu in "01" if not counts.get((cpu, event))]


class RemoveCase:
    """A case as run_patched.py has them."""
    PROGRAMS = ["kutrace", "kutrace-storm", "kutrace-switch"]
    ACCELERATOR = guest.TWO_CPUS
    TIMEOUT = 900

    def __init__(self, removals):
        self.removals = removals
        self.SCRIPT = SCRIPT.format(removals=removals)

    def check(self, out, arguments):
        findings = silent_hooks(arguments, out / "storm.raw")
        findings += record_case.check_law(arguments, out / "storm.raw")
        used = [int(line) for line in (out / "switched").read_text(encoding="utf-8").split()]
        if len(used) != self.removals or min(used) < 2:
            findings.append(f"{len(used)} recordings; the least used {min(used, default=0)} blocks")
        return findings + record_case.expect(out, "removed", str(self.removals))


CASES = {"remove": RemoveCase(25), "remove-often": RemoveCase(100)}
