#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is exported to stacks, tables and requests says the same as kutrace query, read by others.

forms_test.py KUTRACE NODE WEB TRACE_PROCESSOR SMALL_TRACE [TRACE...]: pprof by pprof-format, Parquet
by hyparquet, Chrome's JSON by trace_processor; CSV, speedscope, folded stacks and OTLP by Python.
"""
import csv
import json
import pathlib
import subprocess

from exported import Exports

HERE = pathlib.Path(__file__).parent


def run_json(*words):
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


class Trace:
    """A trace and what kutrace says of it."""

    def __init__(self, exports, path):
        self.exports, self.path, self.name = exports, path, path.name
        self.kinds = exports.sums(path, "select kind, sum(dur_ns) from spans group by 1")
        self.waits = sum(row[0] or 0 for row in exports.ask(path, "select sum(dur_ns) from waits"))
        self.spans = exports.ask(path, "select count(*) from spans")[0][0]
        threads = "select coalesce(tid, 0), sum(dur_ns) from spans where kind not in ('loss', 'hidden') group by 1"
        self.threads = exports.sums(path, threads)

    def stacks(self, form, stacks):
        """Stacks as (frames, time, is a wait); all time is there, under the thread whose it was."""
        check = self.exports.equal
        running = [(frames, time) for frames, time, wait in stacks if not wait]
        check({"all": sum(self.kinds.values())}, {"all": sum(time for _, time in running)},
              f"{self.name}: time in {form}")
        check({"all": self.waits}, {"all": sum(time for _, time, wait in stacks if wait)},
              f"{self.name}: waits in {form}")
        threads = {}
        for frames, time in running:
            # server.10;worker.11;read: the last frame that ends in a thread's number is the thread.
            numbers = [frame.rpartition(".")[2] for frame in frames[:2]]
            owners = [int(number) for number in numbers if number.isdigit() and int(number) > 0]
            if frames[0] in ("-loss-", "-hidden-"):
                continue
            tid = owners[-1] if owners else 0
            threads[tid] = threads.get(tid, 0) + time
        check(self.threads, threads, f"{self.name}: threads in {form}")

    def rows(self, form, rows):
        """Rows of a table, as dictionaries."""
        kinds, spans = {}, 0
        executions = set(self.kinds)
        for row in rows:
            if row["kind"] in executions:
                kinds[row["kind"]] = kinds.get(row["kind"], 0) + int(row["dur_ns"])
                spans += 1
        self.exports.equal(self.kinds, kinds, f"{self.name}: time by kind in {form}")
        self.exports.equal({"spans": self.spans}, {"spans": spans}, f"{self.name}: {form}")
        calls = self.exports.sums(self.path, """select tid, name, sum(result) from spans
        where kind = 'syscall' and result is not null group by 1, 2""")
        results = {}
        for row in rows:
            if row["kind"] == "syscall" and row["result"] not in ("", None):
                key = int(row["tid"]), row["name"]
                results[key] = results.get(key, 0) + int(row["result"])
        self.exports.equal(calls, results, f"{self.name}: results in {form}")


def folded(path):
    for line in path.read_text().splitlines():
        stack, _, time = line.rpartition(" ")
        frames = stack.split(";")
        yield frames, int(time), frames[-1].startswith("wait:")


def speedscope(path):
    told = json.loads(path.read_text())
    frames = [frame["name"] for frame in told["shared"]["frames"]]
    for profile in told["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds"
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] == sum(profile["weights"])
        for sample, weight in zip(profile["samples"], profile["weights"]):
            stack = [frames[number] for number in sample]
            yield stack, weight, stack[-1].startswith("wait:")


def check_chrome(exports, node, processor, trace):
    path = exports.export(trace.path, "chrome")
    json.loads(path.read_text())
    answers = run_json(node, HERE / "trace_processor.mjs", processor, path,
                       "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
                       """select s.category, sum(s.dur) from slice s join thread_track k on s.track_id = k.id
                       join thread t using (utid) join process p using (upid) where p.name = 'CPUs'
                       group by 1 having sum(s.dur) > 0""",
                       """select t.tid, sum(s.dur) from slice s join thread_track k on s.track_id = k.id
                       join thread t using (utid) join process p using (upid)
                       where p.name = 'threads' and s.category = 'syscall' group by 1""")
    exports.expect(not answers[0], f"{trace.name}: trace_processor counts {answers[0]} in Chrome's JSON")
    exports.equal(trace.kinds, {row[0]: row[1] for row in answers[1]}, f"{trace.name}: Chrome's JSON")
    exports.equal(exports.sums(trace.path, """select tid, sum(dur_ns) from calls
                               where kind = 'syscall' and tid > 0 group by 1"""),
                  {row[0]: row[1] for row in answers[2]}, f"{trace.name}: calls in Chrome's JSON")


def check_otlp(exports, trace):
    told = json.loads(exports.export(trace.path, "otlp").read_text())
    spans = told["resourceSpans"][0]["scopeSpans"][0]["spans"]
    requests = exports.ask(trace.path, "select count(*) from points where name glob '*' and event = 513")
    responses = exports.ask(trace.path, "select count(*) from points where event = 514")
    ids = {span["spanId"] for span in spans}
    exports.expect(len(ids) == len(spans), f"{trace.name}: numbers of OTLP spans are not different")
    rpcs = 0
    for span in spans:
        exports.expect(int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
                       and len(span["traceId"]) == 32 and len(span["spanId"]) == 16
                       and span.get("parentSpanId", "") in ids | {""}, f"{trace.name}: span {span}")
        rpcs += any(one["key"] == "kutrace.rpc" for one in span["attributes"])
    exports.expect(rpcs <= min(requests[0][0], responses[0][0]),
                   f"{trace.name}: {rpcs} requests of {requests} and {responses}")
    return rpcs


def check_folded(trace):
    trace.stacks("folded stacks", list(folded(trace.exports.export(trace.path, "folded"))))


def check_speedscope(trace):
    trace.stacks("speedscope", list(speedscope(trace.exports.export(trace.path, "speedscope"))))


def check_pprof(node, web, trace):
    samples = run_json(node, HERE / "read_export.mjs", web, "pprof", trace.exports.export(trace.path, "pprof"))
    trace.stacks("pprof", [(one["frames"], one["values"][1], one["labels"]["state"] == "waiting")
                           for one in samples])


def check_csv(trace):
    with trace.exports.export(trace.path, "csv").open(newline="") as text:
        trace.rows("CSV", list(csv.DictReader(text)))


def check_parquet(node, web, trace):
    read = run_json(node, HERE / "read_export.mjs", web, "parquet", trace.exports.export(trace.path, "parquet"))
    trace.rows("Parquet", read["rows"])
    for column in ("start_ns", "dur_ns", "event"):
        values = [row[column] for row in read["rows"]]
        bounds = [group["bounds"][column] for group in read["groups"]]
        trace.exports.expect(min(values) == min(bound[0] for bound in bounds)
                             and max(values) == max(bound[1] for bound in bounds),
                             f"{trace.name}: bounds of {column} in Parquet's footer: {bounds}")


def check_windows(exports, trace):
    """What lies between the windows is hidden in what holds spans, so that all adds up."""
    for ending in ("kux", "html", "json"):
        part = exports.folder / f"windows.{ending}"
        subprocess.run([exports.program, "export", "--label", "part", trace, "-o", part], check=True)
        judged = subprocess.run([exports.program, "check", part], check=False, capture_output=True, text=True)
        exports.expect(judged.returncode == 0, f"two windows as {ending}: {judged.stdout} {judged.stderr}")
        lost = exports.ask(part, "select count(*) from spans where kind = 'loss'")
        ours = exports.ask(trace, "select count(*) from spans where kind = 'loss'")
        exports.expect(lost <= ours, f"two windows as {ending}: {lost} losses, {ours} in all")


def check(exports, node, web, processor, small, *traces):
    rpcs = 0
    recorded = exports.recorded()
    for path in recorded:
        check_windows(exports, path)
    made = [exports.made(small), exports.made(small, "large"), *recorded]
    for path in made + [pathlib.Path(trace) for trace in traces]:
        trace = Trace(exports, path)
        check_folded(trace)
        check_speedscope(trace)
        check_pprof(node, web, trace)
        check_csv(trace)
        check_parquet(node, web, trace)
        check_chrome(exports, node, processor, trace)
        rpcs += check_otlp(exports, trace)
        print(f"{trace.name}: {trace.spans} spans, {sum(trace.kinds.values())} ns, {trace.waits} ns of waits")
    exports.expect(rpcs > 0, "no trace has a request")


if __name__ == "__main__":
    Exports.main(check)
