#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flight recorder and what the machine as a whole does: snapshots when its pressure and load rise, and events that are
shed while recording them costs too much.

flight_levels_test.py KUTRACE. Nothing else may run beside it: it is the machine's load that is judged. Prints what
differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

import flight_test
import judged
from flight_test import Flight

STORM = """
import os, time
until = time.monotonic() + 8
while time.monotonic() < until:
    for _ in range(10000):
        os.getppid()
"""

class Test(flight_test.Test):
    def judge_levels(self):
        """Pressure and load rise above a limit that is just above what they are; a limit far above is not reached, and what
        was above its limit at the start has not risen."""
        load = os.getloadavg()[0]
        pressure = re.search(r"some avg10=([\d.]+)", pathlib.Path("/proc/pressure/cpu").read_text())
        asked = {f"load>{load + 0.3:.2f}", f"psi:cpu>{max(30, int(float(pressure[1])) + 10)}%"}
        if float(pressure[1]) > 80:
            print(f"SKIPPED: pressure that rises: it is {pressure[1]} % already")
            asked = {f"load>{load + 0.3:.2f}"}
        never = ["load>1000", "psi:memory>99%"] + ([f"load>{load / 2:.2f}"] if load > 1 else [])
        flight = Flight(self, "levels", "--every", "0", "--before", "1s",
                        *(word for level in [*asked, *never] for word in ("--when", level)))
        burners = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4 * os.cpu_count())]
        until, seen = time.monotonic() + 60, set()
        while time.monotonic() < until and len(seen) < len(asked):
            seen |= {snapshot.stem.rpartition("-")[2] for snapshot in flight.snapshots()}
            time.sleep(0.5)
        for burner in burners:
            burner.kill()
            burner.wait()
        told = [one["when"] for snapshot in flight.end() for one in self.triggers(snapshot)]
        self.expect(set(told) == asked, f"{told}: {flight.said}")

    def judge_governor(self):
        """A storm of calls is shed where it costs too much, said so, and taken back; where it does not, nothing is."""
        for share, is_shed in (("2%", True), ("90%", False)):
            flight = Flight(self, f"share-{share[:-1]}", "--max-share", share, "--at-end", "--before", "0")
            time.sleep(1)
            storms = [subprocess.Popen([sys.executable, "-c", STORM]) for _ in range(2 * os.cpu_count())]
            was_off = self.waits_for_calls(False, 12) if is_shed else False
            for storm in storms:
                storm.wait()
            self.expect(was_off == is_shed, f"--max-share {share}: system calls are recorded in a storm of them")
            is_back = self.waits_for_calls(True, 90)
            *_, last = flight.end()
            # What the machine does besides may cost as much: then they have to stay shed.
            if not is_back and "nothing is left to shed" in flight.said:
                print(f"SKIPPED: calls that are recorded again: this machine is too busy: {flight.said}")
            else:
                self.expect(is_back, f"--max-share {share}: system calls stay shed")
            self.kutrace("check", last)
            told = re.findall(r"group +(\w+): off (\d+) time", self.kutrace("info", last))
            said = re.findall(r"([\d.]+) % of the machine: (\w+) is not recorded from now on", flight.said)
            self.expect({group for group, _ in told} == {group for _, group in said}, f"{told}, {said}")
            self.expect(("syscalls" in dict(told)) == is_shed, f"--max-share {share}: {flight.said}")
            self.expect(("syscalls is recorded again" in flight.said) == (is_shed and is_back),
                        f"--max-share {share}: {flight.said}")

    def waits_for_calls(self, recorded, seconds):
        """Whether system calls are, or are not, recorded within this time, by the recorder's word."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if ("syscalls" in self.kutrace("control", "groups")) == recorded:
                return True
            time.sleep(0.2)
        return False

    def all(self):
        self.judge_levels()
        self.judge_governor()


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
