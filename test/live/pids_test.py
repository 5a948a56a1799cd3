#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processes of a filtered recording changed while it goes on: of two programs that make known numbers of calls, each
batch is there to the last call while its process is recorded, nothing of it while it is not; and the laws hold.

pids_test.py KUTRACE SWITCHED. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import bisect
import random
import re
import subprocess
import sys
import time

import groups_test
import judged

CHANGES = 40
FEWEST = 20  # batches of each program in each state


def batches_of(lines):
    """(begin, end, how many calls), in ns of the program's clock."""
    words = [line.split() for line in lines]
    return [(int(line[1]), int(line[2]), int(line[3])) for line in words if line[0] == "c"]


class Test(groups_test.Test):
    fewest = FEWEST

    def changes(self, trace):
        return [(int(at), words.split()) for at, words in
                re.findall(r"(?m)^processes_change\s+(\d+) (.*)$", self.kutrace("info", trace))]

    def windows(self, is_first, pid, changes):
        """(from, until, whether the process is recorded then), in ns of the trace."""
        edges, since, state = [], 0, is_first
        for at, words in changes:
            for word in words:
                if str(pid) in word[1:].split(","):
                    edges.append((since, at, state))
                    since, state = at, word[0] == "+"
        return [*edges, (since, float("inf"), state)]

    def judge_stretches(self, told, stretches):
        """Of (state, what was seen of it, in order) between two changes each: all as the first says, and then, as the
        second holds from a moment before its time is taken, all as that says. None was seen where the two meet."""
        judged, late = {True: 0, False: 0}, 0
        for state, seen in stretches:
            same = next((place for place, one in enumerate(seen) if one != state), len(seen))
            wrong = [place for place, one in enumerate(seen[same + 1:]) if one is None or one == state]
            self.expect(not wrong, f"{told}: of {len(seen)} between two changes, {same} are {state}, and {len(wrong)} later ones")
            judged[state] += same
            late += bool(seen) and same == 0
        self.expect(late <= max(1, len(stretches) // 10), f"{told}: {late} of {len(stretches)} changes have no effect")
        self.expect(min(judged.values()) > self.fewest, f"{told}: few to judge: {judged}")
        return judged

    def judge_process(self, trace, pid, batches, is_first, clock_ns=groups_test.TICK_NS):
        start, found = self.start_of(trace), self.calls(trace, pid, "getppid")
        stop = max(found, default=0)
        times = [(begin - start, end - start, count) for begin, end, count in batches]
        stretches = []
        for since, until, state in self.windows(is_first, pid, self.changes(trace)):
            seen = []
            # A change holds from a thread's next turn on a CPU, and it sleeps between two batches.
            for (before, _, _), (begin, end, count) in zip(times, times[1:]):
                if before < since + clock_ns or end > until or end > stop:
                    continue
                held = bisect.bisect_right(found, end + clock_ns) - bisect.bisect_left(found, begin - clock_ns)
                seen.append({0: False, count: True}.get(held))
            stretches.append((state, seen))
        return self.judge_stretches(f"calls of {pid}", stretches)

    def all(self):
        trace, chance = self.folder / "pids.raw", random.Random(3)
        self.expect_refusal(["pids", "+1"], 4, "nobody records")
        programs = [subprocess.Popen([self.recorded], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                    for _ in range(2)]
        first = programs[0].pid
        recorded = {first}
        self.kutrace("control", "go", "--source", "ebpf", "--pid", first, "--buffer-mb", "256")
        for _ in range(CHANGES):
            time.sleep(chance.uniform(0.15, 0.25))
            some = chance.sample([program.pid for program in programs], chance.randint(1, 2))
            words = [f"{'-' if pid in recorded else '+'}{pid}" for pid in some]
            recorded ^= set(some)
            told = self.kutrace("control", "pids", *words)
            expected = f"processes {','.join(map(str, sorted(recorded)))}" if recorded else "no process"
            self.expect(told == f"recorded: {expected}\n", f"{words}: {told}")
        self.expect_refusal(["pids", "+4194303"], 2, "a process that does not exist")
        self.expect_refusal(["pids", "12"], 2, "neither + nor -")
        self.kutrace("control", "stop", "-o", trace)
        told = [program.communicate()[0].splitlines()[:-1] for program in programs]
        self.expect(len(self.changes(trace)) == CHANGES, f"{len(self.changes(trace))} changes of {CHANGES} are told")
        for program, lines in zip(programs, told):
            print(self.judge_process(trace, program.pid, batches_of(lines), program.pid == first))
        self.judge_laws(trace)
        self.kutrace("control", "go", "--source", "ebpf")
        self.expect_refusal(["pids", "+1"], 2, "a recording of all processes")
        self.kutrace("control", "reset")

    def expect_refusal(self, words, code, why):
        done = subprocess.run([self.program, "control", *words], check=False, capture_output=True, text=True)
        self.expect(done.returncode == code and done.stderr, f"{why}: {words} ends with {done.returncode}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
