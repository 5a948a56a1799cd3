#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counters of the machine and of processes, beside what a program reads in /proc at the same time.

counters_test.py KUTRACE. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import subprocess
import sys

import judged

STEPS, STEP_MB, FILE_MB, SCAN_PAGES = 4, 8, 48, 8192
PAGE = 4096
# Holds still around each look, so that a reading of the recorder falls beside it.
PROGRAM = f"""
import json, mmap, os, resource, sys, time
def lines(path):
    return dict(line.split(":", 1) for line in open(path) if ":" in line)
def bytes_of(text):
    return int(text.split()[0]) * 1024
looks = []
def look(what):
    time.sleep(0.15)
    memory, own = lines("/proc/meminfo"), lines("/proc/self/status")
    stat = open("/proc/self/stat").read().rsplit(")", 1)[1].split()
    looks.append(dict(what=what, at=time.clock_gettime_ns(time.CLOCK_MONOTONIC), rss=bytes_of(own["VmRSS"]),
                      mem_free=bytes_of(memory["MemFree"]), cached=bytes_of(memory["Cached"]),
                      faults=int(stat[7]), major_faults=int(stat[9])))
    time.sleep(0.15)
for _ in range(2):
    look("begin")
kept = []
for step in range({STEPS}):
    kept.append(bytearray(b"x") * ({STEP_MB} << 20))
    look("step")
with open(sys.argv[1], "wb") as file:
    for _ in range({FILE_MB}):
        file.write(kept[0][:1 << 20])
look("file")
region = mmap.mmap(-1, {SCAN_PAGES} * {PAGE})
region.madvise(mmap.MADV_NOHUGEPAGE)
look("before scan")
for page in range({SCAN_PAGES}):
    region[page * {PAGE}] = 1
look("scan")
print(json.dumps(dict(pid=os.getpid(), looks=looks)))
"""
SLACK = 512 << 10        # what looking itself takes, and what the kernel counts by CPU and not yet together
MACHINE_SLACK = 4 << 20  # others work, too
WINDOW = 120_000_000     # ns around a look, in which the recorder has read


class Test(judged.Test):
    def look(self, trace, *options):
        """What the program read of itself while it was recorded."""
        return json.loads(self.record(trace, options, [sys.executable, "-c", PROGRAM, self.folder / "file"])[0])

    def query(self, trace, sql):
        return json.loads(self.kutrace("query", trace, "--format", "json", sql))

    def all(self):
        trace = self.folder / "trace.raw"
        told = self.look(trace, "--counter-period", "20ms")
        self.expect("every CPU adds up" in self.kutrace("check", trace), "the law")
        self.values(trace, told)
        self.scan(trace, told)
        self.only_changes(trace)
        self.forms(trace)
        self.choices(trace)

    def values(self, trace, told):
        zero = int(self.query(trace, "select value from metadata where key = 'start_monotonic_ns'")[0]["value"])
        readings = self.query(trace, "select time_ns, name, pid, value, dur_ns from readings")

        def read(name, pid, at):
            return [reading["value"] for reading in readings
                    if reading["name"] == name and reading.get("pid") == pid and
                    reading["time_ns"] < at + WINDOW and reading["time_ns"] + reading["dur_ns"] > at - WINDOW]

        for look in told["looks"]:
            at = look["at"] - zero
            for name, pid, slack in (("rss", told["pid"], SLACK), ("mem_free", None, MACHINE_SLACK),
                                     ("cached", None, MACHINE_SLACK), ("faults", told["pid"], 64),
                                     ("major_faults", told["pid"], 2)):
                found = read(name, pid, at)
                good = found and min(found) - slack <= look[name] <= max(found) + slack
                self.expect(good, f"{look['what']}: {name} is {look[name]}, recorded {found}")
        rss = [read("rss", told["pid"], look["at"] - zero) for look in told["looks"] if look["what"] == "step"]
        grown = rss[-1][-1] - rss[0][-1]
        print(f"memory that {STEPS - 1} steps took: {grown} of {(STEPS - 1) * STEP_MB << 20}")
        self.expect(abs(grown - ((STEPS - 1) * STEP_MB << 20)) <= SLACK, f"rss grew by {grown}")

    def scan(self, trace, told):
        """As many faults as pages, by the counters and by the events."""
        zero = int(self.query(trace, "select value from metadata where key = 'start_monotonic_ns'")[0]["value"])
        before, after = (look for look in told["looks"] if look["what"] in ("before scan", "scan"))
        begin, end = before["at"] - zero, after["at"] - zero
        where = f"time_ns between {begin} and {end} and pid = {told['pid']}"
        counted = self.query(trace, f"select sum(change) as faults from readings where name = 'faults' and {where}")
        events = self.query(trace, "select count(*) as faults from calls where kind = 'fault' and "
                                   f"start_ns between {begin} and {end} and tid = {told['pid']}")
        found, seen = counted[0]["faults"], events[0]["faults"]
        own = after["faults"] - before["faults"]
        print(f"faults of a scan of {SCAN_PAGES} pages: {found} by the counter, {seen} by events, /proc {own}")
        self.expect(abs(found - own) <= 64 and found >= SCAN_PAGES, f"counter: {found}, /proc {own}")
        self.expect(abs(seen - own) <= 64, f"events: {seen}, /proc {own}")
        # The same by intervals.
        rows = self.folder / "stat.json"
        self.kutrace("stat", trace, "--every", "100ms", "-o", rows)
        told_by = [series for series in json.loads(rows.read_text())["counters"]
                   if series.get("process") == told["pid"] and series["name"] == "faults"]
        grown = sum(part["last"] - part["first"] for part in told_by[0]["intervals"])
        all_of = self.query(trace, "select max(value) - min(value) as faults from readings "
                                   f"where name = 'faults' and pid = {told['pid']}")[0]["faults"]
        self.expect(grown == all_of, f"intervals add up to {grown} of {all_of}")

    def only_changes(self, trace):
        again = self.query(trace, "select count(*) as times from readings where change = 0")[0]["times"]
        self.expect(again == 0, f"{again} values were recorded again without a change")
        periods = self.query(trace, "select count(distinct time_ns) as times, max(time_ns) - min(time_ns) as ns "
                                    "from readings")[0]
        each = periods["ns"] / max(1, periods["times"] - 1) / 1e6
        print(f"{periods['times']} readings, one every {each:.1f} ms")
        self.expect(15 <= each <= 60, f"a reading every {each} ms, asked for every 20")

    def forms(self, trace):
        """Pages, span JSON and pieces say the same."""
        raw = self.kutrace("dump", "--stage", "counters", trace)
        self.expect(raw.count("\n") > 100, "dump has no counters")
        for name in ("trace.html", "trace.json"):
            self.kutrace("report" if name.endswith("html") else "spans", trace, "-o", self.folder / name)
            self.expect(self.kutrace("dump", "--stage", "counters", self.folder / name) == raw, f"{name} differs")
        part = self.folder / "part.raw"
        self.kutrace("raw", "cut", "--from", "500ms", "--to", "1s", trace, "-o", part)
        times = [int(line.split()[0]) for line in self.kutrace("dump", "--stage", "counters", part).splitlines()]
        self.expect(times and min(times) == 500_000_000 and max(times) <= 1_000_000_000,
                    f"a piece has readings of {min(times, default=0)} to {max(times, default=0)}")

    def choices(self, trace):
        plain = self.folder / "plain.raw"
        self.look(plain)
        self.expect(self.kutrace("dump", "--stage", "counters", plain) == "", "counters that nobody asked for")
        sleeper = subprocess.Popen(["sleep", "60"])
        try:
            self.look(plain, "--pid", str(sleeper.pid), "--events", "+counters")
        finally:
            sleeper.kill()
            sleeper.wait()
        whose = self.query(plain, "select distinct pid from readings where pid is not null")
        self.expect(whose == [{"pid": sleeper.pid}], f"processes of others: {whose}")
        self.flight_recorder(plain)

    def flight_recorder(self, trace):
        """Counters of what was kept, no others, and of all of that; every CPU overwrites its first block."""
        busy = "for cpu in $(seq 0 $(($(nproc --all) - 1))); do taskset -c $cpu dd if=/dev/zero of=/dev/null " \
               "bs=1 count=1500000 & done; wait"
        self.record(trace, ["--mode", "wrap", "--buffer-mb", 4, "--counter-period", "20ms"], ["sh", "-c", busy])
        bounds = self.query(trace, "select min(time_ns) as first, max(time_ns) as last from readings")[0]
        kept = {row["key"]: int(row["value"]) for row in self.query(
            trace, "select key, value from metadata where key in ('begin_ns', 'end_ns')")}
        print(f"flight recorder: {kept}, counters {bounds}")
        self.expect(kept["begin_ns"] > 0, "nothing was overwritten")
        near = abs(bounds["first"] - kept["begin_ns"]) < 10_000_000
        self.expect(near and bounds["last"] <= kept["end_ns"], f"counters {bounds} of {kept}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
