# SPDX-License-Identifier: BSD-3-Clause
"""What babeltrace2 prints of a CTF trace, as the events that judge.py compares."""
import re
import subprocess

import judge

# [cycles] (host) event: { packet context }, { event context }, { fields }
LINE = re.compile(r"^\[(?P<time>\d+)\] (?:\w+ )?(?:\w+:)?(?P<name>\w+): (?P<text>.*)$")
CPU = re.compile(r"\bcpu_id = (\d+)")
THREAD = re.compile(r"\{ tid = (-?\d+) \}|\bperf_tid = (-?\d+)")
SWITCH = re.compile(r"\bprev_[tp]id = (-?\d+).*\bnext_[tp]id = (-?\d+)")
NAMES = ((r"^syscall_entry_\w+$", "sys_enter"), (r"^syscall_exit_\w+$", "sys_exit"),
         (r"^irq_softirq_", "softirq_"), (r"^x86_exceptions_", ""))


def babeltrace_events(babeltrace, folder):
    """What babeltrace2 prints of a trace. Where no event tells its thread, what is before a CPU's
    first switch has none."""
    text = subprocess.run([babeltrace, "--clock-cycles", "--no-delta", str(folder)],
                          capture_output=True, text=True, check=True).stdout
    found, runs = [], {}
    for match in filter(None, map(LINE.match, text.splitlines())):
        name = match["name"]
        for pattern, kernels in NAMES:
            name = re.sub(pattern, kernels, name)
        told, cpu = match["text"], int(CPU.search(match["text"])[1])
        switch, thread = SWITCH.search(told), THREAD.search(told)
        if switch:
            told = f"prev_pid={switch[1]} next_pid={switch[2]}"
            pid, runs[cpu] = int(switch[1]), int(switch[2])
        elif thread:
            pid = int(thread[1] or thread[2])
        elif cpu in runs:
            pid = runs[cpu]
        else:
            continue
        if name in judge.KINDS:
            found.append(judge.Event(int(match["time"]), cpu, pid, name, told))
    return sorted(found, key=lambda event: event.time)
