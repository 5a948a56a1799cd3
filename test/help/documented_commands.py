#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every command that a document shows exists, with the options it is shown with.

documented_commands.py KUTRACE ROOT: reads README.md, doc/ and the topics of `kutrace help`, in them
what is indented as code or stands in backticks and begins with kutrace or leads to it (sudo, a path). Options behind -- are the
recorded command's own. Prints every difference, exits 1 if there is one.
"""
import pathlib
import re
import sys

from compare_help import OPTION, help_of, help_options, subcommands
from first_word import run, topics

INLINE = re.compile(r"`([^`\n]+)`")
CALL = re.compile(r"(?:^|[|;&(]\s*|\bsudo |\btime |\bdo )(?:[\w./-]*/)?kutrace ((?:[a-z]+)\b[^|;&]*)")
# Text in quotes is an argument, SQL for instance.
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def code_of(text):
    """(number of the line, code) of what a document shows as code."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("    "):
            yield number, re.split(r"\s{3,}", line.strip())[0]
        else:
            yield from ((number, code) for code in INLINE.findall(line))


def words_of(call):
    """The command's own words."""
    return re.split(r"\s--(?:\s|$)", QUOTED.sub("TEXT", call) + " ")[0]


class Program:
    def __init__(self, path):
        self.commands = {name: help_of(path, name) for name in subcommands(help_of(path))}
        self.options = {name: help_options(text) | {"--help", "-h"} for name, text in self.commands.items()}

    def faults(self, call):
        words = words_of(call)
        name = words.split()[0]
        if name == "help":
            return []
        if name not in self.commands:
            return [f"there is no command {name}"]
        return [f"{name} has no option {option}" for option in OPTION.findall(words)
                if option not in self.options[name]]


def main():
    program, root = Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    calls, findings = 0, []
    for path in [root / "README.md", *sorted((root / "doc").rglob("*.md"))]:
        for line, code in code_of(path.read_text(encoding="utf-8")):
            for call in CALL.findall(code):
                calls += 1
                findings.extend(f"{path.relative_to(root)}:{line}: {fault}: {code}" for fault in program.faults(call))
    for topic in topics(help_of(sys.argv[1])):
        for code in re.findall(r"^  (kutrace .*?)(?: {2,}.*)?$", run(sys.argv[1], "help", topic).stdout, re.M):
            for call in CALL.findall(code):
                calls += 1
                findings.extend(f"help {topic}: {fault}: {code}" for fault in program.faults(call))
    if calls == 0:
        findings.append("no document shows a command")
    if not program.faults("trim --nothing trace.raw") or not program.faults("nothing trace.raw"):
        findings.append("an option and a command that are none go unseen")
    print("\n".join(findings) or f"{calls} commands of documents exist, with their options")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
