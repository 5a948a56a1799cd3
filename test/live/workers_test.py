#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that the kernel makes in a program's process, as io_uring does: they are the program's, have no user code, and
are in no system call; also those that were there before the recording.

workers_test.py KUTRACE. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import subprocess
import sys

import judged

SQPOLL = 2  # a thread of the kernel looks for requests
SETUP, ENTER = 425, 426  # io_uring_setup, io_uring_enter
WAKE = 2  # that thread
PARAMETER_BYTES = 120
PROGRAM = f"""
import ctypes, os, struct, sys, time
milliseconds = int(sys.argv[1])
parameters = ctypes.create_string_buffer(struct.pack("IIIII", 0, 0, {SQPOLL}, 0, 1), {PARAMETER_BYTES})
call = ctypes.CDLL(None).syscall
ring = call({SETUP}, 4, parameters)
if ring < 0:
    sys.exit("no io_uring")
print(os.getpid(), flush=True)
end = time.monotonic() + milliseconds / 1000
while time.monotonic() < end:
    call({ENTER}, ring, 0, 0, {WAKE}, None, 0)
    time.sleep(0.005)
"""


def poller(milliseconds):
    return [sys.executable, "-c", PROGRAM, str(milliseconds)]


class Test(judged.Test):
    def threads(self, trace):
        """By name and process: its kinds of time, in ns."""
        rows = json.loads(self.kutrace("query", trace, "--format", "json",
                                       "select thread, pid, kind, sum(dur_ns) ns from spans where thread like 'iou-sqp-%' "
                                       "group by 1, 2, 3"))
        found = {}
        for row in rows:
            found.setdefault((row["thread"], row["pid"]), {})[row["kind"]] = row["ns"]
        return found

    def look(self, trace, maker):
        found = self.threads(trace)
        self.expect(len(found) == 1, f"{trace.name}: threads that poll: {found}")
        for (thread, process), kinds in found.items():
            self.expect(thread == f"iou-sqp-{maker}" and process == maker, f"{trace.name}: {thread} is of {process}, not {maker}")
            self.expect(kinds.get("kthread", 0) > 0 and not {"user", "syscall"} & set(kinds), f"{trace.name}: {thread} was in {kinds}")

    def all(self):
        if subprocess.run(poller(0), check=False, capture_output=True).returncode != 0:
            judged.skip("this machine has no io_uring")
        born, before = self.folder / "born.raw", self.folder / "before.raw"
        told, _ = self.record(born, [], poller(100))
        self.look(born, int(told))
        with subprocess.Popen(poller(60_000), stdout=subprocess.PIPE) as running:
            running.stdout.readline()
            self.record(before, [], ["sleep", "0.05"])
            running.kill()
        self.look(before, running.pid)


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
