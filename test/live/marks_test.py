#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Marks of a shell script: each is in the trace, in order, with its label or number; those around a command tell how
long it took, and its status comes out, whatever ended it. And marks of a program that switches the recorder by itself.

marks_test.py KUTRACE SWITCHING. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import subprocess
import sys

import judged

SCRIPT = """
set -e
"$0" mark one
"$0" mark --number 77
"$0" mark nap -- sleep 0.3
status=0; "$0" mark a.b-9 -- sh -c 'exit 3' || status=$?
test "$status" = 3
status=0; "$0" mark gone -- sh -c 'kill -TERM $$' || status=$?
test "$status" = 143
status=0; "$0" mark stays -- sh -c 'trap "" TERM; kill -TERM $PPID; exit 4' || status=$?
test "$status" = 4
status=0; "$0" mark none -- /nonexistent/program 2>/dev/null || status=$?
test "$status" = 127
"$0" mark "cold start: Größe & \\"Weg\\" = 7"
"$0" mark "$LONG" -- true
"$0" mark six.66 -- true
"$0" mark /one
"""
LONG = "a label of many bytes, " * 40 + "ü"
LABELS = ["one", "77", "nap", "/nap", "a.b-9", "/a.b-9", "gone", "/gone", "stays", "/stays",
          'cold start: Größe & "Weg" = 7', LONG, "/" + LONG, "six.66", "/six.6", "/one"]
REFUSED = [[], ["x" * 1024], ["a\nb"], [b"\xff"], ["one", "--number", "1"], ["--number", "4294967296"], [""]]


class Test(judged.Test):
    def all(self):
        trace = self.folder / "marks.raw"
        self.record(trace, [], ["env", f"LONG={LONG}", "sh", "-c", SCRIPT, self.program])
        marks = self.marks(trace)
        self.expect(marks == LABELS, f"marks {marks}")
        told = json.loads(self.kutrace("why", "--mark", "nap", "--format", "json", trace))
        took_ms = told["duration_ns"] / 1e6
        self.expect(300 <= took_ms < 3000, f"a nap of 300 ms took {took_ms} ms")
        for words in REFUSED:
            done = subprocess.run([self.program, "mark", *words], check=False, capture_output=True, text=True)
            self.expect(done.returncode == 2 and done.stderr, f"mark {words}: {done.returncode} {done.stderr}")
        self.switched()

    def marks(self, trace):
        rows = json.loads(self.kutrace("query", "--format", "json", trace, "select name, arg from marks order by start_ns"))
        return [judged.label_of(row) for row in rows]

    def switched(self):
        trace = self.folder / "switched.raw"
        alone = subprocess.run([self.recorded, trace], check=False)
        self.expect(alone.returncode == 3, f"switched on without a recorder: {alone.returncode}")
        self.kutrace("control", "init")
        done = subprocess.run([self.recorded, trace], check=False)
        self.expect(done.returncode == 0, f"switching: {done.returncode}")
        marks = self.marks(trace)
        self.expect(marks == ["while it is on"], f"marks of what was switched on: {marks}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
