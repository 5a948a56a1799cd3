#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every command that reads a trace reads it from -, and every one that writes a file writes it to -:
through pipes, the same bytes as by names of files, in every form.

streams_test.py KUTRACE SMALL_TRACE
"""
import re
import subprocess

from commands import FORMS, Checks

# They say what the file is called, which in a pipe is not known.
NAMED = {("diff",), ("info",), ("check",), ("profile",)}
TABLES = ["spans", "calls", "threads", "losses", "meta", "totals", "blame"]
USAGE = 2


class Streams(Checks):
    def run(self, command, trace, more, piped):
        words = self.commands.words(command, "-" if piped else str(trace), str(self.other)) + more
        return self.answer(words, trace.read_bytes() if piped else b"")

    def answer(self, words, stdin=b"", may_refuse=False):
        done = subprocess.run(words, input=stdin, capture_output=True)
        refused = may_refuse and done.returncode == USAGE and b"folder" in done.stderr
        self.expect(done.returncode in (0, 1) or refused,
                    f"{words}: status {done.returncode}: {done.stderr.decode()}")
        return None if refused else done.stdout

    def written(self, command, form):
        """To files: of a named trace, of one in a pipe."""
        trace = self.input(command)
        what = f"kutrace {' '.join(command)}: {form}"
        files = [self.folder / f"{name}.{form}" for name in ("out", "again")]
        for number, path in enumerate(files):
            printed = self.run(command, trace, ["-o", str(path)], number == 1)
            self.expect(not printed, f"{what}: prints, though its output is a file")
        named, piped = (path.read_bytes() for path in files)
        self.expect(len(named) > 0, f"{what} is empty")
        self.expect(named == piped or command in NAMED, f"{what} of - is not that of the file")

    def printed(self, command, more):
        trace = self.input(command)
        named, piped = (self.run(command, trace, more, piped) for piped in (False, True))
        what = f"kutrace {' '.join(command)}"
        self.expect(len(named) > 0, f"{what} prints nothing")
        self.expect(named == piped or command in NAMED, f"{what} - prints something else than of the file")

    def exports(self):
        """All forms, and all tables of Parquet; what is a folder says so."""
        asked = subprocess.run([self.commands.program, "export", "--to", "nothing", self.whole],
                               capture_output=True, text=True)
        forms = re.search(r"formats: (.*)", asked.stderr)[1].split(", ")
        wanted = [[form] for form in forms] + [["parquet", "--table", table] for table in TABLES]
        for words in wanted:
            export = [self.commands.program, "export", "--to", *words]
            through = self.answer([*export, "-", "-o", "-"], self.whole.read_bytes(), may_refuse=True)
            if through is None:
                continue
            path = self.folder / "exported"
            self.answer([*export, str(self.whole), "-o", str(path)])
            self.expect(len(through) > 0 and through == path.read_bytes() or words[0] in ("html", "kux", "json"),
                        f"kutrace export --to {' '.join(words)} - -o - writes something else than to a file")

    def all(self):
        for command in self.commands.readers:
            if command in self.commands.writers:
                for form in FORMS.get(command, ["out"]):
                    self.written(command, form)
                self.printed(command, ["-o", "-"])
            else:
                self.printed(command, [])
        self.exports()
        self.expect(len(self.commands.writers) >= 15, f"only {self.commands.writers} write")


if __name__ == "__main__":
    Streams.main()
