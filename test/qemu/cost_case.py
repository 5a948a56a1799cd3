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
for source in module ebpf; do
  $record --source $source --args -- kutrace-cost >/out/$source-args 2>/out/$source-args.log
  $record --source $source --strings -- kutrace-cost >/out/$source-strings 2>/out/$source-strings.log
  $record --source $source --events +signals -- kutrace-cost >/out/$source-moments 2>/out/$source-moments.log
done
rmmod kutrace
"""
# More instructions than with the module unloaded that recording may cost. Faults vary by a few.
LIMITS = {"6.1": {"pair": 115, "mark": 142, "fault": 370, "switch": 190, "turn": 690},
          "6.12": {"pair": 120, "mark": 148, "fault": 400, "switch": 197, "turn": 715}}
# The same of recordings with more in them.
MORE_LIMITS = {"6.1": {"module-args": {"close": 440}, "module-strings": {"name": 1450}, "module-moments": {"signal": 300}},
               "6.12": {"module-args": {"close": 450}, "module-strings": {"name": 1450}, "module-moments": {"signal": 305}}}
# Loaded but off. What depends on the kernel's free pages and run queues differs by a few.
NOTHING = {"pair": 0, "mark": 0, "fault": 20, "switch": 10, "turn": 10}
WHAT = {"pair": "system call, entry and return (getppid)", "mark": "mark (system call 1023)",
        "fault": "page fault, entry and return", "switch": "sched_yield that switches threads",
        "turn": "pipe turn: 4 calls, 2 wakeups, 2 switches"}


MORE = {"close": "system call of one argument (close)", "name": "of three, one a name (faccessat)",
        "signal": "signal that is ignored (kill)"}


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
    for rows, recordings in ((WHAT, ["off", "module", "unfolded", "ebpf"]),
                             (MORE, ["module", "module-args", "module-strings", "module-moments",
                                     "ebpf", "ebpf-args", "ebpf-strings", "ebpf-moments"])):
        print(f"| what | without | {' | '.join(recordings)} |")
        print("|---" * (2 + len(recordings)) + "|")
        for key, text in rows.items():
            more = [f"{measured(out, name)[key] - base[key]:+}" for name in recordings]
            print(f"| {text} | {base[key]} | {' | '.join(more)} |")


def check(out, arguments):
    if arguments.table:
        print_table(out)
    findings = over(out, "module", LIMITS[arguments.kernel]) + over(out, "off", NOTHING)
    for name, limits in MORE_LIMITS[arguments.kernel].items():
        findings += over(out, name, limits)
    return findings
