# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of some threads only, by both sources: of a process, of a user.

What the program with a known pattern did is there, exactly; no system call, fault or mark of anybody
else is; and every nanosecond is still accounted for, theirs as hidden.
"""
import re

import guest
import record_case

PROGRAMS = ["kutrace", "kutrace-pattern"]
ACCELERATOR = guest.TWO_CPUS
SOURCES = ["module", "ebpf"]
NOBODY = 65534
SCRIPT = f"""
mkdir -p /etc
echo "nobody:x:{NOBODY}:{NOBODY}:::" >/etc/passwd
chmod 1777 /tmp
mkfifo /tmp/begin
insmod /modules/kutrace.ko
busy="dd if=/dev/zero of=/dev/null bs=1 count=3000"
for source in {' '.join(SOURCES)}; do
  sh -c "read line </tmp/begin; exec kutrace-pattern /tmp/data" >/out/$source-pid.told &
  pid=$!
  kutrace record --source $source --pid $pid -o /out/$source-pid.raw -- \\
    sh -c "echo >/tmp/begin; while [ -e /proc/$pid/exe ]; do $busy 2>/tmp/err; done" \\
    2>/out/$source-pid.log
  while true; do $busy 2>/tmp/err; done &
  other=$!
  SUDO_USER=nobody SUDO_UID={NOBODY} SUDO_GID={NOBODY} kutrace record --source $source \\
    --uid nobody -o /out/$source-uid.raw -- kutrace-pattern /tmp/nobody \\
    >/out/$source-uid.told 2>/out/$source-uid.log
  kill $other
done
rmmod kutrace
"""
OWN_DOINGS = ("syscall", "fault", "mark", "sample")
HIDDEN = "hidden"


def spans(arguments, trace):
    """Kind, thread and name of every span."""
    text = record_case.run(arguments, "kutrace", "dump", "--stage", "spans", str(trace)).stdout
    found = (re.match(r'\S+ \S+ \S+ (\S+) (\S+) .*"(.*)"', line) for line in text.splitlines())
    return [(m.group(2), int(m.group(1)), m.group(3)) for m in found if m]


def threads_of(arguments, trace, process):
    """Of the process, as entries of kind TASK say: thread, flags, parent and process in one word."""
    text = record_case.run(arguments, "kutrace", "dump", str(trace)).stdout
    tasks = re.findall(r" 13f name:thread facts (\d+) \S+ (\S+)$", text, re.MULTILINE)
    return {process} | {int(thread) for thread, family in tasks
                        if int(family, 16) & 0xffffffff == process}


def check(out, arguments):
    findings = []
    for name in [f"{source}-{what}" for source in SOURCES for what in ("pid", "uid")]:
        trace = out / f"{name}.raw"
        findings += record_case.check_law(arguments, trace)
        findings += record_case.check_pattern(arguments, trace)
        findings += record_case.check_loss(out, f"{name}.log")
        findings += others(arguments, trace)
    return findings


def others(arguments, trace):
    """Doings of threads that are not the program's."""
    told = trace.with_suffix(".told").read_text(encoding="utf-8")
    own = threads_of(arguments, trace, int(re.search(r"^pid=(\d+)$", told, re.MULTILINE).group(1)))
    all_spans = spans(arguments, trace)
    foreign = [span for span in all_spans if span[0] in OWN_DOINGS and span[1] not in own]
    findings = [f"{trace.name}: not of the program {sorted(own)}: {span}" for span in foreign[:5]]
    if not any(kind == HIDDEN for kind, _, _ in all_spans):
        findings.append(f"{trace.name}: nothing is hidden")
    return findings
