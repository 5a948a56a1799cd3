#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recorder that control leaves in the background: it holds nothing of who started it, writes its file for a user of
any name, and leaves it somewhere when a signal ends it.

control_test.py KUTRACE. Prints what is wrong, exits 1 if anything is, 77 where this machine cannot record.
"""
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import time

import judged

USER = "64001"  # without a name
LAST_RESORT = pathlib.Path("/tmp")
GO = ("control", "go", "--source", "ebpf", "--buffer-mb", "8")


def saved():
    return set(LAST_RESORT.glob("kutrace-control.raw.*"))


class Test(judged.Test):
    def control(self, *words, environment=(), **options):
        done = subprocess.run([self.program, *map(str, words)], check=False, capture_output=True, text=True, timeout=60,
                              env={**os.environ, **dict(environment)}, **options)
        self.expect(done.returncode == 0, f"{words} {environment}: {done.returncode} {done.stderr}")

    def recorder(self):
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if pathlib.Path(self.program).resolve() == (folder / "exe").readlink() and folder.name != str(os.getpid()):
                    return int(folder.name)
            except OSError:
                pass
        return None

    def locks(self):
        """A lock that the caller's shell holds is free when that lets go of it."""
        lock = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.control(*GO, pass_fds=(lock,))
        os.close(lock)
        again = os.open(self.folder / "lock", os.O_RDWR)
        try:
            fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.expect(False, "the recorder holds the lock of who started it")
        os.close(again)
        self.control("control", "stop", "-o", self.folder / "locks.raw")
        self.kutrace("info", self.folder / "locks.raw")

    def names(self):
        """What sudo calls the user changes nothing about whose the file is."""
        for name in ("two words", "", "plain"):
            trace = self.folder / f"named {name}.raw"
            self.control(*GO)
            self.control("control", "stop", "-o", trace,
                         environment={"SUDO_UID": USER, "SUDO_GID": USER, "SUDO_USER": name})
            self.expect(trace.exists() and str(trace.stat().st_uid) == USER, f"'{name}': the file is not the user's")

    def ended_by_signal(self):
        """Where $TMPDIR takes nothing there is another place, and the log names it."""
        before = saved()
        self.control(*GO, environment={"TMPDIR": "/nowhere"})
        log = None if os.path.exists("/dev/log") else os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        if log is not None:
            os.lseek(log, 0, os.SEEK_END)
        recorder = self.recorder()
        os.kill(recorder, signal.SIGTERM)
        for _ in range(100):
            if not os.path.exists(f"/proc/{recorder}"):
                break
            time.sleep(0.1)
        made = saved() - before
        self.expect(len(made) == 1, f"after a signal there is {made}")
        for trace in made:
            self.kutrace("info", trace)
            trace.unlink()
            if log is not None:
                self.expect(any(str(trace) in line for line in self.lines(log)), "the kernel's log does not name the file")
        if log is not None:
            os.close(log)

    @staticmethod
    def lines(log):
        try:
            while line := os.read(log, 8192):
                yield line.decode(errors="replace")
        except BlockingIOError:
            return

    def all(self):
        os.chmod(self.folder, 0o777)
        for part in (self.locks, self.names, self.ended_by_signal):
            part()


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
