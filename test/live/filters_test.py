#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Filters for servers that fork: exactly the calls of those who are meant, while others call, too.

filters_test.py KUTRACE FORKING. By name, by number, by control group, by unit, with their children and
without. Prints every difference, exits 1 if there is one, 77 where this machine cannot record.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

from judged import run

NAME, CHILDREN, CALLS = "fork server", 6, 500
NEVER = "no such name"
SOON = 10  # seconds
STARTS, CALLERS = 25, 4


def cgroup_mount():
    """Where version 2 is mounted, or None."""
    text = pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    found = re.search(r"^\d+ \d+ \S+ / (\S+) .* - cgroup2 ", text, re.MULTILINE)
    return pathlib.Path(found.group(1)) if found else None


class Test:
    def __init__(self, program, forking, folder):
        self.program, self.forking, self.folder = program, forking, pathlib.Path(folder)
        self.findings = []
        self.fifo = self.folder / "begin"
        os.mkfifo(self.fifo)

    def expect(self, good, what):
        if not good:
            self.findings.append(what)

    def start_server(self, group):
        def enter():
            if group:
                (group / "cgroup.procs").write_text("0", encoding="utf-8")
        # Not in a script's own process: it is to be in the group before it forks.
        server = subprocess.Popen([self.forking, NAME, str(CHILDREN), str(CALLS), self.fifo],
                                  stdout=subprocess.PIPE, text=True, preexec_fn=enter)
        told = dict(server.stdout.readline().strip().split("=") for _ in range(4))
        return server, {key: int(value) for key, value in told.items()}

    def record(self, what, options, wanted, group=None):
        """`wanted` are the parts of what the server tells that are to be seen."""
        trace = self.folder / "trace.raw"
        server, told = self.start_server(group)
        words = [word.format(pid=told["pid"]) for word in options]
        done = subprocess.run(
            [self.program, "record", "--source", "ebpf", "-o", trace, *words, "--", "sh", "-c",
             f"echo >{self.fifo}; while kill -0 {told['pid']} && ! grep -q zombie /proc/{told['pid']}/status; "
             "do sleep 0.02; done"], check=False, capture_output=True, text=True)
        self.expect(server.wait(SOON) == 0, f"{what}: the server's end")
        self.judge(what, trace, done, sum(told[part] for part in wanted))

    def judge(self, what, trace, done, expected):
        self.expect(done.returncode == 0, f"{what}: {done.returncode} {done.stderr}")
        checked = subprocess.run([self.program, "check", trace], check=False, capture_output=True, text=True)
        self.expect(checked.returncode == 0 and "every CPU adds up" in checked.stdout,
                    f"{what}: {checked.stdout}{checked.stderr}")
        self.expect(self.asked(trace, "select count(*) from spans where kind = 'hidden'") > 0,
                    f"{what}: nothing is hidden")
        found = self.asked(trace, "select count(*) from calls where name = 'getppid'")
        print(f"{what}: {found} calls, told {expected}")
        self.expect(found == expected, f"{what}: {found} calls, told {expected}")

    def asked(self, trace, sql):
        done = subprocess.run([self.program, "query", trace, "--format", "csv", sql], check=False,
                              capture_output=True, text=True)
        self.expect(done.returncode == 0, done.stderr)
        return int(done.stdout.split()[-1])

    def follow_command(self):
        trace = self.folder / "trace.raw"
        done = subprocess.run(
            [self.program, "record", "--source", "ebpf", "-o", trace, "--follow", "--", "sh", "-c",
             f"'{self.forking}' '{NAME}' {CHILDREN} {CALLS} {self.fifo} & echo >{self.fifo}; wait"],
            check=False, capture_output=True, text=True)
        own = self.asked(trace, "select count(*) from calls where name = 'getppid' and thread not like "
                                f"'{NAME}%' and thread not like 'kutrace-forking%'")
        self.judge("--follow -- COMMAND", trace, done, (1 + 3 * CHILDREN) * CALLS + own)

    def follow_nobody_else(self):
        """Of the recorder, which starts the command, nothing is there."""
        trace = self.folder / "trace.raw"
        done = subprocess.run([self.program, "record", "--source", "ebpf", "-o", trace, "--follow", "--", "true"],
                              check=False, capture_output=True, text=True)
        self.judge("--follow -- true", trace, done, 0)
        others = self.asked(trace, "select count(*) from spans where kind in ('syscall', 'fault', 'user') and "
                                   "(thread is null or thread <> 'true')")
        own = self.asked(trace, "select count(*) from calls where thread = 'true' and name = 'execve'")
        self.expect(others == 0 and own > 0, f"--follow -- true: {others} spans of others, {own} execve of its own")

    def changes(self):
        """One thread that takes another name, user or program while it runs: each of its calls counts as it was then."""
        trace = self.folder / "trace.raw"
        program = ("import os, sys\n"
                   "def call(times):\n"
                   "    for _ in range(times): os.getppid()\n"
                   "def name(text):\n"
                   "    with open('/proc/self/comm', 'w') as comm: comm.write(text)\n")
        named = program + "name('one'); call(1000); name('two'); call(2000); name('one'); call(500)"
        users = program + "name('three'); call(300); os.setresuid(1234, 1234, 1234); call(700)"
        again = [sys.executable, "-c", program + "name('four'); call(900)"]
        execs = program + f"name('five'); call(1100); os.execv({again[0]!r}, {again!r})"
        for script, options, expected in [
                (named, ["--comm", "one"], 1500), (named, ["--comm", "two"], 2000), (users, ["--uid", "1234"], 700),
                (program + "name('w*,x'); call(800); name('wx'); call(50)", ["--comm", r"none,w\*\,x"], 800),
                (users, ["--comm", "three", "--uid", "0"], 300), (execs, ["--comm", "four"], 900),
                (execs, ["--comm", "five"], 1100), (named, ["--comm", "one", "--args"], 1500),
                (execs, ["--comm", "four", "--strings"], 900)]:
            done = subprocess.run([self.program, "record", "--source", "ebpf", "-o", trace, *options, "--",
                                   sys.executable, "-c", script], check=False, capture_output=True, text=True)
            self.judge(f"changes, {options}", trace, done, expected)

    def starts(self):
        """Recordings of one who does nothing, which begin while others are in their calls: not one is let in."""
        trace = self.folder / "trace.raw"
        callers = [subprocess.Popen([self.forking, "noise"]) for _ in range(CALLERS)]
        idle = subprocess.Popen(["sleep", "infinity"])
        foreign = 0
        try:
            for _ in range(STARTS):
                done = subprocess.run([self.program, "record", "--source", "ebpf", "-o", trace, "--pid",
                                       str(idle.pid), "--", "true"], check=False, capture_output=True, text=True)
                self.expect(done.returncode == 0, f"a start: {done.returncode} {done.stderr}")
                foreign += self.asked(trace, "select count(*) from spans where thread <> 'sleep' and kind in "
                                             "('syscall', 'fault', 'mark', 'sample')")
        finally:
            for process in [*callers, idle]:
                process.kill()
                process.wait()
        print(f"{STARTS} starts: {foreign} foreign spans")
        self.expect(foreign == 0, f"{STARTS} starts: {foreign} foreign spans")

    def refusals(self):
        for words, status in [(["--follow"], 2), (["--comm", "a*b"], 2), (["--cgroup", f"*/{NEVER}"], 2),
                              (["--comm", ",".join("abcdefghi")], 2), (["--pid", "4194303"], 2)]:
            done = subprocess.run([self.program, "record", "-o", self.folder / "none.raw", *words],
                                  check=False, capture_output=True, text=True, timeout=SOON)
            self.expect(done.returncode == status and not (self.folder / "none.raw").exists(),
                        f"{words}: {done.returncode} {done.stderr}")

    def nobody(self):
        """A filter that lets no thread pass: the recorder says so, and so does who looks for calls."""
        trace = self.folder / "nobody.raw"
        said = {}
        for name in ("nosuchproc", "sleep"):
            done = subprocess.run([self.program, "record", "-q", "--source", "ebpf", "--comm", name, "-o", trace, "--",
                                   "sleep", "0.2"], check=False, capture_output=True, text=True)
            asked = subprocess.run([self.program, "syscalls", trace], check=False, capture_output=True, text=True)
            said[name] = done.returncode, "filter lets pass" in done.stderr, asked.returncode, asked.stderr
        self.expect(said["nosuchproc"][:3] == (0, True, 3) and "only some threads were recorded" in said["nosuchproc"][3]
                    and "span JSON" not in said["nosuchproc"][3], f"a filter for nobody: {said}")
        self.expect(said["sleep"][:3] == (0, False, 0), f"a filter for somebody: {said}")

    def groups(self):
        mount = cgroup_mount()
        if mount is None:
            print("no control groups of version 2: not tested")
            return
        unit = f"kutrace-test-{os.getpid()}"
        above, group = mount / "kutrace-test", mount / "kutrace-test" / f"{unit}.service"
        group.mkdir(parents=True)
        try:
            everybody = ["server", "children", "workers"]
            self.record("--cgroup", ["--cgroup", f"/kutrace-test/{unit}.service"], everybody, group)
            self.record("--cgroup, the one above", ["--cgroup", "/kutrace-t*"], everybody, group)
            self.record("--unit", ["--unit", unit], everybody, group)
            self.record("--unit and --comm", ["--unit", unit, "--comm", NAME], ["server", "children"], group)
        finally:
            for _ in range(100):
                try:
                    group.rmdir()
                    break
                except OSError:
                    time.sleep(0.01)
            above.rmdir()

    def all(self):
        noise = subprocess.Popen([self.forking, "noise"])
        try:
            everybody = ["server", "children", "workers"]
            self.record("--pid", ["--pid", "{pid}"], ["server"])
            self.record("--pid --follow", ["--pid", "{pid}", "--follow"], everybody)
            self.record("--comm", ["--comm", NAME], ["server", "children"])
            self.record("--comm NAM*", ["--comm", f"{NEVER},{NAME[:4]}*"], ["server", "children"])
            self.record("--comm --follow", ["--comm", NAME, "--follow"], everybody)
            self.record("--comm of nobody", ["--comm", NAME[:4]], [])
            self.record("--comm --uid", ["--comm", NAME, "--uid", "0"], ["server", "children"])
            self.follow_command()
            self.follow_nobody_else()
            self.changes()
            self.starts()
            self.nobody()
            self.groups()
            self.refusals()
        finally:
            noise.kill()
            noise.wait()


if __name__ == "__main__":
    run(Test, *sys.argv[1:3])
