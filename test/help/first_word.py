#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the program answers to the first word of a command line, and to a word that is nearly right.
first_word.py KUTRACE"""
import re
import subprocess
import sys

ERROR = "kutrace: error: there is no command"
LIST = "\n  hint: kutrace --help lists the commands\n"
WRONG = {
    ("recrod", "--", "ls"): f"{ERROR} recrod\n  hint: kutrace record\n",
    ("reprot",): f"{ERROR} reprot\n  hint: kutrace report\n",
    ("ra",): f"{ERROR} ra\n  hint: kutrace raw\n",
    ("visualize",): f"{ERROR} visualize{LIST}",
    ("x",): f"{ERROR} x{LIST}",
    ("help", "recrod"): "kutrace: error: there is no help on recrod\n  hint: kutrace help record\n",
    ("help", "filter"): "kutrace: error: there is no help on filter\n  hint: kutrace help filters\n",
    ("help", "visualize"): f"kutrace: error: there is no help on visualize{LIST}",
    ("times",): f"{ERROR} times{LIST}",
}
# A line of the hint, of words that are no option or group.
MEANT = {
    ("stat", "--pdi", "1", "x"): "  hint: did you mean --pid? kutrace stat --help",
    ("raw", "cut", "--form", "1s", "x"): "  hint: did you mean --from? kutrace raw cut --help",
    ("stat", "--colour", "x"): "  hint: kutrace stat --help",
    ("record", "--events", "+lock", "--", "true"): "  hint: did you mean locks? groups: ",
}


def run(program, *words):
    return subprocess.run([program, *words], text=True, capture_output=True)


def topics(text):
    """What the program's help says there is help on, beside commands."""
    named = re.search(r"kutrace help ([a-z, -]+) or ([a-z-]+)\.", text)
    return [*named.group(1).split(", "), named.group(2)]


def main(program):
    findings = []
    for words, text in WRONG.items():
        done = run(program, *words)
        if (done.returncode, done.stdout, done.stderr) != (2, "", text):
            findings.append(f"{words}: status {done.returncode}, says {done.stdout}{done.stderr!r}")
    for words, hint in MEANT.items():
        done = run(program, *words)
        if done.returncode != 2 or not any(line.startswith(hint) for line in done.stderr.splitlines()):
            findings.append(f"{words}: status {done.returncode}, says {done.stderr!r}, not {hint!r}")
    for words in ((), ("raw", "cut"), ("record",)):
        by_verb, by_option = run(program, "help", *words), run(program, *words, "--help")
        if by_verb.returncode != 0 or by_verb.stdout != by_option.stdout or not by_verb.stdout:
            findings.append(f"help {words}: differs from --help")
    for topic in topics(run(program, "--help").stdout):
        done = run(program, "help", topic)
        rows = done.stdout.splitlines()
        if done.returncode != 0 or done.stderr or not 10 < len(rows) < 40 or max(map(len, rows)) > 100:
            findings.append(f"help {topic}: not a screen: {done}")
    bare = run(program)
    if bare.returncode != 2 or bare.stderr != run(program, "--help").stdout:
        findings.append("without words: not --help on standard error and status 2")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
