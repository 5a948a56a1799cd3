# SPDX-License-Identifier: BSD-3-Clause
"""What a patched kernel costs, in instructions, beside the same kernel without CONFIG_KUTRACE.

Two boots, counted as in cost_case.py: the kernel without the option, and the one with it: module not
loaded, loaded but off, recording by direct calls; the same by tracepoints. What is judged is the median
of three runs, as faults vary by a few. On request kernels with type
information, and recording through eBPF besides, and what is left of that when it has ended.
"""
import guest
import patched
from cost_case import WHAT, measured

PROGRAMS = ["kutrace", "kutrace-cost"]
ACCELERATOR = guest.COUNTED
TIMEOUT = 600
WITHOUT = """
for i in 1 2 3; do kutrace-cost; done >/out/without
"""
WITH = """
for i in 1 2 3; do kutrace-cost; done >/out/unloaded
insmod /modules/kutrace.ko
for i in 1 2 3; do kutrace-cost; done >/out/off
record="kutrace record -o /tmp/t.raw --source module"
for i in 1 2 3; do $record -- kutrace-cost; done >/out/patch 2>/out/patch.log
$record --no-merge -- kutrace-cost >/out/unfolded 2>/out/unfolded.log
rmmod kutrace
insmod /modules/kutrace.ko direct=0
for i in 1 2 3; do kutrace-cost; done >/out/tracepoints-off
$record -- kutrace-cost >/out/tracepoints 2>/out/tracepoints.log
rmmod kutrace
"""
EBPF = """
kutrace record -o /tmp/t.raw --source ebpf -- kutrace-cost >/out/ebpf 2>/out/ebpf.log
kutrace-cost >/out/ebpf-off
"""
# More instructions than without the option. The goals: 4, 60, 80. arm64's kernel has no static calls
# of its own: each loads an address and calls it.
OFF = {name: {"pair": 4} for name in ("unloaded", "off", "tracepoints-off")}
LIMITS = {"amd64": OFF | {"patch": {"pair": 60, "fault": 80}},
          "arm64": OFF | {"patch": {"pair": 85, "fault": 102}}}
COLUMNS = {"unloaded": "compiled in", "off": "loaded, off", "patch": "direct calls",
           "unfolded": "the same, unfolded", "tracepoints-off": "tracepoints, off",
           "tracepoints": "tracepoints", "ebpf-off": "eBPF, ended", "ebpf": "eBPF"}


def boots(arguments):
    """Flavour of the kernel, and the script."""
    if arguments.ebpf:
        return [("bpf-off", WITHOUT), ("bpf", WITH + EBPF)]
    return [("off", WITHOUT), ("on", WITH)]


def print_table(out):
    base = measured(out, "without")
    columns = {name: measured(out, name) for name in COLUMNS if (out / name).exists()}
    print("| what | without CONFIG_KUTRACE |", " | ".join(COLUMNS[name] for name in columns), "|")
    print("|---" * (len(columns) + 2) + "|")
    for key, text in WHAT.items():
        more = [f"{counts[key] - base[key]:+}" for counts in columns.values()]
        print(f"| {text} | {base[key]} | {' | '.join(more)} |")
    halves = [f"{(counts['pair'] - base['pair']) / 2:+g}" for counts in columns.values()]
    print(f"| one event of a system call: half of the first line | | {' | '.join(halves)} |")


def check(out, arguments):
    print_table(out)
    base = measured(out, "without")
    limits = LIMITS[patched.TARGETS[arguments.target].architecture]
    return [f"{name}: {key} costs {measured(out, name)[key] - base[key]} instructions, more than {most}"
            for name, of_it in limits.items() for key, most in of_it.items()
            if measured(out, name)[key] - base[key] > most]
