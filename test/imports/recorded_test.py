#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What perf and ftrace record of this machine tells kutrace what it tells them.

recorded_test.py KUTRACE PERF BABELTRACE2: records a load with perf, and compares counts of events and
time of threads with what perf script prints, read as a file and as that text, and with what
babeltrace2 prints of the CTF trace that perf makes of it; the same with ftrace."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import judge
from babeltrace_events import babeltrace_events

kutrace, perf, babeltrace = sys.argv[1:]
EVENTS = ("sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_process_fork,"
          "sched:sched_process_exec,task:task_rename,raw_syscalls:sys_enter,raw_syscalls:sys_exit,"
          "irq:softirq_entry,irq:softirq_exit,irq:irq_handler_entry,irq:irq_handler_exit")
FTRACE_EVENTS = ("sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup_new", "raw_syscalls",
                 "irq/softirq_entry", "irq/softirq_exit", "irq/irq_handler_entry",
                 "irq/irq_handler_exit")
LOAD = ("for cpu in $(seq 0 $(($(nproc) - 1))); do "
        "taskset -c $cpu sh -c 'for i in $(seq 60); do /bin/true; done' & done; wait")
SLEEPERS = "for i in 1 2 3; do (for k in $(seq 30); do sleep 0.002; done) & done; wait"


def judge_recording(findings, path, *words):
    run = subprocess.run([perf, "record", "-q", "-a", "-m", "2048", "-k", "mono", *words, "-e",
                          EVENTS, "-o", path, "--", "sh", "-c", LOAD], capture_output=True, text=True)
    if run.returncode != 0:
        # A machine that cannot be recorded shows nothing.
        print(f"SKIPPED: perf cannot record here: {run.stderr[:300]}")
        sys.exit(1 if os.environ.get("CI") == "true" else 0)
    text = subprocess.run([perf, "script", "--ns", "-F", "tid,cpu,time,event,trace", "-i", path],
                          capture_output=True, text=True).stdout
    theirs = judge.events(text.splitlines(), judge.PERF)
    ours = judge.Ours(kutrace, path)
    if "buffer full" in ours.run("info", str(path)):
        print("SKIPPED: perf lost events")
        return
    judge.judge(findings, ours, theirs, " ".join(["recorded", *words]))
    calls = ours.ask("select count(*) from calls where name = 'execve' and not begin_inferred")
    findings.expect(calls[0][0] > 0, "no execve is among the calls")
    waits = ours.ask("select count(*) from waits where name = 'ready'")
    findings.expect(waits[0][0] > 0, "no thread was ever ready")
    if words:
        return
    printed = subprocess.run([perf, "script", "--ns", "--header", "-i", path], capture_output=True,
                             text=True).stdout
    judge.judge_text(findings, kutrace, path, printed, theirs, "text of perf script")
    judge_converted(findings, path)


def pairs_by_thread(all_events):
    """Calls by number: how many, how many failed, and their time from entry to return of a thread. A
    signal's end has no number at its return, and an execve may return under another thread's id."""
    open_calls, found = {}, collections.defaultdict(lambda: [0, 0, 0])
    for event in all_events:
        number = int(re.search(r"NR (-?\d+)", event.text)[1])
        if event.name == "sys_enter":
            open_calls[event.pid] = (number, event.time)
        elif open_calls.get(event.pid, (None, 0))[0] == number:
            result = int(event.text.rsplit("= ", 1)[1], 0)
            row = found[number]
            row[0] += 1
            row[1] += -4096 < result < 0
            row[2] += event.time - open_calls.pop(event.pid)[1]
    return {number: tuple(row) for number, row in found.items()}


def judge_without_switches(findings, path):
    """Of calls alone: they are those that the same thread begins and ends, and no CPU time."""
    subprocess.run([perf, "record", "-q", "-a", "-m", "2048", "-e", "raw_syscalls:*", "-o", path, "--",
                    "sh", "-c", SLEEPERS], capture_output=True, check=True)
    text = subprocess.run([perf, "script", "--ns", "-F", "tid,cpu,time,event,trace", "-i", path],
                          capture_output=True, text=True).stdout
    theirs = judge.events(text.splitlines(), judge.PERF)
    ours = judge.Ours(kutrace, path)
    if "buffer full" in ours.run("info", str(path)):
        print("SKIPPED: perf lost events")
        return
    rows = ours.ask("select event & 0x1ff as number, count(*), count(error), sum(dur_ns) from calls "
                    "where not begin_inferred and not end_inferred and event < 0xa00 "
                    "and name not in ('rt_sigreturn', 'execve') group by 1")
    by_thread = pairs_by_thread(theirs)
    for number in (15, 59):
        by_thread.pop(number, None)
    findings.equal({row[0]: row[1:] for row in rows}, by_thread, "calls without switches")
    known = ours.ask("select sum(on_cpu_ns), sum(wait_ns) from calls where kind = 'syscall'")
    findings.expect(known == [(0, 0)], f"calls without switches have CPU time or waits: {known}")
    hidden = ours.ask("select sum(dur_ns) from spans where kind = 'hidden'")
    findings.expect(hidden[0][0] > 0, "no time is hidden without switches")
    told = json.loads(ours.run("stat", "--by", "cpu", "--format", "json", str(path)))
    findings.expect(all(row["switches"] == 0 and row["kernel_ns"] == 0 for row in told["tables"][0]["rows"]),
                    "stat tells of switches, or of the kernel's time, that are not recorded")
    ours.run("check", str(path))


def judge_converted(findings, path):
    folder = path.with_suffix(".ctf")
    run = subprocess.run([perf, "data", "convert", "--to-ctf", folder, "-i", path],
                         capture_output=True, text=True)
    if run.returncode != 0:
        # Debian's can.
        print(f"SKIPPED: perf does not write CTF: {run.stderr[:300]}")
        findings.expect(os.environ.get("CI") != "true", "perf does not write CTF")
        return
    theirs = babeltrace_events(babeltrace, folder)
    judge.judge(findings, judge.Ours(kutrace, folder), theirs, "converted to CTF")


def judge_ftrace(findings, folder):
    """An instance of buffers of its own, which nobody else sees."""
    instance = pathlib.Path(f"/sys/kernel/tracing/instances/kutrace-test-{os.getpid()}")
    try:
        instance.mkdir()
    except OSError as error:
        print(f"SKIPPED: ftrace cannot record here: {error}")
        return
    try:
        (instance / "buffer_size_kb").write_text("16384")
        for event in FTRACE_EVENTS:
            (instance / "events" / event / "enable").write_text("1")
        subprocess.run(["sh", "-c", LOAD], check=True)
        (instance / "tracing_on").write_text("0")
        text = (instance / "trace").read_text()
    finally:
        instance.rmdir()
    path = folder / "trace"
    path.write_text(text)
    theirs = judge.events(text.splitlines(), judge.FTRACE)
    findings.expect(len(theirs) > 1000, f"ftrace told of {len(theirs)} events")
    judge.judge(findings, judge.Ours(kutrace, path), theirs, "text of ftrace")


def main():
    findings = judge.Findings()
    with tempfile.TemporaryDirectory() as folder:
        judge_recording(findings, pathlib.Path(folder) / "perf.data")
        judge_recording(findings, pathlib.Path(folder) / "packed.data", "-z")
        judge_without_switches(findings, pathlib.Path(folder) / "calls.data")
        judge_ftrace(findings, pathlib.Path(folder))
    findings.finish()


main()
