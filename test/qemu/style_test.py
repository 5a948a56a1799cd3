#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The module's sources in the eyes of the kernel's own checkpatch.pl.

The script comes out of Debian's package of the kernel's sources, fetched once; what stays of it is the
script and the lists it reads.
"""
import subprocess
import sys
import tarfile

import guest
import kernels
import patched

VERSION = "6.1"
NEEDED = ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")
# Tables made of macros; and differences between kernels, which code in the kernel does not have.
IGNORED = "COMPLEX_MACRO,LINUX_VERSION_CODE,CONSTANT_COMPARISON"
# It takes <linux/...> there for a comparison, and a function for an initializer.
MISREAD = ("__has_include(<", "int for_each_hook(int (*function)")


def script():
    """checkpatch.pl in a folder of its own, with its lists."""
    folder = kernels.cache_folder() / "checkpatch"
    package = patched.SOURCES[VERSION]
    of = folder / f"{package}_{kernels.version_of(package, {})}"
    if not (of / NEEDED[-1]).exists():
        of.mkdir(parents=True, exist_ok=True)
        with tarfile.open(patched.fetch_tarball(VERSION, folder / "package")) as archive:
            for member in archive:
                name = member.name.partition("/scripts/")[2]
                if name in NEEDED:
                    (of / name).write_bytes(archive.extractfile(member).read())
    return of / NEEDED[0]


def complaints():
    """Lines that checkpatch.pl prints, without those it is wrong about."""
    sources = sorted((kernels.ROOT / "kmod").glob("*.[ch]"))
    done = subprocess.run(["perl", script(), "--no-tree", "--terse", "--no-summary", "--show-types",
                           "--max-line-length=100", f"--ignore={IGNORED}", "-f",
                           *sources], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if ": " in line]
    if done.returncode not in (0, 1) or (done.returncode and not lines):
        return [done.stdout + done.stderr]
    return [line for line in lines if not is_misread(line)]


def is_misread(line):
    path, number = line.split(":")[:2]
    with open(path, encoding="utf-8") as source:
        text = source.readlines()[int(number) - 1]
    return any(part in text for part in MISREAD)


def main():
    try:
        guest.require_tools(more=["perl"])
        findings = complaints()
    except kernels.Unavailable as why:
        return guest.skipped(why)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
