# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts among the live tests share: their class, a test that cannot run, and how one ends."""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
WHOLE_TRIES = 10


def skip(why):
    """Leaves with the exit code of a test that cannot run: in CI that is a failure."""
    print(f"SKIPPED: {why}")
    sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)


def need_recorder(program):
    doctor = subprocess.run([program, "doctor"], check=False, capture_output=True, text=True)
    if doctor.returncode != 0:
        skip(f"recording is not possible here:\n{doctor.stdout}{doctor.stderr}")


def label_of(row):
    """What a row of the table of marks says: its label, or its number."""
    return row["name"].partition("=")[2] or str(row["arg"])


class Test:
    """What a test needs: the program, what it records (if it is a program of its own), a folder to write into."""

    def __init__(self, program, *words):
        *recorded, folder = words
        self.program, self.folder = program, pathlib.Path(folder)
        self.recorded = pathlib.Path(recorded[0]).resolve() if recorded else None
        self.findings = []

    def expect(self, good, what):
        if not good:
            self.findings.append(what)

    def kutrace(self, *words):
        done = subprocess.run([self.program, *map(str, words)], check=False, capture_output=True, text=True)
        self.expect(done.returncode == 0, f"kutrace {words[0]}: {done.returncode} {done.stderr}")
        return done.stdout

    def record(self, trace, options, command):
        """What the command printed, and what the recorder said. The command prints into a file: who reads a pipe
        is woken by what is written, and may take the writer's CPU."""
        with tempfile.TemporaryFile("w+") as printed:
            done = subprocess.run([self.program, "record", "--source", "ebpf", "-o", trace, *map(str, options), "--",
                                   *map(str, command)], check=False, stdout=printed, stderr=subprocess.PIPE, text=True)
            self.expect(done.returncode == 0, f"record: {done.stderr}")
            printed.seek(0)
            return printed.read(), done.stderr

    def record_whole(self, trace, options, command):
        """The same, again while a context switch was hidden, as some virtual machines do: whose an event is is then
        not known until the next."""
        for _ in range(WHOLE_TRIES):
            told = self.record(trace, options, command)
            if "unseen switch" not in told[1]:
                break
        return told


def judge(test):
    """Runs all of it, prints its findings, and leaves with 1 if there are any."""
    test.all()
    for finding in test.findings:
        print(finding)
    print(f"{len(test.findings)} findings")
    sys.exit(1 if test.findings else 0)


def run(test, program, *words, keep=None):
    """Judges test(program, *words, folder); the folder goes away unless `keep` names one."""
    need_recorder(program)
    if keep:
        judge(test(program, *words, keep))
    with tempfile.TemporaryDirectory(prefix="kutrace-live-") as folder:
        judge(test(program, *words, folder))
