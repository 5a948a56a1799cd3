#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the findings of clang-tidy depend on, as one key a file. In: a build directory of ninja that
is up to date, and arguments of clang-tidy. Out: lines "KEY SOURCE"; the same key means the same
findings, wherever the sources stand. The key of a source that was not compiled yet is -."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def dependencies(build):
    """Object -> the files it was made of, as the last compilation saw them."""
    lists, files = {}, []
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, text=True,
                               capture_output=True).stdout.splitlines():
        if line.startswith("    "):
            files.append(os.path.normpath(os.path.join(build, line.strip())))
        elif line.endswith("(VALID)"):
            files = lists.setdefault(line.split(": #deps")[0], [])
        else:  # stale, or between two
            files = []
    return lists


def main():
    build, tool = os.path.abspath(sys.argv[1]), sys.argv[2:]
    version = subprocess.run([tool[0], "--version"], check=True, text=True,
                             capture_output=True).stdout
    settings = digest(version, *tool[1:], (ROOT / ".clang-tidy").read_text(encoding="utf-8"))
    lists, contents = dependencies(build), {}

    def content(path):
        if path not in contents:
            contents[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
        return contents[path]

    commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    for command in commands:
        # Older versions of CMake do not name the output apart.
        output = re.search(r" -o (\S+)", command["command"])
        made_of = lists.get(output.group(1)) if output else None
        source = os.path.relpath(command["file"], ROOT)
        if source.startswith(".."):
            continue
        if not made_of:
            print("-", source)
            continue
        options = command["command"].replace(str(ROOT), ".")
        names = [os.path.relpath(path, ROOT) if path.startswith(f"{ROOT}/") else path
                 for path in made_of]
        print(digest(settings, options, *names, *map(content, made_of)), source)


if __name__ == "__main__":
    main()
