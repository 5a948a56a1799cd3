#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Of which system calls the arguments are recorded, changed while it is recorded: where a call is chosen, every call of
a program has the path that it gave; where it is not, none has; no call is missing; and the laws hold. A call that ends
while it is not chosen leaves nothing to the next.

arguments_change_test.py KUTRACE PATHED HELD. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import bisect
import os
import pathlib
import random
import re
import subprocess
import sys
import time

import judged
import pids_test

CHANGES = 40
CALLS = ("access", "readlink")
FEWEST = 500  # calls of each kind in each state
OPENAT = "257"  # its number, of x86-64


class Test(pids_test.Test):
    fewest = FEWEST

    def __init__(self, program, recorded, *words):
        *held, folder = words
        super().__init__(program, recorded, folder)
        self.held = pathlib.Path(held[0]).resolve() if held else None

    def changes(self, trace):
        return [(int(at), words.split()) for at, words in
                re.findall(r"(?m)^arguments_change\s+(\d+) (.*)$", self.kutrace("info", trace))]

    def calls_of(self, trace, pid, call):
        """(time in ns, number in its path, or None where it has no arguments), in order."""
        lines = self.kutrace("syscalls", "--text", "--pid", pid, trace).splitlines()
        found = [re.match(rf'(\d+)\.(\d+) \[\d+\] {call}\((?:"/{call}/(\d+)")?', line) for line in lines]
        return [(int(m[1] + m[2]), m[3] and int(m[3])) for m in found if m]

    def judge_call(self, trace, pid, call, is_first, last):
        calls = self.calls_of(trace, pid, call)
        numbers = [number for _, number in calls if number is not None]
        own = [at for at, (_, number) in enumerate(calls) if number is not None]
        # Libraries make such calls, too, before the program; of its own, whatever was chosen, none is missing.
        self.expect(numbers and all(number - numbers[0] == at - own[0] for number, at in zip(numbers, own)),
                    f"{call}: calls are missing between those that have a path")
        self.expect(len(calls) - own[0] + numbers[0] - 1 == last, f"{call}: {len(calls) - own[0]} calls of {last}")
        changes = self.changes(trace)
        edges = [(0, is_first)] + [(at, word[0] == "+") for at, words in changes for word in words
                                   if call in word[1:].split(",")]
        stretches = [(state, []) for _, state in edges]
        for at, number in calls[own[0]:]:
            stretches[bisect.bisect_right(edges, at, key=lambda edge: edge[0]) - 1][1].append(number is not None)
        # Of the first behind a change it may have been looked at before it whether it is chosen.
        stretches = [(state, seen[1:]) for state, seen in stretches]
        return self.judge_stretches(f"paths of {call}", stretches)

    def judge_held(self, trace):
        """A path that was missing when its call began, in a call that ended unseen, is not told of the next call."""
        data = trace.read_bytes()
        told = {path: data.count(path.encode()) for path in ("/held/second", "/held/third")}
        self.expect(set(told.values()) == {1}, f"paths are told so often: {told}")

    def held_call(self):
        trace, fifo, name = (self.folder / each for each in ("held.raw", "held.fifo", "held.name"))
        os.mkfifo(fifo)
        name.write_bytes(bytes(fifo) + b"\0")
        self.kutrace("control", "go", "--source", "ebpf", "--strings", "--syscalls", "openat")
        with subprocess.Popen([self.held, name]) as program:
            call = pathlib.Path(f"/proc/{program.pid}/syscall")
            while program.poll() is None and call.read_text(encoding="utf-8").split()[0] != OPENAT:
                time.sleep(0.01)
            self.kutrace("control", "args", "-openat")
            with fifo.open("wb", buffering=0) as writer:
                self.kutrace("control", "args", "+openat")
                writer.write(b"x")
                self.expect(program.wait() == 0, "it did not open what it should")
        self.kutrace("control", "stop", "-o", trace)
        self.judge_held(trace)
        self.judge_laws(trace)

    def all(self):
        self.held_call()
        trace, chance = self.folder / "arguments.raw", random.Random(5)
        self.expect_refusal(["args", "+access"], 4, "nobody records")
        self.kutrace("control", "go", "--source", "ebpf", "--strings", "--syscalls", "access", "--buffer-mb", "256")
        program = subprocess.Popen([self.recorded], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        chosen = {"access"}
        for _ in range(CHANGES):
            time.sleep(chance.uniform(0.03, 0.1))
            some = chance.sample(CALLS, chance.randint(1, 2))
            told = self.kutrace("control", "args", *[("-" if call in chosen else "+") + call for call in some])
            chosen ^= set(some)
            expected = [call for call in ("access", "readlink") if call in chosen]
            self.expect(told == f"recorded: arguments of {', '.join(expected) or 'no system call'}\n", told)
        self.expect_refusal(["args", "+nosuchcall"], 2, "a call that does not exist")
        for word in ("access", "+", "-"):
            self.expect_refusal(["args", word], 2, "neither + nor -")
        last = int(program.communicate()[0])
        self.kutrace("control", "stop", "-o", trace)
        self.expect(len(self.changes(trace)) == CHANGES, f"{len(self.changes(trace))} changes of {CHANGES} are told")
        for call in CALLS:
            print(call, self.judge_call(trace, program.pid, call, call == "access", last))
        self.judge_laws(trace)
        self.kutrace("control", "go", "--source", "ebpf")
        self.expect_refusal(["args", "+access"], 2, "a recording without arguments")
        self.kutrace("control", "reset")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
