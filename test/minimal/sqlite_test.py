#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What needs SQLite is left out where SQLite is absent.

In: the tree. Out: sources of src/query that include <sqlite3.h>, at whatever distance, and that
cmake/sql.cmake does not leave out: they would not compile there, nor link.
"""
import pathlib
import re
import sys

TREE = pathlib.Path(sys.argv[1])
INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<(sqlite3\.h)>)', re.MULTILINE)


def needs_sqlite(path, seen):
    if path in seen or not path.exists():
        return False
    seen.add(path)
    return any(system or needs_sqlite(TREE / "src" / own, seen)
               for own, system in INCLUDE.findall(path.read_text(encoding="utf-8")))


def main():
    text = (TREE / "cmake" / "sql.cmake").read_text(encoding="utf-8")
    left_out = re.compile(re.search(r'EXCLUDE REGEX "([^"]+)"', text)[1].replace("\\\\", "\\"))
    sources = sorted((TREE / "src" / "query").glob("*.cpp"))
    wrong = [path.name for path in sources
             if needs_sqlite(path, set()) and not left_out.search(path.as_posix())]
    if not sources or wrong:
        raise SystemExit(f"cmake/sql.cmake does not leave out: {' '.join(wrong) or 'anything'}")


main()
