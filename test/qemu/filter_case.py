# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of some threads only, by both sources: of a process, of a user, of a server that forks.

What the program with a known pattern did is there, exactly; no system call, fault or mark of anybody
else is; and every nanosecond is still accounted for, theirs as hidden. Of the server, chosen by number,
name and control group, with its children and without, the calls are counted. Recordings that begin
while every CPU is in a call of others let none of them in.
"""
import re

import guest
import record_case

PROGRAMS = ["kutrace", "kutrace-pattern", "kutrace-forking"]
ACCELERATOR = guest.TWO_CPUS
SOURCES = ["module", "ebpf"]
NOBODY = 65534
CHILDREN, CALLS = 4, 100
STARTS = 4
# Of a server that forks: options, and whose calls are to be seen.
SERVERS = {"pid-follow": ("--pid $pid --follow", ["server", "children", "workers"]),
           "comm": ("--comm forks", ["server", "children"]),
           "comm-follow": ("--comm fork* --follow", ["server", "children", "workers"]),
           "cgroup": ("--cgroup /above", ["server", "children", "workers"]),
           "unit": ("--unit one --comm forks", ["server", "children"])}
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
mkfifo /tmp/serve
mkdir -p /groups
mount -t cgroup2 none /groups
mkdir -p /groups/above/one.service
# The emulator's one thread stays with a CPU that is never idle for 100 ms, and whoever waits for the
# other CPU waits as long: who calls beside the servers also sleeps.
kutrace-forking noise 10000 &
noise=$!
record_server() {{ # the source, the name of the recording, options
  sh -c "echo \$\$ >/groups/above/one.service/cgroup.procs
         exec kutrace-forking forks {CHILDREN} {CALLS} /tmp/serve" >/out/$1-$2.told &
  pid=$!
  while ! grep -q workers /out/$1-$2.told; do usleep 10000; done
  kutrace record --source $1 -o /out/$1-$2.raw $(eval "echo $3") -- \
    sh -c "echo >/tmp/serve; while [ -e /proc/$pid/exe ]; do usleep 10000; done" 2>/out/$1-$2.log
}}
for source in {' '.join(SOURCES)}; do
{"".join(f"  record_server $source {name} '{options}'" + chr(10) for name, (options, _) in SERVERS.items())}
  kutrace record --source $source --follow -o /out/$source-follow.raw -- sh -c \
    "kutrace-forking forks {CHILDREN} {CALLS} /tmp/serve & echo >/tmp/serve; wait" \
    >/out/$source-follow.told 2>/out/$source-follow.log
  kutrace record --source $source --follow -o /out/$source-alone.raw -- true 2>/out/$source-alone.log
done
kill $noise
kutrace-forking noise &
noise=$!
kutrace-forking noise &
more_noise=$!
sleep 100000 &
idle=$!
start=0
while [ $start -lt {STARTS} ]; do
  echo "pid=$idle" >/out/start-$start.told
  kutrace record --source module --pid $idle --buffer-mb 2 -o /out/start-$start.raw -- true \
    2>>/out/starts.log
  start=$((start + 1))
done
kill $noise $more_noise $idle
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
        # From 7.0 on the kernel skips eBPF programs that another thread was in; it is said how often.
        findings += [] if skipped_calls(out, name) else record_case.check_pattern(arguments, trace)
        findings += record_case.check_loss(out, f"{name}.log")
        findings += others(arguments, trace)
    for source in SOURCES:
        for name, (_, wanted) in SERVERS.items():
            findings += check_server(out, arguments, f"{source}-{name}", wanted)
        findings += check_server(out, arguments, f"{source}-follow", SERVERS["pid-follow"][1])
        findings += check_alone(arguments, out / f"{source}-alone.raw")
    for start in range(STARTS):
        findings += others(arguments, out / f"start-{start}.raw")
    return findings


def skipped_calls(out, name):
    """Calls that may be missing, as the recorder said: the kernel kept their entries from it, or the
    birth of the process that made them."""
    said = (out / f"{name}.log").read_text(encoding="utf-8")
    skipped = re.search(r"skipped runs of hooks: (.*)", said)
    runs = {hook: int(count) for hook, count in re.findall(r"(\w+) (\d+) \(", skipped.group(1))} if skipped else {}
    return runs.get("sys_enter", 0) + CALLS * runs.get("sched_process_fork", 0)


def check_server(out, arguments, name, wanted):
    """The calls that a server and its children made, and nobody else's."""
    trace = out / f"{name}.raw"
    told = trace.with_suffix(".told").read_text(encoding="utf-8")
    told = {key: int(value) for key, value in re.findall(r"^(\w+)=(\d+)$", told, re.MULTILINE)}
    expected = sum(told[part] for part in wanted)
    text = record_case.run(arguments, "kutrace", "query", str(trace), "--format", "csv",
                           "select count(*) from calls where name = 'getppid' and "
                           "thread not like 'sh.%' and thread != 'sh'").stdout
    counted = int(text.split()[-1])
    findings = record_case.check_law(arguments, trace) + record_case.check_loss(out, f"{name}.log")
    if not expected - skipped_calls(out, name) <= counted <= expected:
        said = (out / f"{name}.log").read_text(encoding="utf-8")
        findings.append(f"{name}: {counted} calls, told {expected}, where was said:\n{said}")
    return findings


def check_alone(arguments, trace):
    """The command that is followed is there, and of the recorder, which starts it, nothing."""
    doings = [span for span in spans(arguments, trace) if span[0] in (*OWN_DOINGS, "user")]
    threads = {thread for _, thread, _ in doings}
    findings = record_case.check_law(arguments, trace)
    if len(threads) != 1 or ("user", *threads, "true") not in doings:
        findings.append(f"{trace.name}: threads {threads} did {doings[:20]}")
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
