#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of other tools, and what these print of them, tell kutrace what they tell those tools.

judged_test.py KUTRACE TRACE_CMD PERF FOREIGN_TRACE: counts of events and time of threads of made
files, beside what trace-cmd report and perf script print of them; the same of that text."""
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
    "perf": ([perf, "script", "--ns", "-F", "comm,tid,cpu,time,event,trace", "-i"], judge.PERF),
    "perf-stream": ([perf, "script", "--ns", "-F", "comm,tid,cpu,time,event,trace", "-i"], judge.PERF),
}



def texts(form, words, path, printed):
    """Forms in which the tool prints the file: as above, and by itself."""
    yield "as text", printed
    if form == "dat6":
        # Plugins print some events in a form of their own; times are whole microseconds.
        plain = [trace_cmd, "report"]
        yield "by plugins", subprocess.run([*plain, "-t", path], capture_output=True, text=True).stdout
        yield "in microseconds", subprocess.run([*plain, path], capture_output=True, text=True).stdout
    if form == "perf":
        yield "plain", subprocess.run([perf, "script", "-i", path], capture_output=True,
                                      text=True).stdout


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
        for name, lines in texts(form, words, path, run.stdout):
            judge.judge_text(findings, kutrace, path, lines, theirs, f"{form}, {name}")
findings.finish()
