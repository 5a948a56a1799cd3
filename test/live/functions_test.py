#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of functions in a trace: those that a program's hooks tell (-finstrument-functions, -mfentry) and those that
are probed. Each is there, in order, within what called it, whatever way it was left.

functions_test.py KUTRACE PROBED HOOKED [FENTRY]. Prints what differs, exits 1 if anything does, 77 where this machine
cannot record.
"""
import collections
import json
import os
import shutil
import subprocess
import sys

import judged

# Of those that the compiler put in from headers, which differ, none.
ROWS = ("select name, depth, start_ns, end_ns, own_ns, tid from functions where name like 'lab::%' or name = 'main' "
        "order by tid, start_ns, end_ns desc")


def short(name):
    return name.partition("(")[0].rpartition("::")[2]


class Function:
    def __init__(self, row):
        self.name = short(row["name"])
        self.depth, self.tid = row["depth"], row["tid"]
        self.begin, self.end, self.own = row["start_ns"], row["end_ns"], row["own_ns"]
        self.within = []

    def shape(self):
        return (self.name, tuple(inner.shape() for inner in self.within))

    def all(self):
        return [self, *(one for inner in self.within for one in inner.all())]


LEAF = ("leaf", ())
TREE = ("root", (("left", (LEAF, LEAF)), ("right", ())))


class Test(judged.Test):
    def __init__(self, program, probed, hooked, *rest):
        *fentry, folder = rest
        super().__init__(program, folder)
        self.probed = probed
        self.told = {"hooked": hooked, **({"fentry": fentry[0]} if fentry else {})}

    def functions(self, carrier, words, environment=(), options=()):
        """Functions that none is around, with all that is within; of every thread of the program."""
        trace = self.folder / "functions.raw"
        binary = self.told.get(carrier, self.probed)
        probes = ["--functions", f"{binary}:lab::*"] if carrier == "probed" else []
        self.printed, _ = self.record_whole(trace, [*probes, *options], ["env", *environment, binary, *words])
        self.kutrace("check", trace)
        self.trace = trace
        rows = json.loads(self.kutrace("query", "--format", "json", trace, ROWS))
        outer, around = [], []
        for function in map(Function, rows):
            while around and (around[-1].tid != function.tid or around[-1].end <= function.begin):
                around.pop()
            (around[-1].within if around else outer).append(function)
            if around:
                self.expect(function.end <= around[-1].end,
                            f"{carrier} {words}: {function.name} ends after {around[-1].name}")
            around.append(function)
        return outer

    def inside_main(self, carrier, *words, **how):
        """What main calls, or what was probed and called by main, of the first thread."""
        outer = self.functions(carrier, words, **how)
        mains = [function for function in outer if function.name == "main"]
        if carrier == "probed":
            return outer
        self.expect(len(mains) == 1, f"{carrier} {words}: {len(mains)} of main")
        return mains[0].within if mains else []

    def shapes(self, what, functions, expected):
        counts = collections.Counter(function.shape() for function in functions)
        self.expect(counts == expected, f"{what}: {list(counts.items())[:4]} instead of {list(expected.items())[:4]}")

    def carriers(self):
        return [*self.told, "probed"]

    def trees(self, carrier):
        self.shapes(f"{carrier} tree", self.inside_main(carrier, "tree", "50"), {TREE: 50})
        # Each system call within its function.
        rows = json.loads(self.kutrace("query", "--format", "json", self.trace, """
            select count(*) n from functions f join calls c on c.tid = f.tid and c.name = 'getppid'
            and c.start_ns >= f.start_ns and c.end_ns <= f.end_ns where f.name like '%leaf%'"""))
        self.expect(rows == [{"n": 100}], f"{carrier}: {rows} system calls in leaf, not 100")
        sums = json.loads(self.kutrace("stat", "--by", "function", "--format", "json", self.trace))
        told = {short(row["name"]): row for row in sums["tables"][0]["rows"]}
        self.expect(told["leaf"]["calls"] == 100 and told["root"]["calls"] == 50, f"{carrier}: stat says {told}")
        own = sum(row["own_ns"] for row in sums["tables"][0]["rows"])
        outermost = told["main" if "main" in told else "root"]["with_called_ns"]
        self.expect(own == outermost, f"{carrier}: own times {own} are not all time {outermost}")

    def deep(self, carrier):
        functions = self.inside_main(carrier, "deep", "300", environment=["KUTRACE_FUNCTIONS_DEPTH=10"])
        depth, function = 0, functions[0] if functions else None
        while function:
            depth += 1
            self.expect(len(function.within) <= 1, f"{carrier} deep: two in one")
            function = function.within[0] if function.within else None
        expected = 300 if carrier == "probed" else 9  # and main
        # What the compiler made of the recursion is its own matter, but not which depth it has at most.
        good = depth == expected if carrier != "probed" else 0 < depth <= 300
        self.expect(good, f"{carrier} deep: {depth} of {expected}")
        if carrier == "hooked":
            notes = self.notes()
            self.expect(notes.get("functions_left_out") == 291, f"{carrier} deep: {notes}")

    def notes(self):
        rows = json.loads(self.kutrace("query", "--format", "json", self.trace, "select name, count from counters"))
        return {row["name"]: row["count"] for row in rows}

    def jumps(self, carrier):
        inner = ("jump_base", (("jump_outer", (("jump_inner", ()),)),))
        self.shapes(f"{carrier} jump", self.inside_main(carrier, "jump", "20"), {inner: 20})
        if carrier == "probed":
            return  # the kernel's return probes and exceptions do not go together; see said_of_exceptions
        inner = ("throw_base", (("throw_outer", (("throw_inner", ()),)),))
        self.shapes(f"{carrier} throw", self.inside_main(carrier, "throw", "20"), {inner: 20})

    def threads(self, carrier):
        outer = self.functions(carrier, ["threads", "4"])
        trees = collections.Counter()
        for function in outer:
            stack = [function]
            while stack:
                one = stack.pop()
                if one.name == "root":
                    trees[one.tid] += 1
                    self.expect(one.shape() == TREE, f"{carrier} threads: {one.shape()}")
                else:
                    stack.extend(one.within)
        self.expect(sorted(trees.values()) == [100] * 4, f"{carrier} threads: {trees}")

    def together(self, carrier):
        """Functions that two threads call first at the same time have their names in both."""
        self.functions(carrier, ["together", "2"])
        rows = json.loads(self.kutrace("query", "--format", "json", self.trace,
                                       "select name, count(*) n, count(distinct tid) tids from functions "
                                       "where name like 'lab::first_call_%' group by name"))
        calls = {short(row["name"]): (row["n"], row["tids"]) for row in rows}
        expected = {f"first_call_{tens}{ones}": (2, 2) for tens in range(1, 5) for ones in range(4)}
        self.expect(calls == expected, f"{carrier} together: {calls}")

    def others(self, carrier):
        functions = self.inside_main(carrier, "signal", "5")
        inner = ("raising", (("on_signal", (("in_handler", ()),)),) * 5)
        self.shapes(f"{carrier} signal", functions, {inner: 1})
        self.shapes(f"{carrier} array", self.inside_main(carrier, "array", "30"), {("with_array", (LEAF,)): 30})

    def interrupted(self, carrier):
        """Handlers of signals that come in the middle of a hook."""
        functions = self.inside_main(carrier, "interrupted", "500")
        handlers = [inner for function in functions for inner in function.all() if inner.name == "on_timer"]
        self.shapes(f"{carrier} interrupted", handlers, {("on_timer", (("in_handler", ()),)): int(self.printed)})
        self.expect(self.notes().get("function_begin_not_seen", 0) == 0, f"{carrier} interrupted: {self.notes()}")

    def thrown(self, carrier):
        functions = self.inside_main(carrier, "thrown", "100")
        trees = [function for function in functions if function.name == "root"]
        self.shapes(f"{carrier} thrown", trees, {TREE: 101})

    def vforked(self, carrier):
        """Children that share memory, and with it which names were told, have these names."""
        self.functions(carrier, ["vfork", "20"])
        rows = json.loads(self.kutrace("query", "--format", "json", self.trace,
                                       "select name, count(*) n, count(distinct tid) tids from functions "
                                       "where name like 'lab::%' or name like 'function.%' group by name"))
        self.expect(rows == [{"name": "lab::leaf()", "n": 40, "tids": 21}], f"{carrier} vfork: {rows}")

    def brief(self, carrier):
        functions = self.inside_main(carrier, "brief", "1000", environment=["KUTRACE_FUNCTIONS_LEAST=200ms"])
        self.shapes(f"{carrier} brief", functions, {("many_brief", (("nap", ()),)): 1})
        left_out = self.notes().get("functions_left_out", 0)
        self.expect(1000 <= left_out <= (1000 if carrier == "hooked" else 1100), f"{carrier} brief: {left_out}")
        self.expect(functions[0].end - functions[0].begin >= 400_000_000, f"{carrier} brief: too short")
        trees = self.inside_main(carrier, "tree", "10", environment=["KUTRACE_FUNCTIONS_LEAST=1ns"])
        self.shapes(f"{carrier} tree, told when over", trees, {TREE: 10})
        self.expect(self.functions(carrier, ["tree", "10"], environment=["KUTRACE_FUNCTIONS=off"]) == [],
                    f"{carrier}: switched off, there are functions")

    def refused(self):
        for words, said in ((["nothing"], "BINARY:PATTERN"), ([f"{self.probed}:no_such*"], "no function"),
                            (["/nonexistent:main"], "no program"), (["libc.so.6:*"], "at most"),
                            ([str(self.folder / "functions.raw") + ":x"], "ELF")):
            done = subprocess.run([self.program, "record", "-o", self.folder / "no.raw", "--functions", *words, "--", "true"],
                                  check=False, capture_output=True, text=True)
            self.expect(done.returncode == 2 or said == "ELF" and done.returncode == 3, f"{words}: {done.returncode}")
            self.expect(said in done.stderr, f"{words}: {done.stderr}")

    def refused_of_go(self):
        """No probe is put into a file with code of Go, whose runtime would end all programs that run it."""
        if not shutil.which("go"):
            return print("SKIPPED: probes in a program of Go: there is no go")
        source, binary = self.folder / "answer.go", self.folder / "answer"
        source.write_text("package main\n\nfunc main() {}\n")
        subprocess.run(["go", "build", "-o", binary, source], check=True,
                       env={**os.environ, "GOCACHE": str(self.folder / "cache"), "GO111MODULE": "off"})
        done = subprocess.run([self.program, "record", "-o", self.folder / "go.raw", "--functions", f"{binary}:main.*",
                               "--", binary], check=False, capture_output=True, text=True)
        self.expect(done.returncode == 2 and "has code of Go" in done.stderr and "marks.md" in done.stderr,
                    f"a program of Go: {done.returncode} {done.stderr}")
        self.expect(not (self.folder / "go.raw").exists(), "a program of Go: it is recorded")

    def cannot_be_probed(self):
        """A function that begins with an instruction that the kernel does not probe is told, and the others are seen."""
        trace = self.folder / "locked.raw"
        probes = ["--functions", f"{self.probed}:locked,{self.probed}:lab::leaf,{self.probed}:lab::root"]
        _, said = self.record_whole(trace, probes, [self.probed, "tree", "50"])
        self.expect("function locked" in said, f"locked: {said}")
        facts = self.kutrace("info", trace)
        self.expect("function locked" in facts, f"locked: {facts}")
        rows = json.loads(self.kutrace("query", "--format", "json", trace,
                                       "select name, count(*) n from functions group by name order by name"))
        self.expect(rows == [{"name": "lab::leaf()", "n": 100}, {"name": "lab::root()", "n": 50}], f"locked: {rows}")
        alone = subprocess.run([self.program, "record", "-o", self.folder / "no.raw", "--functions",
                                f"{self.probed}:locked", "--", "true"], check=False, capture_output=True, text=True)
        self.expect(alone.returncode != 0 and "cannot probe" in alone.stderr, f"locked alone: {alone.stderr}")

    def templates(self):
        """The name of an instance of a template has what it returns in front, and is found with it and without."""
        trace = self.folder / "templates.raw"
        whole = "int lab::twice<int>(int)"
        for pattern in ("lab::twice*", "lab::twice<int>", "int lab::twice<int>", whole):
            self.record_whole(trace, ["--functions", f"{self.probed}:{pattern}"], [self.probed, "template", "20"])
            rows = json.loads(self.kutrace("query", "--format", "json", trace,
                                           "select name, count(*) n from functions group by name"))
            self.expect(rows == [{"name": whole, "n": 20}], f"--functions {pattern}: {rows}")
            told = json.loads(self.kutrace("why", "--function", pattern, "--format", "json", trace))
            self.expect(told["question"] == f"function {whole}", f"why --function {pattern}: {told}")

    def said_of_exceptions(self):
        for binary, function, warns in ((self.probed, "lab::*", True), ("libc.so.6", "getppid", False)):
            _, said = self.record(self.folder / "said.raw", ["--functions", f"{binary}:{function}"], ["true"])
            self.expect(("exception" in said) == warns, f"{binary}: {said}")

    def explained(self):
        """The longest call of a function, as kutrace why tells of it: all of its time has a cause."""
        self.functions("hooked", ["tree", "50"])
        rows = json.loads(self.kutrace("query", "--format", "json", self.trace,
                                       "select name, dur_ns, tid from functions where name like 'lab::root%' "
                                       "order by dur_ns desc limit 1"))
        for name in ("lab::root", rows[0]["name"], "lab::ro*"):
            told = json.loads(self.kutrace("why", "--function", name, "--format", "json", self.trace))
            causes = sum(cause["ns"] for cause in told["causes"])
            self.expect((told["pid"], told["duration_ns"], causes) ==
                        (rows[0]["tid"], rows[0]["dur_ns"], rows[0]["dur_ns"]), f"why --function {name}: {told}, not {rows}")

    def library(self):
        trace = self.folder / "library.raw"
        self.record_whole(trace, ["--functions", "libc.so.6:getppid", "--follow"], [self.probed, "tree", "50"])
        rows = json.loads(self.kutrace("query", "--format", "json", trace,
                                       "select name, count(*) n from functions group by name"))
        self.expect(rows == [{"name": "getppid", "n": 100}], f"getppid of libc: {rows}")

    def all(self):
        for carrier in self.carriers():
            self.trees(carrier)
            self.deep(carrier)
            self.jumps(carrier)
            self.threads(carrier)
            self.together(carrier)
            self.others(carrier)
        for carrier in self.told:
            self.brief(carrier)
            self.interrupted(carrier)
            self.thrown(carrier)
            self.vforked(carrier)
        self.refused()
        self.refused_of_go()
        self.explained()
        self.library()
        self.templates()
        self.said_of_exceptions()
        if os.uname().machine == "x86_64":
            self.cannot_be_probed()


if __name__ == "__main__":
    judged.run(Test, *map(os.path.abspath, sys.argv[1:]))
