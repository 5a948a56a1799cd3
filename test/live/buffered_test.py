#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Marks that programs leave in buffers: each is in the trace once, in the thread that made it and in its order, on its
side of the calls around it; in children, from handlers of signals, across exec, for two recorders at once, and where
recording begins and ends meanwhile. A program that lies harms nothing but its own marks.

buffered_test.py KUTRACE BUFFERED. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import statistics
import subprocess
import sys
import time

import judged

WHO = 24  # bits of a mark's number that count
MOST_APART_NS = 1000  # the program's clock and that of the trace
SQL = "select start_ns, cpu, tid, arg from marks where name not like '%=%' order by start_ns"


class Test(judged.Test):
    def all(self):
        each = 25_000
        self.counted("threads", each, {who: each for who in range(4)})
        self.counted("forks", 20_000, {0: 10_000, 1: 10_000, 2: 10_000})
        self.counted("execs", 1000, {0: 1000, 1: 1000})
        self.counted("strict", 1000, {0: 1000})
        self.vforks()
        self.labels()
        self.times()
        self.signals()
        self.calls()
        self.two_recorders()
        self.began_meanwhile()
        self.lies()

    def made(self, way, count, options=()):
        """The marks of a run, by who made them, and what it printed."""
        trace = self.folder / f"{way}.raw"
        printed, said = self.record(trace, options, [self.recorded, way, count])
        self.expect("could not be read" not in said and "may not insert" not in said, f"{way}: {said}")
        return trace, self.marks_of(trace), printed

    def marks_of(self, trace):
        self.kutrace("check", trace)
        rows = json.loads(self.kutrace("query", "--format", "json", trace, SQL))
        made = {}
        for row in rows:
            made.setdefault(row["arg"] >> WHO, []).append(row["arg"] & ((1 << WHO) - 1))
        return made

    def counted(self, way, count, wanted):
        _, made, _ = self.made(way, count)
        found = {who: len(marks) for who, marks in made.items()}
        self.expect(found == wanted, f"{way}: marks {found}, not {wanted}")
        for who, marks in made.items():
            self.expect(marks == list(range(len(marks))), f"{way}: those of {who} are not in order")

    def vforks(self):
        """Children with their parent's memory: each mark is its own thread's, and each label has its text."""
        count = 50
        trace, made, _ = self.made("vforks", count)
        self.expect(made == {who: list(range(count)) for who in (0, 1)}, f"vforks: {made}")
        labels = json.loads(self.kutrace("query", "--format", "json", trace,
                                         "select name, count(*) n, count(distinct tid) tids from marks "
                                         "where name like '%=%' group by name"))
        self.expect(labels == [{"name": "mark_a=a label of parent and child", "n": 2 * count, "tids": 1 + count}],
                    f"vforks: {labels}")

    def labels(self):
        """Of two labels with the same number each mark has its own; a scope of a long one has an end that fits."""
        trace, _, _ = self.made("labels", 50)
        rows = json.loads(self.kutrace("query", "--format", "json", trace,
                                       "select name, arg from marks where name not like '%far=%' order by start_ns"))
        found = [judged.label_of(row) for row in rows]
        turn = ["traceparent=00-6ace573cb03c4b321ac743e11e789940-4a465cd41d56af92-01",
                "traceparent=00-bc86f944850ee94cace9c8798731c55b-1368a11f34b88904-01"]
        much = 1023 * "y"
        self.expect(found == ["outer", "inner", much, *turn * 50, "/" + much, "/inner", "/outer"],
                    f"labels: {found[:6]} ... {found[-3:]}")
        greatest = 2 ** 63 - 1
        rows = json.loads(self.kutrace("query", "--format", "json", trace,
                                       "select value, change from readings where name = 'far' order by time_ns"))
        self.expect(rows == [{"value": -greatest, "change": None}, {"value": greatest, "change": greatest}],
                    f"counter: {rows}")

    def times(self):
        """No mark is later than the program's clock behind it, also where blocks begin."""
        trace = self.folder / "times.raw"
        printed, said = self.record_whole(trace, [], [self.recorded, "times", 40_000])
        if "unseen switch" in said:
            print("times: not judged, as this machine hides switches")
            return
        behind = [int(line) for line in printed.split()]
        marks = [row["start_ns"] for row in json.loads(self.kutrace("query", "--format", "json", trace, SQL))]
        self.expect(len(marks) == len(behind), f"times: {len(marks)} marks")
        early = [mark - clock for mark, clock in zip(marks, behind)]
        usual = statistics.median(early)
        late = [apart - usual for apart in early if apart - usual > MOST_APART_NS]
        self.expect(not late, f"times: {len(late)} marks later than the program's clock, by up to {max(late, default=0)} ns")

    def signals(self):
        _, made, printed = self.made("signals", 50_000)
        found = [len(made.get(who, [])) for who in (0, 1)]
        self.expect(found == [50_000, int(printed)] and found[1] > 0, f"signals: {found}, handled {printed}")
        for who, marks in made.items():
            self.expect(marks == list(range(len(marks))), f"signals: those of {who} are not in order")

    def calls(self):
        """Each getppid stands between its two marks."""
        count = 2000
        trace, made, _ = self.made("calls", count)
        self.expect(made == {0: list(range(2 * count))}, f"calls: {sum(map(len, made.values()))} marks")
        marks = [row["start_ns"] for row in json.loads(self.kutrace("query", "--format", "json", trace, SQL))]
        calls = json.loads(self.kutrace("query", "--format", "json", trace,
                                        "select start_ns, end_ns from calls where name = 'getppid' order by start_ns"))
        self.expect(len(calls) == count, f"calls: {len(calls)} of getppid")
        wrong = [i for i, call in enumerate(calls[:len(marks) // 2])
                 if not marks[2 * i] <= call["start_ns"] <= call["end_ns"] <= marks[2 * i + 1]]
        self.expect(not wrong, f"calls: {len(wrong)} stand not between their marks, first {wrong[:3]}")

    def two_recorders(self):
        outer, inner = self.folder / "outer.raw", self.folder / "inner.raw"
        self.record(outer, [], [self.program, "record", "--source", "ebpf", "-o", inner, "--", self.recorded, "threads", 10_000])
        for trace in (outer, inner):
            found = {who: len(marks) for who, marks in self.marks_of(trace).items()}
            self.expect(found == {who: 10_000 for who in range(4)}, f"two recorders: {trace.name}: {found}")

    def began_meanwhile(self):
        """What is recorded of a program that goes on and on has no gap, and goes from the begin to the end."""
        with subprocess.Popen([self.recorded, "runs", "1"], stdin=subprocess.PIPE) as running:
            for turn in range(3):
                trace = self.folder / f"runs{turn}.raw"
                self.record(trace, [], ["sleep", "0.2"])
                self.kutrace("check", trace)
                marks = [row["arg"] for row in json.loads(self.kutrace("query", "--format", "json", trace, SQL))]
                self.expect(len(marks) > 10_000, f"runs: {len(marks)} marks")
                gaps = [(a, b) for a, b in zip(marks, marks[1:]) if b != (a + 1) % (1 << 32)]
                self.expect(not gaps, f"runs: {len(gaps)} gaps, first {gaps[:3]}")
                time.sleep(0.05)
            running.stdin.close()

    def lies(self):
        trace = self.folder / "lies.raw"
        self.record(trace, [], [self.recorded, "lies", 1000])
        self.kutrace("check", trace)


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
