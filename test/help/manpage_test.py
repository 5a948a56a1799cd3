#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages as they are installed say what their sources say.

manpage_test.py MANPAGE LOWDOWN MAN_DIRECTORY: no name with an underscore is lost, no link to a
document stays whose file is not installed.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
NAME = re.compile(r"[A-Za-z0-9]*_[A-Za-z0-9_]+")


def rendered(script, lowdown, page, folder):
    output = pathlib.Path(folder) / page.name
    subprocess.run([script, lowdown, page, output], check=True)
    text = output.read_text(encoding="utf-8")
    return re.sub(r"\\f.|\\&", "", text).replace("\\-", "-")


def main(script, lowdown, directory):
    findings = []
    names = 0
    with tempfile.TemporaryDirectory() as folder:
        for page in sorted(pathlib.Path(directory).glob("*.1.md")):
            source = LINK.sub(r"\1", page.read_text(encoding="utf-8"))
            text = rendered(script, lowdown, page, folder)
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
