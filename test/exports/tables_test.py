#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of Parquet say the same as kutrace query and blame, read by hyparquet; and they have
the columns that scripts/fleet tells to Trino, which alone must be told them.

tables_test.py KUTRACE NODE WEB SMALL_TRACE
"""
import json
import pathlib
import re
import subprocess

from exported import Exports

HERE = pathlib.Path(__file__).parent
TRINO = HERE.parent.parent / "scripts" / "fleet" / "tables.trino.sql"
NO_BIRTHS = "not (kind = 'syscall' and begin_inferred = 1 and name in ('clone', 'clone3', 'fork', 'vfork'))"
CALLS = "sum(dur_ns), sum(own_ns), sum(on_cpu_ns), sum(wait_ns), sum(ready_ns), sum(unknown_ns), sum(result), count(error)"
# What kutrace query says of a table, and by which columns a row of it is found.
WANTED = {
    "calls": (f"select kind, name, count(*), {CALLS} from calls group by 1, 2", ("kind", "name")),
    "threads": ("""select tid, count(*), sum(on_cpu_ns), sum(wait_ns), sum(unknown_ns), sum(start_ns), sum(end_ns)
                   from threads where start_ns is not null group by 1""", ("tid",)),
    "losses": ("select reason, count(*), sum(dur_ns), sum(entries), sum(cpu) from losses group by 1", ("reason",)),
    "meta": ("select key, value, count(*) from metadata group by 1, 2", ("key", "value")),
    "totals": (f"""select 'call' as what, kind, name, count(*), sum(dur_ns), min(dur_ns), max(dur_ns), sum(on_cpu_ns),
                   sum(wait_ns), sum(ready_ns), sum(case when kind = 'syscall' then error is not null else 0 end)
                   from calls where {NO_BIRTHS} group by 2, 3
                   union all select 'wait', 'wait', name, count, total_ns, min_ns, max_ns, 0, total_ns,
                   iif(name = 'ready', total_ns, 0), 0 from wait_totals
                   union all select 'cpu', kind, coalesce(name, ''), count, total_ns, min_ns, max_ns, total_ns,
                   0, 0, 0 from span_totals""", ("what", "kind", "name")),
}
# The sums of Parquet's rows, in the order of the columns above behind the keys.
SUMS = {
    "calls": ["", "dur_ns", "own_ns", "on_cpu_ns", "wait_ns", "ready_ns", "unknown_ns", "result", "error"],
    "threads": ["", "on_cpu_ns", "wait_ns", "unknown_ns", "start_ns", "end_ns"],
    "losses": ["", "dur_ns", "entries", "cpu"],
    "meta": [""],
    "totals": ["count", "total_ns", "min_ns", "max_ns", "on_cpu_ns", "wait_ns", "ready_ns", "errors"],
}


def put(column, sums, place, row):
    """Counts rows, texts that are there, sums numbers; or the least and the most."""
    value = row.get(column)
    if column in ("min_ns", "max_ns"):
        least = min if column == "min_ns" else max
        sums[place] = value if sums[place] is None else least(sums[place], value)
    elif column == "" or column == "error":
        sums[place] = (sums[place] or 0) + (1 if column == "" or value is not None else 0)
    elif value is not None:
        sums[place] = (sums[place] or 0) + value


def summed(rows, keys, columns):
    found = {}
    for row in rows:
        sums = found.setdefault(tuple(row[key] for key in keys), [None] * len(columns))
        for place, column in enumerate(columns):
            put(column, sums, place, row)
    return found


class Tables:
    def __init__(self, exports, node, web):
        self.exports, self.node, self.web = exports, node, web
        self.trino = {table: re.findall(r"(\w+) (?:bigint|integer|varchar|timestamp\(3\))", columns)
                      for table, columns in re.findall(r"create table kutrace_(\w+) \((.*?)\n\)\nwith",
                                                       TRINO.read_text(), re.S)}

    def read(self, trace, table, *rows):
        path = self.exports.export(trace, "parquet", "--table", table)
        done = subprocess.run([self.node, HERE / "read_export.mjs", self.web, "parquet", path, *rows],
                              capture_output=True, text=True, check=True)
        told = json.loads(done.stdout)
        self.exports.expect(told["columns"] + ["host", "date"] == self.trino.get(table),
                            f"{table} has columns {told['columns']}, Trino is told {self.trino.get(table)}")
        self.exports.expect(told["facts"]["kutrace.table"] == table, f"{table}: {told['facts']}")
        return told["rows"]

    def check(self, trace):
        begins = set()
        for table, (sql, keys) in WANTED.items():
            rows = self.read(trace, table)
            begins |= {row["trace"] for row in rows}
            wanted = {row[:len(keys)]: list(row[len(keys):]) for row in self.exports.ask(trace, sql)}
            self.exports.equal(wanted, summed(rows, keys, SUMS[table]), f"{trace.name}: {table}")
            print(f"{trace.name}: {table}: {len(rows)} rows")
        self.exports.expect(len(begins) == 1, f"{trace.name}: a recording has the numbers {begins}")
        blame = self.read(trace, "blame")
        waits = self.exports.ask(trace, "select coalesce(sum(dur_ns), 0) from waits")[0][0]
        self.exports.equal({"all": waits}, {"all": sum(row["total_ns"] for row in blame)},
                           f"{trace.name}: blame and waits")
        # Their columns; forms_test.py asks about the rows, which are millions on a busy machine.
        self.read(trace, "spans", "1000")


def check(exports, node, web, small):
    tables = Tables(exports, node, web)
    for trace in [exports.made(small), exports.made(small, "large"), *exports.recorded()]:
        tables.check(trace)


if __name__ == "__main__":
    Exports.main(check)
