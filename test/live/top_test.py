#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The live table of `kutrace top`, beside what the kernel says of planted threads.

top_test.py KUTRACE. A program that computes, sleeps and calls lives while top records; when it ends it says what the
kernel has counted of it: /proc/self/schedstat and its own calls. The rows of all intervals together say the same.
Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import os
import pty
import signal
import subprocess
import sys
import time

import judged

CALLS = 3000
PLANTED = f"""
import os, time
for _ in range(5):
    until = time.thread_time_ns() + 40_000_000
    while time.thread_time_ns() < until:
        pass
    time.sleep(0.05)
for _ in range({CALLS}):
    os.getppid()
print(open("/proc/thread-self/schedstat").read(), flush=True)
os.kill(os.getpid(), 9)
"""
SLACK = 60_000_000  # ns: what the program does, and waits for a CPU, after it has asked
INTERVALS = 1000  # it is ended before


class Test(judged.Test):
    def judge_planted(self):
        told = self.folder / "told.json"
        # The planted thread is among the rows of each interval, however many threads there are.
        top = subprocess.Popen([self.program, "top", "--source", "ebpf", "-n", str(INTERVALS), "--interval", "600ms",
                                "--rows", "0", "--format", "json"], stdout=told.open("w"))
        until = time.monotonic() + 60
        while not told.stat().st_size and top.poll() is None and time.monotonic() < until:
            time.sleep(0.05)  # it begins in an interval that is told
        planted = subprocess.Popen([sys.executable, "-c", PLANTED], stdout=subprocess.PIPE, text=True)
        ran, waited = map(int, planted.communicate()[0].split()[:2])
        time.sleep(1)  # the interval in which it ended ends
        top.send_signal(signal.SIGINT)
        self.expect(top.wait() == 0, f"top ended with {top.returncode}")
        tables = [json.loads(line) for line in told.read_text().splitlines()]
        self.expect(len(tables) > 2, f"{len(tables)} intervals")
        sums = {"on_cpu_ns": 0, "ready_ns": 0, "waiting_ns": 0, "calls": 0}
        reasons = {}
        for table in tables:
            busy = sum(row["on_cpu_ns"] for row in table["rows"])
            self.expect(busy == table["busy_ns"], f"threads are on CPUs for {busy} ns, the machine for {table['busy_ns']}")
            for row in table["rows"]:
                parts = row["on_cpu_ns"] + row["ready_ns"] + row["waiting_ns"] + row["unseen_ns"]
                self.expect(parts == table["length_ns"] and row["unseen_ns"] >= 0,
                            f"{row}: its parts are {parts} of {table['length_ns']} ns")
                if row["tid"] != planted.pid:
                    continue
                for key in sums:
                    sums[key] += row[key]
                for reason, length in row["waits_ns"].items():
                    reasons[reason] = reasons.get(reason, 0) + length
        self.expect(abs(sums["on_cpu_ns"] - ran) < SLACK, f"{sums['on_cpu_ns']} ns on CPU, the kernel says {ran}")
        self.expect(abs(sums["ready_ns"] - waited) < SLACK, f"{sums['ready_ns']} ns ready, the kernel says {waited}")
        self.expect(sums["calls"] >= CALLS, f"{sums['calls']} calls, {CALLS} were planted")
        self.expect(sums["waiting_ns"] >= 5 * 50_000_000, f"it waited for {sums['waiting_ns']} ns, and slept for 250 ms")
        # Of a sleep over the end of an interval only what comes behind it has its reason.
        self.expect(reasons.get("time", 0) >= 3 * 50_000_000, f"it slept for 250 ms: {reasons}")

    def judge_text(self):
        lines = self.kutrace("top", "--source", "ebpf", "--once", "--rows", "3").splitlines()
        self.expect(len(lines) == 5 and "CPUs" in lines[0] and "on CPU" in lines[1], f"{lines}")
        piped = subprocess.run([self.program, "top"], capture_output=True, text=True, check=False)
        self.expect(piped.returncode == 2 and "--once" in piped.stderr, f"no terminal: {piped}")

    def judge_streaming(self):
        """Who reads a pipe gets each interval when it ends."""
        top = subprocess.Popen([self.program, "top", "--source", "ebpf", "-n", "3", "--interval", "1s", "--format",
                                "json"], stdout=subprocess.PIPE)
        times = []
        for _ in top.stdout:
            times.append(time.monotonic())
        self.expect(top.wait() == 0 and len(times) == 3, f"top -n 3: {top.returncode}, {len(times)} intervals")
        apart = times[-1] - times[0] if times else 0
        self.expect(apart > 1, f"the first of three intervals of 1 s comes {apart:.2f} s before the last")

    def judge_gone_terminal(self):
        """Who ignores SIGHUP ends, too, when the terminal is gone."""
        ours, theirs = pty.openpty()
        top = subprocess.Popen(["setsid", "sh", "-c", "trap '' HUP; exec \"$0\" top", self.program], stdin=theirs, stdout=theirs,
                               stderr=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        time.sleep(3)
        self.expect(top.poll() is None, f"top ended with {top.returncode}")
        os.close(ours)
        try:
            top.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.findings.append("top goes on without its terminal")
            top.kill()

    def all(self):
        self.judge_gone_terminal()
        self.judge_streaming()
        self.judge_planted()
        self.judge_text()


if __name__ == "__main__":
    judged.need_recorder(sys.argv[1])
    judged.run(Test, *sys.argv[1:])
