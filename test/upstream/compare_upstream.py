#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare_upstream.py KUTRACE [DATA_DIR]: our spans of real traces beside those of upstream's tools.

Prints time per CPU, kind and event of both. Fails if the law does not hold or if anything differs by
more than rounding once what upstream is known to do otherwise is done to ours, too (doc/spans.md,
"Upstream's own trace"), or if one of these differences does not occur:

  edges      upstream shows a CPU from its first event to its last, ours the whole recording
  idle_10ns  upstream drops spans of idle of up to 10 ns at calls and returns
  sched_irq  upstream ends the scheduler at an interrupt inside it: what follows goes to what is below,
             but for the last piece, which its return takes back
  sched_switch  upstream ends the scheduler at the switch if an interrupt comes before its return
  c_exit     upstream takes the exit from idle from a table: idle and exit count as one

Exit code 77: no traces are there."""
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
SCHED = (0xDFF, 0x9FF)
EXECUTION = {"user", "kthread", "syscall", "fault", "irq", "softirq", "sched", "idle", "idle_low",
             "c_exit", "loss"}
INTERRUPTS = ("irq", "softirq")
ROUNDING = 5e-9  # mean error of an edge that upstream truncates to 10 ns


def event_class(event):
    if event == IDLE:
        return "idle"
    if event == C_EXIT:
        return "c_exit"
    if event > USER:
        return "user"
    if event == 0x5FF:
        return "softirq"
    if event in SCHED:
        return "sched"
    if 0x400 <= event < 0x500:
        return "fault"
    if 0x500 <= event < 0x600:
        return "irq"
    return "syscall"


class Span:
    def __init__(self, begin, end, kind, event):
        self.begin, self.end, self.kind, self.event = begin, end, kind, event

    def length(self):
        return self.end - self.begin


class Totals:
    def __init__(self, spans_of_cpus):
        self.cpu, self.kind = collections.Counter(), collections.Counter()
        self.event, self.count = collections.Counter(), collections.Counter()
        for cpu, spans in spans_of_cpus.items():
            for span in spans:
                self.cpu[cpu] += span.length()
                self.kind["idle" if span.kind == "c_exit" else span.kind] += span.length()
                if span.kind not in ("user", "idle", "c_exit"):
                    self.event[span.event] += span.length()
                    self.count[span.event] += 1


def start_of(trace):
    """Seconds after the minute, from the start pair in block 0."""
    with open(trace, "rb") as file:
        return struct.unpack("<4Q", file.read(32))[3] % 60_000_000 / 1e6


def read_ours(kutrace, trace):
    spans, waits = collections.defaultdict(list), collections.Counter()
    offset = start_of(trace)
    dump = subprocess.run([kutrace, "dump", "--stage", "spans", trace], stdout=subprocess.PIPE,
                          text=True, check=True)
    for line in dump.stdout.splitlines():
        start, duration, cpu, _, kind, event = line.split(" ", 6)[:6]
        if kind == "wait":
            waits[line.split('"')[1]] += int(duration) / 1e9
        if kind in EXECUTION:
            kind = {"idle_low": "idle", "kthread": "user"}.get(kind, kind)
            begin = offset + int(start) / 1e9
            spans[int(cpu)].append(Span(begin, begin + int(duration) / 1e9, kind, int(event, 16)))
    return spans, waits


def read_upstream(path):
    spans, waits = collections.defaultdict(list), collections.Counter()
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        document = json.load(file)
    for begin, duration, cpu, _, _, event, *rest in document["events"]:
        if 0x300 <= event < 0x320:
            waits[rest[-1]] += duration
        if cpu >= 0 and (0x400 <= event < 0x1000 or event >= IDLE):
            spans[cpu].append(Span(begin, begin + duration, event_class(event), event))
    for of_cpu in spans.values():
        of_cpu.sort(key=lambda span: (span.begin, span.end))
    return spans, waits


def cut_edges(ours, theirs):
    """What upstream does not show of each CPU at the two ends goes. Returns how much that was."""
    dropped = 0
    for cpu, spans in ours.items():
        begin, end = theirs[cpu][0].begin, max(span.end for span in theirs[cpu])
        kept = []
        for span in spans:
            whole = span.length()
            span.begin, span.end = max(span.begin, begin), min(span.end, end)
            dropped += whole - max(0, span.length())
            if span.length() > 0:
                kept.append(span)
        ours[cpu] = kept
    return dropped


def as_upstream_schedules(spans_of_cpus):
    """Two kinds of the scheduler's pieces become what is below it: those between two interrupts (the
    last stays, for upstream takes it from the scheduler's return), and in a thread that is in no
    call, what is between a switch and an interrupt. Returns the length of each kind."""
    between = after_switch = 0
    for spans in spans_of_cpus.values():
        below = None
        for at in range(len(spans) - 2, 0, -1):
            span, before, after = spans[at], spans[at - 1], spans[at + 1]
            if span.kind not in ("sched", *INTERRUPTS):
                below = span
            if span.kind != "sched" or below is None or after.kind not in INTERRUPTS:
                continue
            if before.kind in INTERRUPTS and was_in_scheduler(spans, at):
                between += span.length()
            elif before.kind == "sched" and below.kind in ("user", "idle"):
                after_switch += span.length()
            else:
                continue
            span.kind, span.event = below.kind, below.event
    return between, after_switch


def join_switches(spans_of_cpus):
    """Upstream shows the scheduler as one span whether it switches or not."""
    for cpu, spans in spans_of_cpus.items():
        joined = spans[:1]
        for span in spans[1:]:
            if span.kind == "sched" and joined[-1].kind == "sched":
                joined[-1].end = span.end
            else:
                joined.append(span)
        spans_of_cpus[cpu] = joined


def was_in_scheduler(spans, at):
    """Whether what the interrupts before spans[at] interrupted is the scheduler."""
    while at > 0 and spans[at - 1].kind in INTERRUPTS:
        at -= 1
    return at > 0 and spans[at - 1].kind == "sched"


def fill_gaps(spans_of_cpus):
    """Idle that upstream dropped comes back. Returns how much that is and the longest."""
    filled = longest = 0
    for spans in spans_of_cpus.values():
        added = []
        for before, after in zip(spans, spans[1:]):
            gap = after.begin - before.end
            if gap > 1e-9:
                filled, longest = filled + gap, max(longest, gap)
                added.append(Span(before.end, after.begin, "idle", IDLE))
        spans += added
    return filled, longest


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
    ours, our_waits = read_ours(kutrace, trace)
    theirs, their_waits = read_upstream(reference)
    table("kind, as is", Totals(ours).kind, Totals(theirs).kind)
    edges = cut_edges(ours, theirs)
    between, after_switch = as_upstream_schedules(ours)
    join_switches(ours)
    filled, longest = fill_gaps(theirs)
    found = {"edges": edges, "sched_irq": between, "sched_switch": after_switch,
             "idle_10ns": filled}
    print("\n" + ", ".join(f"{name} {seconds:.6f} s" for name, seconds in found.items()))
    for name, seconds in found.items():
        if seconds <= 0:
            failures.append(f"{name}: this difference does not occur any more")
    if longest > 15e-9:
        failures.append("idle_10ns: upstream leaves out more than 10 ns at once")
    mine, other = Totals(ours), Totals(theirs)
    most = ROUNDING * max(other.count.values())
    for title, left, right in (("CPU", mine.cpu, other.cpu), ("kind", mine.kind, other.kind),
                               ("event", mine.event, other.event)):
        if table(title, left, right) > most:
            failures.append(f"totals by {title} differ by more than {most * 1e6:.0f} us")
    table("event spans", mine.count, other.count, lambda value: f"{value:14}")
    table("waits", our_waits, their_waits)
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
