#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CTF traces tell kutrace what they tell babeltrace2, and damaged ones are read as far as they go.

ctf_test.py KUTRACE BABELTRACE2 FOREIGN_TRACE: counts of events and time of threads of traces that are
made here, and that babeltrace2 writes again; the same trace as CTF 2, which babeltrace2 of Debian 12
does not read, beside that of CTF 1.8; damaged ones."""
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import judge
from babeltrace_events import babeltrace_events

kutrace, babeltrace, maker = sys.argv[1:]
SUMS = "select cpu, kind, name, tid, count(*), sum(dur_ns) from spans group by 1, 2, 3, 4 order by 1, 2, 3, 4"
COMMANDS = ("info", "check", "stat", "syscalls", "why", "blame", "locks", "profile")
DAMAGES = 150


def made(folder, form):
    path = folder / form
    path.mkdir()
    subprocess.run([maker, form, path], check=True)
    return path


def written_again(folder, trace):
    path = folder / f"{trace.name}-again"
    subprocess.run([babeltrace, trace, "-c", "sink.ctf.fs", "-p",
                    f'path="{path}",assume-single-trace=yes,quiet=yes'], check=True)
    return path


def judge_places(findings, folder, trace):
    """The folder, one that holds it as `kernel`, and the metadata are the same trace."""
    nested = folder / "nested"
    nested.mkdir()
    shutil.copytree(trace, nested / "kernel")
    (nested / "kernel" / "index").mkdir()
    (nested / "kernel" / "index" / "channel0_0.idx").write_bytes(b"\xc1\xf1\xdc\xc1")
    sums = judge.Ours(kutrace, trace).ask(SUMS)
    for place in (nested, trace / "metadata"):
        findings.expect(judge.Ours(kutrace, place).ask(SUMS) == sums, f"{place.name}: another trace")
    for command in COMMANDS:
        findings.expect(judge.Ours(kutrace, trace).run(command, str(trace)), f"{command} says nothing")
    judge.Ours(kutrace, trace).run("report", str(trace), "-o", str(folder / "page.html"))
    piped = subprocess.run([kutrace, "info", "-"], stdin=(trace / "metadata").open("rb"),
                           capture_output=True, text=True)
    findings.expect(piped.returncode == 3 and "give the folder" in piped.stderr,
                    f"metadata on standard input: {piped.returncode} {piped.stderr}")
    (nested / "kernel" / "metadata").unlink()
    empty = subprocess.run([kutrace, "info", nested], capture_output=True, text=True)
    findings.expect(empty.returncode == 3 and "is a folder" in empty.stderr,
                    f"no metadata: {empty.returncode} {empty.stderr}")


def judge_runs(findings, folder, *traces):
    """A folder of traces is a side of a comparison, and a trace that is a folder is one run."""
    runs = folder / "runs"
    runs.mkdir()
    for trace in traces:
        shutil.copytree(trace, runs / trace.name)
    text = judge.Ours(kutrace, runs).run("diff", str(runs), str(traces[0]))
    findings.expect("A: 2 runs: " in text and f"B: {traces[0]}/metadata" in text, f"diff: {text[:200]}")


def judge_damage(findings, folder, trace):
    """Bytes that are changed, taken out or missing at the end: a result, or an error that says why."""
    dice = random.Random(1)
    names = sorted(path.name for path in trace.iterdir())
    for number in range(DAMAGES):
        damaged = folder / "damaged"
        shutil.rmtree(damaged, ignore_errors=True)
        shutil.copytree(trace, damaged)
        name = dice.choice(names)
        data = bytearray((damaged / name).read_bytes())
        place = dice.randrange(len(data))
        if number % 3 == 0:
            data[place] ^= 1 << dice.randrange(8)
        elif number % 3 == 1:
            del data[place:place + dice.randrange(1, 200)]
        else:
            del data[place:]
        (damaged / name).write_bytes(data)
        run = subprocess.run([kutrace, "check", damaged], capture_output=True, text=True, timeout=60)
        good = run.returncode in (0, 1) or (run.returncode == 3 and "error: " in run.stderr)
        findings.expect(good, f"{trace.name}, damage {number} of {name}: {run.returncode} {run.stderr}")


def main():
    findings = judge.Findings()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        traces = [made(folder, form) for form in ("ctf", "ctf-packets", "ctf-large", "ctf-big")]
        traces += [written_again(folder, traces[0]), written_again(folder, traces[2])]
        for trace in traces:
            judge.judge(findings, judge.Ours(kutrace, trace), babeltrace_events(babeltrace, trace), trace.name)
        second = made(folder, "ctf2")
        sums = judge.Ours(kutrace, second).ask(SUMS)
        findings.expect(len(sums) > 10, "ctf2: nothing ran")
        findings.expect(sums == judge.Ours(kutrace, folder / "ctf-large").ask(SUMS),
                        "ctf2: another trace than that of CTF 1.8")
        judge_places(findings, folder, traces[0])
        judge_runs(findings, folder, traces[0], second)
        judge_damage(findings, folder, traces[1])
        judge_damage(findings, folder, second)
    findings.finish()


main()
