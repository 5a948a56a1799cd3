#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What bash completes, at every level of the program's own list of commands.

completion_test.py KUTRACE COMPLETION
"""
import re
import shlex
import subprocess
import sys

from compare_help import help_of, help_options, subcommands


def help_alone(program, words):
    run = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True)
    return run.stdout


class Bash:
    def __init__(self, program, script):
        self.program, self.script = program, script

    def complete(self, *words):
        """What is offered for the last of the words."""
        typed = " ".join(shlex.quote(word) for word in [self.program, *words])
        lines = (f"source {shlex.quote(self.script)}\nCOMP_WORDS=({typed})\n"
                 f"COMP_CWORD={len(words)}\n_kutrace\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"")
        run = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True)
        return set(run.stdout.split())


def check(findings, what, offered, expected):
    if offered != expected:
        findings.append(f"{what}: missing {sorted(expected - offered)}, "
                        f"too much {sorted(offered - expected)}")


def check_level(bash, words, findings):
    text = help_alone(bash.program, words)
    check(findings, [*words, "-"], bash.complete(*words, "-"), help_options(text))
    below = subcommands(text)
    if not below:
        return
    extra = set() if words else {"help"}
    check(findings, [*words, ""], bash.complete(*words, ""), set(below) | extra)
    check(findings, ["help", *words, ""], bash.complete("help", *words, ""), set(below))
    for command in below:
        check_level(bash, [*words, command], findings)


def main(program, script):
    bash = Bash(program, script)
    findings = []
    check_level(bash, [], findings)
    listed = subprocess.run([program, "control", "no-such-verb"], capture_output=True, text=True)
    verbs = set(re.search(r"hint: (.*)", listed.stderr).group(1).split())
    check(findings, ["control", ""], bash.complete("control", ""), verbs)
    check(findings, ["re"], bash.complete("re"), {"record", "report"})
    modes = set(re.search(r"--mode \S*\{(.*?)\}", help_of(program, "record")).group(1).split(","))
    check(findings, ["record", "--mode", ""], bash.complete("record", "--mode", ""), modes)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
