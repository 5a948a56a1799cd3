#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs every query of doc/queries.md on the small trace, and compares what comes out with the block
behind it.

queries_test.py KUTRACE SMALL_TRACE DOCUMENT [--update]; --update writes what came out.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"```sql\n(.*?)```\n\n```\n(.*?)```\n", re.S)


def answer(program, trace, sql):
    run = subprocess.run([program, "query", trace], input=sql, capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else f"status {run.returncode}\n{run.stderr}"


def main(program, small_trace, document, *options):
    if "SQL: yes" not in subprocess.run([program, "--version"], capture_output=True,
                                        text=True).stdout:
        print("SKIPPED: built without SQLite")
        return 0
    path = pathlib.Path(document)
    text = path.read_text(encoding="utf-8")
    queries = text.count("```sql\n")
    differences = []
    with tempfile.TemporaryDirectory(prefix="kutrace-queries-") as folder:
        trace = pathlib.Path(folder) / "trace.raw"
        trace.write_bytes(subprocess.run([small_trace], capture_output=True, check=True).stdout)

        def run(match):
            got = answer(program, str(trace), match.group(1))
            if got != match.group(2):
                differences.append(f"{match.group(1)}gives\n{got}and not\n{match.group(2)}")
            return f"```sql\n{match.group(1)}```\n\n```\n{got}```\n"

        new, count = BLOCK.subn(run, text)
    if "--update" in options:
        path.write_text(new, encoding="utf-8")
        return 0
    for difference in differences:
        print(difference)
    if count != queries or count == 0:
        differences.append("")
        print(f"{count} of {queries} queries have their output behind them")
    print(f"{count} queries, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
