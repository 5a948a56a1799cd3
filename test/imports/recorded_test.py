#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What perf and ftrace record of this machine tells kutrace what it tells them.

recorded_test.py KUTRACE PERF BABELTRACE2: records a load with perf, and compares counts of events and
time of threads with what perf script prints, read as a file and as that text, and with what
babeltrace2 prints of the CTF trace that perf makes of it; the same with ftrace."""
import os
import pathlib
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
        judge_ftrace(findings, pathlib.Path(folder))
    findings.finish()


main()
