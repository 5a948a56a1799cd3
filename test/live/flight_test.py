#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flight recorder that is always on: planted latencies, one for one, and its snapshots.

flight_test.py KUTRACE. Programs wait for known times in calls that nobody else makes; every wait that is too long has
one snapshot, whose trigger names it, and no other wait has one. Every snapshot keeps the laws.
Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import judged

LIMIT_MS = 30
# Long and short waits: the short ones are far below the limit, the long ones above it.
WAITS_MS = [2, 45, 5, 60, 3, 80, 1]
# Waits for a signal that nobody sends, in a call that few programs know.
WAITER = """
import signal, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
for ms in map(int, sys.argv[2:]):
    signal.sigtimedwait([signal.SIGUSR2], ms / 1000)
    time.sleep(float(sys.argv[1]))
"""
# A thread of the name victim is ready to run, and may not for a while, because of another one.
DELAYED = """
import ctypes, os, threading, time
def name(text): ctypes.CDLL(None).prctl(15, text, 0, 0, 0)
os.sched_setaffinity(0, {0})
begun = threading.Event()
pid = os.fork()
if pid == 0:
    name(b"victim")
    for _ in range(40):
        time.sleep(0.01)
    os._exit(0)
time.sleep(0.1)
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
until = time.monotonic() + 0.12
while time.monotonic() < until:
    pass
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
os.waitpid(pid, 0)
"""


class Flight:
    """A flight recorder that runs."""

    def __init__(self, test, name, *options):
        self.test, self.folder = test, test.folder / name
        self.process = subprocess.Popen([test.program, "flight", "-o", self.folder, "--source", "ebpf", *options],
                                        stderr=subprocess.PIPE, text=True)
        self.said = ""
        while "recording;" not in self.said:
            line = self.process.stderr.readline()
            if not line:
                break
            self.said += line

    def end(self):
        self.process.send_signal(signal.SIGINT)
        _, rest = self.process.communicate(timeout=120)
        self.said += rest
        self.test.expect(self.process.returncode == 0, f"flight: {self.process.returncode} {self.said}")
        return self.snapshots()

    def snapshots(self):
        return sorted(self.folder.glob("flight-*.raw"))


class Test(judged.Test):
    def triggers(self, snapshot):
        """What asked for it, by the trace's own facts; and it keeps the laws."""
        self.kutrace("check", snapshot)
        facts = self.kutrace("info", snapshot)
        return [json.loads(text) for text in re.findall(r"trigger\s+(\{.*\})", facts)]

    def judge_calls(self):
        flight = Flight(self, "calls", "--when", f"call:rt_sigtimedwait>{LIMIT_MS}ms", "--every", "0", "--before", "1s",
                        "--after", "50ms")
        waiter = subprocess.Popen([sys.executable, "-c", WAITER, "0.6", *map(str, WAITS_MS)])
        waiter.wait()
        snapshots = flight.end()
        told = [(snapshot, trigger) for snapshot in snapshots for trigger in self.triggers(snapshot)]
        expected = [ms for ms in WAITS_MS if ms > LIMIT_MS]
        self.expect(len(told) == len(expected), f"{len(told)} triggers, planted: {expected}; {flight.said}")
        self.expect(len(snapshots) == len(expected), f"{len(snapshots)} snapshots of {len(expected)}")
        for (snapshot, trigger), ms in zip(told, expected):
            length = trigger["length_ns"] / 1e6
            self.expect(trigger["tid"] == waiter.pid, f"{trigger}: not of {waiter.pid}")
            self.expect(ms <= length < ms + 25, f"{trigger}: {ms} ms were planted")
            rows = json.loads(self.kutrace("why", "--call", "rt_sigtimedwait", "--format", "json", snapshot))
            self.expect(str(trigger["length_ns"]) in json.dumps(rows), f"{snapshot}: why knows no such call: {rows}")

    def judge_delays(self):
        flight = Flight(self, "delays", "--when", "delay:victim>80ms", "--every", "0", "--before", "1s")
        subprocess.run([sys.executable, "-c", DELAYED], check=True)
        snapshots = flight.end()
        told = [trigger for snapshot in snapshots for trigger in self.triggers(snapshot)]
        # A busy machine has delays of its own: all that the traces hold, and no others.
        held = {row["dur_ns"] for snapshot in snapshots for row in self.delays(snapshot)}
        self.expect(any(one["length_ns"] >= 110e6 for one in told), f"a delay of 120 ms was planted: {told}; {flight.said}")
        self.expect({one["length_ns"] for one in told} == held, f"triggers {told}, delays {held}")
        self.expect(all(one["thread"] == "victim" for one in told), f"{told}")

    def delays(self, snapshot):
        return json.loads(self.kutrace("query", "--format", "json", snapshot,
                                       "select dur_ns from waits where thread = 'victim' and name = 'ready' "
                                       "and dur_ns > 80000000"))

    def judge_exits(self):
        program = self.folder / "planted-exit"
        shutil.copy("/bin/sh", program)
        flight = Flight(self, "exits", "--when", "exit:planted-exit", "--every", "0", "--after", "10ms")
        expected = []
        for status in (0, 3, 0, 7):
            child = subprocess.Popen([program, "-c", f"exit {status}"])
            child.wait()
            if status:
                expected.append((child.pid, status << 8))
            time.sleep(0.5)
        told = [trigger for snapshot in flight.end() for trigger in self.triggers(snapshot)]
        self.expect([(one["tid"], one["status"]) for one in told] == expected, f"exits {told}, planted {expected}")

    def judge_requests_for_snapshots(self):
        """By signal and by socket; the command on each gets the path, and JSON."""
        hook, answers = self.folder / "hook", self.folder / "answers"
        hook.write_text(f'#!/bin/sh\ncat > "{self.folder}/why.$(basename "$1").json"\necho "$1" >> {answers}\n')
        hook.chmod(0o755)
        flight = Flight(self, "asked", "--every", "0", "--keep-snapshots", "2", "--on-snapshot", hook, "--at-end")
        flight.process.send_signal(signal.SIGUSR1)
        for _ in range(100):
            if flight.snapshots():
                break
            time.sleep(0.1)
        path = pathlib.Path(self.kutrace("flight", "--snapshot").strip())
        self.expect(path in flight.snapshots(), f"{path} is not among {flight.snapshots()}")
        self.expect(path.stat().st_mode & 0o77 == 0, f"{path} is readable by others")
        snapshots = flight.end()
        self.expect(len(snapshots) == 2 and path in snapshots, f"2 snapshots were to be kept: {snapshots}")
        whats = [trigger["what"] for snapshot in snapshots for trigger in self.triggers(snapshot)]
        self.expect(whats == ["asked for", "the end of the recording"], f"{whats}")
        told = answers.read_text().split() if answers.exists() else []
        self.expect(len(told) == 3, f"the command ran on {told}")
        for answer in self.folder.glob("why.*.json"):
            json.loads(answer.read_text())
        self.expect(len(list(self.folder.glob("why.*.json"))) == 3, "each snapshot has its answer")

    def judge_pruning(self):
        """By size and by age; files of other names stay, and so does the newest snapshot."""
        for name, options in (("size", ["--keep-size", "1kB"]), ("age", ["--keep-age", "1s"])):
            folder = self.folder / name
            folder.mkdir()
            old = folder / "flight-20200101T000000.000Z-call.raw"
            other = folder / "flight.raw"
            for file in (old, other):
                file.write_bytes(b"x" * 5000)
                os.utime(file, (1577836800, 1577836800))
            snapshots = Flight(self, name, "--at-end", *options).end()
            self.expect(len(snapshots) == 1 and old not in snapshots, f"{name}: {snapshots}")
            self.expect(other.exists(), f"{name}: {other} was removed")

    def judge_rate(self):
        """What comes too soon is counted, and told by the next one."""
        flight = Flight(self, "rate", "--when", f"call:rt_sigtimedwait>{LIMIT_MS}ms", "--every", "3600s", "--after", "1ms")
        subprocess.run([sys.executable, "-c", WAITER, "0.5", "40", "40", "40"], check=True)
        self.expect(len(flight.snapshots()) == 1, f"--every 3600s: {flight.snapshots()}")
        flight.end()

    def all(self):
        self.judge_calls()
        self.judge_delays()
        self.judge_exits()
        self.judge_requests_for_snapshots()
        self.judge_pruning()
        self.judge_rate()


if __name__ == "__main__":
    judged.need_recorder(sys.argv[1])
    judged.run(Test, *sys.argv[1:])
