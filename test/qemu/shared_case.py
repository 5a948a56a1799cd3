# SPDX-License-Identifier: BSD-3-Clause
"""Several recordings of the module at once, which are one: each reader has a file of its own.

Four who read a part of the groups and one who reads all begin at once, and agree entry by entry. Of two with
other groups both have the whole of a program's pattern. Who is stopped for a while is lapped and told, the
first as well as one who joined; who reads beside him loses nothing. Nor does who reads while others come, are
killed and go, the first of them included. One who keeps the newest, or ends when his memory is full, has of all
what came last, or first. One who asks for a process has all of that, and nothing of others. What cannot be shared
is refused, or recorded by eBPF.
"""
import record_case
import daemon_case
import guest

PROGRAMS = ["kutrace", "kutrace-forking", "kutrace-pattern"]
ACCELERATOR = guest.TWO_CPUS
READERS = daemon_case.READERS
CHILDREN, CALLS = 4, 100
TIMES = 10
BURST_CALLS = 10_000  # ten of them are more than the buffer holds; who reads has time for each
# Who keeps a part, and who reads all with him.
KEPT = {"newest": "whole", "oldest": "whole", "wrapping": "while-wrapping", "filling": "while-filling"}
FIRST_CALL = 0x800
FEWEST_KEPT = 1000
TASK = 0x10f
STALLED = {"first": "beside", "joiner": "before"}  # who is stopped, and who reads with him

SCRIPT = f"""
insmod /modules/kutrace.ko
for reader in {" ".join(READERS)}; do mkfifo /tmp/$reader /tmp/$reader.reads; done
mkfifo /tmp/served
{daemon_case.reading("module")}
work() {{ kutrace-forking work {CHILDREN} $1 /tmp/served >/tmp/told & echo >/tmp/served; wait $!; }}
work_long() {{
  for i in {" ".join(map(str, range(TIMES)))}; do work {BURST_CALLS}; usleep 300000; done
}}
readers=
for reader in {" ".join(f"{name}:{events}" for name, events in READERS.items())}; do
  reading shared ${{reader%%:*}} ${{reader#*:}} &
  readers="$readers $!"
done
for reader in {" ".join(READERS)}; do read line </tmp/$reader.reads; done
work {CALLS}
sleep 1
for reader in {" ".join(READERS)}; do echo >/tmp/$reader; done
wait $readers
# Each of the two is the other's command's outside.
kutrace record --source module --events=+locks -o /out/outer.raw -- sh -c "
  kutrace record --events=+timers -o /out/inner.raw -- kutrace-pattern /tmp/data 2>/out/inner.log" \\
  >/out/inner.told 2>/out/outer.log
cp /out/inner.told /out/outer.told
# Records until it is let go; it has begun when this returns.
begin() {{
  name=$1; shift
  mkfifo /tmp/$name /tmp/$name.reads
  kutrace record --source module "$@" -o /out/$name.raw -- \\
    sh -c "echo >/tmp/$name.reads; read line </tmp/$name" 2>/out/$name.log &
  last=$!
  read line </tmp/$name.reads
}}
# The shell is told, too, and what it opens is not to be interrupted by that.
halt() {{ kill -STOP $1; usleep 200000; }}
go_on() {{ kill -CONT $1; usleep 200000; }}
# Who is stopped reads with another; more is recorded meanwhile than the buffer holds.
stop_one() {{
  begin $1 --buffer-mb 8; one=$last
  begin $2 --events=syscalls; two=$last
  eval stopped=\\$$3
  halt $stopped
  work_long
  go_on $stopped
  echo >/tmp/$1; echo >/tmp/$2
  wait $one $two
}}
stop_one first beside one
stop_one before joiner two
# The first is killed, and others are while they come, read and go.
begin gone; gone=$last
begin kept; kept=$last
kill -9 $gone
for i in {" ".join(map(str, range(TIMES)))}; do
  kutrace record --source module --events=syscalls -o /tmp/killed.raw 2>/tmp/killed.log &
  killed=$!
  usleep $((i * 70000))
  kill -9 $killed
  kutrace record --source module --events=faults -o /out/came-$i.raw -- true 2>/out/came-$i.log
done
echo >/tmp/kept
wait $kept
# Beside one who has all, readers who keep a part in memory; one is lapped before that.
begin whole --buffer-mb 8; whole=$last
begin newest --mode wrap --buffer-mb 1 --events=syscalls; newest=$last
begin oldest --mode fill --buffer-mb 1 --events=syscalls; oldest=$last
halt $newest
work_long
go_on $newest
work_long
for reader in oldest newest whole; do echo >/tmp/$reader; done
wait $oldest $newest $whole
# The same where they have begun it, and others join.
begin wrapping --mode wrap --buffer-mb 1 --events=syscalls; one=$last
begin while-wrapping; two=$last
work_long
echo >/tmp/wrapping; wait $one
echo >/tmp/while-wrapping; wait $two
begin filling --mode fill --buffer-mb 1 --events=syscalls; one=$last
begin while-filling; two=$last
work_long
echo >/tmp/while-filling; wait $two
echo >/tmp/filling; wait $one
# Who asks for one process of all; it begins when both read.
mkfifo /tmp/go
(read line </tmp/go; exec kutrace-pattern /tmp/data >/out/chosen.told) &
pattern=$!
begin every; every=$last
begin chosen --pid $pattern; chosen=$last
echo >/tmp/go
wait $pattern
for reader in chosen every; do echo >/tmp/$reader; done
wait $chosen $every
echo $pattern >/out/chosen.pid
# What cannot be shared.
kutrace record --source module -o /out/alone.raw -- sh -c "
  kutrace record --source module --strings -o /out/refused.raw -- true 2>/out/refused.log;
  kutrace record --source module --mode wrap --strings -o /out/refused.raw -- true 2>/out/refused-wrap.log;
  kutrace record --source module --no-merge -o /out/other.raw -- true 2>/out/other.log;
  kutrace record --no-merge -o /out/instead.raw -- true 2>/out/instead.log;
  kutrace record --strings -o /out/ebpf.raw -- true 2>/out/ebpf.log; true"
rmmod kutrace
"""



def calls_of(path):
    """(CPU, time, what) of the calls of a trace, in order."""
    return sorted((cpu, time, low44) for cpu, time, low44, _ in daemon_case.raw_entries.entries_of(path.read_bytes())
                  if cpu is not None and daemon_case.raw_entries.number_of(low44) >= FIRST_CALL)


def edges_of(calls):
    """Times of each CPU's first call and of its last."""
    edges = {}
    for cpu, time, _ in calls:
        edges[cpu] = (edges.get(cpu, (time,))[0], time)
    return edges


def judged(calls, edges):
    return [call for call in calls if call[0] in edges and edges[call[0]][0] <= call[1] < edges[call[0]][1]]


def check_kept(out):
    """Of each CPU what is kept is in the whole, and in one piece there: at its end, or at its begin. The return of a
    call that goes on when a reader ends is not his."""
    findings = []
    for name, whole in KEPT.items():
        kept, whole = calls_of(out / f"{name}.raw"), calls_of(out / f"{whole}.raw")
        own, others = edges_of(kept), edges_of(whole)
        edges = {cpu: (max(own[cpu][0], others[cpu][0]), min(own[cpu][1], others[cpu][1])) for cpu in own}
        part, expected = judged(kept, edges), judged(whole, edges)
        if part != expected or not FEWEST_KEPT < len(part) < len(whole) / 2:
            findings.append(f"{name}: {len(part)} calls, {len(expected)} of the whole, which has {len(whole)}")
    return findings


def check_chosen(out):
    calls_by_thread = daemon_case.daemon_test.calls_by_thread
    pid = int((out / "chosen.pid").read_text(encoding="utf-8"))
    entries = daemon_case.raw_entries.entries_of((out / "every.raw").read_bytes())
    threads = {pid} | {low44 & 0xffffffff for _, _, low44, words in entries
                       if daemon_case.raw_entries.number_of(low44) & 0xf0f == TASK and words[1] & 0xffffffff == pid}
    got, whole = calls_by_thread(out / "chosen.raw"), calls_by_thread(out / "every.raw")
    want = [one for one in whole if one[0] in threads and one[2] >= got[0][2]] if got else []
    return [] if got and got == want else [f"chosen: {len(got)} calls and returns, {len(want)} of the whole"]


def check(out, arguments):
    findings = []
    readers = {name: out / f"shared-{name}.raw" for name in READERS}
    kept = [*(f"shared-{name}" for name in READERS), "outer", "inner", *STALLED.values(), "kept",
            *(f"came-{i}" for i in range(TIMES)), "whole", "oldest", "ebpf", "instead",
            "every", "chosen", "while-wrapping", "while-filling", "filling"]
    for name in (*kept, *STALLED, "newest", "wrapping", "alone"):
        findings += record_case.check_law(arguments, out / f"{name}.raw")
    for name in kept:
        findings += record_case.check_loss(out, f"{name}.log")
    for name in STALLED:
        if "nothing lost" in (out / f"{name}.log").read_text(encoding="utf-8"):
            findings.append(f"{name}: was stopped, and is told of no loss")
    for name in ("inner", "outer", "chosen"):
        findings += record_case.check_pattern(arguments, out / f"{name}.raw")
    findings += record_case.expect(out, "inner.log", "source: module")
    findings += check_kept(out)
    findings += check_chosen(out)
    findings += record_case.expect(out, "chosen.log", "source: module")
    for name in ("oldest", "filling"):
        findings += record_case.expect(out, f"{name}.log", "the buffer is full")
    findings += record_case.expect(out, "ebpf.log", "source: ebpf")
    findings += record_case.expect(out, "instead.log", "source: ebpf instead")
    for name in ("refused", "refused-wrap", "other"):
        findings += record_case.expect(out, f"{name}.log", "uses the module")
    return findings + daemon_case.daemon_test.union_findings(readers)
