#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A trace says the same in every form it can have: its times, its requests, its title.

forms_test.py KUTRACE SMALL_TRACE
"""
import csv
import json
import re
import subprocess

from commands import Checks

SECRET = "--password=secret"
# How each form is made of a raw trace.
FORMS = {
    "raw": ["raw", "cut"],
    "json": ["spans"],
    "html": ["report"],
    "kux": ["report"],
}


class Forms(Checks):
    def run(self, *words):
        done = subprocess.run([self.commands.program, *map(str, words)], capture_output=True,
                              text=True)
        self.expect(done.returncode == 0, f"{words}: status {done.returncode}: {done.stderr}")
        return done.stdout

    def make(self, form, trace, name, *options):
        output = self.folder / f"{name}.{form}"
        self.run(*FORMS[form], *options, trace, "-o", output)
        return output

    def execution(self, trace, *window):
        """What CPUs did: begin, duration, CPU, thread, kind."""
        text = (self.run("trim", *window, trace) if window
                else self.run("dump", "--stage", "spans", trace))
        lines = [line.split(" ")[:5] for line in text.splitlines()]
        kinds = {"user", "syscall", "irq", "idle", "kthread", "loss"}
        return sorted([int(begin), int(length), *rest]
                      for begin, length, *rest in lines if rest[2] in kinds and int(length) > 100)

    @staticmethod
    def same(some, others):
        """The JSON has steps of 10 ns."""
        return len(some) == len(others) and all(
            a[2:] == b[2:] and abs(a[0] - b[0]) <= 20 and abs(a[1] - b[1]) <= 20
            for a, b in zip(some, others))

    def locks(self):
        """Kinds of locks need numbers that span JSON does not have; a page has half addresses."""
        whole = self.make("json", self.whole, "locks")
        done = subprocess.run([self.commands.program, "locks", str(whole)], capture_output=True,
                              text=True)
        self.expect(done.returncode == 3 and "hint: " in done.stderr and not done.stdout,
                    f"locks of span JSON: {done.returncode}: {done.stdout}{done.stderr}")
        rows = list(csv.DictReader(self.run("locks", "--format", "csv", self.whole).splitlines()))
        for form in ("html", "kux"):
            text = self.run("locks", "--format", "csv", self.make(form, self.whole, "locks"))
            told = {row["address"] for row in csv.DictReader(text.splitlines())}
            wanted = {f"...{int(row['address'], 16) & 0xffffffff:08x}" for row in rows}
            self.expect(told == wanted, f"{form}: addresses of locks are {told}, not {wanted}")

    def times(self):
        window = ("--from", "1ms", "--to", "2ms")
        wanted = self.execution(self.whole, *window)
        self.expect(len(wanted) > 2, "the window holds next to nothing")
        started = re.search(r"^started .*", self.run("info", self.whole), re.M).group()
        for form in FORMS:
            whole = self.make(form, self.whole, "same")
            self.expect(self.same(self.execution(whole, *window), wanted),
                        f"{form}: a window is not that of the raw trace")
            part = self.folder / f"part.{form}"
            self.run("trim", *window, self.whole, "-o", part)
            self.expect(self.same(self.execution(part), wanted), f"{form}: a part has other times")
            self.expect(self.same(self.execution(part, "--from", "1.5ms"),
                                  self.execution(self.whole, "--from", "1.5ms", "--to", "2ms")),
                        f"{form}: a window of a part is another")
            for trace in (whole, part):
                self.expect(started in self.run("info", trace), f"{trace.name}: not {started}")
            self.run("check", part)
        twice = self.folder / "twice.raw"
        self.run("raw", "cut", "--from", "1.2ms", self.folder / "part.raw", "-o", twice)
        self.expect(self.same(self.execution(twice),
                              self.execution(self.whole, "--from", "1.2ms", "--to", "2ms")),
                    "a part of a part has other times")
        for options in (["--from", "1ms", "--to", "2ms"], ["--cpu", "1"], ["--last", "1ms"]):
            once, again = self.folder / "once.raw", self.folder / "again.raw"
            self.run("trim", *options, self.whole, "-o", once)
            self.run("trim", *options, once, "-o", again)
            self.expect(once.read_bytes() == again.read_bytes(),
                        f"trim {options} of what it made is something else")

    def last_moment(self):
        """A call that begins in it is of every window that ends with the recording."""
        trace = self.folder / "last.txt"
        events = [("sched_switch", "prev_comm=b prev_pid=20 prev_prio=120 prev_state=S ==> "
                                   "next_comm=a next_pid=10 next_prio=120"),
                  ("sys_enter", "NR 0 (1, 2, 3, 4, 5, 6)"), ("sys_exit", "NR 0 = 5"),
                  ("sys_enter", "NR 1 (1, 2, 3, 4, 5, 6)")]
        trace.write_text("".join(f"     a-10  [000] .....     5.0000{i}0: {event}: {text}\n"
                                 for i, (event, text) in enumerate(events)))
        for window, calls in (([], 2), (["--last", "1s"], 2), (["--last", "5us"], 1), (["--pid", "10"], 2),
                              (["--from", "15us"], 1), (["--from", "15us", "--pid", "10"], 1),
                              (["--to", "15us"], 1)):
            told = json.loads(self.run("syscalls", "--format", "json", *window, trace))["groups"][0]["calls"]
            self.expect(told == calls, f"{window}: {told} calls, not {calls}")

    def requests(self):
        for form in ("raw", "json", "html", "kux"):
            trace = self.whole if form == "raw" else self.make(form, self.whole, "rpc")
            rows = json.loads(self.run("profile", "--by", "rpcs", "--format", "json", trace))
            names = [row["name"] for row in rows["rows"]]
            self.expect(names == ["sink.77"], f"{form}: requests are called {names}")
            groups = self.run("profile", "--by", "rpcs", "--group", "--all", trace)
            self.expect("sink_AVG" in groups, f"{form}: no group sink_AVG: {groups}")

    def profiles(self):
        table = re.findall(r"^(cpu|thread|rpc) (.*): .* elapsed", self.run("profile", self.whole),
                           re.M)
        rows = list(csv.DictReader(self.run("profile", "--format", "csv",
                                            self.whole).splitlines()))
        order = list(dict.fromkeys((row["of"], row["row"]) for row in rows))
        self.expect(order == table, f"the CSV has another order than the table: {order}")
        as_json = json.loads(self.run("profile", "--format", "json", self.whole))["rows"]
        self.expect([(row["of"], row["name"]) for row in as_json] == table,
                    "the JSON has another order than the table")
        self.expect(all(re.fullmatch(r"\d+", row["count"]) for row in rows), "counts are no numbers")
        shortest = self.run("profile", "--by", "threads", "--top", "1", self.whole)
        waits = [row for row in rows if row["of"] == "thread" and row["kind"] == "wait"]
        self.expect(bool(waits), "nobody waits in the trace")
        for row in waits:
            self.expect(row["name"] in shortest, f"--top cuts the wait {row['name']}")

    def titles(self):
        for form in ("html", "kux"):
            page = self.make(form, self.whole, "open")
            title = "./server " + SECRET
            self.expect(title in self.run("info", page), f"{form}: the command is not in it")
            again = self.make(form, page, "again", "--hide-command")
            hidden = self.make(form, self.whole, "hidden", "--hide-command")
            named = self.make(form, self.whole, "named", "--hide-command", "--title", "shown")
            for page in (hidden, named, again):
                self.expect(page.exists() and "secret" not in self.run("info", page) and
                            b"secret" not in page.read_bytes(), f"{page.name}: tells the command")
            self.expect("shown" in self.run("spans", named), f"{form}: has another title")
            called = self.make(form, self.whole, "called", "--title", "the login")
            json = self.folder / "called.json"
            self.run("spans", called, "-o", json)
            for number, source in enumerate((called, named, json)):
                kept = self.make(form, source, f"kept{number}", "--hide-command")
                title = "shown" if source == named else "the login"
                self.expect(title in self.run("spans", kept) and
                            b"secret" not in kept.read_bytes(),
                            f"{form}: --hide-command drops the title of {source.name}")

    def all(self):
        self.times()
        self.last_moment()
        self.locks()
        self.requests()
        self.profiles()
        self.titles()


if __name__ == "__main__":
    Forms.main()
