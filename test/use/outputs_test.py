#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No command replaces what it reads, however the name of its output is spelled.

outputs_test.py KUTRACE SMALL_TRACE: every command that the program lists, every form that it
writes, every way to name a file. The same words with a name of its own must write it, or the test
would show nothing.
"""
import os
import pathlib
import shutil
import subprocess

from commands import FORMS, Checks

USAGE = 2
OUTPUT = 5


class Case:
    """A folder with an input, and what it was before."""

    def __init__(self, folder, name, content):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "inner").mkdir(parents=True)
        self.input = self.folder / name
        self.input.write_bytes(content)
        self.content = content
        self.inode = self.input.stat().st_ino
        os.symlink(name, self.folder / f"link-{name}")
        os.symlink(f"link-{name}", self.folder / f"far-{name}")
        os.symlink("..", self.folder / "inner" / "up")
        os.link(self.input, self.folder / f"hard-{name}")
        self.files = self.listing()

    def listing(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def harm(self):
        if not self.input.exists():
            return "the input is gone"
        if self.input.read_bytes() != self.content:
            return "the input has another content"
        if self.input.stat().st_ino != self.inode:
            return "the input is another file"
        if self.listing() != self.files:
            return f"files came or went: {set(self.listing()) ^ set(self.files)}"
        return ""


# Name of the input as it is read, name as it is written, what the shell opens.
SPELLINGS = [
    ("{d}/{n}", "{d}/{n}", ""),
    ("{n}", "./{n}", ""),
    ("{n}", "inner/../{n}", ""),
    ("{n}", "inner/up/{n}", ""),
    ("{n}", "{d}/{n}", ""),
    ("{n}", "link-{n}", ""),
    ("{n}", "far-{n}", ""),
    ("link-{n}", "{n}", ""),
    ("far-{n}", "{d}/inner/up/link-{n}", ""),
    ("{n}", "hard-{n}", ""),
    ("hard-{n}", "{n}", ""),
    ("-", "{n}", "<{n}"),
    ("/dev/stdin", "{n}", "<{n}"),
    ("{n}", "/dev/stdin", "<{n}"),
    ("-", "/proc/self/fd/0", "<{n}"),
    ("{n}", "/dev/fd/7", "7<>{n}"),
    ("{n}", "/proc/self/fd/7", "7<>{n}"),
    ("{n}", "/proc/thread-self/fd/7", "7<>{n}"),
    ("{n}", "/dev/stdout", "1<>{n}"),
    ("{n}", "-", "1<>{n}"),
    ("{n}", "-", ">>{n}"),
    ("/proc/self/fd/8", "{n}", "8<{n}"),
]


class Outputs(Checks):
    def __init__(self, *words):
        super().__init__(*words)
        self.contents = {command: self.input(command).read_bytes()
                         for command in self.commands.readers}

    def shell(self, words, redirection, case):
        line = 'exec "$@"' + (f" {redirection}" if redirection else "")
        return subprocess.run(["bash", "-c", line, "bash", *words], cwd=case.folder,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def try_spelling(self, command, name, spelling, with_option=True):
        read, written, opened = (text.format(n=name, d=self.folder / "case")
                                 for text in spelling)
        case = Case(self.folder / "case", name, self.contents[command])
        words = self.commands.words(command, read, self.other)
        done = self.shell(words + (["-o", written] if with_option else []), opened, case)
        what = f"kutrace {' '.join(command)}: {read} to {written} {opened}"
        if case.harm():
            self.findings.append(f"{what}: {case.harm()} (status {done.returncode})")
        if done.returncode not in (USAGE, OUTPUT):
            self.findings.append(f"{what}: status {done.returncode}: {done.stderr.decode()}")

    def must_work(self, command, name):
        case = Case(self.folder / "case", name, self.contents[command])
        out = case.folder / f"out-{name}"
        words = self.commands.words(command, name, self.other)
        done = self.shell([*words, "-o", str(out)], "", case)
        if done.returncode not in (0, 1) or not out.exists() or out.stat().st_size == 0:
            self.findings.append(f"kutrace {' '.join(command)}, {name}: writes nothing to a file "
                                 f"of its own: {done.stderr.decode()}")

    def writer(self, command):
        for number, form in enumerate(FORMS.get(command, ["out"])):
            name = f"in.{form}"
            self.must_work(command, name)
            for spelling in SPELLINGS if number == 0 else SPELLINGS[:1] + SPELLINGS[5:6]:
                self.try_spelling(command, name, spelling)

    def reader(self, command):
        """What a command prints is an output, too."""
        for spelling in (("{n}", "-", "1<>{n}"), ("-", "-", "<{n} 1<>{n}"), ("{n}", "-", ">>{n}")):
            self.try_spelling(command, "in.raw", spelling, with_option=False)

    def default_name(self):
        """The page of in.html is in.html."""
        case = Case(self.folder / "case", "in.html", self.contents[("report",)])
        self.shell([self.commands.program, "report", "in.html"], "", case)
        if case.harm():
            self.findings.append(f"kutrace report in.html: {case.harm()}")

    def all(self):
        for command in self.commands.writers:
            self.writer(command)
        for command in self.commands.readers:
            if command not in self.commands.writers:
                self.reader(command)
        self.default_name()
        self.expect(len(self.commands.writers) >= 5, f"only {self.commands.writers} seem to write")


if __name__ == "__main__":
    Outputs.main()
