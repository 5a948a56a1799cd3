#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare_upstream.py KUTRACE [DATA_DIR]: our spans of real traces beside those of upstream's tools.

Prints time per CPU, kind and event of both, largest differences first. Fails if the law does not
hold or if totals differ where upstream is right. Where it is not, both are made comparable: upstream
never writes the last open span of a CPU, so ours end where its spans end; it takes the exit from
idle from a table of latencies, so idle and exit count as one. Exit code 77: no traces are there."""
import collections
import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys

SKIPPED = 77
USER, IDLE, C_EXIT = 0x10000, 0x10000, 0x20000
EXECUTION = {"user", "kthread", "syscall", "fault", "irq", "softirq", "sched", "idle", "idle_low",
             "c_exit", "loss"}
# Share of all CPU time that two totals may differ by: upstream ends the scheduler at an interrupt
# inside it, displaces late entries by a period of the 20-bit clock and rounds to 10 ns.
TOLERANCE = 0.0005


def event_class(event):
    if event == IDLE:
        return "idle"
    if event == C_EXIT:
        return "c_exit"
    if event > USER:
        return "user"
    if event == 0x5FF:
        return "softirq"
    if event in (0xDFF, 0x9FF):
        return "sched"
    if 0x400 <= event < 0x500:
        return "fault"
    if 0x500 <= event < 0x600:
        return "irq"
    return "syscall"


class Totals:
    def __init__(self):
        self.cpu = collections.Counter()
        self.kind = collections.Counter()
        self.event = collections.Counter()
        self.count = collections.Counter()
        self.wait = collections.Counter()
        self.end = collections.Counter()  # of the last span, by CPU

    def comparable(self):
        """Time by kind, idle and the exit from it as one."""
        kinds = collections.Counter(self.kind)
        kinds["idle"] += kinds.pop("c_exit", 0)
        return kinds

    def add(self, cpu, kind, event, seconds):
        self.cpu[cpu] += seconds
        self.kind[kind] += seconds
        if kind in ("syscall", "fault", "irq", "softirq", "sched"):
            self.event[event] += seconds
            self.count[event] += 1


def start_of(trace):
    """Seconds after the minute, from the start pair in block 0."""
    with open(trace, "rb") as file:
        return struct.unpack("<4Q", file.read(32))[3] % 60_000_000 / 1e6


def ours(kutrace, trace, end):
    """`end` bounds the spans of each CPU."""
    totals = Totals()
    offset = start_of(trace)
    dump = subprocess.run([kutrace, "dump", "--stage", "spans", trace], stdout=subprocess.PIPE,
                          text=True, check=True)
    for line in dump.stdout.splitlines():
        start, duration, cpu, _, kind, event = line.split(" ", 6)[:6]
        if kind == "wait":
            totals.wait[line.split('"')[1]] += int(duration) / 1e9
        if kind in EXECUTION:
            kind = {"idle_low": "idle", "kthread": "user"}.get(kind, kind)
            begin = offset + int(start) / 1e9
            seconds = min(int(duration) / 1e9, end[int(cpu)] - begin)
            if seconds > 0:
                totals.add(int(cpu), kind, int(event, 16), seconds)
    return totals


def upstream(path):
    totals = Totals()
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        document = json.load(file)
    for begin, duration, cpu, _, _, event, *rest in document["events"]:
        if 0x300 <= event < 0x320:
            totals.wait[rest[-1]] += duration
        if cpu >= 0 and (0x400 <= event < 0x1000 or event >= IDLE):
            totals.add(cpu, event_class(event), event, duration)
            totals.end[cpu] = max(totals.end[cpu], begin + duration)
    return totals


def table(title, left, right, unit=lambda value: f"{value:14.6f}"):
    """Rows by difference, largest first; returns the largest."""
    print(f"\n{title:12} {'ours':>14} {'upstream':>14} {'difference':>14}")
    rows = sorted(left.keys() | right.keys(),
                  key=lambda key: (-abs(left[key] - right[key]), str(key)))
    for key in rows[:12]:
        name = key if isinstance(key, str) else f"{key:x}" if title != "CPU" else str(key)
        print(f"{name:12} {unit(left[key])} {unit(right[key])} {unit(left[key] - right[key])}")
    return max((abs(left[key] - right[key]) for key in rows), default=0)


def compare(kutrace, trace, reference):
    print(f"== {trace.name} ==")
    check = subprocess.run([kutrace, "check", trace], stdout=subprocess.PIPE, text=True,
                           check=False)
    print(check.stdout)
    failures = [] if check.returncode == 0 else ["the law does not hold"]
    theirs = upstream(reference)
    mine = ours(kutrace, trace, theirs.end)
    whole = sum(mine.cpu.values())
    for title, left, right in (("CPU", mine.cpu, theirs.cpu),
                               ("kind", mine.comparable(), theirs.comparable()),
                               ("event time", mine.event, theirs.event)):
        if table(title, left, right) > TOLERANCE * whole:
            failures.append(f"totals by {title} differ by more than {TOLERANCE:.1%} of all time")
    table("all kinds", mine.kind, theirs.kind)
    table("event spans", mine.count, theirs.count, lambda value: f"{value:14}")
    table("waits", mine.wait, theirs.wait)
    return failures


def main():
    kutrace = sys.argv[1]
    here = pathlib.Path(__file__).resolve().parents[2]
    given = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("KUTRACE_TEST_DATA")
    data = pathlib.Path(given or here / "../shared/data")
    pairs = [(trace, trace.with_suffix(".json.gz")) for trace in sorted(data.glob("*.trace"))]
    pairs = [(trace, reference) for trace, reference in pairs if reference.exists()]
    if not pairs:
        print(f"SKIPPED: no real traces in {data}; set KUTRACE_TEST_DATA to where they are")
        sys.exit(SKIPPED)
    failures = []
    for trace, reference in pairs:
        failures += compare(kutrace, trace, reference)
    for failure in failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if failures else 0)


main()
