#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares --help of every subcommand with its man page.

compare_help.py KUTRACE MAN_DIRECTORY; prints every difference, exits 1 if there is one.
"""
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*|-[a-zA-Z])(?![\w-])")
MOST_LINES = 50  # of one command: a screen
MOST_COLUMNS = 110
# A definition starts a line: **-o**, **--output** FILE, or the same in backticks or as a heading.
DEFINITION = re.compile(r"^(?:#+ |[-*] |: )?(?:\*\*|`|_)-")


def own_help(program, *words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def help_of(program, *words):
    """The help of a command; of one with commands of its own, theirs follows."""
    text = own_help(program, *words)
    inner = subcommands(text) if words else []
    return "\n".join([text, *(help_of(program, *words, command) for command in inner)])


def section(text, title):
    """The indented lines below every `title:`, up to the next heading."""
    lines = []
    inside = False
    for line in text.splitlines():
        if line.rstrip() == title + ":":
            inside = True
        elif inside and line and not line.startswith(" "):
            inside = False
        elif inside:
            lines.append(line)
    return lines


def help_options(text):
    options = set()
    for line in section(text, "Options"):
        head = re.match(r"  (-\S+)", line)
        if head:
            options.update(OPTION.findall(head.group(1).replace(",", " ")))
    return options


def subcommands(text):
    rows = (re.match(r"  (\w+)", line) for line in section(text, "Subcommands"))
    return [row.group(1) for row in rows if row]


def defined_in_page(text):
    options = set()
    for line in text.splitlines():
        if DEFINITION.match(line):
            head = re.split(r"(?<=[*`_])\s*(?:—|–|:\s| - )", line)[0]
            options.update(OPTION.findall(re.sub(r"[*`_]+", " ", head)))
    return options


def all_options(program, *words):
    """Options of a subcommand and of those below it."""
    text = help_of(program, *words)
    return help_options(text).union(*(all_options(program, *words, below)
                                      for below in subcommands(text)))


def compare(name, lines, in_help, page, findings):
    if len(lines) > MOST_LINES or max(map(len, lines)) > MOST_COLUMNS:
        findings.append(f"{name} --help is no screen: {len(lines)} lines, the longest of {max(map(len, lines))} columns")
    if not in_help:
        findings.append(f"{name}: no options were found in its --help")
    text = page.read_text(encoding="utf-8")
    mentioned = set(OPTION.findall(re.sub(r"[*`_,]+", " ", text)))
    for option in sorted(in_help - mentioned):
        findings.append(f"{page.name}: {option} is missing, --help of {name} has it")
    for option in sorted(defined_in_page(text) - in_help):
        findings.append(f"{page.name}: {option} is described, --help of {name} lacks it")


def main(program, man_directory):
    man = pathlib.Path(man_directory)
    findings = []
    top = help_of(program)
    commands = subcommands(top)
    if not commands:
        findings.append("no subcommands were found in kutrace --help")
    overview = man / "kutrace.1.md"
    compare("kutrace", top.splitlines(), help_options(top), overview, findings)
    for command in commands:
        page = man / f"kutrace-{command}.1.md"
        rows = overview.read_text(encoding="utf-8").count(f"| [kutrace-{command}(1)]")
        if rows != 1:
            findings.append(f"{overview.name}: names kutrace-{command} in {rows} rows, not in one")
        if not page.exists():
            findings.append(f"{page.name} does not exist")
            continue
        lines = own_help(program, command).splitlines()
        compare(f"kutrace {command}", lines, all_options(program, command), page, findings)
    for page in man.glob("kutrace-*.1.md"):
        if page.name[len("kutrace-"):-len(".1.md")] not in commands:
            findings.append(f"{page.name}: there is no such subcommand")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
