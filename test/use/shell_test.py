#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The shell of kutrace query at a terminal, as somebody types: completion by TAB, statements over
several lines, errors that do not end it, Ctrl-C, Ctrl-D.

shell_test.py KUTRACE SMALL_TRACE
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from commands import Checks

PATIENCE = 60
PROMPT = "kutrace> "
MORE = "    ...> "
END = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"
# What a terminal obeys and does not show.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>()][A-Z0-9]?|[\x07\r]")


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, words, edits):
        self.edits = edits
        self.place, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.before = termios.tcgetattr(inner)
        self.running = subprocess.Popen(words, stdin=inner, stdout=inner, stderr=inner,
                                        start_new_session=True, preexec_fn=self.own,
                                        env={**os.environ, "TERM": "xterm"})
        self.inner = inner
        self.seen = ""

    @staticmethod
    def own():
        """Makes the terminal the one whose Ctrl-C reaches the program."""
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def read(self, until, patience=PATIENCE):
        """What is shown from here to `until`, and it; what was there if that does not come."""
        end = time.monotonic() + patience
        while until not in self.seen and time.monotonic() < end:
            if select.select([self.place], [], [], 0.1)[0]:
                self.seen += CONTROL.sub("", os.read(self.place, 65536).decode(errors="replace"))
            elif self.running.poll() is not None:
                break
        at = self.seen.find(until)
        at = len(self.seen) if at < 0 else at + len(until)
        shown, self.seen = self.seen[:at], self.seen[at:]
        return shown

    def type(self, text):
        """As soon as the line is edited: the prompt stands there a moment before."""
        end = time.monotonic() + PATIENCE
        while self.edits and self.is_cooked() and time.monotonic() < end:
            time.sleep(0.001)
        self.send(text)

    def send(self, text):
        os.write(self.place, text.encode())

    def is_cooked(self):
        return bool(termios.tcgetattr(self.inner)[3] & termios.ICANON)

    def end(self):
        try:
            return self.running.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.running.kill()
            return self.running.wait()

    def is_restored(self):
        return termios.tcgetattr(self.inner) == self.before

    def close(self):
        os.close(self.place)
        os.close(self.inner)


class Shell(Checks):
    def start(self):
        words = [self.commands.program, "query", str(self.whole)]
        terminal = Terminal(words, edits=self.has("line editing"))
        self.expect(PROMPT in terminal.read(PROMPT), "there is no prompt")
        return terminal

    def ask(self, terminal, line, *wanted, prompt=PROMPT):
        terminal.type(line + "\n")
        answer = terminal.read("\n" + prompt)
        self.expect(answer.endswith(prompt), f"{line}: the shell does not come back: {answer!r}")
        for text in wanted:
            self.expect(text in answer, f"{line}: gives {answer!r} and not {text}")

    def leave(self, terminal, how):
        terminal.type(how)
        status = terminal.end()
        self.expect(status == 0, f"{how!r} ends the shell with status {status}")
        self.expect(terminal.is_restored(), f"{how!r} leaves the terminal as the shell had it")
        terminal.close()

    def completion(self):
        terminal = self.start()
        terminal.type("select name, count from span_to\t")
        shown = terminal.read("span_totals")
        self.expect("span_totals" in shown, f"TAB does not complete span_to: {shown!r}")
        self.ask(terminal, "where kind = 'syscall';", "name", "read")
        terminal.type("select on_c\t")
        self.expect("on_cpu_ns" in terminal.read("on_cpu_ns"), "TAB does not complete a column")
        self.ask(terminal, "from calls limit 1;", "on_cpu_ns")
        self.leave(terminal, "\x04")

    def errors(self):
        terminal = self.start()
        self.ask(terminal, "select 1 from nowhere;", "no such table: nowhere")
        self.ask(terminal, "drop table spans;", "only SELECT is possible")
        self.ask(terminal, ".nothing", "there is no command .nothing")
        self.ask(terminal, "select 41 + 1 as sum;", "sum", "42")
        self.leave(terminal, "\x04")

    def lines(self):
        terminal = self.start()
        self.ask(terminal, "select 41", prompt=MORE)
        self.ask(terminal, "+ 1 as sum;", "42")
        self.ask(terminal, ".tables", "span_totals", "what CPUs did")
        self.ask(terminal, ".schema cpus", "idle_ns")
        self.ask(terminal, ".functions", "percentile(x, p)")
        self.ask(terminal, ".format csv")
        self.ask(terminal, "select 1 as a, 2 as b;", "a,b\n1,2\n")
        self.leave(terminal, ".quit\n")

    def interrupts(self):
        terminal = self.start()
        terminal.type(END + "\n")
        self.expect(END in terminal.read(END), "what is typed is not shown")
        answer = ""
        for _ in range(PATIENCE):  # one that comes before the statement runs ends nothing
            terminal.send("\x03")
            answer += terminal.read("was interrupted", 1)
            if "was interrupted" in answer:
                break
        answer += terminal.read("\n" + PROMPT)
        self.expect("was interrupted" in answer, f"Ctrl-C does not end a statement: {answer!r}")
        self.ask(terminal, "select 1", prompt=MORE)
        terminal.type("\x03")
        self.expect(terminal.read(PROMPT).endswith(PROMPT), "Ctrl-C does not drop a half statement")
        self.ask(terminal, "select 41 + 1 as sum;", "sum", "42")
        self.leave(terminal, "\x04")

    def has(self, what):
        version = subprocess.run([self.commands.program, "--version"], capture_output=True,
                                 text=True, check=True).stdout
        if f"{what}: yes" in version:
            return True
        return False

    def needs(self, what):
        if self.has(what):
            return True
        print(f"SKIPPED: built without {what}")
        self.expect(os.environ.get("CI") != "true", f"the program lacks {what}")
        return False

    def all(self):
        if not self.needs("SQL"):
            return
        self.errors()
        self.lines()
        self.interrupts()
        if self.needs("line editing"):
            self.completion()


if __name__ == "__main__":
    Shell.main()
