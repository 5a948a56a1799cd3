#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A command that is ended from outside leaves nothing behind, and dies of what ended it.

signals_test.py KUTRACE SMALL_TRACE: every command that writes, while its unfinished file is there.
"""
import contextlib
import os
import signal
import subprocess

from commands import Checks, later

OUTPUT = 5
USUAL = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
TRIES = 200
LIMIT_KB = 1


def ending_signals():
    """All whose default is to end a process, but SIGKILL."""
    others = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGCONT, signal.SIGTSTP,
              signal.SIGTTIN, signal.SIGTTOU, signal.SIGURG, signal.SIGWINCH}
    return sorted(signal.valid_signals() - others)


class Signals(Checks):
    def __init__(self, *words):
        super().__init__(*words)
        self.whole.write_bytes(self.commands.trace("large"))
        self.first, self.other = later(self.commands, self.folder, self.whole)
        # On a busy machine nobody else takes the CPU of who looks; what it starts is as usual.
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
        self.place = self.folder / "place"
        self.place.mkdir()

    def start(self, command, before=None, stderr=subprocess.DEVNULL):
        for path in self.place.iterdir():
            path.unlink()
        output = self.place / "out.raw" if command[0] == "raw" else self.named(command, "place/out")
        return subprocess.Popen([*self.words(command), "-o", str(output)], preexec_fn=before,
                                stdout=subprocess.DEVNULL, stderr=stderr)

    def is_unfinished(self):
        return any(name.endswith(".part") for name in os.listdir(self.place))

    def stopped(self, command, **how):
        """The command, stopped while its unfinished file is there."""
        for _ in range(TRIES):
            running = self.start(command, **how)
            while running.poll() is None and not self.is_unfinished():
                pass
            if running.poll() is None:
                running.send_signal(signal.SIGSTOP)
                os.waitid(os.P_PID, running.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
                if self.is_unfinished():
                    return running
                running.send_signal(signal.SIGCONT)
            running.wait()
        self.findings.append(f"kutrace {' '.join(command)} is never seen to write")
        return None

    def end(self, command, number):
        running = self.stopped(command)
        if running is None:
            return
        running.send_signal(number)
        running.send_signal(signal.SIGCONT)
        what = f"kutrace {' '.join(command)} and signal {int(number)}"
        self.expect(running.wait() == -number, f"{what}: status {running.returncode}")
        self.expect(not os.listdir(self.place), f"{what}: leaves {os.listdir(self.place)}")

    def ignored(self, command):
        """nohup"""
        running = self.stopped(command, before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        if running is None:
            return
        running.send_signal(signal.SIGHUP)
        running.send_signal(signal.SIGCONT)
        self.expect(running.wait() in (0, 1), f"{command}: an ignored SIGHUP ends it: "
                    f"{running.returncode}")

    def too_large(self, command):
        """A limit of the size of files is an error that is told."""
        output = self.place / "out"
        for path in self.place.iterdir():
            path.unlink()
        done = self.commands.run(["bash", "-c", f'ulimit -f {LIMIT_KB}; exec "$@"', "bash",
                                  *self.words(command), "-o", str(output)])
        fits = output.exists() and output.stat().st_size <= LIMIT_KB * 1024
        told = done.returncode == OUTPUT and b"File too large" in done.stderr
        self.expect(told or (fits and done.returncode in (0, 1)),
                    f"kutrace {' '.join(command)}, a file too large: status {done.returncode}: "
                    f"{done.stderr.decode()}")
        self.expect(fits or not os.listdir(self.place),
                    f"kutrace {' '.join(command)}, a file too large: leaves "
                    f"{os.listdir(self.place)}")
        return told

    def all(self):
        for number, command in enumerate(self.commands.writers):
            for ending in ending_signals() if number == 0 else USUAL:
                self.end(command, ending)
            self.ignored(command)
        told = [command for command in self.commands.writers if self.too_large(command)]
        self.expect(len(told) >= 3, f"only {told} were told that their file is too large")


if __name__ == "__main__":
    Signals.main()
