# SPDX-License-Identifier: BSD-3-Clause
"""What recording costs, in instructions: exact, so a gate.

QEMU counts instructions instead of time. With the module unloaded, loaded but off, and recording; and
with eBPF recording, for comparison. What is judged is the median of three runs. Ways through the
kernel's run queues differ: of a pipe turn, 582 to 678 instructions more were seen with one module.
--table prints the table of doc/overhead.md.
"""
import statistics

import guest

PROGRAMS = ["kutrace", "kutrace-cost"]
ACCELERATOR = guest.COUNTED
SCRIPT = """
for i in 1 2 3; do kutrace-cost; done >/out/unloaded
insmod /modules/kutrace.ko
for i in 1 2 3; do kutrace-cost; done >/out/off
record="kutrace record -o /tmp/t.raw"
for i in 1 2 3; do $record --source module -- kutrace-cost; done >/out/module 2>/out/module.log
$record --source module --no-merge -- kutrace-cost >/out/unfolded 2>/out/unfolded.log
$record --source ebpf -- kutrace-cost >/out/ebpf 2>/out/ebpf.log
rmmod kutrace
"""
# More instructions than with the module unloaded that recording may cost. Faults vary by a few.
LIMITS = {"6.1": {"pair": 115, "mark": 142, "fault": 370, "switch": 190, "turn": 690},
          "6.12": {"pair": 120, "mark": 148, "fault": 400, "switch": 197, "turn": 715}}
# Loaded but off. What depends on the kernel's free pages and run queues differs by a few.
NOTHING = {"pair": 0, "mark": 0, "fault": 20, "switch": 10, "turn": 10}
WHAT = {"pair": "system call, entry and return (getppid)", "mark": "mark (system call 1023)",
        "fault": "page fault, entry and return", "switch": "sched_yield that switches threads",
        "turn": "pipe turn: 4 calls, 2 wakeups, 2 switches"}


def measured(out, name):
    found = {}
    for line in (out / name).read_text(encoding="utf-8").split():
        key, value = line.split("=")
        found.setdefault(key, []).append(int(value))
    return {key: statistics.median_low(values) for key, values in found.items()}


def over(out, name, limits):
    base, with_it = measured(out, "unloaded"), measured(out, name)
    return [f"{name}: {key} costs {with_it[key] - base[key]} instructions, more than {limits[key]}"
            for key in limits if with_it[key] - base[key] > limits[key]]


def print_table(out):
    base = measured(out, "unloaded")
    print("| what | without | loaded, off | module | module, unfolded | ebpf |")
    print("|---|---|---|---|---|---|")
    for key, text in WHAT.items():
        more = [f"{measured(out, name)[key] - base[key]:+}"
                for name in ("off", "module", "unfolded", "ebpf")]
        print(f"| {text} | {base[key]} | {' | '.join(more)} |")


def check(out, arguments):
    if arguments.table:
        print_table(out)
    return over(out, "module", LIMITS[arguments.kernel]) + over(out, "off", NOTHING)
