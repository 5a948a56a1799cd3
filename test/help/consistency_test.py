#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One word for a thing, one meaning of an exit code, one sentence for an option, over all documents, manual pages
and commands' help.

    consistency_test.py SOURCES PROGRAM
"""
import collections
import pathlib
import re
import sys

import compare_help

# What is written otherwise, and how it is written; in prose, not in code.
TERMS = [
    (r"soft[- ]interrupts?|soft irqs?", "softirq"), (r"wake-ups?", "wakeup"), (r"runqueues?", "run queue"),
    (r"meta[- ]data", "metadata"), (r"time[- ]stamps?(?!.counter)", "timestamp"), (r"filenames?", "file name"),
    (r"pagefaults?", "page fault"), (r"user-?space", "user space"),
    (r"kernel-?space", "kernel space"), (r"thread numbers?", "thread id"), (r"time[- ]lines?", "timeline"),
    (r"[µμ]s|usecs?|msecs?|nsecs?", "us, ms, ns"), (r"backtraces?", "stack"),
    (r"c-?groups?", "cgroup, control group"),
]
ALSO_RIGHT = {"cgroup", "cgroups"}
EXACT = [(r"\b(?:EBPF|Ebpf)\b", "eBPF"), (r"\b(?:Kutrace|KUTrace|KuTrace)\b", "kutrace, KUtrace"),
         (r"\bCpus?\b", "CPU"), (r"\b(?:Ftrace|FTrace)\b", "ftrace")]
# Where a term is explained, the words for it stand.
EXPLAINS = {"glossary.md", "CHANGELOG.md"}
# What each code means in every command, if it has it.
CODES = {0: r".*", 1: r".*", 2: r"usage|no such", 3: r"an? |the ", 4: r"this machine|none|a limit",
         5: r".* cannot be written", 70: r"a bug", 126: r"the command|if it", 127: r"it was|if it", 130: r".*"}
ALWAYS = {0, 70}
WHERE_IT_WRITES = {5}
WRITES_NOTHING = {"kutrace-mark.1.md"}
# Options that mean something else in each command.
OWN = {"--buffer-mb", "--by", "--call", "--every", "--fail-over", "--follow", "--group", "--hide-command", "--output",
       "--quiet", "--samples", "--slowest", "--sort", "--source", "--stacks", "--timeout", "--title", "--top"}
# Commands that choose their own subject: what is recorded, what is drawn.
OTHER_SUBJECT = {"record", "svg", "export", "overhead", "count", "control", "flight", "top", "daemon"}


CODE = re.compile(r"`[^`]*`|\*\*?-[^*]*\*\*?|\]\([^)]*\)|(?<!\*)\*[^*\s][^*]*\*(?!\*)|\*\*[^*]+\*\*")


def prose(path):
    """Lines without code; (number, text)."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, CODE.sub(" ", line)


def terms_of(path):
    for number, line in prose(path):
        for wrong, right in TERMS:
            for found in re.finditer(rf"(?<![\w-])(?:{wrong})(?![\w-])", line, re.IGNORECASE):
                if found[0].lower() not in ALSO_RIGHT:
                    yield f"{path.name}:{number}: {found[0]}: elsewhere it is {right}"
        for wrong, right in EXACT:
            for found in re.finditer(wrong, line):
                yield f"{path.name}:{number}: {found[0]}: elsewhere it is {right}"


def codes_of(page):
    """Exit codes of a manual page, with what is said of each."""
    text = page.read_text(encoding="utf-8")
    section = re.search(r"^## EXIT STATUS\n+(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    if not section:
        yield f"{page.name}: no EXIT STATUS"
        return
    said = dict((int(code), meaning) for code, meaning in
                re.findall(r"(?:^|; |\. |: |Otherwise )(\d+) ((?:[^;.]|\.(?=\w))+)", " ".join(section[1].split())))
    for code in sorted((ALWAYS if page.name in WRITES_NOTHING else ALWAYS | WHERE_IT_WRITES) - set(said)):
        yield f"{page.name}: nothing is said of exit code {code}"
    for code, meaning in said.items():
        if code in CODES and not re.match(CODES[code], meaning):
            yield f"{page.name}: exit code {code} is '{meaning}'"


def options_of(program, command):
    """Option -> what is said of it."""
    options, open_option = {}, None
    for line in compare_help.section(compare_help.help_of(program, command), "Options"):
        named = re.match(r"  (?:-\w,)?(--[\w-]+)\S*(?: [A-Z]\S*)?(.*)$", line)
        if named:
            open_option, text = named[1], re.search(r" {2,}(\S.*)$", named[2])
            options[open_option] = text[1] if text else ""
        elif open_option and line.startswith(" " * 16):
            options[open_option] = options[open_option] or line.strip()
    return options


def options_told_apart(program, commands):
    said = collections.defaultdict(lambda: collections.defaultdict(list))
    for command in commands:
        for option, text in options_of(program, command).items():
            if option not in OWN and command not in OTHER_SUBJECT:
                said[option][text].append(command)
    for option, texts in said.items():
        if len(texts) > 1:
            yield f"{option} is described in {len(texts)} ways: " + "; ".join(
                f"'{text}' ({', '.join(where)})" for text, where in texts.items())


def main():
    sources, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    pages = sorted((sources / "doc" / "man").glob("kutrace-*.1.md"))
    documents = [sources / "README.md", *sorted((sources / "doc").glob("*.md")), sources / "doc/man/kutrace.1.md",
                 *pages]
    findings = [line for path in documents if path.name not in EXPLAINS for line in terms_of(path)]
    findings += [line for page in pages for line in codes_of(page)]
    commands = [re.fullmatch(r"kutrace-(.*)\.1\.md", page.name)[1] for page in pages]
    findings += options_told_apart(program, commands)
    print("\n".join(findings))
    print(f"{len(documents)} documents, {len(pages)} manual pages, {len(findings)} findings")
    sys.exit(1 if findings or len(documents) < 40 or len(pages) < 20 else 0)


if __name__ == "__main__":
    main()
