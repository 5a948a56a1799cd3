#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""DKMS builds the module from the sources that scripts/module gives it, for another kernel's headers.

In sources that were never tested in a kernel as new as that, it refuses and says why, until somebody
agrees: for one build, or in the file for the kernel's series. So does make, but not to clean up.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import guest
import kernels

SCRIPT = kernels.ROOT / "scripts" / "module"
OLD = "5.9"  # older than every kernel that headers can be had of
REFUSAL = f"is newer than {OLD}, the newest kernel in which the module was tested"
AGREED = {"KUTRACE_UNTESTED_KERNEL": "1"}


def package_version():
    text = (kernels.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(kutrace VERSION (\S+)", text, flags=re.M).group(1)


class Sources:
    """The module's sources as DKMS has them, in a folder of their own."""

    def __init__(self, of, scratch, name):
        self.of = of
        self.folder = pathlib.Path(scratch) / name
        self.source = self.folder / "src" / f"kutrace-{package_version()}"
        subprocess.run([SCRIPT, "sources", self.source], check=True)

    def age(self):
        """As if no kernel newer than OLD had been tested, and with the list of exceptions in `agreed`."""
        script = self.source / "check-kernel"
        text = script.read_text(encoding="utf-8")
        text = re.sub(r"^newest=\S+", f"newest={OLD}", text, flags=re.M)
        text = re.sub(r"^agreed=\S+", f"agreed={self.folder}/agreed", text, flags=re.M)
        script.write_text(text, encoding="utf-8")

    def agree(self, series):
        (self.folder / "agreed").write_text(f"5.8\n{series}\n", encoding="utf-8")

    def run(self, *command, **more):
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env=dict(os.environ, **more))
        return done.returncode, done.stdout + done.stderr

    def build(self, **more):
        """The built module, or none, and what DKMS said."""
        tree = self.folder / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        _, said = self.run("dkms", "build", f"kutrace/{package_version()}", "-k",
                           f"{self.of.release}/x86_64", "--kernelsourcedir", self.of.headers,
                           "--dkmstree", tree, "--sourcetree", self.folder / "src", **more)
        return next(tree.rglob("kutrace.ko*"), None), said

    def make(self, goal):
        return self.run("make", "-C", self.source, f"KDIR={self.of.headers}", goal)


def check_build(what, built, of):
    module, said = built
    if module and of.release.encode() in module.read_bytes():
        return []
    return [f"{what}: DKMS did not build the module for {of.release}:\n{said}"]


def check_refused(what, failed, said):
    return [] if failed and REFUSAL in said else [f"{what}: not refused:\n{said}"]


def check_untested(of, scratch):
    old = Sources(of, scratch, "old")
    old.age()
    module, said = old.build()
    findings = check_refused("dkms", not module, said)
    status, said = old.make("all")
    findings += check_refused("make", status != 0, said)
    status, said = old.make("clean")
    findings += [f"make clean: {said}"] if status else []
    findings += check_build("for one build", old.build(**AGREED), of)
    old.agree("5.7")
    module, said = old.build()
    findings += check_refused("another series", not module, said)
    old.agree(".".join(map(str, kernels.series_of(of.release))))
    return findings + check_build("for the series", old.build(), of)


def check_documents():
    """They name the same kernel as the script."""
    newest = ".".join(map(str, kernels.newest_tested()))
    text = " ".join((kernels.ROOT / "doc" / "module.md").read_text(encoding="utf-8").split())
    return [] if f"Linux 5.10 to {newest}," in text else [f"doc/module.md does not name {newest}"]


def main():
    try:
        if not shutil.which("dkms"):
            raise kernels.Unavailable("missing: dkms; scripts/setup installs it")
        of = kernels.kernel("linux-image-cloud-amd64")
    except kernels.Unavailable as why:
        return guest.skipped(why)
    with tempfile.TemporaryDirectory() as scratch:
        findings = check_build("tested", Sources(of, scratch, "new").build(), of)
        findings += check_untested(of, scratch)
    return guest.verdict(findings + check_documents())


if __name__ == "__main__":
    sys.exit(main())
