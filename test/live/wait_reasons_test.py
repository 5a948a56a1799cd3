#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Waits that a thread of the kernel ends, and those for a child: their reasons in `blame`.

wait_reasons_test.py KUTRACE. A process writes to a disk and waits for it in `write`, one reads a terminal, and one
starts programs. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import pathlib
import sys

import judged

TIMES = 60
PROGRAM = f"""
import ctypes, os, sys, time, tty
def named(name):
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
def writes_disk():
    file = os.open(sys.argv[1], os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_DSYNC, 0o600)
    for _ in range({TIMES}):
        os.write(file, b"x" * 4096)
def reads_terminal():
    near, far = os.openpty()
    tty.setraw(far)
    if os.fork() == 0:
        for _ in range({TIMES}):
            time.sleep(0.002)
            os.write(near, b"x")
        os._exit(0)
    named("terminal")
    for _ in range({TIMES}):
        os.read(far, 1)
    os.wait()
def starts_programs():
    for _ in range({TIMES}):
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {{}}), 0)
for name, act in ("disk", writes_disk), ("reader", reads_terminal), ("starter", starts_programs):
    if os.fork() == 0:
        named(name)
        act()
        os._exit(0)
    os.wait()
"""


class Test(judged.Test):
    def waits(self, trace, thread, words):
        """How many there are by reason, of those that `blame` tells with all of the words."""
        found = {}
        for cause in json.loads(self.kutrace("blame", "--name", thread, "--format", "json", trace))["causes"]:
            if all(word in cause["text"] for word in words):
                found[cause["wait"]] = found.get(cause["wait"], 0) + cause["waits"]
        return found

    def most_are(self, wait, found, what):
        self.expect(found.get(wait, 0) > sum(found.values()) / 2, f"{what}: {found}, not {wait}")

    def all(self):
        trace = self.folder / "waits.raw"
        # The folder of the test, as those for temporary files may be in memory.
        written = pathlib.Path(f"wait_reasons.{self.folder.name}")
        try:
            self.record_whole(trace, [], [sys.executable, "-c", PROGRAM, written])
        finally:
            written.unlink(missing_ok=True)
        by_disk = self.waits(trace, "disk", ["in write", "until BH:block ended it"])
        by_worker = self.waits(trace, "disk", ["in write", "until kworker"])
        self.expect("pipe" not in by_worker, f"writes to a disk: {by_worker}")
        # Which interrupts are those of a disk is known of some only.
        if by_disk and by_worker:
            self.most_are("disk", by_worker, "writes to a disk")
        self.most_are("pipe", self.waits(trace, "terminal", ["in read", "until kworker"]), "reads of a terminal")
        self.most_are("task", self.waits(trace, "starter", ["until true ended it in execve"]), "starts of programs")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
