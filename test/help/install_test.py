#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`cmake --install` installs all, also what was not built yet, or nothing.

install_test.py CMAKE BUILD_DIRECTORY ROOT: each header can be used by itself, systemd takes the units,
and DKMS finds the module's sources, but only where they were asked for.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


UNITS = {f"lib/systemd/system/{unit}" for unit in ("kutrace-flight-recorder.service", "kutrace-daemon.service",
                                                    "kutrace-daemon.socket")}


def install(cmake, build, prefix, *more):
    return subprocess.run([cmake, "--install", build, "--prefix", prefix, *more], capture_output=True,
                          text=True)


def files_of(prefix):
    return {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}


def compiles(source, prefix):
    return subprocess.run(["cc", "-std=c11", "-Werror", "-Wall", "-fsyntax-only", f"-I{prefix / 'include'}", "-xc",
                           "-"], input=source, capture_output=True, text=True)


def unusable_headers(prefix):
    """A program that marks itself is compiled with what was installed, and nothing else; so is each header."""
    sources = ["#include <kutrace/mark.h>\n"
               'int main(void) { kutrace_mark_a("a"); kutrace_rpc_done(); return 0; }\n']
    sources += [f"#include <kutrace/{header.name}>\n" for header in (prefix / "include/kutrace").glob("*.h")]
    return [done.stderr for done in (compiles(source, prefix) for source in sources) if done.returncode != 0]


def refused_units(prefix):
    """The program that a unit starts is looked for where this one was installed."""
    if not shutil.which("systemd-analyze"):
        return []
    units = [prefix / unit for unit in sorted(UNITS)]
    for unit in units:
        text = unit.read_text(encoding="utf-8").replace("ExecStart=kutrace ", f"ExecStart={prefix}/bin/kutrace ")
        unit.write_text(text, encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True)
    return [f"units: {done.stderr}"] if done.returncode != 0 or done.stderr else []


def unsearched_by_zsh(prefix):
    """Debian's zsh looks in one folder below /usr/local."""
    if not shutil.which("zsh"):
        return []
    folders = subprocess.run(["zsh", "-fc", "print -l $fpath"], capture_output=True, text=True, check=True).stdout.split()
    found = [path.relative_to(prefix).parent for path in prefix.rglob("_kutrace")]
    return [f"zsh does not look in /usr/local/{one}" for one in found
            if any(path.startswith("/usr/local/") for path in folders) and f"/usr/local/{one}" not in folders]


def bad_module_sources(cmake, build, root, prefix):
    if (prefix / "src").exists():
        return ["the module's sources are installed, which nobody asked for"]
    done = install(cmake, build, prefix, "--component", "module")
    version = re.search(r"^project\(kutrace VERSION (\S+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"),
                        flags=re.M).group(1)
    folder = prefix / "src" / f"kutrace-{version}"
    if done.returncode != 0 or not (folder / "include/kutrace/abi.h").exists():
        return [f"the module's sources: status {done.returncode}, {done.stderr}"]
    findings = []
    if f'PACKAGE_VERSION="{version}"' not in (folder / "dkms.conf").read_text(encoding="utf-8"):
        findings.append(f"dkms.conf does not name version {version}")
    if (folder / "check-kernel").stat().st_mode & 0o111 != 0o111:
        findings.append("check-kernel cannot be executed, which DKMS does before it builds")
    return findings


def careless_sources(root):
    """A folder is meant from where the command is given, and no other than earlier sources is replaced."""
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        def sources(name):
            return subprocess.run([root / "scripts/module", "sources", name], cwd=folder, capture_output=True, text=True)

        for turn in ("first", "second"):
            done = sources("new")
            if done.returncode != 0 or not (pathlib.Path(folder) / "new/include/kutrace/abi.h").exists():
                findings.append(f"scripts/module sources, {turn} time: {done.returncode} {done.stderr}")
        kept = pathlib.Path(folder) / "doc/kept"
        kept.parent.mkdir()
        kept.touch()
        shutil.copytree(root / "kmod", pathlib.Path(folder) / "kmod")
        for name in ("doc", "kmod"):
            before = files_of(pathlib.Path(folder))
            if sources(name).returncode != 1 or files_of(pathlib.Path(folder)) != before:
                findings.append(f"scripts/module sources replaces a folder {name}")
    return findings


def main(cmake, build, root):
    findings = []
    root = pathlib.Path(root)
    pages = [path.name[:-len(".md")] for path in (root / "doc/man").glob("*.1.md")]
    wanted = {"bin/kutrace", "include/kutrace/mark.h", "share/bash-completion/completions/kutrace",
              "share/zsh/site-functions/_kutrace", "share/fish/vendor_completions.d/kutrace.fish", *UNITS,
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
        findings += unsearched_by_zsh(whole)
        findings += bad_module_sources(cmake, build, root, whole)
        findings += refused_units(whole)
        findings += careless_sources(root)
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
