# SPDX-License-Identifier: BSD-3-Clause
"""The daemon over both sources, two users, and readers with different groups of events.

While both users work one reads what he may see, root everything. Of the other user's name, files and calls
nothing is in the user's trace; his own calls are there, as many as his programs say, and are those of root's
trace, one for one, with thread, length and result. Of what a program of root's does that he starts, neither
names nor data are in his. Then four readers with a part of the groups each and one
with all of them agree entry by entry; and who reads when the daemon is killed has what came until then.
Where both users take turns on a CPU, neither the other's number nor what his lock holds is told, also where
locks are switched on while it is recorded.
"""
import json
import pathlib
import re
import sys

import guest
import record_case

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "live"))
import daemon_test
import raw_entries

PROGRAMS = ["kutrace", "kutrace-forking", "kutrace-neighbour"]
ACCELERATOR = guest.TWO_CPUS
SOURCES = ["module", "ebpf"]
SECRET = "zqsecret"
MINE, OTHER = 1001, 1002
CHILDREN, CALLS = 4, 100
OF_ROOT, TIMES = SECRET + "ofroot", 5
FAMILY = ("server", "children", "workers")
READERS = {**{name: ",".join(groups) for name, groups in daemon_test.PARTS.items()}, "all": "+locks,+signals"}


def work(user, name):
    """A server of this user with children; what they did is told."""
    served = f"kutrace-forking {name} {CHILDREN} {CALLS} /tmp/{name} & echo >/tmp/{name}; wait"
    return f'su {user} -c "{served}" >/out/$1.{name}.told'


def reading(source):
    """Of the shell: records these events until it is let go, and says when it has begun."""
    return f"""reading() {{
  kutrace record --source {source} --events $3 -o /out/$1-$2.raw -- \\
    sh -c "echo >/tmp/$2.reads; read line </tmp/$2" 2>/out/$1-$2.log
}}"""


SCRIPT = f"""
insmod /modules/kutrace.ko
mkdir -p /etc
echo "root:x:0:0::/:/bin/sh
mine:x:{MINE}:{MINE}::/:/bin/sh
other:x:{OTHER}:{OTHER}::/:/bin/sh" >/etc/passwd
printf 'arguments = yes\\nstring_bytes = 64\\nmemory = 64\\n' >/etc/kutrace.conf
chmod 1777 /tmp
mkdir -m 777 /out/mine
mkfifo -m 666 /tmp/ready /tmp/over /tmp/served /tmp/{SECRET}
mkfifo -m 666 /tmp/one.end /tmp/other.end
for reader in {" ".join(READERS)} killed; do mkfifo /tmp/$reader /tmp/$reader.reads; done
cat >/tmp/work <<'END'
{work("other", SECRET)}
{work("mine", "served")}
su mine -c "for i in {' '.join(map(str, range(TIMES)))}; do /tmp/of_root daemon --config /tmp/hidden 2>/dev/null; done; true"
END
# The user may run it, but it is root's while it runs, and so is what it reads and says.
cp /bin/kutrace /tmp/of_root
chmod 4755 /tmp/of_root
echo "{OF_ROOT} = yes" >/tmp/hidden
chmod 600 /tmp/hidden
{reading("daemon")}
for source in {" ".join(SOURCES)}; do
  kutrace daemon --source $source 2>/out/$source.daemon.log &
  daemon=$!
  while ! [ -S /run/kutrace-daemon.sock ]; do usleep 10000; done
  usleep 100000
  su mine -c "kutrace record --source daemon --strings -o /out/mine/$source-own.raw -- \\
    sh -c 'echo >/tmp/ready; read line </tmp/over'" 2>/out/$source-own.log &
  own=$!
  read line </tmp/ready
  kutrace record --source daemon --strings -o /out/$source-whole.raw -- sh -e /tmp/work $source \\
    2>/out/$source-whole.log
  echo >/tmp/over
  wait $own
  readers=
  for reader in {" ".join(f"{name}:{events}" for name, events in READERS.items())}; do
    reading $source ${{reader%%:*}} ${{reader#*:}} &
    readers="$readers $!"
    read line </tmp/${{reader%%:*}}.reads
  done
  sh -e /tmp/work $source.readers
  sleep 1
  for reader in {" ".join(READERS)}; do echo >/tmp/$reader; done
  wait $readers
  su other -c "kutrace-neighbour {daemon_test.WORD} </tmp/other.end" >/out/$source.neighbour &
  neighbours=$!
  su mine -c "kutrace-neighbour </tmp/one.end" >/dev/null &
  neighbours="$neighbours $!"
  exec 3>/tmp/other.end 4>/tmp/one.end
  su mine -c "kutrace record --source daemon --events sched,syscalls -o /out/mine/$source-beside.raw -- sleep 4" \
    2>/dev/null &
  beside=$!
  sleep 1
  su mine -c "kutrace record --source daemon --events sched,syscalls,locks -o /out/mine/$source-locks.raw -- sleep 1" \
    2>/dev/null
  wait $beside
  exec 3>&- 4>&-
  wait $neighbours
  reading $source killed +locks &
  reader=$!
  read line </tmp/killed.reads
  sh -e /tmp/work $source.killed
  kill -9 $daemon
  echo >/tmp/killed
  wait $reader
done
rmmod kutrace
"""


def told(out, name):
    text = (out / f"{name}.told").read_text(encoding="utf-8")
    counts = {key: int(value) for key, value in re.findall(r"^(\w+)=(\d+)$", text, re.MULTILINE)}
    return sum(counts[part] for part in FAMILY)


def calls(arguments, trace):
    """Of getppid: how many by whoever is no shell and no recorder, and by thread, in order."""
    text = record_case.run(arguments, "kutrace", "query", "--format", "json", str(trace),
                           "select tid, dur_ns, result from calls where name = 'getppid' and thread not like 'sh%' "
                           "and thread not like 'kutrace' and thread not like 'kutrace.%' order by tid, start_ns").stdout
    return [tuple(row.values()) for row in json.loads(text)]


def are_among(mine, all_calls):
    """Each thread's calls, in order; times of ticks that are no whole ns are rounded from each trace's own begin."""
    tids = {tid for tid, _, _ in mine}
    same = [call for call in all_calls if call[0] in tids]
    return len(same) == len(mine) and all(a[0] == b[0] and abs(a[1] - b[1]) <= 1 and a[2] == b[2]
                                          for a, b in zip(mine, same))


def check_killed(arguments, trace):
    """Whole until the daemon was killed: every CPU adds up."""
    done = record_case.run(arguments, "kutrace", "check", str(trace))
    if "every CPU adds up" in done.stdout and len(calls(arguments, trace)) > CALLS:
        return []
    return [f"{trace.name}: {done.stdout}{done.stderr}"]


def check_beside(out, arguments, source):
    others, findings = [int(tid) for tid in (out / f"{source}.neighbour").read_text(encoding="utf-8").split()], []
    for name in ("beside", "locks"):
        trace = out / "mine" / f"{source}-{name}.raw"
        findings += record_case.check_law(arguments, trace)
        entries = raw_entries.entries_of(trace.read_bytes())
        runs = [low44 & 0x1fffffff for _, _, low44, _ in entries if raw_entries.number_of(low44) == 0x200]
        named = sum(pid in others for pid in runs)
        words = sum(daemon_test.WORD in words for *_, words in entries)
        if named or words or len(runs) < 1000:
            findings.append(f"{name}: of {len(runs)} switches {named} name the other's threads; {words} words of his")
    return findings


def check_source(out, arguments, source):
    findings = check_beside(out, arguments, source)
    own, whole = out / "mine" / f"{source}-own.raw", out / f"{source}-whole.raw"
    readers = {name: out / f"{source}-{name}.raw" for name in READERS}
    for trace in (own, whole, *readers.values()):
        findings += record_case.check_law(arguments, trace)
    for name in ("own", "whole", *READERS):
        findings += record_case.check_loss(out, f"{source}-{name}.log")
        findings += record_case.expect(out, f"{source}-{name}.log", "source: daemon")
    findings += record_case.expect(out, f"{source}.daemon.log", f"source: {source}")
    findings += record_case.expect(out, f"{source}-killed.log", "times a CPU was not recorded")
    findings += check_killed(arguments, out / f"{source}-killed.raw")
    for secret, times in ((SECRET, 1), (OF_ROOT, TIMES)):
        if whole.read_bytes().count(secret.encode()) < times:
            findings.append(f"root does not see {secret}: nothing is tested")
    if SECRET.encode() in own.read_bytes():
        findings.append("the user sees another's secret")
    mine, all_calls = calls(arguments, own), calls(arguments, whole)
    counts = (len(mine), len(all_calls))
    of_user = told(out, f"{source}.served")
    wanted = (of_user, of_user + told(out, f"{source}.{SECRET}"))
    # Newer kernels may be preempted in a BPF program, and then skip runs of it: every reader is told.
    skips = all(count <= most for count, most in zip(counts, wanted)) and \
        all("the kernel skipped runs" in (out / f"{source}-{name}.log").read_text(encoding="utf-8")
            for name in ("own", "whole"))
    findings += [] if counts == wanted or skips else [f"own and all calls are {counts}, were {wanted}"]
    findings += [] if are_among(mine, all_calls) else ["calls of the user's are others in root's trace"]
    return [f"{source}: {finding}" for finding in [*findings, *daemon_test.union_findings(readers)]]


def check(out, arguments):
    return [finding for source in SOURCES for finding in check_source(out, arguments, source)]
