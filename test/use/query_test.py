#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What kutrace query adds to SQLite says what other commands say of the same trace: critical paths,
shared time, reasons of waits, sums of threads; and rows of JSON lose no column.

query_test.py KUTRACE SMALL_TRACE
"""
import csv
import io
import json
import os
import subprocess

from commands import Checks

CALLS = ("select name, tid, start_ns, end_ns, dur_ns from calls where kind = 'syscall' and "
         "begin_inferred = 0 and end_inferred = 0")


class Query(Checks):
    def run(self, *words):
        done = subprocess.run([self.commands.program, *map(str, words)], capture_output=True,
                              text=True)
        self.expect(done.returncode == 0, f"{words}: status {done.returncode}: {done.stderr}")
        return done.stdout

    def asked(self, trace, sql):
        return json.loads(self.run("query", "--format", "json", trace, sql))

    def paths(self, trace):
        calls = self.asked(trace, CALLS)
        self.expect(len(calls) > 5, f"{trace.name}: next to no calls")
        for name in {call["name"] for call in calls}:
            slowest = max((call for call in calls if call["name"] == name),
                          key=lambda call: (call["dur_ns"], -call["start_ns"]))
            told = self.run("why", "--call", name, "--format", "csv", trace)
            sql = ("select start_ns as begin_ns, dur_ns as duration_ns, cpu, thread, cause, text from "
                   f"critical_path({slowest['tid']}, {slowest['start_ns']}, {slowest['end_ns']})")
            rows = list(csv.reader(io.StringIO(self.run("query", "--format", "csv", trace, sql))))
            self.expect(rows == list(csv.reader(io.StringIO(told))),
                        f"{trace.name}: the path of {name} is not that of why")
        sums = self.asked(trace, "select c.id, c.dur_ns, sum(p.dur_ns) as path_ns from calls c, "
                                 "critical_path(c.tid, c.start_ns, c.end_ns) p where c.tid > 0 "
                                 "group by c.id")
        self.expect(len(sums) >= len(calls), f"{trace.name}: calls have no path")
        self.expect(all(row["dur_ns"] == row["path_ns"] for row in sums),
                    f"{trace.name}: pieces of a path are not its interval")
        for nothing in ("123456789, 0, 1000", "0, 0, 1000", "10, 1000, 1000", "null, 0, 1000"):
            self.expect(not self.asked(trace, f"select * from critical_path({nothing})"),
                        f"{trace.name}: critical_path({nothing}) has rows")

    def statements_before_an_error(self):
        done = subprocess.run([self.commands.program, "query", self.whole], capture_output=True, text=True,
                              input="select 41 + 1 as n;\nselect no_such_column;\nselect 43 as n;\n")
        self.expect(done.returncode == 2 and done.stdout.split() == ["n", "42"],
                    f"a statement before a wrong one: status {done.returncode}, {done.stdout!r}")

    def overlaps(self):
        one = self.asked(self.whole, "select sum(part_ns) as ns from overlap(100000, 300000)")
        other = self.asked(self.whole, "select sum(overlap(start_ns, end_ns, 100000, 300000)) as ns "
                                       "from spans")
        self.expect(one == other and one[0]["ns"] > 0, f"shared time is {other}, not {one}")
        row = self.asked(self.whole, "select overlap(0, 10, 5, 20) as a, overlap(0, 1, 5, 6) as b, "
                                     "overlap(9, 3, 0, 20) as c, overlap(null, 1, 2, 3) as d")[0]
        self.expect(list(row.values()) == [5, 0, 0, None], f"overlap: {row}")

    def columns(self):
        """What columns a table has is said by SQLite's own words, too; no other pragma is."""
        row = self.asked(self.whole, "select * from calls limit 1")[0]
        for sql in ("select name from pragma_table_info('calls')", "pragma table_info(calls)"):
            names = [column["name"] for column in self.asked(self.whole, sql)]
            self.expect(names == list(row), f"{sql}: {names}, not {list(row)}")
        for sql in ("pragma table_list", "pragma journal_mode = off", "select * from pragma_database_list"):
            done = subprocess.run([self.commands.program, "query", self.whole, sql], capture_output=True, text=True)
            self.expect(done.returncode == 2 and "not authorized" in done.stderr, f"{sql}: {done}")

    def keys(self):
        text = self.run("query", "--format", "json", self.whole,
                        "select 1 as a, 2 as a, 3 as a_2, 4 as b, 5 as a")
        rows = json.loads(text, object_pairs_hook=list)
        self.expect(rows == [[("a", 1), ("a_3", 2), ("a_2", 3), ("b", 4), ("a_4", 5)]],
                    f"columns of one name: {text}")

    def several(self):
        """JSON of several statements is one document, however they are given."""
        for words in (["-e", "select 1 as a", "-e", "select 2 as a where 0;select 3 as a", self.whole],
                      [self.whole, "select 1 as a; select 2 as a where 0; -- end\nselect 3 as a;"]):
            rows = json.loads(self.run("query", "--format", "json", *words))
            self.expect(rows == [[{"a": 1}], [], [{"a": 3}]], f"{words}: {rows}")

    def threads(self):
        """Span JSON tells of no lives: what its spans hold is summed up."""
        spans = self.folder / "whole.json"
        self.run("spans", self.whole, "-o", spans)
        rows = self.asked(spans, "select tid, on_cpu_ns, start_ns from threads where tid > 0 and "
                                 "on_cpu_ns > 0")
        sums = self.asked(spans, "select tid, sum(dur_ns) as ns from spans where tid > 0 group by tid")
        self.expect({row["tid"]: row["on_cpu_ns"] for row in rows} ==
                    {row["tid"]: row["ns"] for row in sums}, "threads of span JSON lack their time")
        self.expect(all(row["start_ns"] is None for row in rows), "span JSON tells when threads began")

    def waits(self):
        names = {row["name"] for row in self.asked(self.whole, "select distinct name from waits")}
        self.expect(names and not any(name.startswith("wait_") for name in names),
                    f"waits are called {names}")
        for name in names:
            self.run("blame", "--wait", name, self.whole)
        # All of them are in the sums of calls, also those without a reason.
        self.expect("unexplained" in names, f"all waits are explained: {names}")
        calls = self.asked(self.whole, "select id, wait_ns from calls where wait_ns > 0 order by id")
        sums = self.asked(self.whole, "select call_id as id, sum(dur_ns) as wait_ns from waits "
                                      "where call_id > 0 group by 1 order by 1")
        self.expect(calls == sums, f"calls waited {calls}, and their waits are {sums}")

    def requests(self, trace):
        """What stat tells of each request, by SQL over spans; and how many there are, by all."""
        told = json.loads(self.run("stat", "--request", "*..*", "--by", "request,thread", "--format",
                                   "json", trace))
        rows = told["tables"][0]["rows"]
        self.expect(len(rows) > 5, f"{trace.name}: next to no requests")
        values = ", ".join(f"({n}, {row['pid']}, {row['begin_ns']}, {row['end_ns']})"
                           for n, row in enumerate(rows))
        parts = self.asked(trace, f"""with r(n, tid, b, e) as (values {values})
            select r.n, sum(iif(s.kind = 'user', overlap(s.start_ns, s.end_ns, b, e), 0)) as user_ns,
              sum(iif(s.kind in ('irq', 'softirq'), overlap(s.start_ns, s.end_ns, b, e), 0))
                as interrupts_ns, sum(overlap(s.start_ns, s.end_ns, b, e)) as executing_ns
            from r join spans s on s.tid = r.tid group by r.n order by r.n""")
        waits = self.asked(trace, f"""with r(n, tid, b, e) as (values {values})
            select r.n, sum(overlap(w.start_ns, w.end_ns, b, e)) as waiting_ns
            from r left join waits w on w.tid = r.tid group by r.n order by r.n""")
        for row, part, wait in zip(rows, parts, waits, strict=True):
            self.expect(all(row[name] == part[name] for name in part if name != "n"),
                        f"{trace.name}: SQL tells {part} of {row}")
            self.expect(sum(row["waits_ns"].values()) == (wait["waiting_ns"] or 0),
                        f"{trace.name}: SQL tells {wait} of {row}")
            self.expect(row["took_ns"] == row["executing_ns"] + sum(row["waits_ns"].values()) +
                        row["unknown_ns"] == row["end_ns"] - row["begin_ns"],
                        f"{trace.name}: parts of {row} do not add up to it")
        of_calls = json.loads(self.run("syscalls", "--request", "*..*", "--format", "json", trace))
        why = json.loads(self.run("why", "--request", "*..*", "--slowest", "100%", "--format", "json",
                                  trace))
        self.expect(of_calls["requests"] == told["requests"], f"{trace.name}: {of_calls['requests']}")
        self.expect((why["slow"], why["slow_ns"]) ==
                    (told["requests"]["count"], told["requests"]["total_ns"]),
                    f"{trace.name}: why has {why['slow']} requests of {why['slow_ns']} ns")
        calls = sum(group["calls"] for group in of_calls["groups"])
        for rows in (table["rows"] for table in told["tables"]):
            self.expect(sum(row["syscalls"] for row in rows) == calls, f"{trace.name}: calls of {rows}")
            self.expect(sum(row["took_ns"] for row in rows) == told["requests"]["total_ns"],
                        f"{trace.name}: {rows} are not all requests")

    def all(self):
        version = self.run("--version")
        if "SQL: yes" not in version:
            print("SKIPPED: built without SQL")
            self.expect(os.environ.get("CI") != "true", "the program lacks SQL")
            return
        container = self.folder / "whole.kux"
        self.run("report", self.whole, "-o", container)
        for trace in (self.whole, container):
            self.paths(trace)
            self.requests(trace)
        self.overlaps()
        self.statements_before_an_error()
        self.columns()
        self.keys()
        self.several()
        self.threads()
        self.waits()


if __name__ == "__main__":
    Query.main()
