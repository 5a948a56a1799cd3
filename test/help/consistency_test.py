#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One word for a thing, one meaning of an exit code, one sentence for an option, over all documents, manual pages
and commands' help.

    consistency_test.py SOURCES PROGRAM
"""
import collections
import itertools
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
# The page's axes and cards write µs throughout.
TERMS_OF_PAGE = [(wrong, right) for wrong, right in TERMS if "µ" not in wrong]
ALSO_RIGHT = {"cgroup", "cgroups"}
EXACT = [(r"\b(?:EBPF|Ebpf)\b", "eBPF"), (r"\b(?:Kutrace|KUTrace|KuTrace)\b", "kutrace, KUtrace"),
         (r"\bCpus?\b", "CPU"), (r"\bkB\b", "KB"), (r"\b(?:Ftrace|FTrace)\b", "ftrace")]
# A number and its unit have a space between them, as commands print it. What is typed has none (--duration 500ms); in
# documents it is marked as that, as code or by emphasis.
UNIT = r"(?:ns|us|ms|s|[KMGT]B|%)(?![\w/])"
ATTACHED = re.compile(rf"(?<![\w.#:+-])\d[\d.,]*{UNIT}")
PRINTED = re.compile(rf'"(?:[^"\\\n]|\\.)*\{{[^{{}}"]*\}}{UNIT}(?:[^"\\\n]|\\.)*"')
TYPED = re.compile(r"--\w|\.\.\{")
# Rooms that write messages and reports.
PRINTING = ("cli", "emit", "odd", "record", "reports")
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
# What most commands have, in the order in which --help lists it. Options of a command's own stand before the window.
USUAL_ORDER = ["--help", "OWN", "--from", "--to", "--first", "--last", "--label", "--around", "--cpu", "--pid",
               "--children", "--name", "--cgroup", "--wide", "--format", "--output", "--title", "--hide-command",
               "--quiet", "--verbose"]
# The same words for something else: whom to record, rows of a screen.
OWN_ORDER = {"record": {"--pid", "--cgroup"}, "control": {"--pid"}, "top": {"--last"}}
# Commands that choose their own subject: what is recorded, what is drawn.
OTHER_SUBJECT = {"record", "svg", "export", "overhead", "count", "control", "flight", "top", "daemon"}
# The same words for something else: forms of traces, not of tables; CPUs of a trace without threads.
OWN_TEXT = {"symbolize": {"--format"}, "raw": {"--cpu"}}


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


def units_of(path):
    for number, line in prose(path):
        for found in ATTACHED.finditer(line):
            yield f"{path.name}:{number}: {found[0]}: elsewhere there is a space between number and unit"


def units_printed(source):
    """Messages whose numbers have their units attached."""
    for found in PRINTED.finditer(source.read_text(encoding="utf-8")):
        if not TYPED.search(found[0]):
            yield f"{source.name}: {found[0]}: elsewhere there is a space between number and unit"


def words_of_page(script):
    """Terms in what the page says: texts of several words."""
    text = re.sub(r"/\*[\s\S]*?\*/|^\s*//.*$", "", script.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for said in re.findall(r"'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`", text):
        said = re.sub(r"\$\{[^}]*\}", " ", said)
        for wrong, right in TERMS_OF_PAGE:
            for found in re.finditer(rf"(?<![\w-])(?:{wrong})(?![\w-])", said, re.IGNORECASE):
                if " " in said.strip() and found[0].lower() not in ALSO_RIGHT:
                    yield f"{script.name}: {found[0]} in {said[:60]}: elsewhere it is {right}"
        for wrong, right in EXACT:
            yield from (f"{script.name}: {found[0]} in {said[:60]}: elsewhere it is {right}"
                        for found in re.finditer(wrong, said) if " " in said.strip())


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


def options_out_of_order(command, options):
    """Options of one command's help that stand before one that belongs in front of them."""
    own = OWN_ORDER.get(command, set())
    rank = [USUAL_ORDER.index(option if option in USUAL_ORDER and option not in own else "OWN") for option in options]
    for at, option in enumerate(options):
        later = [options[after] for after in range(at + 1, len(options)) if rank[after] < rank[at]]
        if later:
            yield f"{command}: {option} stands before {later[0]}"


def options_of_page(page):
    """The first option of each entry of a manual page, without --help, which stands last there."""
    section = re.search(r"^## OPTIONS\n+(.*?)(?=^## )", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    entries = re.findall(r"^\*\*-.*", section[1], re.MULTILINE) if section else []
    heads = [re.search(r"\*\*(--[\w-]+)\*\*", entry) for entry in entries]
    return [head[1] for head in heads if head and head[1] != "--help"]


def options_ordered_apart(options_by_command):
    """Two options that several commands have stand in one order in all of them."""
    orders = collections.defaultdict(lambda: collections.defaultdict(list))
    for command, options in options_by_command.items():
        for first, second in itertools.combinations(options, 2):
            if {first, second} & OWN_ORDER.get(command, set()):
                continue
            orders[min(first, second), max(first, second)][first].append(command)
    for pair, firsts in orders.items():
        if len(firsts) > 1:
            yield f"{' and '.join(pair)}: " + "; ".join(
                f"{first} first in {', '.join(where)}" for first, where in firsts.items())


def options_told_apart(program, commands):
    said = collections.defaultdict(lambda: collections.defaultdict(list))
    for command in commands:
        for option, text in options_of(program, command).items():
            if option not in OWN | OWN_TEXT.get(command, set()) and command not in OTHER_SUBJECT:
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
    findings += [line for path in documents if path.name not in EXPLAINS for line in units_of(path)]
    findings += [line for page in pages for line in codes_of(page)]
    printing = [source for room in PRINTING for source in sorted((sources / "src" / room).rglob("*.cpp"))]
    findings += [line for source in printing for line in units_printed(source)]
    scripts = sorted((sources / "web/src").rglob("*.js"))
    findings += [line for script in scripts for line in words_of_page(script)]
    commands = [re.fullmatch(r"kutrace-(.*)\.1\.md", page.name)[1] for page in pages]
    findings += options_told_apart(program, commands)
    listed = {command: list(options_of(program, command)) for command in commands}
    findings += [line for command, options in listed.items() for line in options_out_of_order(command, options)]
    findings += options_ordered_apart(listed)
    findings += [f"manual page: {line}" for command, page in zip(commands, pages)
                 for line in options_out_of_order(command, options_of_page(page))]
    print("\n".join(findings))
    print(f"{len(documents)} documents, {len(pages)} manual pages, {len(printing)} sources and {len(scripts)} scripts "
          f"that say something, {len(findings)} findings")
    few = len(documents) < 40 or len(pages) < 20 or len(printing) < 100 or len(scripts) < 40
    sys.exit(1 if findings or few else 0)


if __name__ == "__main__":
    main()
