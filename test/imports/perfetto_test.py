#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Perfetto's traces tell kutrace what they tell trace_processor, and exports what was exported.

perfetto_test.py KUTRACE NODE TRACE_PROCESSOR FOREIGN_TRACE SMALL_TRACE ODD_TRACE: time by CPU and
thread, system calls and interrupts of made files, beside trace_processor's; of traces that are
exported and read again, beside those of the trace itself."""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "exports"))
from exported import Exports, by_key  # noqa: E402
from round_trip import OUR_CALLS, OUR_IRQS, RUNS, judge_round_trip, knows  # noqa: E402

MADE = ("perfetto", "perfetto-packed", "perfetto-compact")

# Up to each CPU's last switch, which nothing ends.
SCHED = """with last as (select cpu, max(ts) as ts from sched group by cpu)
select s.cpu, t.tid, sum(s.dur) from sched s join last l using (cpu) join thread t using (utid)
where s.ts < l.ts group by 1, 2 having sum(s.dur) > 0"""
BOUNDS = "select cpu, min(ts), max(ts) from sched group by 1"
# trace_processor's times are those of CLOCK_BOOTTIME.
CLOCKS = """select b.clock_value - m.clock_value from clock_snapshot b join clock_snapshot m using (ts)
where b.clock_name = 'BOOTTIME' and m.clock_name = 'MONOTONIC' limit 1"""
CALLS = """select t.tid, s.name, count(), sum(s.dur) from slice s
join thread_track k on s.track_id = k.id join thread t using (utid)
where s.name glob 'sys_*' and s.dur >= 0 group by 1, 2"""
IRQS = "select name, count(), sum(dur) from slice where name glob 'IRQ (*' and dur >= 0 group by 1"

IN_WINDOW = f"""select cpu, coalesce(tid, 0), sum(min(end_ns, {{1}}) - max(start_ns, {{0}})) from spans
where cpu = {{2}} and end_ns > {{0}} and start_ns < {{1}} and {RUNS} group by 1, 2"""


def ask(processor, trace, *statements):
    node, folder = processor
    run = subprocess.run([node, HERE.parent / "exports" / "trace_processor.mjs", folder, trace,
                          *statements], capture_output=True, text=True, timeout=300, check=True)
    return [[tuple(row) for row in rows] for rows in json.loads(run.stdout.splitlines()[-1])]


def judge_made(exports, processor, trace):
    name = trace.stem
    bounds, sched, [(behind,)], calls, irqs = ask(processor, trace, BOUNDS, SCHED, CLOCKS, CALLS, IRQS)
    zero = int(knows(exports, trace, "start_monotonic_ns"))
    ours = {}
    for cpu, begin, end in bounds:
        window = (begin - behind - zero, end - behind - zero, cpu)
        ours.update(exports.sums(trace, IN_WINDOW.format(*window)))
    exports.expect(len(ours) > 4, f"{name}: nothing ran")
    exports.equal({key: time for key, time in ours.items() if time}, by_key(sched),
                  f"{name}: time by CPU and thread")
    exports.equal({row[:2]: row[2:] for row in exports.ask(trace, OUR_CALLS)},
                  {(row[0], row[1].removeprefix("sys_")): row[2:] for row in calls},
                  f"{name}: system calls")
    exports.equal({f"IRQ ({row[0]})": row[1:] for row in exports.ask(trace, OUR_IRQS)},
                  {row[0]: row[1:] for row in irqs}, f"{name}: interrupts")


def check(exports, node, folder, foreign, small, odd):
    for form in MADE:
        path = exports.folder / f"{form}.pftrace"
        path.write_bytes(subprocess.run([foreign, form], capture_output=True, check=True).stdout)
        judge_made(exports, (node, folder), path)
    traces = [exports.made(small)]
    traces += [exports.made(odd, which, "odd", "0") for which in ("lock-convoy", "priority-inversion")]
    for trace in traces + exports.recorded():
        judge_round_trip(exports, trace, "perfetto")


Exports.main(check)
