#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages as they are installed say what their sources say.

manpage_test.py MANPAGE LOWDOWN MAN_DIRECTORY: no name with an underscore is lost, no link to a
document and no sign of emphasis stays, and groff renders each without a warning.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
CODE = re.compile(r"^    .*|`[^`]*`", re.M)
EMPHASIS = re.compile(r"\*\*|(?<!\S)[\[({|]?\*[^\s*]+\*")
NAME = re.compile(r"[A-Za-z0-9]*_[A-Za-z0-9_]+")


def made(script, lowdown, page, folder):
    output = pathlib.Path(folder) / page.name
    subprocess.run([script, lowdown, page, output], check=True)
    return output


def text_of(manual):
    """What a reader sees of it, as far as names go."""
    return re.sub(r"\\f.|\\&|\\:", "", manual.read_text(encoding="utf-8")).replace("\\-", "-")


def signs_of_emphasis(manual, source):
    """What the page shows of them, except where code has the same."""
    code = {found for piece in CODE.findall(source) for found in EMPHASIS.findall(piece)}
    done = subprocess.run(["groff", "-k", "-t", "-man", "-P-c", "-P-b", "-P-u", "-Tutf8", "-rLL=10000n", manual],
                          capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
    return [sign for sign in EMPHASIS.findall(done.stdout) if sign not in code]


def warnings_of(manual):
    """As man renders it for a terminal of 80 columns."""
    done = subprocess.run(["groff", "-k", "-t", "-man", "-ww", "-z", "-Tutf8", manual], capture_output=True,
                          text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
    return done.stderr.splitlines() + ([] if done.returncode == 0 else [f"status {done.returncode}"])


def main(script, lowdown, directory):
    if not shutil.which("groff"):
        print("SKIPPED: missing groff (groff-base)")
        return 1 if os.environ.get("CI") == "true" else 77
    findings = []
    names = 0
    with tempfile.TemporaryDirectory() as folder:
        for page in sorted(pathlib.Path(directory).glob("*.1.md")):
            source = LINK.sub(r"\1", page.read_text(encoding="utf-8"))
            manual = made(script, lowdown, page, folder)
            text = text_of(manual)
            findings.extend(f"{page.name}: {warning}" for warning in warnings_of(manual))
            findings.extend(f"{page.name}: emphasis stays: {sign}" for sign in signs_of_emphasis(manual, source))
            for name in sorted(set(NAME.findall(source))):
                names += 1
                if name not in text:
                    findings.append(f"{page.name}: {name} is not in the manual page")
            findings.extend(f"{page.name}: a link stays: {link}"
                            for link in re.findall(r"\S*\.md\b\S*|\]\(", text))
    if names == 0:
        findings.append("no name with an underscore was found")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
