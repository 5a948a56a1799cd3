# SPDX-License-Identifier: BSD-3-Clause
"""Groups of events, recorded processes, and calls with arguments, switched by both sources while programs make known
numbers of calls.

Where a group is on, each batch of the program's is there to the last call; where it is off, nothing of it; the same
for a process, and for the arguments of a call. Programs are told of the same carriers of marks behind it as before.
"""
import pathlib
import re
import sys

import guest
import record_case

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "live"))
import arguments_change_test
import groups_test
import pids_test

PROGRAMS = ["kutrace", "kutrace-held", "kutrace-pathed", "kutrace-switched"]
ACCELERATOR = guest.TWO_CPUS
# How far the clock of each is from CLOCK_MONOTONIC: the module counts by itself, and readers fit the two.
SOURCES = {"module": 20_000, "ebpf": groups_test.TICK_NS}
# Each is switched on and off as often, alone and with others.
WORDS = ["-syscalls", "-faults +disk", "+syscalls -wakeups", "+faults -disk", "-faults -syscalls +wakeups +timers",
         "+syscalls", "+faults -irqs -timers", "-syscalls +irqs", "+syscalls -softirqs", "+softirqs"]
ROUNDS = 3
PID_ROUNDS = 3
ARGUMENT_ROUNDS = 5
# `carriers` of include/kutrace/listeners.h.
CARRIERS = "od -A n -t u4 -j 8 -N 4 /run/kutrace-marks"
SCRIPT = f"""
insmod /modules/kutrace.ko
mkfifo /tmp/end
for source in {' '.join(SOURCES)}; do
  kutrace control go --source $source --buffer-mb 64
  {CARRIERS} >/out/$source.carriers
  kutrace-switched </tmp/end >/out/$source.batches &
  program=$!
  echo $program >/out/$source.pid
  exec 3>/tmp/end
  for round in $(seq {ROUNDS}); do
    for words in {' '.join(f'"{words}"' for words in WORDS)}; do
      kutrace control groups $words >>/out/$source.told 2>&1
    done
  done
  {CARRIERS} >>/out/$source.carriers
  exec 3>&-
  wait $program
  kutrace control stop -o /out/$source.raw

  for program in one other; do
    mkfifo /tmp/$program
    kutrace-switched </tmp/$program >/out/$source.$program.batches &
    eval $program=$!
  done
  exec 3>/tmp/one 4>/tmp/other
  echo $one $other >/out/$source.pids
  kutrace control go --source $source --buffer-mb 64 --pid $one
  for round in $(seq {PID_ROUNDS}); do
    for words in "+$other" "-$one" "+$one -$other"; do
      sleep 0.3
      kutrace control pids $words
    done
  done
  sleep 0.3
  kutrace control stop -o /out/$source.pids.raw
  exec 3>&- 4>&-
  wait $one $other
  rm /tmp/one /tmp/other

  kutrace control go --source $source --buffer-mb 96 --strings --syscalls access
  mkfifo /tmp/pathed
  kutrace-pathed </tmp/pathed >/out/$source.pathed &
  program=$!
  echo $program >/out/$source.pathed.pid
  exec 3>/tmp/pathed
  for round in $(seq {ARGUMENT_ROUNDS}); do
    for words in "+readlink" "-access" "+access -readlink"; do
      sleep 0.05
      kutrace control args $words
    done
  done
  exec 3>&-
  wait $program
  kutrace control stop -o /out/$source.arguments.raw
  rm /tmp/pathed

  kutrace control go --source $source --strings --syscalls openat
  mkfifo /tmp/held
  printf '/tmp/held\0' >/tmp/name
  kutrace-held /tmp/name &
  program=$!
  until grep -q '^{arguments_change_test.OPENAT} ' /proc/$program/syscall; do sleep 0.1; done
  kutrace control args -openat
  exec 3>/tmp/held
  kutrace control args +openat
  echo >&3
  wait $program
  exec 3>&-
  kutrace control stop -o /out/$source.held.raw
  rm /tmp/held
done
rmmod kutrace
"""


def check_source(out, arguments, source):
    test = groups_test.Test(str(pathlib.Path(arguments.build) / "kutrace"), str(out))
    trace = out / f"{source}.raw"
    test.findings += record_case.check_law(arguments, trace)
    told = len(re.findall(r"^recorded:", (out / f"{source}.told").read_text(encoding="utf-8"), re.MULTILINE))
    changes = test.changes(trace)
    test.expect(told == len(changes) == ROUNDS * len(WORDS), f"{told} switches were answered, {len(changes)} are in the trace")
    before, after = (out / f"{source}.carriers").read_text(encoding="utf-8").split()
    test.expect(before == after != "0", f"marks are heard by carriers {after}, and were by {before}")
    *lines, _ = [line.split() for line in (out / f"{source}.batches").read_text(encoding="utf-8").splitlines()]
    batches = [(what, int(begin), int(end), int(count)) for what, begin, end, count in lines]
    pid = int((out / f"{source}.pid").read_text(encoding="utf-8"))
    test.judge_batches(trace, pid, batches, changes, SOURCES[source])
    findings = [*test.findings, *check_pids(out, arguments, source), *check_arguments(out, arguments, source)]
    return [f"{source}: {finding}" for finding in findings]


def check_pids(out, arguments, source):
    test = pids_test.Test(str(pathlib.Path(arguments.build) / "kutrace"), str(out))
    trace = out / f"{source}.pids.raw"
    test.findings += record_case.check_law(arguments, trace)
    changes = len(test.changes(trace))
    test.expect(changes == 3 * PID_ROUNDS, f"{changes} changes of {3 * PID_ROUNDS} are told")
    pids = (out / f"{source}.pids").read_text(encoding="utf-8").split()
    for program, pid in zip(("one", "other"), map(int, pids)):
        *lines, _ = (out / f"{source}.{program}.batches").read_text(encoding="utf-8").splitlines()
        test.judge_process(trace, pid, pids_test.batches_of(lines), program == "one", SOURCES[source])
    return test.findings


def check_arguments(out, arguments, source):
    test = arguments_change_test.Test(str(pathlib.Path(arguments.build) / "kutrace"), "", str(out))
    trace = out / f"{source}.arguments.raw"
    test.findings += record_case.check_law(arguments, trace)
    changes = len(test.changes(trace))
    test.expect(changes == 3 * ARGUMENT_ROUNDS, f"{changes} changes of {3 * ARGUMENT_ROUNDS} are told")
    pid, last = (int((out / f"{source}.{name}").read_text(encoding="utf-8")) for name in ("pathed.pid", "pathed"))
    for call in arguments_change_test.CALLS:
        test.judge_call(trace, pid, call, call == "access", last)
    test.judge_held(out / f"{source}.held.raw")
    return test.findings


def check(out, arguments):
    return [finding for source in SOURCES for finding in check_source(out, arguments, source)]
