#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whoever reads standard error may go away: a terminal that is closed under a progress bar, a pipe that nobody
reads. The result is there all the same, and the exit code is that of the work.

gone_reader_test.py KUTRACE SMALL_TRACE
"""
import os
import pty
import signal
import subprocess
import time

from signals_test import Signals

USAGE, INPUT = 2, 3
BAR_S = 1.3  # work of so many seconds has a bar


class GoneReader(Signals):
    def terminal(self, command):
        """It is closed while the command stands still, for long enough that a bar follows."""
        ours, theirs = pty.openpty()
        running = self.stopped(command, stderr=theirs)
        os.close(theirs)
        os.close(ours)
        if running is None:
            return
        time.sleep(BAR_S)
        running.send_signal(signal.SIGCONT)
        self.expect(running.wait() in (0, 1) and os.listdir(self.place),
                    f"kutrace {' '.join(command)}, its terminal gone: status {running.returncode}, "
                    f"files {os.listdir(self.place)}")

    def pipe(self, words, status):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([self.commands.program, *words], stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        self.expect(done.returncode == status, f"kutrace {' '.join(words)}, nobody reads its messages: "
                    f"status {done.returncode}")
        return done.stdout

    def pipes(self):
        partly = self.folder / "partly.raw"
        partly.write_bytes(self.commands.trace("partly"))
        warned = ["stat", "--format", "csv", str(partly)]
        heard = self.commands.run([self.commands.program, *warned])
        self.expect(b"warning" in heard.stderr, f"{warned} warns of nothing")
        self.expect(self.pipe(warned, 0) == heard.stdout, f"{warned}: prints less when nobody reads its warnings")
        self.pipe([], USAGE)
        self.pipe(["report", "--nonsense"], USAGE)
        self.pipe(["nonsense"], USAGE)
        self.pipe(["check", "/no/such/file"], INPUT)

    def all(self):
        self.pipes()
        for command in self.commands.writers:
            self.terminal(command)


if __name__ == "__main__":
    GoneReader.main()
