#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`cmake --install` installs all, also what was not built yet, or nothing.

install_test.py CMAKE BUILD_DIRECTORY MAN_DIRECTORY
"""
import pathlib
import subprocess
import sys
import tempfile


def install(cmake, build, prefix):
    return subprocess.run([cmake, "--install", build, "--prefix", prefix], capture_output=True,
                          text=True)


def files_of(prefix):
    return {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}


def unusable_headers(prefix):
    """A program that marks itself is compiled with what was installed, and nothing else."""
    source = ('#include <kutrace/mark.h>\nint main(void) { kutrace_mark_a("a"); kutrace_rpc_done(); return 0; }\n')
    done = subprocess.run(["cc", "-std=c11", "-Werror", "-Wall", "-fsyntax-only", f"-I{prefix / 'include'}", "-xc",
                           "-"], input=source, capture_output=True, text=True)
    return [done.stderr] if done.returncode != 0 else []


def main(cmake, build, man_directory):
    findings = []
    pages = [path.name[:-len(".md")] for path in pathlib.Path(man_directory).glob("*.1.md")]
    wanted = {"bin/kutrace", "include/kutrace/mark.h", "share/bash-completion/completions/kutrace",
              "share/zsh/vendor-completions/_kutrace", "share/fish/vendor_completions.d/kutrace.fish",
              *(f"share/man/man1/{page}" for page in pages)}
    made = pathlib.Path(build) / "man" / "kutrace.1"
    with tempfile.TemporaryDirectory() as folder:
        whole, none = pathlib.Path(folder) / "whole", pathlib.Path(folder) / "none"
        made.unlink(missing_ok=True)  # as if the program alone had been built
        done = install(cmake, build, whole)
        if done.returncode != 0 or wanted - files_of(whole):
            findings.append(f"status {done.returncode}, missing {wanted - files_of(whole)}\n"
                            f"{done.stdout}{done.stderr}")
        findings += unusable_headers(whole)
        made.unlink(missing_ok=True)
        obstacle = made.with_name(f"{made.name}.new")  # this page cannot be made
        obstacle.mkdir()
        done = install(cmake, build, none)
        if done.returncode == 0 or files_of(none):
            findings.append(f"a page cannot be made: status {done.returncode}, "
                            f"yet installed {sorted(files_of(none))}")
        obstacle.rmdir()
        install(cmake, build, whole)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
