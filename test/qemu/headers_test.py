#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The module built against the headers of other Debian releases: the oldest kernel it is for, the newest.

In: the archive that the system's packages come from. Out: no warning at W=1, nor of sparse where it
understands the headers; every symbol is one that the kernel exports to modules; and the module's files
call each other in one direction only.
"""
import collections
import re
import sys

import guest
import kernels
import suites

# ---- which file calls which ----------------------------------------------------------------------


def calls(symbols):
    """File to files, from lines such as `put.o:0000 T name` and `put.o: U name`."""
    lines = [re.match(r"(\w+)\.o:\s*[0-9a-f]*\s+(\w) (\S+)", line).groups()
             for line in symbols.splitlines()]
    home = {name: file for file, kind, name in lines if kind != "U"}
    result = collections.defaultdict(set)
    for file, kind, name in lines:
        if kind == "U" and name in home:
            result[file].add(home[name])
    return result


def circles(edges):
    """Files from which calls lead back to them."""
    def reached(file):
        found, ahead = set(), [file]
        while ahead:
            news = edges.get(ahead.pop(), set()) - found
            found |= news
            ahead += news
        return found
    return [file for file in sorted(edges) if file in reached(file)]


def circles_of(module):
    """Findings: files of a built module that are called by what they call."""
    edges = calls(kernels.symbols_of(module).read_text(encoding="utf-8"))
    return [f"{file}.c is called by what it calls" for file in circles(edges)] + \
        ([] if edges["main"] else ["the objects show no calls"])


def main():
    findings = []
    try:
        for architecture in ("amd64", *kernels.CROSS):
            cross = kernels.CROSS.get(architecture, ())
            guest.require_tools(architecture, [f"{cross[1]}gcc"] if cross else [])
            for release in suites.RELEASES:
                of = suites.kernel(release, architecture, with_image=False)
                module = kernels.built_module(of, cross)
                findings += [f"{of.release}: {finding}" for finding in circles_of(module)]
                print("built for", of.release)
    except kernels.Unavailable as why:
        return guest.skipped(why)
    return guest.verdict(findings)


if __name__ == "__main__":
    sys.exit(main())
