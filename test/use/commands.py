# SPDX-License-Identifier: BSD-3-Clause
"""Every command that the program lists, with words that make it work on the small trace.

A command that is new must be given its words here; until then the tests that use this list fail.
"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

RAW_IP = 101  # a link without a header
WALL_S = 1_700_000_000  # when the small trace begins
RECORDS = {("record",), ("control",), ("flight",), ("top",), ("count",), ("overhead",), ("daemon",)}  # they read no trace; test/live tries them
READS_NO_TRACE = {("doctor",), ("mark",)}

# Words before the trace; {other} is a second trace, later than the first.
WORDS = {
    ("report",): [],
    ("info",): [],
    ("check",): [],
    ("trim",): ["--first", "1ms"],
    ("coarsen",): ["--resolution", "1us"],
    ("profile",): [],
    ("syscalls",): [],
    ("why",): ["--call", "*"],
    ("blame",): [],
    ("locks",): [],
    ("stat",): [],
    ("diff",): ["--before", "..1ms", "--after", "2ms.."],
    ("query",): ["-e", "select * from spans"],
    ("symbolize",): [],
    ("spans",): [],
    ("svg",): [],
    ("export",): ["--to", "perfetto"],
    ("raw", "cut"): ["--to", "1ms"],
    ("raw", "concat"): ["{other}"],
    ("align",): ["--clock", "wall", "{other}"],
    ("pcap",): ["{capture}"],
    ("dump",): [],
    ("hexdump",): [],
}
# The forms in which a command writes; the first is tried with every spelling.
FORMS = {
    ("trim",): ["json", "raw", "html", "kux", "txt"],
    ("coarsen",): ["json", "html", "kux", "txt"],
    ("report",): ["html", "kux"],
    ("export",): ["pftrace", "chrome.json", "folded", "speedscope.json", "pb.gz", "csv", "parquet",
                  "otlp.json"],
    ("profile",): ["csv", "json", "html", "txt"],
    ("syscalls",): ["csv", "json", "txt"],
    ("why",): ["csv", "json", "html", "txt"],
    ("blame",): ["csv", "json", "txt"],
    ("locks",): ["csv", "json", "txt"],
    ("stat",): ["csv", "json", "txt"],
    ("diff",): ["csv", "json", "html", "txt"],
    ("query",): ["csv", "json", "txt"],
    ("symbolize",): ["json", "raw", "html", "kux", "txt"],
    ("raw", "cut"): ["raw"],
    ("raw", "concat"): ["raw"],
    ("align",): ["raw"],
    ("pcap",): ["raw"],
}


def help_text(program, words):
    run = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True)
    return run.stdout


def listed(program, words=()):
    """All commands that do something, as tuples of words."""
    text = help_text(program, words)
    block = re.search(r"^Subcommands:\n((?: .*\n?)*)", text, re.M)
    if not block:
        return [words]
    below = re.findall(r"^  (\w+) ", block.group(1), re.M)
    return [command for name in below for command in listed(program, (*words, name))]


class Commands:
    def __init__(self, program, small_trace):
        self.program, self.small_trace, self.capture = program, small_trace, ""
        self.all = [command for command in listed(program) if not self.absent(command)]
        known = set(WORDS) | RECORDS | READS_NO_TRACE
        self.unknown = [f"commands.py does not know how to run kutrace {' '.join(command)}"
                        for command in self.all if command not in known]
        self.readers = [command for command in self.all if command in WORDS]
        self.writers = [command for command in self.readers
                        if re.search(r"^  -o,--output", help_text(program, command), re.M)]

    def absent(self, command):
        """Whether the program lacks the command's library; it is skipped, where this is not CI."""
        version = subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout
        if command != ("query",) or "SQL: yes" in version or os.environ.get("CI") == "true":
            return False
        print("SKIPPED: kutrace query, as the program was built without SQLite")
        return True

    def trace(self, which=""):
        words = [self.small_trace, *([which] if which else [])]
        return subprocess.run(words, capture_output=True, check=True).stdout

    def words(self, command, trace, other=""):
        return [self.program, *command, *(w.format(other=other, capture=self.capture) for w in WORDS[command]), trace]

    def run(self, words, **options):
        return subprocess.run(words, capture_output=True, **options)


class Checks:
    """What the tests of use share: the traces that commands are given, and what was found. A test is
    a class with `all`, which is called in a folder of its own."""

    def __init__(self, program, small_trace, folder):
        self.commands = Commands(program, small_trace)
        self.findings = list(self.commands.unknown)
        self.folder = pathlib.Path(folder)
        self.whole = self.folder / "whole.raw"
        self.whole.write_bytes(self.commands.trace())
        self.first, self.other = later(self.commands, self.folder, self.whole)
        self.commands.capture = captured(self.folder / "capture.pcap")

    def all(self):
        raise NotImplementedError

    def expect(self, good, what):
        if not good:
            self.findings.append(what)

    def input(self, command):
        return self.first if command == ("raw", "concat") else self.whole

    def words(self, command):
        return self.commands.words(command, str(self.input(command)), self.other)

    def named(self, command, name):
        """A path of that name with a suffix of what the command writes: a page, if it does."""
        forms = FORMS.get(command, ["html"])
        return self.folder / f"{name}.{'txt' if 'txt' in forms and 'html' not in forms else 'html'}"

    def needs_root(self):
        """Whether what only root can do can be tried; in CI it must."""
        if os.geteuid() == 0:
            return True
        print("SKIPPED: only root can have files of other users")
        self.expect(os.environ.get("CI") != "true", "this must run as root")
        return False

    @classmethod
    def main(cls):
        with tempfile.TemporaryDirectory(prefix="kutrace-use-") as folder:
            checks = cls(*sys.argv[1:], folder)
            checks.all()
        for finding in checks.findings:
            print(finding)
        print(f"{len(checks.commands.readers)} commands, {len(checks.findings)} findings")
        sys.exit(1 if checks.findings else 0)


def captured(file):
    """The packets of the small trace, as tcpdump would have written them."""
    data = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, RAW_IP)
    for last in (4, 5, 6):
        udp = struct.pack(">HHHH", 8080, 80, 40, 0) + bytes([1, 2, 3, last]) + bytes(28)
        packet = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes([10, 0, 0, 1]),
                             bytes([10, 0, 0, 2])) + udp
        data += struct.pack("<IIII", WALL_S, 0, len(packet), len(packet)) + packet
    file.write_bytes(data)
    return file


def later(commands, folder, trace):
    """A part of the recording, and one after it, which `raw concat` joins."""
    first, second = folder / "first.part", folder / "second.part"
    for out, window in ((first, ["--to", "1ms"]), (second, ["--from", "2ms"])):
        subprocess.run([commands.program, "raw", "cut", *window, trace, "-o", out], check=True,
                       capture_output=True)
    return first, second
