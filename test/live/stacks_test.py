#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stacks of a program with known chains of calls: of samples, beside perf, and of waits, whose times are those that the trace tells of waits.

stacks_test.py KUTRACE STACKED. Prints every difference, exits 1 if there is one, 77 where this machine
cannot record.
"""
import collections
import json
import re
import shutil
import subprocess
import sys

import judged

SPIN_MS, SLEEPS, GARBAGE = 800, 50, 400
ENOUGH = 20  # samples, to judge their chains
SPINS = ["main", "chain_work", "chain_spin"]
SLEEPS_IN = ["main", "chain_wait", "chain_sleep"]
HIDDEN = 3  # a kernel may hide threads of its own, and with them a switch away from another


def has_chain(stack, chain):
    """The functions of a folded stack, one calling the other."""
    return ";".join(chain) in stack


class Test(judged.Test):
    def look(self, trace, *options):
        """The number of the program that was recorded."""
        told, said = self.record(trace, options, [self.recorded, SPIN_MS, SLEEPS, GARBAGE])
        self.expect("nothing lost" in said or "skipped" in said, said)
        return re.search(r"pid=(\d+)", told).group(1)

    def profile(self, trace, which):
        return json.loads(self.kutrace("profile", "--stacks", which, "--by", "threads", "--format", "json",
                                       trace))["rows"]

    def name(self, trace, named, path):
        """What this very program, recorded as `path`, is called; all else has symbols without end."""
        root = self.folder / "root"
        target = root / str(path).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.recorded, target)
        subprocess.run([self.program, "symbolize", "--root", root, trace, "-o", named], check=False,
                       capture_output=True)

    def all(self):
        trace, named = self.folder / "trace.raw", self.folder / "named.raw"
        pid = int(self.look(trace, "--stacks", "--samples", 1000))
        self.name(trace, named, self.recorded)
        for each in (trace, named):
            self.expect("every CPU adds up" in self.kutrace("check", each), f"{each}: the law")
        self.beside_perf(self.samples(named, pid))
        self.waits(named, pid)
        self.whole(named)
        self.cut(named, pid)
        self.without(self.folder / "plain.raw")

    def samples(self, named, pid):
        rows = [row for row in self.profile(named, "on") if row["tid"] == pid]
        spins = [row for row in rows if "chain_spin" in row["stack"]]
        all_spins = sum(row["count"] for row in spins)
        chained = sum(row["count"] for row in spins if has_chain(row["stack"], SPINS))
        # Of 800 ms, 800; an emulated CPU that stands still, or a busy one, has few of them.
        self.expect(all_spins > ENOUGH, f"{all_spins} samples of chain_spin")
        # One that comes before a function has its frame, or behind it, lacks the function's caller.
        self.expect(all_spins - chained <= max(1, all_spins // 100), f"{chained} of {all_spins} samples have all callers")
        return chained

    def beside_perf(self, ours):
        """A run of its own: perf 6.1 does not survive programs that come and go beside it."""
        if not shutil.which("perf"):
            return
        data = self.folder / "perf.data"
        subprocess.run(["perf", "record", "-q", "-B", "-N", "-e", "cpu-clock", "-F", "1000", "-g", "-o", data,
                        "--", self.recorded, str(SPIN_MS), "0", "0"], check=False, capture_output=True)
        text = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym", "--no-inline"], check=False,
                              capture_output=True, text=True).stdout
        theirs = collections.Counter()
        for sample in re.split(r"\n\s*\n", text):
            functions = re.findall(r"^\s+[0-9a-f]+ (\S+)", sample, re.MULTILINE)
            if "chain_spin" in functions:
                theirs[tuple(name for name in reversed(functions) if name in SPINS)] += 1
        print(f"samples of {';'.join(SPINS)}: {ours} here, {dict(theirs)} of perf")
        self.expect(set(theirs) == {tuple(SPINS)}, f"perf: {theirs}")

    def waits(self, named, pid):
        rows = [row for row in self.profile(named, "off") if row["tid"] == pid]
        slept = [row for row in rows if has_chain(row["stack"], SLEEPS_IN) and row["wait"] != "ready"]
        count = sum(row["count"] for row in slept)
        time = sum(row["time_ns"] for row in slept)
        self.expect(SLEEPS - HIDDEN <= count <= SLEEPS, f"{count} sleeps of {SLEEPS}")
        # The timer is set a moment before the thread leaves its CPU; a slow machine is slow there, too.
        self.expect(time >= count * 1_800_000, f"{count} sleeps of 2 ms lasted {time} ns")
        kernel = [row["stack"] for row in slept if not row["stack"].endswith("schedule;__schedule")]
        self.expect(not kernel, f"not in the scheduler: {kernel[:2]}")
        calls = json.loads(self.kutrace("query", named, "--format", "json",
                                        f"select sum(dur_ns) as ns from waits where tid = {pid} and "
                                        "name != 'ready' and stack like '%main;chain_wait;chain_sleep%'"))
        self.expect(calls[0]["ns"] == time, f"query: {calls}, profile: {time}")
        garbage = sum(row["count"] for row in rows
                      if "chain_wait" not in row["stack"] and "nanosleep" in row["stack"] and row["wait"] != "ready")
        self.expect(garbage >= GARBAGE * 0.9, f"{garbage} sleeps of {GARBAGE} without a frame")
        # Reading a stack where no memory is makes a fault: not one of the program's that has no end.
        wrong = self.kutrace("query", named, "--format", "csv",
                             "select waits.name, calls.name, count(*) from waits join calls on calls.id = call_id "
                             f"where waits.tid = {pid} and stack like '%nanosleep%' and "
                             "(calls.name = 'page_fault' or waits.name in ('mem', 'disk')) group by 1, 2")
        self.expect(len(wrong.splitlines()) == 1, f"sleeps are waits in faults, or for what no sleep is: {wrong}")

    def whole(self, named):
        """The waits of all threads, by reason: exactly what the trace tells."""
        rows = self.profile(named, "off")
        ours = collections.Counter()
        for row in rows:
            ours[row["wait"]] += row["time_ns"]
        told = {row["name"]: row["ns"] for row in json.loads(self.kutrace(
            "query", named, "--format", "json", "select name, sum(dur_ns) as ns from waits group by name"))}
        self.expect(dict(ours) == told, f"waits: {dict(ours)} by stacks, {told} in all")
        with_stack = sum(row["time_ns"] for row in rows if row["stack"])
        print(f"waits: {sum(ours.values())} ns, {with_stack} ns of them with a stack")
        folded = self.kutrace("profile", "--stacks", "off", named).splitlines()
        self.expect(sum(int(line.rsplit(" ", 1)[1]) for line in folded) == sum(ours.values()), "folded")

    def cut(self, named, pid):
        """A piece has the same stacks."""
        piece = self.folder / "piece.raw"
        first = json.loads(self.kutrace("query", named, "--format", "json", "select min(start_ns) as ns from "
                                        f"samples where tid = {pid} and stack like '%chain_spin%'"))[0]["ns"]
        self.kutrace("raw", "cut", "--from", f"{first + 100_000_000}ns", "--to", f"{first + 300_000_000}ns",
                     named, "-o", piece)
        rows = [row for row in self.profile(piece, "on") if row["tid"] == pid]
        self.expect(any(has_chain(row["stack"], SPINS) for row in rows), f"a piece: {rows[:3]}")

    def without(self, trace):
        self.look(trace, "--samples", 1000)
        dump = self.kutrace("dump", trace)
        self.expect("name:stack" not in dump, "stacks that nobody asked for")
        done = subprocess.run([self.program, "profile", "--stacks", "on", trace], check=False,
                              capture_output=True, text=True)
        self.expect(done.returncode == 3 and "--stacks" in done.stderr, f"{done.returncode} {done.stderr}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
