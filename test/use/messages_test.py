#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What commands say, and how: one prefix, no colours unless wanted, no "1 entries", and a failure
to write it is a failure.

messages_test.py KUTRACE SMALL_TRACE
"""
import os
import pty
import re
import subprocess
import sys

from commands import Commands, later, listed, path_in, scratch

USAGE, INPUT, OUTPUT = 2, 3, 5
WRONG_NUMBER = re.compile(r"\b1 (entries|events|blocks|CPUs|spans|records|names|times|samples|"
                          r"threads)\b")
MESSAGE = re.compile(r"kutrace: (info|warning|error): .|  (hint|because): .")


def on_terminal(words, environment):
    """What the command writes to a terminal as its standard error."""
    master, slave = pty.openpty()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=slave,
                   env={**os.environ, "TERM": "xterm", **environment})
    os.close(slave)
    text = b""
    try:
        while part := os.read(master, 4096):
            text += part
    except OSError:
        pass  # the other end is closed
    os.close(master)
    return text


class Check:
    def __init__(self, commands, folder):
        self.commands, self.findings = commands, list(commands.unknown)
        self.whole = path_in(folder, "whole.raw")
        self.whole.write_bytes(commands.trace())
        self.first, self.other = later(commands, self.whole.parent, self.whole)
        self.one = path_in(folder, "one.raw")
        self.one.write_bytes(commands.trace("one"))
        self.folder = self.whole.parent

    def expect(self, good, what):
        if not good:
            self.findings.append(what)

    def words(self, command):
        trace = self.first if command == ("raw", "concat") else self.whole
        return self.commands.words(command, str(trace), self.other)

    def prefix(self, command):
        out = ["-o", str(self.folder / "out")] if command in self.commands.writers else []
        tried = [self.words(command) + out, self.words(command)[:-1] + ["/no/such/file"] + out,
                 [self.commands.program, *command, "--no-such-option"]]
        for words in tried:
            text = subprocess.run(words, capture_output=True, text=True).stderr
            odd = [line for line in text.splitlines() if not MESSAGE.match(line)]
            self.expect(not odd, f"{' '.join(words)}: says {odd}")

    def numbers(self, command):
        if command == ("raw", "concat"):
            return
        out = ["-o", str(self.folder / "out.txt")] if command in self.commands.writers else []
        words = self.commands.words(command, str(self.one), "")
        done = subprocess.run(words + out, capture_output=True, text=True)
        text = done.stdout + done.stderr
        self.expect(not WRONG_NUMBER.search(text),
                    f"{' '.join(command)}: says {WRONG_NUMBER.findall(text)}")

    def full(self):
        program = self.commands.program
        asked = [[program, "--help"], [program, "--version"], [program, "help"]]
        asked += [[program, *command, "--help"] for command in listed(program)]
        asked += [self.words(command) for command in self.commands.readers
                  if command not in self.commands.writers and command != ("check", "--quiet")]
        asked += [self.words(command) + ["-o", "-"] for command in self.commands.writers]
        for words in asked:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
            self.expect(done.returncode == OUTPUT and "No space left" in done.stderr,
                        f"{' '.join(words)} to a full device: status {done.returncode}, says "
                        f"{done.stderr!r}")

    def colours(self):
        words = [self.commands.program, "info", "/no/such/file"]
        self.expect(b"\x1b[" in on_terminal(words, {"NO_COLOR": ""}), "no colours on a terminal")
        self.expect(b"\x1b[" not in on_terminal(words, {"NO_COLOR": "1"}), "NO_COLOR is ignored")

    def nobody_matches(self):
        for command in ("trim", "svg"):
            done = subprocess.run([self.commands.program, command, "--pid", "999999",
                                   str(self.whole)], capture_output=True, text=True)
            self.expect(done.returncode == INPUT and "no thread or process 999999" in done.stderr,
                        f"{command} --pid 999999: status {done.returncode}, {done.stderr!r}")
            done = subprocess.run([self.commands.program, command, "--pid", "10",
                                   str(self.whole)], capture_output=True, text=True)
            self.expect(done.returncode == 0, f"{command} --pid 10: {done.stderr!r}")

    def version(self):
        short, long = (subprocess.run([self.commands.program, option], capture_output=True)
                       for option in ("-V", "--version"))
        self.expect(short.returncode == 0 and short.stdout == long.stdout, "-V is not --version")


def main(program, small_trace):
    commands = Commands(program, small_trace)
    with scratch() as folder:
        check = Check(commands, folder)
        for command in commands.readers:
            check.prefix(command)
            check.numbers(command)
        check.full()
        check.colours()
        check.nobody_matches()
        check.version()
    for finding in check.findings:
        print(finding)
    return 1 if check.findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
