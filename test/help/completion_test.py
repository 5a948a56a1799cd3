#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What bash, zsh and fish complete, at every level of the program's own list of commands.

completion_test.py KUTRACE SCRIPTS SHELL

Exit codes: 0 all that is there and no more; 1 not; 77 the shell is not installed.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from compare_help import help_of, help_options, subcommands


def help_alone(program, words):
    run = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True)
    return run.stdout


class Shell:
    """One of them, as its own machinery asks the script of the project."""

    def __init__(self, program, scripts, name):
        self.program, self.name = program, name
        self.script = str(pathlib.Path(scripts) / f"completion.{name}")

    def complete(self, *words):
        """What is offered for the last of the words."""
        lines = getattr(self, self.name)(words)
        path = f"{pathlib.Path(self.program).parent}:{os.environ['PATH']}"
        run = subprocess.run([self.name, "-c", lines], capture_output=True, text=True, check=True,
                             env={**os.environ, "PATH": path})
        return set(run.stdout.split("\n")) - {""}

    def bash(self, words):
        typed = " ".join(shlex.quote(word) for word in ["kutrace", *words])
        return (f"source {shlex.quote(self.script)}\nCOMP_WORDS=({typed})\n"
                f"COMP_CWORD={len(words)}\n_kutrace\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"")

    def zsh(self, words):
        """With what the completion system would do with the answer in the place of it."""
        typed = " ".join(shlex.quote(word) for word in ["kutrace", *words])
        return (f"source {shlex.quote(self.script)}\n_describe() {{ print -l -- ${{${{(P)2}}%%:*}} }}\n"
                f"_files() {{ print files }}\nwords=({typed}) CURRENT={len(words) + 1}\n_kutrace")

    def fish(self, words):
        typed = " ".join(["kutrace", *words])
        return f"source {shlex.quote(self.script)}\ncomplete -C {shlex.quote(typed)} | cut -f1"


def check(findings, what, offered, expected):
    if offered != expected:
        findings.append(f"{what}: missing {sorted(expected - offered)}, "
                        f"too much {sorted(offered - expected)}")


def topics_of(program):
    """Those that the last line of the help names."""
    listed = re.search(r"kutrace help COMMAND; kutrace help (.*)\.", help_alone(program, [])).group(1)
    return set(re.split(r", | or ", listed))


def check_level(shell, words, findings):
    text = help_alone(shell.program, words)
    check(findings, [*words, "-"], shell.complete(*words, "-"), help_options(text))
    below = subcommands(text)
    if not below:
        return
    extra = set() if words else {"help"}
    check(findings, [*words, ""], shell.complete(*words, ""), set(below) | extra)
    topics = set() if words else topics_of(shell.program)
    check(findings, ["help", *words, ""], shell.complete("help", *words, ""), set(below) | topics)
    for command in below:
        check_level(shell, [*words, command], findings)


def main(program, scripts, name):
    if shutil.which(name) is None:
        print(f"SKIPPED: {name} is not installed")
        return 77
    shell = Shell(program, scripts, name)
    findings = []
    check_level(shell, [], findings)
    listed = subprocess.run([program, "control", "no-such-verb"], capture_output=True, text=True)
    verbs = set(re.search(r"hint: (.*)", listed.stderr).group(1).split())
    check(findings, ["control", ""], shell.complete("control", ""), verbs)
    check(findings, ["re"], shell.complete("re"), {"record", "report"})
    modes = set(re.search(r"--mode \S*\{(.*?)\}", help_of(program, "record")).group(1).split(","))
    check(findings, ["record", "--mode", ""], shell.complete("record", "--mode", ""), modes)
    forms = set(re.search(r"formats: (.*)", subprocess.run(
        [program, "export", "--format", "none", "x"], capture_output=True, text=True).stderr).group(1).split(", "))
    check(findings, ["export", "--to", ""], shell.complete("export", "--to", ""), forms)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
