#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs and outputs that never end, never begin, or are not there: every command says so at once.

bounds_test.py KUTRACE SMALL_TRACE
"""
import os
import resource
import subprocess

from commands import Checks

INPUT, OUTPUT = 3, 5
MEMORY = 700 << 20  # far more than the small trace needs
SECONDS = 120  # so that a command that hangs fails the test, not to measure


class Bounds(Checks):
    def run(self, words, **options):
        try:
            return subprocess.run(
                words, capture_output=True, timeout=SECONDS, preexec_fn=lambda:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)), **options)
        except subprocess.TimeoutExpired:
            self.findings.append(f"{words}: does not end")
            return subprocess.CompletedProcess(words, None, b"", b"")

    def line(self, command, trace):
        out = ["-o", str(self.folder / "never")] if command in self.commands.writers else []
        return self.commands.words(command, trace, trace) + out

    def endless(self, command):
        for device in ("/dev/zero", "/dev/urandom"):
            for words, source in ((device, subprocess.DEVNULL), ("-", device)):
                line = self.line(command, words)
                with open(source, "rb") if source == device else open(os.devnull, "rb") as stdin:
                    done = self.run(line, stdin=stdin)
                self.expect(done.returncode == INPUT,
                            f"{' '.join(line)} < {source}: status {done.returncode}: "
                            f"{done.stderr.decode().strip()[-200:]}")

    def text(self, command):
        """Text without end, through a pipe."""
        line = self.line(command, "-")
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as yes:
            done = self.run(line, stdin=yes.stdout)
            yes.kill()
        self.expect(done.returncode == INPUT and b"is text" in done.stderr,
                    f"yes | {' '.join(line)}: status {done.returncode}: {done.stderr.decode()}")

    def pipe_without_reader(self, command):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        done = self.run([*self.words(command), "-o", str(pipe)])
        self.expect(done.returncode == OUTPUT and b"nobody reads" in done.stderr,
                    f"{command} to a pipe without reader: status {done.returncode}: "
                    f"{done.stderr.decode()}")
        pipe.unlink()

    def pipe_with_reader(self, command):
        pipe = self.named(command, "pipe")
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader, \
                subprocess.Popen([*self.words(command), "-o", str(pipe)],
                                 stderr=subprocess.DEVNULL) as writer:
            got = reader.stdout.read()
        self.expect(writer.returncode in (0, 1) and got,
                    f"{command} to a pipe: status {writer.returncode}, {len(got)} bytes")
        pipe.unlink()

    def closed(self, command):
        """Started without standard input, output, error: nothing gets into the files it opens."""
        output = self.named(command, "closed")
        if command in self.commands.writers:
            words = ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "bash", *self.words(command), "-o",
                     str(output)]
            done = self.run(words)
            content = output.read_bytes() if output.exists() else b""
            self.expect(done.returncode in (0, 1) and content and b"kutrace: info" not in content
                        and b"kutrace: warning" not in content,
                        f"{command} without standard streams: status {done.returncode}")
            output.unlink(missing_ok=True)
        to_stdout = ["-o", "-"] if command in self.commands.writers else []
        done = self.run(["bash", "-c", 'exec "$@" >&-', "bash", *self.words(command), *to_stdout])
        self.expect(done.returncode == OUTPUT and b"is closed" in done.stderr,
                    f"{command} without standard output: status {done.returncode}: "
                    f"{done.stderr.decode()}")

    def all(self):
        for command in self.commands.readers:
            self.endless(command)
            self.text(command)
            self.closed(command)
        for command in self.commands.writers:
            self.pipe_without_reader(command)
            self.pipe_with_reader(command)


if __name__ == "__main__":
    Bounds.main()
