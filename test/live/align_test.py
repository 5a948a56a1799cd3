#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two recordings of one machine at once, aligned as if they were of two: each saw every packet, and both tell when
they began by one clock, so that the answer is known. Then the trace of both, beside each of them.

align_test.py KUTRACE. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import re
import subprocess
import sys

import judged

ROUNDS = 300
# Two sockets that talk to each other, each message another.
PROGRAM = f"""
import os, socket, time
ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
for end in ends:
    end.bind(("127.0.0.1", 0))
    end.settimeout(10)
for round in range({ROUNDS}):
    ends[round % 2].sendto(os.urandom(64), ends[1 - round % 2].getsockname())
    ends[1 - round % 2].recv(2000)
    time.sleep(0.001)
"""
FROM = re.compile(r"^ +1 +(?P<by>\S+) +(?P<sent>[\d,]+), (?P<received>[\d,]+) +(?P<begin>\S+) s +(?P<wall>\S+) us +"
                  r"(?P<fast>\S+) +(?P<within>\S+) us", re.MULTILINE)
THREADS = 1 << 22  # from here on are those of the second machine


class Test(judged.Test):
    def query(self, trace, sql):
        return json.loads(self.kutrace("query", trace, "--format", "json", sql))

    def fact(self, trace, key):
        return int(self.query(trace, f"select value from metadata where key = '{key}'")[0]["value"])

    def align(self, *words):
        done = subprocess.run([self.program, "align", *map(str, words)], check=False, capture_output=True, text=True)
        self.expect(done.returncode == 0, f"align: {done.stderr}")
        return done.stdout

    def judge_clock(self, inner, outer, table):
        found = FROM.search(table)
        if found is None:
            self.expect(False, f"align says something else:\n{table}")
            return
        number = {name: text.replace(",", "") for name, text in found.groupdict().items()}
        self.expect(int(number["sent"]) >= ROUNDS // 2 and int(number["received"]) >= ROUNDS // 2,
                    f"of {ROUNDS} packets align uses {found['sent']} and {found['received']}")
        truth = (self.fact(outer, "start_monotonic_ns") - self.fact(inner, "start_monotonic_ns")) / 1e3
        within = float(number["within"])
        error = abs(float(number["begin"]) * 1e6 - truth)
        # What was printed is rounded to a microsecond.
        self.expect(error <= within + 2, f"off by {error} us, and known within {within} us")
        self.expect(within < 1000, f"known within {within} us only")
        self.expect(abs(float(number["wall"])) <= within + 1000, f"one wall clock is {number['wall']} us ahead of itself")

    def sums(self, trace, second):
        """Time and number of spans of each kind, of the first or second machine's CPUs."""
        cpus = self.query(trace, "select max(cpu) + 1 as count from cpus")[0]["count"] // (1 if second is None else 2)
        part = {None: "cpu >= 0", False: f"cpu < {cpus}", True: f"cpu >= {cpus}"}[second]
        rows = self.query(trace, f"select kind, count(*) as n, sum(dur_ns) as ns from spans where {part} and "
                                 "kind not in ('loss', 'message') group by kind order by kind")
        return {row["kind"]: (row["n"], row["ns"]) for row in rows}

    def all(self):
        inner, outer, both = (self.folder / f"{name}.raw" for name in ("inner", "outer", "both"))
        self.record(outer, [], [self.program, "record", "--source", "ebpf", "-o", inner, "--", sys.executable, "-c", PROGRAM])
        self.judge_clock(inner, outer, self.align(inner, outer))
        self.align(inner, outer, "-o", both)
        self.kutrace("check", both)
        for trace, second in ((inner, False), (outer, True)):
            alone, together = self.sums(trace, None), self.sums(both, second)
            for kind in alone.keys() | together.keys():
                one, other = alone.get(kind, (0, 0)), together.get(kind, (0, 0))
                # Where two clocks are compared, lengths change by their drift.
                near = one[0] == other[0] and abs(one[1] - other[1]) <= 1e-4 * one[1] + one[0]
                self.expect(near, f"{trace.name}: {kind}: {one} alone, {other} together")
        named = self.query(both, f"select count(*) as n from threads where tid >= {THREADS} and thread like 'python%'")
        self.expect(named[0]["n"] > 0, "threads of the second machine have no names")
        wall = self.align("--clock", "wall", inner, outer)
        self.expect("wall" in wall, f"--clock wall: {wall}")
        silent = self.folder / "silent.raw"
        self.record(silent, ["--packets", "0"], ["true"])
        refused = subprocess.run([self.program, "align", str(inner), str(silent)], check=False, capture_output=True, text=True)
        self.expect(refused.returncode == 3 and "no packets" in refused.stderr, f"without packets: {refused}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
