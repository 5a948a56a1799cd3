#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Marks of programs under filters of system calls: they do the same whether somebody records or not, every mark is
heard, and what is heard is no system call.

filtered_test.py KUTRACE FILTERED. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import collections
import json
import subprocess
import sys

import judged

PROFILES = ["none", "kill", "thread", "errno", "log", "trap", "trace", "container", "container-kill", "own", "own-few",
            "own-strict"]
SCOPE = ["a scope with a long name", "/a scope with a long name"]


OWN = [profile for profile in PROFILES if profile.startswith("own")]


def script(program):
    """Of a shell: runs it under each profile, and prints how each ended."""
    return f'for profile in {" ".join(PROFILES)}; do {program} $profile; echo "$profile $?"; done'


def heard():
    """The marks that a recorder sees."""
    marks = collections.Counter({profile: 1 for profile in PROFILES})
    marks["behind the filter"] = len(OWN)
    marks["1"] = marks[SCOPE[0]] = marks[SCOPE[1]] = sum(marks.values())
    return marks


def findings_of(query, trace):
    """query(sql) answers with rows."""
    labels = collections.Counter(map(judged.label_of, query("select name, arg from marks")))
    findings = [] if labels == heard() else [f"{trace}: marks {labels}, not {heard()}"]
    calls = query("select name from calls where name like '%1023%' or name like 'write%' and result = -9")
    return findings + [f"{trace}: a mark is a call: {call}" for call in calls]


class Test(judged.Test):
    def all(self):
        alone = "".join(self.alone(profile) for profile in PROFILES)
        trace = self.folder / "filtered.raw"
        said, _ = self.record(trace, [], ["sh", "-c", script(self.recorded)])
        self.expect(said == alone, f"recorded, the programs said {said!r}, not {alone!r}")
        self.findings += findings_of(lambda sql: json.loads(self.kutrace("query", "--format", "json", trace, sql)), trace)

    def alone(self, profile):
        done = subprocess.run([self.recorded, profile], check=False, capture_output=True, text=True)
        self.expect(done.returncode == 7 and done.stdout.endswith("done\n") and "changed" not in done.stdout,
                    f"{profile}: {done}")
        return f"{done.stdout}{profile} {done.returncode}\n"


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
