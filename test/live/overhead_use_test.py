#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How kutrace overhead is used: its forms, what it prints of commands, commands that fail, and how it ends. What it
measures is not judged here.

overhead_use_test.py KUTRACE. Prints every difference, exits 1 if there is one, 77 where this machine cannot record.
"""
import csv
import io
import pathlib
import signal
import subprocess
import sys
import time

import judged

USAGE, INPUT, INTERRUPTED = 2, 3, 130


class Test(judged.Test):
    def run(self, *words):
        return subprocess.run([self.program, "overhead", *words], capture_output=True, text=True)

    def forms(self):
        """The same fields in all forms."""
        done = self.run("--rounds", "1", "--warmup", "0", "--format", "csv", "--", "true")
        lines = list(csv.DictReader(io.StringIO(done.stdout)))
        self.expect([line["time"] for line in lines] == ["wall", "cpu"] and
                    all(line["verdict"] == "noise" and line["runs"] == "2" for line in lines),
                    f"csv of one round: {lines}")
        done = self.run("--rounds", "1", "--warmup", "0", "--", "true")
        table = [line for line in done.stdout.splitlines() if line.startswith("~  ")]
        self.expect(len(table) == 2, f"one round finds something: {done.stdout}")

    def output(self):
        """What the command prints."""
        say = ["--rounds", "1", "--warmup", "0", "--format", "csv", "--", "sh", "-c", "echo said"]
        quiet, shown = self.run(*say), self.run("--show-output", *say)
        told = self.run("--show-output", "-o", str(self.folder / "said.csv"), *say)
        self.expect("said" not in quiet.stdout + quiet.stderr,
                    f"what a command prints is shown: {quiet}")
        self.expect(shown.stderr.count("said\n") == 4 and "said" not in shown.stdout,
                    f"--show-output beside the table: {shown}")
        self.expect(told.stdout.count("said\n") == 4, f"--show-output: {told}")

    def failures(self):
        """Commands that tell nothing."""
        cases = [
            (INPUT, "run 1: exit status 3", ["--", "sh", "-c", "exit 3"]),
            (INPUT, "run 1: SIGSEGV", ["--", "sh", "-c", "kill -SEGV $$"]),
            (INPUT, "did not end within 0.3 s\n  hint: a longer --timeout",
             ["--timeout", "300ms", "--", "sleep", "60"]),
            (INPUT, "did not end within 0.3 s",
             ["--timeout", "300ms", "--", "sh", "-c", "trap '' TERM; sleep 60"]),
            (127, "No such file", ["--", "/no/such/command"]),
            (126, "ermission denied", ["--", "/etc/passwd"]),
            (USAGE, "no command", []),
            (USAGE, "no command", ["--"]),
            (USAGE, "so few rounds", ["--rounds", "1", "--fail-over", "5%", "--", "true"]),
            (USAGE, "--timeout", ["--timeout", "0", "--", "true"]),
            (USAGE, "--fail-over", ["--fail-over", "much", "--", "true"]),
        ]
        for status, sentence, words in cases:
            done = self.run(*words)
            self.expect(done.returncode == status and sentence in done.stderr and not done.stdout,
                        f"{words}: status {done.returncode}, says {done.stderr!r}, {done.stdout!r}")
        # It fails in the second round: the first is told.
        count = self.folder / "count"
        done = self.run("--warmup", "0", "--rounds", "9", "--", "sh", "-c",
                        f"echo >> {count}; test $(wc -l < {count}) -lt 6")
        self.expect(done.returncode == INPUT and "run 6: exit status 1" in done.stderr and
                    "1 of 9 rounds" in done.stdout,
                    f"a command that fails later: {done}")

    def interrupted(self):
        """A signal ends it: the whole rounds are told, and nobody is left."""
        for number in (signal.SIGINT, signal.SIGTERM):
            marks = self.folder / f"marks{int(number)}"
            running = subprocess.Popen(
                [self.program, "overhead", "--warmup", "0", "--rounds", "1000", "--", "sh", "-c",
                 f"echo $$ >> {marks}; test $(wc -l < {marks}) -lt 7 || exec sleep 1000"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            limit = time.monotonic() + 120
            while not (marks.exists() and len(marks.read_text().splitlines()) == 7):
                if running.poll() is not None or time.monotonic() > limit:
                    break
                time.sleep(0.05)
            running.send_signal(number)
            out, err = running.communicate()
            self.expect(running.returncode == INTERRUPTED and "1 of 1000 rounds" in out and
                        "1 round was done" in err, f"signal {number}: {running.returncode} {out} {err}")
            last = int(marks.read_text().split()[-1])
            self.expect(not pathlib.Path(f"/proc/{last}").exists(),
                        f"signal {number}: the command goes on as {last}")

    def killed(self):
        """Without a chance to clean up, nobody is left either."""
        mark = self.folder / "pid"
        running = subprocess.Popen([self.program, "overhead", "--", "sh", "-c",
                                    f"echo $$ > {mark}; exec sleep 1000"], stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 60
        while not (mark.exists() and mark.read_text().strip()) and time.monotonic() < limit:
            time.sleep(0.02)
        running.kill()
        running.wait()
        command = pathlib.Path(f"/proc/{mark.read_text().strip()}")
        while command.exists() and time.monotonic() < limit:
            time.sleep(0.02)
        self.expect(not command.exists(), "the command outlives a recorder that was killed")

    def all(self):
        for part in (self.forms, self.output, self.failures, self.interrupted, self.killed):
            part()


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
