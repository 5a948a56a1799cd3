#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each form of export, each of its judges, each of some traces: equal, or what differs.

judge_table.py KUTRACE NODE WEB TRACE_PROCESSOR BABELTRACE2 JUDGES SMALL_TRACE ODD_TRACE [TRACE...]:
traces are recordings of this machine under loads of their own, made ones, and those that are named.
WEB and JUDGES hold node_modules. Prints a table in Markdown: a cell is the number of comparisons that
were equal, or of those that were not; what differs stands below it.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import ctf_test
import forms_test
import perfetto_test
from exported import Exports

ENGINE = pathlib.Path(__file__).parent.parent / "judges" / "engine.mjs"
LOADS = {
    "files": "find /usr/share/doc -type f | head -300 | xargs -d '\\n' cat | gzip -1 | wc -c",
    "forks": "for i in $(seq 60); do /bin/true; done; dd if=/dev/zero of=written bs=64k count=8 conv=fsync",
}
BY_KIND = "select kind, count(*), sum(dur_ns) from spans group by kind"


class Judges:
    def __init__(self, node, web, processor, babeltrace, judges):
        self.node, self.web, self.processor = node, web, processor
        self.babeltrace, self.judges = babeltrace, judges

    def engine(self, name, read, form):
        """An engine's sums of a file, as kutrace query has them."""
        def check(exports, path):
            table = read.format(exports.export(path, form))
            sql = f"{BY_KIND.replace('spans', table)}"
            run = subprocess.run([self.node, ENGINE, self.judges, name], input=json.dumps([sql]),
                                 capture_output=True, text=True, check=True)
            theirs = {row[0]: [int(row[1]), int(row[2])] for row in json.loads(run.stdout)[0]["rows"]}
            ours = {row[0]: list(row[1:]) for row in exports.ask(path, BY_KIND)}
            executions = {kind: sums for kind, sums in theirs.items() if kind in ours}
            exports.equal(ours, executions, f"{path.name}: {form} by {name}")
        return check

    def all(self):
        """Form, judge, and how a trace is judged."""
        def form(check, *words):
            return lambda exports, path: check(*words, forms_test.Trace(exports, path))
        return [
            ("perfetto", "trace_processor", lambda exports, path: perfetto_test.check_trace(
                exports, self.node, self.processor, path)),
            ("ctf", "babeltrace2", lambda exports, path: ctf_test.check_trace(exports, self.babeltrace, path)),
            ("chrome", "trace_processor", lambda exports, path: forms_test.check_chrome(
                exports, self.node, self.processor, forms_test.Trace(exports, path))),
            ("pprof", "pprof-format", form(forms_test.check_pprof, self.node, self.web)),
            ("speedscope", "Python", form(forms_test.check_speedscope)),
            ("folded", "Python", form(forms_test.check_folded)),
            ("parquet", "hyparquet", form(forms_test.check_parquet, self.node, self.web)),
            ("parquet", "DuckDB", self.engine("duckdb", "read_parquet('{}')", "parquet")),
            ("parquet", "ClickHouse", self.engine("chdb", "file('{}', Parquet)", "parquet")),
            ("csv", "Python", form(forms_test.check_csv)),
            ("csv", "DuckDB", self.engine("duckdb", "read_csv('{}')", "csv")),
            ("otlp", "Python", lambda exports, path: forms_test.check_otlp(
                exports, forms_test.Trace(exports, path))),
        ]


def recorded(program, folder):
    for name, load in LOADS.items():
        path = folder / f"{name}.raw"
        run = subprocess.run([program, "record", "-q", "-o", path, "--", "sh", "-c", f"{{ {load}; }} >/dev/null 2>&1"],
                             cwd=folder, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"this machine cannot be recorded: {run.stderr}")
        yield path


def cell(judge, program, path, findings):
    with tempfile.TemporaryDirectory(prefix="kutrace-exports-") as folder:
        exports = Exports(program, folder)
        judge(exports, path)
    findings += exports.findings
    if exports.findings:
        return f"{len(exports.findings)} of {exports.checked} differ"
    return f"{exports.checked}" if exports.checked else "nothing to compare"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    node, web, processor, babeltrace, judges, small, odd, *named = sys.argv[2:]
    findings = []
    with tempfile.TemporaryDirectory(prefix="kutrace-judged-") as where:
        maker = Exports(program, where)
        traces = [*map(pathlib.Path, named), *recorded(program, maker.folder),
                  maker.made(small, "large"), maker.made(small, "lossy"),
                  maker.made(odd, "lock-convoy", "odd", "0")]
        sys.stdout = sys.stderr  # what the judges say of their work
        rows = [[form, name, *(cell(judge, program, path, findings) for path in traces)]
                for form, name, judge in Judges(node, web, processor, babeltrace, judges).all()]
        sys.stdout = sys.__stdout__
        heads = ["form", "judge", *(path.stem for path in traces)]
        spans = ["spans", "", *(f"{maker.ask(path, 'select count(*) from spans')[0][0]:,}" for path in traces)]
        for row in [heads, ["---"] * len(heads), spans, *rows]:
            print("| " + " | ".join(row) + " |")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
