# SPDX-License-Identifier: BSD-3-Clause
"""What an emulated machine does only when it is told to: NMIs, machine checks, and processors that
poll while idle, which are woken by a store instead of an interrupt.

The guest itself tells QEMU's monitor to raise them, while the known pattern is recorded: both must be
exact, and the kernel's own counts are the truth for the first.
"""
import re

import guest
import record_case

PROGRAMS = ["kutrace", "kutrace-pattern"]
ACCELERATOR = guest.TWO_CPUS
TIMEOUT = 900
MONITOR = True
# Idle processors poll; the pin of external NMIs is connected to all processors.
WORDS = "idle=poll apic_extnmi=all"
ROUNDS = 25
# Valid, uncorrected, enabled, deferred: nothing that the kernel panics at. It can go on (RIPV), and is
# in a machine check (MCIP).
CHECK_STATUS, CHECK_MACHINE = 1 << 63 | 1 << 61 | 1 << 60 | 1 << 44, 5
SCRIPT = f"""
cat >/tmp/rare <<'END'
port=$(grep -lx monitor /sys/class/virtio-ports/*/name)
exec 3>/dev/$(basename $(dirname $port))
raise_all() {{
  for round in $(seq {ROUNDS}); do
    echo nmi >&3
    usleep 10000
    echo mce $((round % 2)) 1 {CHECK_STATUS:#x} {CHECK_MACHINE} 0 0 >&3
    usleep 10000
  done
}}
cp /proc/interrupts /out/before
kutrace-pattern /tmp/data >/out/rare.told &
raise_all
wait $!
# Now into a program that only computes.
while :; do :; done &
raise_all
kill $!
sleep 1 # what is under way comes
cp /proc/interrupts /out/after
END
insmod /modules/kutrace.ko
kutrace record --source module --buffer-mb 16 -o /out/rare.raw -- sh /tmp/rare 2>/out/rare.log
rmmod kutrace
"""
COUNTED = {"NMI": 0x502, "MCE": 0x412}
LEAST = ROUNDS // 2  # on each processor; of two that come close together one may be lost
RETURN = 0x200
MONITOR_STORE = 0x21E


def kernel_counts(out, row):
    """How often the kernel had it between the two copies of its table, by processor."""
    def read(name):
        found = re.search(rf"^ *{row}: +(\d+) +(\d+) ", (out / name).read_text(), re.MULTILINE)
        return int(found[1]), int(found[2])
    return [after - before for before, after in zip(read("before"), read("after"))]


def recorded(arguments, trace):
    """(processor, event, argument, whether its return is folded into it) of every event."""
    text = record_case.run(arguments, "kutrace", "dump", "--stage", "events", str(trace)).stdout
    for line in text.splitlines():
        found = re.match(r"\d+ ([01]) ([0-9a-f]+) (?!name:)\S+ (\d+)(.*)", line)
        if found:
            yield int(found[1]), int(found[2], 16), int(found[3]), " ret=" in found[4]


def counted(out, name, event, events):
    """As many of it, and as many returns, as the kernel counted."""
    findings = []
    for cpu, told in enumerate(kernel_counts(out, name)):
        calls = [entry for entry in events if entry[:2] == (cpu, event)]
        returns = sum(entry[3] for entry in calls) + \
            sum(entry[:2] == (cpu, event | RETURN) for entry in events)
        print(f"processor {cpu}: {told} {name} told, {len(calls)} recorded, {returns} returns")
        if not told == len(calls) == returns or told < LEAST:
            findings.append(f"processor {cpu}: {name} differ")
    return findings


def stores(events):
    """The pattern's two threads wake each other across processors, which poll meanwhile."""
    findings = []
    for cpu in (0, 1):
        sent = [entry[2] for entry in events if entry[:2] == (cpu, MONITOR_STORE)]
        print(f"processor {cpu}: {len(sent)} monitor stores, {sent.count(1 - cpu)} to the other")
        if sent.count(1 - cpu) < LEAST or not set(sent) <= {0, 1}:
            findings.append(f"processor {cpu}: monitor stores to {sent[:20]}")
    return findings


def check(out, arguments):
    trace = out / "rare.raw"
    findings = record_case.check_law(arguments, trace) + record_case.check_pattern(arguments, trace)
    findings += record_case.expect(out, "rare.log", "nothing lost")
    events = list(recorded(arguments, trace))
    for name, event in COUNTED.items():
        findings += counted(out, name, event, events)
    return findings + stores(events)
