#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Too little memory is said as such, by every command, wherever it runs out.

memory_test.py KUTRACE SMALL_TRACE
"""
import subprocess
import sys

from commands import Commands, later, path_in, scratch

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


def main(program, small_trace):
    commands = Commands(program, small_trace)
    findings = list(commands.unknown)
    told = set()
    start = least_to_start(program)
    with scratch() as folder:
        whole = path_in(folder, "whole.raw")
        whole.write_bytes(commands.trace("large"))
        _, other = later(commands, whole.parent, whole)
        for command in commands.readers:
            trace = path_in(folder, "first.part") if command == ("raw", "concat") else whole
            words = commands.words(command, str(trace), other)
            if command in commands.writers:
                words += ["-o", str(path_in(folder, "out.html" if command[0] != "raw" else "o"))]
            for beyond in BEYOND_KB:
                done = limited(start + beyond, words)
                if done.returncode == MEMORY and "too little memory" in done.stderr:
                    told.add(command)
                elif done.returncode not in ORDERLY - {MEMORY}:
                    findings.append(f"kutrace {' '.join(command)} with {start + beyond} KB: status "
                                    f"{done.returncode}: {done.stderr.strip()[-200:]}")
            left = [path.name for path in whole.parent.iterdir() if path.name.endswith(".part")
                    and path.name not in ("first.part", "second.part")]
            if left:
                findings.append(f"kutrace {' '.join(command)} leaves {left}")
    if len(told) < 5:
        findings.append(f"only {sorted(told)} ran out of memory: the limits are too high")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
