#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Marks of programs under filters of system calls: they do the same whether somebody records or not, the eBPF source
hears every mark, and what it hears is no system call.

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


class Test(judged.Test):
    def all(self):
        alone = {profile: self.ran(profile) for profile in PROFILES}
        for profile, (status, said) in alone.items():
            self.expect(status == 7 and said.endswith("done\n") and "changed" not in said, f"{profile}: {status} {said!r}")
        trace = self.folder / "filtered.raw"
        script = "".join(f'"$0" {profile}; echo "{profile} $?"; ' for profile in PROFILES)
        said, _ = self.record(trace, [], ["sh", "-c", script, self.recorded])
        self.expect(said == "".join(f"{text}{profile} {status}\n" for profile, (status, text) in alone.items()),
                    f"recorded, the programs said {said!r}")
        self.marks(trace, 1)
        self.calls(trace)
        # A program that starts when nobody records, and is still there later.
        status, _ = self.ran("none")
        self.expect(status == 7, f"behind the recording: {status}")

    def ran(self, profile):
        done = subprocess.run([self.recorded, profile], check=False, capture_output=True, text=True)
        return done.returncode, done.stdout

    def marks(self, trace, times):
        rows = json.loads(self.kutrace("query", "--format", "json", trace, "select name, arg from marks order by start_ns"))
        labels = collections.Counter(row["name"].partition("=")[2] or str(row["arg"]) for row in rows)
        own = [profile for profile in PROFILES if profile.startswith("own")]
        expected = collections.Counter({profile: times for profile in PROFILES})
        expected["1"] = expected[SCOPE[0]] = expected[SCOPE[1]] = times * (len(PROFILES) + len(own))
        expected["behind the filter"] = times * len(own)
        self.expect(labels == expected, f"marks {labels}, not {expected}")

    def calls(self, trace):
        rows = json.loads(self.kutrace("query", "--format", "json", trace,
                                       "select count(*) as n from calls where name like 'write%' and result = -9"))
        self.expect(rows == [{"n": 0}], f"marks that are calls: {rows}")
        self.expect("1023" not in self.kutrace("syscalls", trace), "marks are among the calls")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
