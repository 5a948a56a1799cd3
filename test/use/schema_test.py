#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every field that answers have as JSON or CSV stands in the man page of the command.

schema_test.py KUTRACE SMALL_TRACE FOLDER_OF_MAN_PAGES: each command that answers, by all its kinds
of rows. A field that is a number says its unit by its name (_ns), or is a count that the page names.
Names of errors and of waits are values, not fields: the page says what they are.
"""
import json
import pathlib
import re

from commands import Checks

BY = {"stat": ["cpu", "program", "process", "thread", "kind", "cgroup"],
      "syscalls": ["program", "process", "thread", "file", "cgroup"],
      "blame": ["cause", "thread", "cgroup", "container", "pod"],
      "profile": ["cpus", "threads", "cgroups", "containers", "pods"], "diff": []}
MORE = {"stat": [["--every", "1ms"], ["--request", "*..*"]], "syscalls": [["--slowest", "3"], ["--request", "*..*"]],
        "locks": [[]],
        "why": [[], ["--call", "*"], ["--call", "*", "--slowest", "50%"], ["--list"]],
        "diff": [["--before", "..1ms", "--after", "2ms.."]], "blame": [[]], "profile": [[]]}
VALUES = {"errors"}  # their fields are names that the trace has


def fields(value, found):
    if isinstance(value, dict):
        for name, inner in value.items():
            found.add(name)
            if name not in VALUES:
                fields(inner, found)
    elif isinstance(value, list):
        for inner in value:
            fields(inner, found)
    return found


class Schemas(Checks):
    def __init__(self, program, small_trace, pages, folder):
        super().__init__(program, small_trace, folder)
        self.pages = pathlib.Path(pages)

    def ask(self, command, words, form):
        run = self.commands.run([self.commands.program, command, *words, "--format", form,
                                 str(self.whole)], text=True)
        self.expect(run.returncode in (0, 1), f"{command} {words}: {run.returncode}, {run.stderr}")
        return run.stdout if run.returncode in (0, 1) else ""

    def fields_of(self, command, words):
        text = self.ask(command, words, "json")
        found = fields(json.loads(text or "{}"), set())
        head = self.ask(command, words, "csv").split("\n", 1)[0]
        self.expect(len(head) > 0 and len(found) > 0, f"{command} {words} says nothing")
        return found, set(head.split(","))

    def all(self):
        for command, more in MORE.items():
            page = (self.pages / f"kutrace-{command}.1.md").read_text(encoding="utf-8")
            self.expect("Field names are stable" in page, f"{command}: no promise that names stay")
            named = set(re.findall(r'["*]([A-Za-z_0-9]+)["*]', page))
            for words in [*more, *(["--by", by] for by in BY.get(command, []))]:
                in_json, in_csv = self.fields_of(command, words)
                for name in sorted(in_json - named):
                    self.expect(False, f"{command} {words}: the page lacks JSON's {name}")
                if command != "diff":  # fields of measures are told by how they begin and end
                    for name in sorted(in_csv - named - self.waits(named)):
                        self.expect(False, f"{command} {words}: the page lacks CSV's {name}")

    @staticmethod
    def waits(named):
        """A column for each reason that the page names."""
        return {f"{reason}_ns" for reason in named}


if __name__ == "__main__":
    Schemas.main()
