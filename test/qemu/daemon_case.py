# SPDX-License-Identifier: BSD-3-Clause
"""The daemon and two users: one reads what he may see, root everything, while both users work.

Of the other user's name, files and calls nothing is in the user's trace; his own calls are there, as
many as his programs say, and are those of root's trace, one for one, with thread, length and result.
"""
import json
import re

import guest
import record_case

PROGRAMS = ["kutrace", "kutrace-forking"]
ACCELERATOR = guest.TWO_CPUS
SECRET = "zqsecret"
MINE, OTHER = 1001, 1002
CHILDREN, CALLS = 4, 100
FAMILY = ("server", "children", "workers")


def work(user, name):
    """A server of this user with children; what they did is told."""
    served = f"kutrace-forking {name} {CHILDREN} {CALLS} /tmp/{name} & echo >/tmp/{name}; wait"
    return f'su {user} -c "{served}" >/out/{name}.told'


SCRIPT = f"""
mkdir -p /etc
echo "root:x:0:0::/:/bin/sh
mine:x:{MINE}:{MINE}::/:/bin/sh
other:x:{OTHER}:{OTHER}::/:/bin/sh" >/etc/passwd
printf 'arguments = yes\\nstring_bytes = 64\\n' >/etc/kutrace.conf
chmod 1777 /tmp
mkdir -m 777 /out/mine
mkfifo -m 666 /tmp/ready /tmp/over /tmp/served /tmp/{SECRET}
cat >/tmp/work <<'END'
{work("other", SECRET)}
{work("mine", "served")}
END
kutrace daemon 2>/out/daemon.log &
daemon=$!
while ! [ -S /run/kutrace-daemon.sock ]; do usleep 10000; done
usleep 100000
su mine -c "kutrace record --source daemon --strings -o /out/mine/own.raw -- \\
  sh -c 'echo >/tmp/ready; read line </tmp/over'" 2>/out/own.log &
own=$!
read line </tmp/ready
kutrace record --source daemon --strings -o /out/whole.raw -- sh -e /tmp/work 2>/out/whole.log
echo >/tmp/over
wait $own
kill $daemon
wait $daemon
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


def check(out, arguments):
    findings = []
    own, whole = out / "mine" / "own.raw", out / "whole.raw"
    for trace, log in ((own, "own.log"), (whole, "whole.log")):
        findings += record_case.check_law(arguments, trace)
        findings += record_case.check_loss(out, log)
    if SECRET.encode() not in whole.read_bytes():
        findings.append("root does not see the secret: nothing is tested")
    if SECRET.encode() in own.read_bytes():
        findings.append("the user sees another's secret")
    mine, all_calls = calls(arguments, own), calls(arguments, whole)
    counts = (len(mine), len(all_calls))
    wanted = (told(out, "served"), told(out, "served") + told(out, SECRET))
    findings += [] if counts == wanted else [f"own and all calls are {counts}, were {wanted}"]
    findings += [] if set(mine) <= set(all_calls) else ["calls of the user's are others in root's trace"]
    return findings
