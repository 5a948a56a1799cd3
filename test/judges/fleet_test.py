#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many hosts, asked by engines: what they say of all together is the sum of what kutrace says of
each, and both engines say the same.

fleet_test.py KUTRACE NODE SMALL_TRACE: records this machine as eight hosts on two days, each under
a load of its own, and puts that with made traces below a folder by scripts/fleet/lake. Then
  - the views of scripts/fleet/views.sql, in DuckDB and in ClickHouse, row by row;
  - four processes of each engine make partial states of two or three hosts each, another merges
    them.
The answers are compared with kutrace query, syscalls, stat and blame of each single trace. Prints
times and sizes. node_modules stand beside this file.
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
FLEET = HERE.parent.parent / "scripts" / "fleet"
ENGINES = {"duckdb": "duckdb", "chdb": "clickhouse"}
DAYS = ("2026-01-01", "2026-01-02")
LOADS = {
    "files": "find /usr/share/doc -type f | head -2000 | xargs -d '\\n' cat | gzip -1 | wc -c",
    "sort": "seq 200000 | sort -R | sort -n | md5sum",
    "forks": "for i in $(seq 300); do /bin/true; done",
    "disk": "for i in $(seq 30); do dd if=/dev/zero of=written bs=64k count=8 conv=fsync; done",
    "pipes": "yes | head -c 5000000 | tr y n | wc -c",
    "sleeps": "for i in $(seq 20); do sleep 0.05; done",
    "search": "grep -r kutrace /usr/include | wc -l",
    "idle": "sleep 1.5",
}
PROCESSES = 4
KEYS = "what, kind, name"
SETTINGS = {"duckdb": [], "chdb": ["set use_hive_partitioning = 1"]}
# How an engine reads files, makes a partial sum, merges it, and writes what a process has made.
STATES = {
    "duckdb": ("read_parquet('{}')", "sum({})", "sum({})",
               "copy ({select}) to '{file}' (format parquet)"),
    "chdb": ("file('{}', Parquet)", "sumState(toInt64({}))", "sumMerge({})",
             "insert into function file('{file}', Native) {select}"),
}
NO_BIRTHS = "not (kind = 'syscall' and begin_inferred = 1 and name in ('clone', 'clone3', 'fork', 'vfork'))"
ONE = {
    "call": f"""select 'call', kind, name, count(*), sum(dur_ns), sum(on_cpu_ns), sum(wait_ns), sum(ready_ns)
                from calls where {NO_BIRTHS} group by kind, name""",
    "wait": """select 'wait', 'wait', name, count, total_ns, 0, total_ns, iif(name = 'ready', total_ns, 0)
                from wait_totals""",
    "cpu": "select 'cpu', kind, coalesce(name, ''), count, total_ns, total_ns, 0, 0 from span_totals",
}


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode not in (0, 1):
        sys.exit(f"{words}: status {done.returncode}: {done.stderr}")
    return done.stdout


def plain(value):
    """Engines write whole numbers as texts, and moments each in its way."""
    if isinstance(value, str):
        if re.fullmatch(r"-?\d+", value):
            return int(value)
        moment = re.fullmatch(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+?)0*(\+00)?", value)
        return moment.group(1) if moment else value
    return value


def same(some, others):
    """Rows of values, whole numbers exactly, others to 12 digits."""
    return len(some) == len(others) and all(
        abs(a - b) <= 1e-12 * max(abs(a), abs(b), 1) * (1e6 if abs(a) > 1e6 else 1)
        if isinstance(a, (int, float)) and isinstance(b, (int, float)) and
        (isinstance(a, float) or isinstance(b, float)) else a == b
        for one, other in zip(some, others) for a, b in zip(one, other))


def statements(path, lake):
    return [part.strip() for part in path.read_text().replace("LAKE", str(lake)).split(";\n")
            if part.strip()]


class Engine:
    """One process of an engine: told statements, answers the rows of the last `asked` of them."""

    def __init__(self, node, engine, before, asked):
        self.asked = asked
        self.start = time.perf_counter()
        self.process = subprocess.Popen([node, HERE / "engine.mjs", HERE, engine], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdin.write(json.dumps(before + asked))
        self.process.stdin.close()

    def answers(self):
        text = self.process.stdout.read()
        if self.process.wait() != 0:
            sys.exit("an engine failed")
        told = json.loads(text)[-len(self.asked):]
        return ([[[plain(value) for value in row] for row in one["rows"]] for one in told],
                [one["ms"] for one in told], time.perf_counter() - self.start)


class Host:
    """A host's trace of one day, and what kutrace says of it."""

    def __init__(self, program, name, day, trace):
        self.program, self.name, self.day, self.trace = program, name, day, trace
        shown = [word for sql in ONE.values() for word in ("-e", sql)]
        tables = run(program, "query", "--format", "csv", *shown, trace)
        self.sums = [row for row in csv.reader(io.StringIO(tables)) if row and row[0] in ONE]

    def seconds(self):
        facts = run(self.program, "query", "--format", "csv", self.trace,
                    "select key, value from metadata where key in ('begin_ns', 'end_ns')")
        told = dict(csv.reader(io.StringIO(facts)))
        return (int(told["end_ns"]) - int(told["begin_ns"])) / 1e9

    def syscalls(self):
        told = json.loads(run(self.program, "syscalls", "--format", "json", "--top", 0, self.trace))
        return {(self.name, self.day, row["call"]):
                [row["calls"], row["total_ns"], row["p50_ns"], row["p99_ns"], row["max_ns"],
                 row["cpu_ns"], row["failed"]]
                for group in told["groups"] for row in group["rows"]}

    def kinds(self):
        told = json.loads(run(self.program, "stat", "--by", "kind", "--format", "json", self.trace))
        return {(self.name, self.day, row["name"]): [row["own_ns"]]
                for row in told["tables"][0]["rows"]}

    def blame(self):
        rows = csv.DictReader(io.StringIO(run(self.program, "blame", "--format", "csv", self.trace)))
        return {(self.name, self.day, row["wait"], row["cause"], row["text"]):
                [int(row["waits"]), int(row["total_ns"]), int(row["longest_ns"])] for row in rows}


class Fleet:
    def __init__(self, program, node, small, folder):
        self.program, self.node, self.folder = pathlib.Path(program).resolve(), node, folder
        self.small = pathlib.Path(small).resolve()
        self.lake = folder / "lake"
        self.hosts, self.findings, self.checked = [], [], 0

    def equal(self, ours, theirs, what):
        differ = [f"{key}: {ours.get(key)} against {theirs.get(key)}"
                  for key in sorted(set(ours) | set(theirs), key=str) if ours.get(key) != theirs.get(key)]
        self.checked += 1
        print(f"{'equal' if not differ else 'DIFFERENT'}: {what}, {len(ours)} rows")
        if differ or not ours:
            self.findings.append(f"{what}: {len(differ)} of {len(ours)} differ: {'; '.join(differ[:5])}")

    def add(self, name, day, trace):
        """Under another day than today: two days are wanted."""
        start = time.perf_counter()
        run(FLEET / "lake", trace, self.folder / "new",
            env=os.environ | {"HOST": name, "KUTRACE": str(self.program)})
        spent = time.perf_counter() - start
        for path in (self.folder / "new").rglob("*.parquet"):
            table, host, _ = path.parent.relative_to(self.folder / "new").parts
            place = self.lake / table / host / f"date={day}"
            place.mkdir(parents=True, exist_ok=True)
            path.rename(place / path.name)
        self.hosts.append(Host(self.program, name, day, trace))
        return spent

    def make(self):
        """On the second day each load has a neighbour."""
        spent = 0
        for name, load in LOADS.items():
            for day in DAYS:
                trace = self.folder / f"{name}-{day}.raw"
                line = load if day == DAYS[0] else f"timeout 2 yes >/dev/null & {load}"
                done = subprocess.run([self.program, "record", "-q", "-o", trace, "--", "sh", "-c",
                                       f"{{ {line}; }} >/dev/null 2>&1"], cwd=self.folder)
                if done.returncode != 0:
                    sys.exit("this machine cannot be recorded; kutrace doctor says why")
                spent += self.add(name, day, trace)
        for number, words in enumerate((["large"], [])):
            trace = self.folder / f"made-{number}.raw"
            trace.write_bytes(subprocess.run([self.small, *words], capture_output=True, check=True).stdout)
            spent += self.add(f"made-{number}", DAYS[0], trace)
        print(f"{len(self.hosts)} recordings of {len({host.name for host in self.hosts})} hosts; "
              f"all tables of them written in {spent:.1f} s")

    def sizes(self):
        raw = sum(host.trace.stat().st_size for host in self.hosts)
        seconds = sum(host.seconds() for host in self.hosts)
        print(f"{seconds:.1f} s recorded; raw {raw:,} bytes, {raw / seconds:,.0f} a second")
        for table in sorted(path.name for path in self.lake.iterdir()):
            size = sum(path.stat().st_size for path in (self.lake / table).rglob("*.parquet"))
            print(f"  {table:8} {size:12,} bytes {100 * size / raw:6.1f} % of raw")

    def views(self):
        """All rows of all views, as each engine says them."""
        told = {}
        names = re.findall(r"view (kutrace_\w+)", (FLEET / "views.sql").read_text())
        for engine, dialect in ENGINES.items():
            before = (statements(FLEET / f"tables.{dialect}.sql", self.lake)
                      + statements(FLEET / "views.sql", self.lake))
            answers, times, spent = Engine(self.node, engine, before,
                                           [f"select * from {name}" for name in names]).answers()
            told[engine] = {name: sorted(rows, key=str) for name, rows in zip(names, answers)}
            print(f"{engine}: {len(names)} views in {spent:.1f} s: "
                  + ", ".join(f"{name.removeprefix('kutrace_')} {ms:.0f} ms" for name, ms in zip(names, times)))
        for name in names:
            some, others = told["duckdb"][name], told["chdb"][name]
            keys = [{tuple(value for value in row if not isinstance(value, float)) for row in rows}
                    for rows in (some, others)]
            some, others = (sorted(rows, key=lambda row: [str(v) for v in row if not isinstance(v, float)])
                            for rows in (some, others))
            self.checked += 1
            good = same(some, others)
            print(f"{'equal' if good else 'DIFFERENT'}: {name} of both engines, {len(some)} rows")
            if not good:
                self.findings.append(f"{name} differs: {len(some)} rows and {len(others)}, "
                                     f"{sorted(keys[0] ^ keys[1], key=str)[:4]}")
            if not some and name != "kutrace_lost":
                self.findings.append(f"{name} has no rows")
        return told["duckdb"]

    def singles(self, views):
        """A row of one host is what kutrace says of its trace."""
        wanted, told = {}, {}
        for host in self.hosts:
            wanted.update(host.syscalls())
        for host, day, kind, name, times, total, _, p50, _, p99, _, _, longest, executing, _, _, failed \
                in views["kutrace_latency"]:
            if host != "*" and kind == "syscall":
                told[host, day, name] = [times, total, p50, p99, longest, executing, failed]
        self.equal(wanted, told, "kutrace_latency and kutrace syscalls, quantiles too")
        wanted = {key: value for host in self.hosts for key, value in host.kinds().items()}
        told = {tuple(row[:3]): [row[4]] for row in views["kutrace_cpu"] if row[0] != "*"}
        self.equal(wanted, told, "kutrace_cpu and kutrace stat")
        wanted = {key: value for host in self.hosts for key, value in host.blame().items()}
        told = {tuple(row[:5]): row[5:8] for row in views["kutrace_top_blame"] if row[0] != "*"}
        self.equal(wanted, told, "kutrace_top_blame and kutrace blame")

    def sums(self):
        """Of all hosts, as kutrace query says it of each."""
        sums = {}
        for host in self.hosts:
            for row in host.sums:
                at = sums.setdefault(tuple(row[:3]), [0] * (len(row) - 3))
                for place, value in enumerate(row[3:]):
                    at[place] += int(value)
        return sums

    def together(self, views):
        wanted = {key: value[:2] for key, value in self.sums().items() if key[0] != "cpu"}
        told = {}
        for row in views["kutrace_lengths"]:
            if row[0] == "*":
                at = told.setdefault(tuple(row[2:5]), [0, 0])
                at[0] += row[5]
                at[1] += row[6]
        self.equal(wanted, told, "kutrace_lengths of all hosts and sums of kutrace query")

    def partial(self, engine, table, keys, columns, where, wanted):
        """Processes that make a file of states each of their hosts, and one that merges them."""
        read, state, merge, write = STATES[engine]
        numbered = list(enumerate(columns))
        source = read.format(f"{self.lake}/{table}/host=*/date=*/*.parquet")
        names = sorted({host.name for host in self.hosts})
        files = self.folder / f"{engine}-{table}-"
        start = time.perf_counter()
        parts = []
        for number in range(PROCESSES):
            own = ", ".join(f"'{name}'" for name in names[number::PROCESSES])
            sums = ", ".join(state.format(column) + f" as s{i}" for i, column in numbered)
            select = f"select {keys}, {sums} from {source} where host in ({own}) and {where} group by {KEYS}"
            parts.append(Engine(self.node, engine, SETTINGS[engine],
                                [write.format(file=f"{files}{number}", select=select)]))
        for part in parts:
            part.answers()
        made = time.perf_counter() - start
        size = sum(path.stat().st_size for path in self.folder.glob(f"{engine}-{table}-*"))
        sums = ", ".join(merge.format(f"s{i}") for i, _ in numbered)
        read = read if engine == "duckdb" else "file('{}', Native)"
        answers, _, spent = Engine(self.node, engine, SETTINGS[engine], [
            f"select {KEYS}, {sums} from {read.format(f'{files}*')} group by {KEYS}"]).answers()
        print(f"{engine}, {table}: {PROCESSES} processes in {made:.1f} s, states of {size:,} bytes, "
              f"merged in {spent:.1f} s")
        told = {tuple(row[:3]): row[3:] for row in answers[0]}
        self.equal(wanted, told, f"{engine}: merged states of {table} and sums of kutrace query")

    def states(self):
        sums = self.sums()
        calls = {key: value for key, value in sums.items() if key[0] == "call"}
        for engine in ENGINES:
            self.partial(engine, "totals", KEYS,
                         ("count", "total_ns", "on_cpu_ns", "wait_ns", "ready_ns"), "1 = 1", sums)
            self.partial(engine, "calls", "'call' as what, kind, name",
                         ("1", "dur_ns", "on_cpu_ns", "wait_ns", "ready_ns"), NO_BIRTHS, calls)

    def check(self):
        self.make()
        self.sizes()
        views = self.views()
        self.singles(views)
        self.together(views)
        self.states()
        for finding in self.findings:
            print(finding)
        print(f"{self.checked} comparisons, {len(self.findings)} findings")
        return 1 if self.findings else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="kutrace-fleet-") as where:
        sys.exit(Fleet(*sys.argv[1:4], pathlib.Path(where)).check())
