#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Contention in the kernel, requests to a disk and pages, recorded by kutrace and by ftrace at once.

judged_points_test.py KUTRACE POINTED. Both see the same run, so every lock that the program's threads
waited for, and every request to the disk (a loop device, made for it), must be the same in both, in the
same order: address and flags, sector, bytes. At last everything that can be recorded is, at once: the
three laws must hold. Prints what differs, exits 1 if anything does.
"""
import collections
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys

from judged import run, skip

TRACEFS = pathlib.Path("/sys/kernel/tracing")
EVENTS = ["lock/contention_begin", "lock/contention_end", "block/block_rq_issue", "block/block_rq_complete",
          "kmem/mm_page_alloc", "kmem/mm_page_free"]
KB_PER_CPU = 16384
DISK_KB, BLOCKS, BLOCK = 4096, 40, 4096
# "  name-123  [001] d..2. 12.345678: contention_begin: ffff888004ab3c28 (flags=WRITE)"
LINE = re.compile(r"\s*(?P<name>.*)-(?P<tid>\d+)\s+\[\d+\].*? \d+\.\d+: (?P<event>\w+): (?P<rest>.*)")
FLAGS = {"SPIN": 1, "READ": 2, "WRITE": 4, "RT": 8, "PERCPU": 16, "MUTEX": 32}
LOOP = 7  # major number
# Threads meet as often as the machine lets them, so a run with few contended locks is made again.
TRIES, ENOUGH = 5, 20
MOST_MOVED = 64  # pages that do not stand where ftrace has them
MOST_STRAY = 8  # pages that only ftrace has of a thread, besides those of skipped runs: see alike()
IN_STEP = 4  # events that follow a stray one in both
EVERYTHING = ["--args", "--strings", "--stacks", "--samples", "500", "--fault-addresses", "--counter-period",
              "20ms", "--events", "+locks,+disk,+signals,+processes,+migrations,+memory,+timers,+workqueue,"
              "+sockets,+counters,+samples,+pages"]


@contextlib.contextmanager
def ftrace_instance(program):
    folder = TRACEFS / "instances" / f"kutrace-points-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        skip(f"no instance of ftrace: {error}")
    try:
        (folder / "buffer_size_kb").write_text(str(KB_PER_CPU))
        (folder / "trace_options").write_text("nohash-ptr")
        for event in EVENTS[-2:]:
            (folder / "events" / event / "filter").write_text(f'comm == "{program}"')
        for event in EVENTS:
            (folder / "events" / event / "enable").write_text("1")
        yield folder
    finally:
        for event in EVENTS:
            (folder / "events" / event / "enable").write_text("0")
        folder.rmdir()


@contextlib.contextmanager
def loop_device(folder):
    """A disk of its own, and its number as the kernel has it."""
    image = folder / "disk"
    image.write_bytes(bytes(DISK_KB * 1024))
    made = subprocess.run(["losetup", "--find", "--show", image], check=False, capture_output=True, text=True)
    if made.returncode != 0:
        yield None, 0
        return
    path = made.stdout.strip()
    number = os.stat(path).st_rdev
    try:
        yield path, os.major(number) << 20 | os.minor(number)
    finally:
        subprocess.run(["losetup", "--detach", path], check=False)


def of_ftrace(text, program):
    """Of each thread of the program its locks, and its pages by order; the requests to loop devices."""
    locks, requests = collections.defaultdict(list), collections.defaultdict(list)
    pages = collections.defaultdict(list)
    for line in text.splitlines():
        found = LINE.match(line)
        if not found:
            continue
        tid, event, rest = int(found["tid"]), found["event"], found["rest"]
        if event == "contention_begin" and found["name"] == program:
            address, words = re.match(r"(\w+) \(flags=(.*)\)", rest).groups()
            flags = sum(FLAGS[word] for word in words.split("|") if word in FLAGS)
            locks[tid].append(("contention", int(address, 16), flags))
        elif event == "contention_end" and found["name"] == program:
            address, result = re.match(r"(\w+) \(ret=(-?\d+)\)", rest).groups()
            locks[tid].append(("contention_end", int(address, 16), int(result)))
        elif event.startswith("mm_page_") and found["name"] == program:
            pages[tid].append((event[3:], int(re.search(r"order=(\d+)", rest).group(1))))
        elif event.startswith("block_rq_") and rest.startswith(f"{LOOP},"):
            # 7,0 WS 4096 () 8 + 8 none,0,0 [dd]; a completion has no bytes of its own
            minor, sector, sectors = re.match(r"\d+,(\d+) \w+ .*?\(.*?\) (\d+) \+ (\d+)", rest).groups()
            requests[event].append((LOOP << 20 | int(minor), int(sector), int(sectors) * 512))
    return locks, requests, pages


def contended(locks):
    return sum(event[0] == "contention" for events in locks.values() for event in events)


def alike(theirs, ours, skipped):
    """An interrupt between two tracers' hooks frees pages before the one and behind the other. Seldom a few
    pages of a thread are not its own here; which ones, the events behind them tell. An interrupt that frees
    many within kutrace's own hook of pages skips as many runs, which the trace tells."""
    ours = ours[:len(theirs)]
    stray = (collections.Counter(theirs) - collections.Counter(ours)).total()
    if stray > MOST_STRAY + skipped:
        return False
    apart = at = 0
    for i, one in enumerate(theirs):
        if ours[at:at + 1] != [one]:
            if stray > 0 and theirs[i + 1:i + 1 + IN_STEP] == ours[at:at + IN_STEP]:
                stray -= 1
                continue
            apart += 1
        at += 1
        if apart > MOST_MOVED + skipped:
            return False
    return True


class Test:
    def __init__(self, program, pointed, folder):
        self.program, self.pointed, self.folder = program, pointed, pathlib.Path(folder)
        self.name = pathlib.Path(pointed).name[:15]
        self.findings = []

    def expect(self, good, what):
        if not good:
            self.findings.append(what)

    def record(self, trace, options, command):
        done = subprocess.run([self.program, "record", "--source", "ebpf", "-o", trace, *options, "--", "sh", "-c",
                               command], check=False, capture_output=True, text=True)
        self.expect(done.returncode == 0, f"record: {done.returncode} {done.stderr}")
        checked = subprocess.run([self.program, "check", trace], check=False, capture_output=True, text=True)
        self.expect(checked.returncode == 0 and "every CPU adds up" in checked.stdout, checked.stdout + checked.stderr)
        return done.stderr, checked.stdout

    def points(self, trace):
        return self.query(trace, "select name, tid, arg, arg2, result from points where event between 544 and 639 "
                          "order by start_ns, cpu")

    def skipped(self, trace):
        """Runs of the hooks of pages that the kernel skipped."""
        told = [row["value"].split() for row in self.query(trace, "select value from metadata where key = 'skipped_runs'")]
        return sum(int(words[1].replace(",", "")) for words in told if words[0].startswith("point_page_"))

    def query(self, trace, sql):
        done = subprocess.run([self.program, "query", trace, "--format", "json", sql], check=False,
                              capture_output=True, text=True)
        self.expect(done.returncode == 0, done.stderr)
        return json.loads(done.stdout)

    def beside_ftrace(self):
        for _ in range(TRIES):
            number, locks, requests, pages = self.recorded_beside_ftrace()
            if contended(locks) > ENOUGH:
                break
        points = self.points(self.folder / "trace.raw")
        self.compare_locks(locks, points)
        self.compare_pages(pages, points, self.skipped(self.folder / "trace.raw"))
        if number:
            self.compare_requests(number, requests, points)
        else:
            print("no loop device: requests to disks are not compared")

    def recorded_beside_ftrace(self):
        """The disk's number, or 0, and what ftrace saw."""
        trace = self.folder / "trace.raw"
        with loop_device(self.folder) as (disk, number), ftrace_instance(self.name) as ftrace:
            write = f"dd if=/dev/zero of={disk} bs={BLOCK} count={BLOCKS} oflag=direct 2>&1; " if disk else ""
            self.record(trace, ["--events", "+locks,+disk,+pages"], f"{write}{self.pointed} kernel-locks")
            (ftrace / "tracing_on").write_text("0")
            return number, *of_ftrace((ftrace / "trace").read_text(errors="replace"), self.name)

    def compare_locks(self, expected, points):
        ours = collections.defaultdict(list)
        for point in points:
            if point["name"] == "contention":
                ours[point["tid"]].append(("contention", point["arg"], point["arg2"]))
            elif point["name"] == "contention_end":
                ours[point["tid"]].append(("contention_end", point["arg"], point["result"]))
        begun = contended(expected)
        print(f"contended locks of the kernel: {begun}, of {len(expected)} threads")
        self.expect(begun > 0, "no contended locks")
        for tid, events in expected.items():
            mine = [(name, address & 0xffffffffffffffff, last) for name, address, last in ours[tid]]
            self.expect(mine == events, f"thread {tid}: {len(events)} by ftrace, {len(mine)} here; first apart: "
                        f"{next((pair for pair in zip(events, mine) if pair[0] != pair[1]), None)}")

    def compare_pages(self, expected, points, skipped):
        ours = collections.defaultdict(list)
        for point in points:
            if point["name"] in ("page_alloc", "page_free"):
                ours[point["tid"]].append((point["name"], point["arg2"]))
        print(f"pages: {sum(map(len, expected.values()))} allocated or freed, of {len(expected)} threads; "
              f"{skipped} skipped")
        self.expect(len(expected) > 1, "no pages")
        for tid, pages in expected.items():
            # Before it became the program, and when it is no longer, ftrace knows it by another name.
            starts = range(max(1, len(ours[tid]) - len(pages) + 1))
            self.expect(any(alike(pages, ours[tid][start:], skipped) for start in starts),
                        f"thread {tid}: {len(pages)} pages by ftrace, {len(ours[tid])} here, {skipped} skipped")

    def compare_requests(self, number, expected, points):
        issued = [(point["result"], point["arg"], point["arg2"]) for point in points
                  if point["name"] == "disk_issue" and point["result"] == number]
        done = [(point["result"], point["arg"], point["arg2"]) for point in points
                if point["name"] == "disk_complete" and point["result"] == number]
        writes = [(number, i * BLOCK // 512, BLOCK) for i in range(BLOCKS)]
        print(f"requests: {len(issued)} issued, {len(done)} done, of them {BLOCKS} by dd")
        self.expect([one for one in issued if one[2] == BLOCK][-BLOCKS:] == writes, f"dd's requests: {issued}")
        self.expect(sorted(issued) == sorted(expected["block_rq_issue"]), f"issued: {issued} {expected}")
        self.expect(sorted(done) == sorted(expected["block_rq_complete"]), f"done: {done} {expected}")

    def everything(self):
        trace = self.folder / "all.raw"
        _, told = self.record(trace, EVERYTHING, f"{self.pointed} >/dev/null; {self.pointed} kernel-locks")
        for law in ("every CPU adds up", "every thread adds up", "every call ends and adds up"):
            self.expect(law in told, f"with everything on: {law!r} is not in {told}")
        print("with everything on: " + "; ".join(told.splitlines()[-3:]))

    def all(self):
        self.beside_ftrace()
        self.everything()


if __name__ == "__main__":
    run(Test, *sys.argv[1:])
