# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the lab, recorded by the module and by eBPF: each trace must show what the program did.

What it must show is that of test/lab/experiments.py; left out are those that need a disk, which a guest lacks.
"""
import pathlib
import sys

import guest
import record_case

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lab"))
import experiments

PROGRAMS = ["kutrace", "lab-hello", "lab-rpc", "lab-locks", "lab-hog", "lab-queues"]
ACCELERATOR = guest.TWO_CPUS
TIMEOUT = 1500
SOURCES = ["module", "ebpf"]
NAMES = ["hello", "rpc", "slow-kernel", "slow-network", "slow-lock", "good-locks", "bad-locks", "hog-cpu", "hog-memory",
         "hog-cache", "queues"]


def recorded(source, name):
    program, words, _ = experiments.EXPERIMENTS[name]
    return (f"kutrace record --source {source} -o /out/{source}-{name}.raw -- lab-{program} {' '.join(words)} "
            f">/out/{source}-{name}.told 2>/out/{source}-{name}.log\n")


SCRIPT = f"""
insmod /modules/kutrace.ko
cd /tmp
{"".join(recorded(source, name) for source in SOURCES for name in NAMES)}
rmmod kutrace
"""


def check_one(arguments, out, source, name):
    findings = []
    trace = out / f"{source}-{name}.raw"

    def ask(*words):
        done = record_case.run(arguments, "kutrace", *map(str, words))
        if done.returncode != 0:
            findings.append(f"{trace.name}: kutrace {words[0]}: {done.stderr}")
        return done.stdout

    def expect(good, what):
        if not good:
            findings.append(f"{trace.name}: {what}")

    print(f"-- {trace.name}")
    told = experiments.numbers((out / f"{source}-{name}.told").read_text(encoding="utf-8"))
    experiments.EXPERIMENTS[name][2](experiments.Trace(trace, ask, expect), told)
    return findings + record_case.check_law(arguments, trace)


def check(out, arguments):
    return [finding for source in SOURCES for name in NAMES for finding in check_one(arguments, out, source, name)]
