#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Chrome's JSON tells kutrace what it tells trace_processor, and exports what was exported.

chrome_test.py KUTRACE NODE TRACE_PROCESSOR SMALL_TRACE ODD_TRACE [CLANG]: number and length of the
slices of each thread and name in a made file, in one that Node writes and in one that clang writes,
beside trace_processor's; of traces that are exported and read again, time, calls, waits and marks
beside those of the trace itself."""
import json
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "exports"))
from exported import Exports  # noqa: E402
from round_trip import TIMES  # noqa: E402

OURS = "select tid, name, count(*), sum(dur_ns) from functions group by 1, 2"
THEIRS = """select t.tid, s.name, count(), sum(s.dur) from slice s
join thread_track k on s.track_id = k.id join thread t using (utid)
where s.dur >= 0 group by 1, 2"""

# What an export has of a trace, in sums that do not depend on the numbers of events.
SUMS = {
    "time by CPU and thread": TIMES,
    "time by CPU, kind and name": """select cpu, kind, name, sum(dur_ns), count(*) from spans
    where cpu is not null group by 1, 2, 3""",
    "waits": "select tid, name, count(*), sum(dur_ns) from waits group by 1, 2",
    "calls": """select tid, kind, name, count(*), sum(dur_ns), sum(own_ns), sum(on_cpu_ns),
    sum(begin_inferred), sum(end_inferred)
    from calls where tid > 0 and kind = 'syscall' group by 1, 2, 3""",
    "marks": "select tid, cpu, name, count(*), min(start_ns), max(start_ns) from marks group by 1, 2, 3",
    "wakeups": "select cpu, to_cpu, count(*), sum(dur_ns) from wakeups group by 1, 2",
}


def ask(processor, trace, *statements):
    node, folder = processor
    run = subprocess.run([node, HERE.parent / "exports" / "trace_processor.mjs", folder, trace,
                          *statements], capture_output=True, text=True, timeout=300, check=True)
    return [[tuple(row) for row in rows] for rows in json.loads(run.stdout.splitlines()[-1])]


def judge_foreign(exports, processor, trace):
    (theirs,) = ask(processor, trace, THEIRS)
    ours = {row[:2]: row[2:] for row in exports.ask(trace, OURS)}
    exports.expect(len(ours) > 1, f"{trace.name}: no slices")
    exports.equal(ours, {row[:2]: row[2:] for row in theirs}, f"{trace.name}: slices")
    run = subprocess.run([exports.program, "check", trace], capture_output=True, text=True)
    exports.expect(run.returncode == 0 and "no CPU in the file" in run.stdout,
                   f"{trace.name}: check says {run.returncode}: {run.stdout}{run.stderr}")


def made_file(path):
    """Slices within slices, as whole ones and as begins and ends, of three threads."""
    dice = random.Random(27)
    events = [{"ph": "M", "pid": 50, "tid": 50, "name": "process_name", "args": {"name": "made"}}]

    def nest(tid, begin, end, depth):
        name = f"f{dice.randrange(5)}"
        common = {"pid": 50, "tid": tid, "cat": "made", "name": name}
        if dice.random() < 0.5:
            events.append({"ph": "X", "ts": begin / 1000, "dur": (end - begin) / 1000, **common})
        else:
            events.append({"ph": "B", "ts": begin / 1000, **common})
            events.append({"ph": "E", "ts": end / 1000, **common})
        at = begin
        while depth < 4 and end - at > 3000:
            inner = at + dice.randrange(1, 1000)
            at = inner + dice.randrange(1, (end - inner) // 2)
            nest(tid, inner, at, depth + 1)

    for tid in (50, 51, 52):
        for begin in range(1_000_000, 2_000_000, 100_000):
            nest(tid, begin, begin + 90_000, 0)
    # Begins and ends are in order in the files of those who write them.
    events.sort(key=lambda event: event.get("ts", 0))
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def of_node(exports, node):
    program = exports.folder / "program.js"
    program.write_text("require('fs').readFileSync(__filename); setTimeout(() => {}, 5);\n")
    subprocess.run([node, "--trace-event-categories", "v8,node.fs.sync", program], cwd=exports.folder,
                   check=True, capture_output=True)
    return exports.folder / "node_trace.1.log"


def of_clang(exports, clang):
    source = exports.folder / "unit.cpp"
    source.write_text("#include <string>\nint main() { return std::string(\"a\").size() == 0; }\n")
    subprocess.run([clang, "-std=c++17", "-ftime-trace", "-c", source, "-o", exports.folder / "unit.o"],
                   check=True)
    return exports.folder / "unit.json"


def judge_round_trip(exports, trace):
    again = exports.export(trace, "chrome")
    for what, sql in SUMS.items():
        before, after = ({str(row): True for row in exports.ask(path, sql)} for path in (trace, again))
        exports.equal(before, after, f"{trace.name}: {what}, read again")
    subprocess.run([exports.program, "check", again], capture_output=True, check=True)


def check(exports, node, folder, small, odd, clang=None):
    judge_foreign(exports, (node, folder), made_file(exports.folder / "made.json"))
    judge_foreign(exports, (node, folder), of_node(exports, node))
    if clang:
        judge_foreign(exports, (node, folder), of_clang(exports, clang))
    traces = [exports.made(small)]
    traces += [exports.made(odd, which, "odd", "0") for which in ("lock-convoy", "priority-inversion")]
    for trace in traces + exports.recorded():
        judge_round_trip(exports, trace)


Exports.main(check)
