#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Too little memory is said as such, by every command, wherever it runs out.

memory_test.py KUTRACE SMALL_TRACE
"""
import subprocess

from commands import Checks, later

MEMORY = 6
ORDERLY = {0, 1, MEMORY}
BEYOND_KB = (0, 1000, 4000, 12000, 60000)  # more than the program needs to start


def limited(kilobytes, words):
    return subprocess.run(["bash", "-c", f'ulimit -c 0 -v {kilobytes}; exec "$@"', "bash", *words],
                          capture_output=True, text=True, errors="replace")


def least_to_start(program):
    for kilobytes in range(4000, 2_000_000, 1000):
        if limited(kilobytes, [program, "--version"]).returncode == 0:
            return kilobytes
    raise RuntimeError("the program does not start")


class Memory(Checks):
    def __init__(self, *words):
        super().__init__(*words)
        self.whole.write_bytes(self.commands.trace("large"))
        self.first, self.other = later(self.commands, self.folder, self.whole)
        self.told = set()

    def limit(self, command, kilobytes):
        words = self.words(command)
        if command in self.commands.writers:
            words += ["-o", str(self.named(command, "out") if command[0] != "raw" else self.folder / "o")]
        done = limited(kilobytes, words)
        if done.returncode == MEMORY and "too little memory" in done.stderr:
            self.told.add(command)
        elif done.returncode not in ORDERLY - {MEMORY}:
            self.findings.append(f"kutrace {' '.join(command)} with {kilobytes} KB: status "
                                 f"{done.returncode}: {done.stderr.strip()[-200:]}")

    def all(self):
        start = least_to_start(self.commands.program)
        for command in self.commands.readers:
            for beyond in BEYOND_KB:
                self.limit(command, start + beyond)
            left = [path.name for path in self.folder.glob("*.part")
                    if path not in (self.first, self.other)]
            self.expect(not left, f"kutrace {' '.join(command)} leaves {left}")
        self.expect(len(self.told) >= 5,
                    f"only {sorted(self.told)} ran out of memory: the limits are too high")


if __name__ == "__main__":
    Memory.main()
