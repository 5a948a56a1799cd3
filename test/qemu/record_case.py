# SPDX-License-Identifier: BSD-3-Clause
"""The program with a known pattern, recorded by both sources in all three modes.

Each trace keeps the law, has lost nothing, gives back exactly what the program did, and can be read by
KUtrace's own tools.
"""
import os
import pathlib
import subprocess

import check_format
import guest

PROGRAMS = ["kutrace", "kutrace-pattern"]
ACCELERATOR = guest.TWO_CPUS
SOURCES = ["module", "ebpf"]
MODES = ["stream", "fill", "wrap"]
SCRIPT = f"""
insmod /modules/kutrace.ko
kutrace doctor >/out/doctor
for source in {' '.join(SOURCES)}; do
  for mode in {' '.join(MODES)}; do
    kutrace record --source $source --mode $mode --buffer-mb 16 -o /out/$source-$mode.raw -- \\
      kutrace-pattern /tmp/data >/out/$source-$mode.told 2>/out/$source-$mode.log
  done
done
# Overflow of each kind, and what auto takes.
busy="dd if=/dev/zero of=/dev/null bs=1 count=120000"
kutrace record --mode wrap --buffer-mb 1 -o /out/wrapped.raw -- $busy 2>/out/wrapped.log
kutrace record --mode fill --buffer-mb 1 -o /out/full.raw -- $busy 2>/out/full.log
rmmod kutrace
"""


def run(arguments, program, *words, environment=None):
    return subprocess.run([pathlib.Path(arguments.build) / program, *words], capture_output=True,
                          text=True, check=False, env=dict(os.environ, **(environment or {})))


def check_law(arguments, trace):
    done = run(arguments, "kutrace", "check", str(trace))
    if done.returncode == 0 and "100.000000" in done.stdout:
        return []
    return [f"{trace.name}: {done.stdout}{done.stderr}"]


# Emulated CPUs stand still when the host is busy, in interrupts too, which the kernel charges to threads.
PATTERN_TESTS = "[pattern]~*the kernel charged it"


def check_pattern(arguments, trace):
    done = run(arguments, "kutrace-live", PATTERN_TESTS,
               environment={"KUTRACE_PATTERN_TRACE": str(trace),
                            "KUTRACE_PATTERN_TOLD": str(trace.with_suffix(".told"))})
    return [] if done.returncode == 0 else [f"{trace.name}: {done.stdout}{done.stderr}"]


def expect(out, name, text):
    said = (out / name).read_text(encoding="utf-8")
    return [] if text in said else [f"{name}: does not say '{text}':\n{said}"]


def check(out, arguments):
    findings = expect(out, "doctor", "record uses: module")
    for name in [f"{source}-{mode}" for source in SOURCES for mode in MODES]:
        trace = out / f"{name}.raw"
        findings += check_law(arguments, trace) + check_pattern(arguments, trace)
        findings += check_format.rules_broken(trace)
        findings += expect(out, f"{name}.log", "nothing lost")
    for name in ("wrapped", "full"):
        findings += expect(out, f"{name}.log", "source: module")
        findings += check_law(arguments, out / f"{name}.raw")
    return findings + expect(out, "full.log", "the buffer is full")
