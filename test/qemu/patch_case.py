# SPDX-License-Identifier: BSD-3-Clause
"""A patched kernel: its direct calls show everything, exactly.

The known pattern in all modes; what only a patched kernel shows; a mix of direct calls and tracepoints.
"""
import re

import guest
import patched
import record_case

PROGRAMS = ["kutrace", "kutrace-pattern", "kutrace-odd"]
ACCELERATOR = guest.TWO_CPUS
TIMEOUT = 900
MODES = ["stream", "fill", "wrap"]
# Bits of groups (include/kutrace/control.h): system calls, faults and names; the rest by tracepoints.
MIX = 1 | 8 | 1 << 9
SCRIPT = f"""
insmod /modules/kutrace.ko
kutrace doctor >/out/doctor
for mode in {' '.join(MODES)}; do
  kutrace record --source module --mode $mode --buffer-mb 16 -o /out/patch-$mode.raw -- \\
    kutrace-pattern /tmp/data >/out/patch-$mode.told 2>/out/patch-$mode.log
done
kutrace record --source module -o /out/odd.raw -- kutrace-odd >/out/odd.told 2>/out/odd.log
# Arguments and stacks come by tracepoint, beside direct calls; the table of arguments is that of x86-64.
[ $(uname -m) != x86_64 ] || kutrace record --source module --strings --stacks \
  --events {record_case.POINTS} -o /out/whole.raw -- kutrace-pattern /tmp/data >/out/whole.told 2>/out/whole.log
rmmod kutrace
insmod /modules/kutrace.ko direct=0
kutrace record --source module -o /out/none.raw -- \\
  kutrace-pattern /tmp/data >/out/none.told 2>/out/none.log
rmmod kutrace
insmod /modules/kutrace.ko direct={MIX}
kutrace record --source module -o /out/mix.raw -- \\
  kutrace-pattern /tmp/data >/out/mix.told 2>/out/mix.log
rmmod kutrace
"""
# Event of each kind that kutrace-odd counts, and its argument if only that one counts.
ODD = {"amd64": {"call32": (0xC40, 0x5A5A), "divide": (0x400, None), "breakpoint": (0x403, None),
                 "debug": (0x401, None), "invalid": (0x406, None), "privileged": (0x40D, None),
                 "failed": (0x803, -0x5A5A & 0xFFFF), "refused": (0x879, 0x5A5A)},
       "arm64": {"call32": (0xC40, 0x5A5A), "steps": (0x401, None), "breakpoint": (0x403, None),
                 "undefined": (0x406, None), "emulated": (0x40D, None), "misaligned": (0x411, None),
                 "first_use": (0x407, None), "failed": (0x839, -0x5A5A & 0xFFFF),
                 "refused": (0x89B, 0x5A5A)}}
BY_CHILDREN = ["call32", "steps"]
MARK_D, TRAPS = 0x20D, range(0x400, 0x500)
RETURN = 0x200
SWITCH, BLOCK_START = 0x200, "block"


def events(arguments, trace):
    """(thread, event, argument, result or None), of each event in time order."""
    text = record_case.run(arguments, "kutrace", "dump", "--stage", "events", str(trace)).stdout
    running = {}
    for line in text.splitlines():
        words = line.split(" ", 5)
        if len(words) < 5 or words[1] == "-" or words[3].startswith("name:"):
            continue
        cpu, argument = words[1], int(words[4])
        if words[3] == BLOCK_START or int(words[2], 16) == SWITCH:
            running[cpu] = argument
        found = re.search(r"ret=(-?\d+) dur", words[5]) if len(words) > 5 else None
        event = int(words[2], 16) if words[3] != BLOCK_START else 0
        yield running.get(cpu, -1), event, argument, int(found[1]) if found else None


def pairing(arguments, trace):
    """Faults and scheduler calls have as many returns as calls, but for those under way at an end."""
    calls, returns = {}, {}
    for _, event, _, result in events(arguments, trace):
        base = event & ~RETURN
        if base not in (0x40E, 0xDFF) or not 0x400 <= event <= 0xFFF:
            continue
        if event == base:
            calls[base] = calls.get(base, 0) + 1
        if event != base or result is not None:
            returns[base] = returns.get(base, 0) + 1
    findings = []
    for base, what in ((0x40E, "faults"), (0xDFF, "scheduler calls")):
        called, returned = calls.get(base, 0), returns.get(base, 0)
        print(f"{trace.name}: {called} {what}, {returned} returns")
        if not called or abs(called - returned) > 4:
            findings.append(f"{trace.name}: {called} {what}, but {returned} returns")
    return findings


def between_marks(entries):
    """What lies between a mark that is not 0 and one that is."""
    inside = False
    for entry in entries:
        if entry[1] == MARK_D:
            inside = entry[2] != 0
        elif inside:
            yield entry


def odd_counts(arguments, out):
    told = dict(line.split("=") for line in (out / "odd.told").read_text().split())
    everything = list(events(arguments, out / "odd.raw"))
    mine = [entry for entry in everything if entry[0] == int(told["pid"])]
    findings = []
    for name, (event, argument) in ODD[patched.TARGETS[arguments.target].architecture].items():
        where = everything if name in BY_CHILDREN else \
            between_marks(mine) if event in TRAPS else mine
        seen = [entry for entry in where if entry[1] == event and argument in (None, entry[2])]
        print(f"odd.raw: {name}: {told[name]} told, {len(seen)} recorded")
        if len(seen) != int(told[name]):
            findings.append(f"odd.raw: {name}: {told[name]} told, {len(seen)} recorded")
    return findings


def missing_returns(arguments, trace):
    """Every call's return is recorded: the reader had none to make up."""
    told = record_case.run(arguments, "kutrace", "check", str(trace)).stdout
    return [f"{trace.name}: {line}" for line in told.splitlines() if "missing_return" in line]


def check(out, arguments):
    findings = record_case.expect(out, "doctor", "hooks: patch\n")
    traces = {f"patch-{mode}": "patch" for mode in MODES}
    traces.update(none="tracepoints", mix="patch, but tracepoints for nmi, irq, ipi_send, softirq, "
                  "sched, wakeup, idle, packet")
    if (out / "whole.raw").exists():
        traces["whole"] = "patch, but tracepoints for syscall, sched"
    for name, hooks in traces.items():
        trace = out / f"{name}.raw"
        findings += record_case.check_law(arguments, trace)
        findings += record_case.check_pattern(arguments, trace)
        findings += record_case.expect(out, f"{name}.log", "nothing lost")
        info = record_case.run(arguments, "kutrace", "info", str(trace)).stdout
        if not re.search(rf"^hooks +{re.escape(hooks)}$", info, re.MULTILINE):
            findings.append(f"{name}: info does not say 'hooks {hooks}':\n{info[:3000]}")
        if hooks == "patch":
            findings += pairing(arguments, trace) + missing_returns(arguments, trace)
    odd = out / "odd.raw"
    findings += record_case.check_law(arguments, odd) + missing_returns(arguments, odd)
    return findings + odd_counts(arguments, out)
