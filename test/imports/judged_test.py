#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of other tools tell kutrace what they tell those tools.

judged_test.py KUTRACE TRACE_CMD PERF FOREIGN_TRACE: counts of events and time of threads of made
files, beside what trace-cmd report and perf script print of them."""
import pathlib
import subprocess
import sys
import tempfile

import judge

kutrace, trace_cmd, perf, maker = sys.argv[1:]
TOOLS = {
    "dat6": ([trace_cmd, "report", "-N", "-t"], judge.TRACE_CMD),
    "dat7": ([trace_cmd, "report", "-N", "-t"], judge.TRACE_CMD),
    "dat7-packed": ([trace_cmd, "report", "-N", "-t"], judge.TRACE_CMD),
    "perf": ([perf, "script", "--ns", "-F", "tid,cpu,time,event,trace", "-i"], judge.PERF),
    "perf-stream": ([perf, "script", "--ns", "-F", "tid,cpu,time,event,trace", "-i"], judge.PERF),
}

findings = judge.Findings()
with tempfile.TemporaryDirectory() as folder:
    for form, (words, pattern) in TOOLS.items():
        path = pathlib.Path(folder) / form
        path.write_bytes(subprocess.run([maker, form], capture_output=True, check=True).stdout)
        run = subprocess.run([*words, str(path)], capture_output=True, text=True)
        theirs = judge.events(run.stdout.splitlines(), pattern)
        if not theirs:
            findings.expect(False, f"{form}: {words[0]} reads no event: {run.stderr[:500]}")
            continue
        judge.judge(findings, judge.Ours(kutrace, path), theirs, form)
findings.finish()
