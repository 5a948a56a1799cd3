#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of 32-bit programs, and of 64-bit code by int 0x80: their names, how many, and what they mean for the names of descriptors.

compat_test.py KUTRACE COMPAT PROGRAM32. Prints every difference, exits 1 if there is one, 77 where this machine
cannot record.
"""
import collections
import json
import pathlib
import subprocess
import sys

import judged

# By number, what both kinds of code call so; of vfork its own, and its way out of the one that made it.
OF_64 = {"getpid": 23, "write": 17, "getppid": 11, "sys#511": 3, "sys#600": 3, "sys#999": 3, "unknown_call": 3}
OF_32 = {"getppid": 100, "getpid": 37, "open": 1, "read": 10, "dup2": 1, "close": 1, "unknown_call": 5, "vfork": 2,
         "waitpid": 1}
NOT_OF_64 = ("writev", "stat", "semget", "lremovexattr", "poll")
EXITED = 7


class Test(judged.Test):
    def __init__(self, program, compat, program32, folder):
        super().__init__(program, compat, folder)
        self.program32 = pathlib.Path(program32).resolve()

    def run_recorded(self, trace, *options):
        """Numbers of the two processes, of a run in which no context switch was hidden, if there is one."""
        words = [self.program, "record", "--source", "ebpf", "-o", trace, *options, "--", self.recorded, self.program32,
                 "/bin/cat"]
        for _ in range(judged.WHOLE_TRIES):
            done = subprocess.run(words, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if "unseen switch" not in done.stderr:
                break
        self.expect(done.returncode == EXITED, f"record: {done.returncode} {done.stderr}")
        told = dict(line.split("=") for line in done.stdout.splitlines() if "=" in line)
        return int(told["pid"]), int(told["child"])

    def calls(self, trace, pid):
        return json.loads(self.kutrace("query", trace, "--format", "json",
                                       f"select name, arg from calls where tid = {pid} and kind = 'syscall'"))

    def all(self):
        for name, options in (("plain", []), ("args", ["--strings"]), ("family", ["--follow"])):
            self.look(name, options)
        self.count()

    def look(self, name, options):
        trace = self.folder / f"{name}.raw"
        pid, child = self.run_recorded(trace, *options)
        self.expect("every CPU adds up" in self.kutrace("check", trace), f"{name}: the law")
        ours = collections.Counter(row["name"] for row in self.calls(trace, pid))
        theirs = collections.Counter(row["name"] for row in self.calls(trace, child))
        print(f"{name}: {dict(ours)}\n{dict(theirs)}")
        for call, count in OF_64.items():
            more = {"write": (1, 2), "getpid": (1, 1)}.get(call, (0, 0))  # what it prints
            self.expect(count + more[0] <= ours[call] <= count + more[1], f"{name}: {ours[call]} of {call}")
        for call, count in OF_32.items():
            self.expect(theirs[call] == count, f"{name}: {theirs[call]} of {call} by 32-bit code")
        for call in NOT_OF_64:
            self.expect(not theirs[call], f"{name}: {call} by 32-bit code")
        self.expect(not ours["writev"], f"{name}: writev by int 0x80")
        firsts = {row["arg"] for row in self.calls(trace, child) if row["name"] == "read"}
        self.expect(len(firsts) == 1 and firsts != {0}, f"{name}: read from {firsts}")
        if name == "args":
            self.names(trace)

    def names(self, trace):
        """Of what cat reads, nothing is known but that 32-bit code has changed it."""
        text = self.kutrace("syscalls", "--text", "--name", "cat", "--call", "read", trace)
        self.expect("read(0, " in text, f"names of a descriptor that 32-bit code made: {text}")
        self.expect("read(0<" not in text, f"a name of another file: {text}")

    def count(self):
        done = subprocess.run([self.program, "count", "syscall:*, by comm, name", "--only-command", "--format",
                                      "json", "--", self.recorded, self.program32, "/bin/true"], check=False,
                                     capture_output=True, text=True)
        rows = json.loads(done.stdout.splitlines()[-1])["rows"]
        found = {(row["comm"], row["name"]): row["count"] for row in rows}
        for comm, name, count in ((self.recorded.name, "getpid (32 bits)", 23), (self.recorded.name, "write (32 bits)", 17),
                                  (self.recorded.name, "getppid", 11), (self.program32.name, "getppid (32 bits)", 100),
                                  (self.program32.name, "read (32 bits)", 10)):
            self.expect(found.get((comm[:15], name)) == count, f"count: {found.get((comm[:15], name))} of {name} by {comm}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
