#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records this machine with kutrace and with ftrace at once and compares whose calls they are.

Some virtual machines keep switches of their own threads from every tracer. ftrace notes with each
entry who made it, so it needs no switches to know; the trace must say the same of every system call
and of every page fault of user code. Prints what was compared; fails if any stands on another thread
than ftrace saw, or if the comparison itself is not sound.
"""
import argparse
import bisect
import collections
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from judged import need_recorder, skip

TRACEFS = pathlib.Path("/sys/kernel/tracing")
EVENTS = ["raw_syscalls/sys_enter", "exceptions/page_fault_user"]
KB_PER_CPU = 65536
PAGE_FAULT = 0x40E
FIRST_CALL = 0x800
USUAL_CALLS = 512
LINE = re.compile(r"-(\d+)\s+\[(\d+)\] \S+\s+(\d+)\.(\d{6}): (\w+): (?:NR (\d+) )?")
# ftrace's text has whole microseconds, and its time is taken first; an interrupt may come between.
EARLIER_NS = 2_000
LATER_NS = 60_000
LEAST_SHARE = 0.99  # of ftrace's entries that must be found


@contextlib.contextmanager
def tracefs():
    """The file system of ftrace, which is mounted for as long if nobody did."""
    mounted = (TRACEFS / "trace").exists()
    if not mounted:
        done = subprocess.run(["mount", "-t", "tracefs", "nodev", TRACEFS], check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"no tracefs: {done.stderr.strip()}")
    try:
        yield
    finally:
        if not mounted:
            subprocess.run(["umount", "--lazy", TRACEFS], check=False)


@contextlib.contextmanager
def ftrace_instance():
    """Records what this test compares, in buffers of its own."""
    folder = TRACEFS / "instances" / f"kutrace-compare-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        skip(f"no instance of ftrace: {error}")
    try:
        (folder / "tracing_on").write_text("0")
        (folder / "trace_clock").write_text("mono")
        (folder / "buffer_size_kb").write_text(str(KB_PER_CPU))
        for event in EVENTS:
            (folder / "events" / event / "enable").write_text("1")
        yield folder
    finally:
        for event in EVENTS:
            (folder / "events" / event / "enable").write_text("0")
        folder.rmdir()


def entries_of_ftrace(folder):
    """By CPU: (time in ns, event as the trace numbers it, thread)."""
    entries = collections.defaultdict(list)
    for cpu in folder.glob("per_cpu/cpu*"):
        if "overrun: 0\n" not in (cpu / "stats").read_text():
            sys.exit(f"ftrace's buffer of {cpu.name} is too small: {(cpu / 'stats').read_text()}")
    with (folder / "trace").open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = LINE.search(line)
            if not found or (found[6] and int(found[6]) >= USUAL_CALLS):
                continue
            time = int(found[3]) * 10**9 + int(found[4]) * 1000
            event = FIRST_CALL + int(found[6]) if found[5] == "sys_enter" else PAGE_FAULT
            entries[int(found[2])].append((time, event, int(found[1])))
    return entries


def run(kutrace, *words):
    return subprocess.run([kutrace, *words], capture_output=True, text=True, check=True).stdout


def begins_of_trace(kutrace, trace):
    """By CPU: (time, event, thread) of calls and faults of user code, in order of time."""
    start = int(re.search(r"start_monotonic_ns (\d+)", run(kutrace, "info", trace))[1])
    entered = set()
    for line in run(kutrace, "dump", "--stage", "events", trace).splitlines():
        words = line.split(None, 5)
        if len(words) > 3 and words[1] != "-":
            entered.add((int(words[1]), int(words[0]), int(words[2], 16)))
    begins = collections.defaultdict(list)
    for line in run(kutrace, "dump", "--stage", "spans", trace).splitlines():
        time, _, cpu, thread, kind, event = line.split(None, 6)[:6]
        if kind not in ("syscall", "fault") or (int(cpu), int(time), int(event, 16)) not in entered:
            continue
        begins[int(cpu)].append((int(time) + start, int(event, 16), int(thread)))
    for events in begins.values():
        events.sort()
    return start, begins


def compare(seen, begins, first, last):
    """Of ftrace's entries in the recorded time: found, on another thread, not found."""
    found, wrong, missing = 0, [], 0
    for cpu, entries in seen.items():
        times = [time for time, _, _ in begins[cpu]]
        taken = set()
        for time, event, thread in entries:
            if not first + LATER_NS < time < last - LATER_NS:
                continue
            near = [at for at in range(bisect.bisect_left(times, time - EARLIER_NS),
                                       bisect.bisect_left(times, time + LATER_NS))
                    if begins[cpu][at][1] == event and at not in taken]
            if not near:
                missing += 1
                continue
            at = min(near, key=lambda place: abs(times[place] - time))
            taken.add(at)
            found += 1
            if begins[cpu][at][2] != thread:
                wrong.append((cpu, time - first, event, thread, begins[cpu][at][2]))
    return found, wrong, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kutrace", required=True)
    parser.add_argument("--seconds", default="3")
    options = parser.parse_args()
    if os.geteuid() != 0:
        skip("needs root")
    need_recorder(options.kutrace)
    with tempfile.TemporaryDirectory() as scratch, tracefs(), ftrace_instance() as ftrace:
        trace = os.path.join(scratch, "trace.raw")
        (ftrace / "tracing_on").write_text("1")
        done = subprocess.run([options.kutrace, "record", "-o", trace, "--duration", options.seconds],
                              capture_output=True, text=True, check=False)
        (ftrace / "tracing_on").write_text("0")
        if done.returncode != 0:
            sys.exit(done.stderr)
        seen = entries_of_ftrace(ftrace)
        start, begins = begins_of_trace(options.kutrace, trace)
        checked = run(options.kutrace, "check", trace)
    if not begins:
        sys.exit("the trace has no calls")
    last = max(events[-1][0] for events in begins.values())
    found, wrong, missing = compare(seen, begins, start, last)
    hidden = re.search(r"repair: unseen_switch ([\d,]+)", checked)
    losses = sum(float(part) for part in re.findall(r"for ([\d.]+) s,", checked))
    print(f"{found + missing} calls and faults in ftrace, {found} of them in the trace, {len(wrong)} "
          f"on another thread; {hidden[1] if hidden else 0} unseen switches, {losses * 1000:.1f} ms "
          "of the losses listed")
    for cpu, time, event, thread, other in wrong[:20]:
        print(f"CPU {cpu} at {time} ns: event {event:x} of thread {thread} stands on {other}")
    if found < LEAST_SHARE * (found + missing):
        sys.exit(f"{missing} entries of ftrace are not in the trace")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
