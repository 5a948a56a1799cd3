# SPDX-License-Identifier: BSD-3-Clause
"""What a patched kernel costs, in instructions, beside the same kernel without CONFIG_KUTRACE.

Two boots, counted as in cost_case.py: the kernel without the option, and the one with it: module not
loaded, loaded but off, recording by direct calls, and recording by tracepoints. On request kernels with
type information, and recording through eBPF besides.
"""
import guest
from cost_case import WHAT, measured

PROGRAMS = ["kutrace", "kutrace-cost"]
ACCELERATOR = guest.COUNTED
TIMEOUT = 600
WITHOUT = """
kutrace-cost >/out/without
"""
WITH = """
kutrace-cost >/out/unloaded
insmod /modules/kutrace.ko
kutrace-cost >/out/off
record="kutrace record -o /tmp/t.raw --source module"
$record -- kutrace-cost >/out/patch 2>/out/patch.log
$record --no-merge -- kutrace-cost >/out/unfolded 2>/out/unfolded.log
rmmod kutrace
insmod /modules/kutrace.ko direct=0
$record -- kutrace-cost >/out/tracepoints 2>/out/tracepoints.log
rmmod kutrace
"""
EBPF = """
kutrace record -o /tmp/t.raw --source ebpf -- kutrace-cost >/out/ebpf 2>/out/ebpf.log
"""
# More instructions than without the option. The goals: 4, 60, 80.
LIMITS = {
    "unloaded": {"pair": 4},
    "off": {"pair": 4},
    "patch": {"pair": 60, "fault": 80},
}
COLUMNS = {"unloaded": "compiled in", "off": "loaded, off", "patch": "direct calls",
           "unfolded": "the same, unfolded", "tracepoints": "tracepoints", "ebpf": "eBPF"}


def boots(arguments):
    """Flavour of the kernel, and the script."""
    if arguments.ebpf:
        return [("bpf-off", WITHOUT), ("bpf", WITH + EBPF)]
    return [("off", WITHOUT), ("on", WITH)]


def print_table(out):
    base = measured(out, "without")
    columns = [name for name in COLUMNS if (out / name).exists()]
    print("| what | without CONFIG_KUTRACE |", " | ".join(COLUMNS[name] for name in columns), "|")
    print("|---" * (len(columns) + 2) + "|")
    for key, text in WHAT.items():
        more = [f"{measured(out, name)[key] - base[key]:+}" for name in columns]
        print(f"| {text} | {base[key]} | {' | '.join(more)} |")


def check(out, arguments):
    print_table(out)
    base = measured(out, "without")
    return [f"{name}: {key} costs {measured(out, name)[key] - base[key]} instructions, more than {most}"
            for name, limits in LIMITS.items() for key, most in limits.items()
            if measured(out, name)[key] - base[key] > most]
