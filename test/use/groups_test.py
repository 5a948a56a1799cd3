#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All commands say that a process is in the same control group, whatever part of a trace they are asked about and
whatever form it has; one that moved is in its last group, and they say that it did.

groups_test.py KUTRACE SMALL_TRACE
"""
import json
import subprocess

from commands import Checks

GROUP_OF = {"server": "/box", "client": "/other", "child": "/box", "rooted": "/", "mover": "/second"}
FORMS = ["raw", "html", "kux", "json"]


class Groups(Checks):
    def run(self, *words, status=0):
        done = subprocess.run([self.commands.program, *map(str, words)], capture_output=True, text=True)
        self.expect(done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}")
        return done

    def rows(self, *words):
        text = self.run(*words, "--format", "json").stdout
        return json.loads(text) if text else {}

    def told(self, trace, has_calls, *part):
        """Of each command, the groups that it names."""
        told = {"stat": {row["name"] for table in self.rows("stat", "--by", "cgroup", *part, trace)["tables"]
                         for row in table["rows"] if row["executing_ns"]},
                "profile": {row["name"] for row in
                            self.rows("profile", "--by", "cgroups", *part, trace)["rows"]}}
        if has_calls:
            told["syscalls"] = {group["group"] for group in
                                self.rows("syscalls", "--by", "cgroup", *part, trace)["groups"]}
        return told

    def judge(self, trace, names, has_calls):
        """Each thread alone has the group that it has among all, by name, number and group."""
        for name in names:
            group = GROUP_OF[name]
            for words in (["--name", name], ["--name", name, "--from", "0"], ["--name", name, "--children"]):
                if words[-1] == "--children" and trace.suffix == ".json":
                    continue  # it may lack parents
                for command, groups in self.told(trace, has_calls, *words).items():
                    self.expect(groups == {group} or group == "/box" == max(groups) and "--children" in words,
                                f"{command} {words} {trace.name}: {groups}, not {group}")
            both = self.told(trace, has_calls, "--name", name, "--cgroup", group)
            self.expect(all(group in groups for groups in both.values()), f"{trace.name}: {name} is not in {group}: {both}")

    def sql(self, trace, names):
        if ("query",) not in self.commands.readers:
            return
        found = {row["thread"]: row["cgroup"] for row in self.rows("query", trace, "select thread, cgroup from threads")}
        self.expect({name: found.get(name) for name in names} == {name: GROUP_OF[name] for name in names},
                    f"{trace.name}: SQL says {found}")

    def forms(self):
        """Of the trace and of parts of it."""
        raw = self.folder / "grouped.raw"
        raw.write_bytes(self.commands.trace("grouped"))
        self.judge(raw, GROUP_OF, True)
        self.sql(raw, GROUP_OF)
        page = self.folder / "grouped.html"
        self.run("report", raw, "-o", page)
        self.judge(page, GROUP_OF, True)
        self.sql(page, GROUP_OF)
        for form in FORMS[1:]:
            whole = self.folder / f"whole.{form}"
            self.run("trim", "--from", "0", raw, "-o", whole)
            self.judge(whole, GROUP_OF, False)
            self.sql(whole, GROUP_OF)
            for name in GROUP_OF:
                part = self.folder / f"{name}.{form}"
                self.run("trim", "--name", name, raw, "-o", part)
                self.judge(part, [name], False)
                self.sql(part, [name])
        return raw

    def moves(self, raw):
        """Who sums up by group, or chooses by it, hears once of the process that moved."""
        sentence = "1 process moved to another control group while recorded, mover.60 from /first to /second"
        for words in (["stat", "--by", "cgroup"], ["stat", "--by", "pod", "--name", "server"],
                      ["stat", "--request", "read..read", "--by", "cgroup"], ["syscalls", "--by", "container"],
                      ["profile", "--by", "cgroups"], ["blame", "--by", "cgroup"], ["stat", "--cgroup", "box"],
                      ["syscalls", "--cgroup", "second", "--by", "cgroup"]):
            said = self.run(*words, raw, status=3 if "--request" in words else 0).stderr
            self.expect(said.count(sentence) == 1, f"{words}: {said}")
        for words in (["stat"], ["syscalls"], ["profile", "--by", "threads"], ["blame"]):
            self.expect("moved" not in self.run(*words, raw).stderr, f"{words} tells of moves")
        said = self.run("stat", "--cgroup", "first", raw, status=3).stderr
        self.expect("they moved" in said and "--cgroup /second" in said, f"a group that was left: {said}")
        said = self.run("stat", "--cgroup", "nowhere", raw, status=3).stderr
        self.expect("they moved" not in said and "lists the control groups" in said, f"a group of nobody: {said}")

    def all(self):
        self.moves(self.forms())


if __name__ == "__main__":
    Groups.main()
