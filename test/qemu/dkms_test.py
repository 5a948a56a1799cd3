#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""DKMS builds the module from the sources that scripts/module gives it, for another kernel's headers."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import guest
import kernels

SCRIPT = kernels.ROOT / "scripts" / "module"


def package_version():
    text = (kernels.ROOT / "kmod" / "dkms.conf").read_text(encoding="utf-8")
    return re.search(r'PACKAGE_VERSION="(.*)"', text).group(1)


def build(of, folder):
    """The built module, or none, and what DKMS said."""
    version = package_version()
    subprocess.run([SCRIPT, "sources", folder / "src" / f"kutrace-{version}"], check=True)
    (folder / "tree").mkdir()
    done = subprocess.run(["dkms", "build", f"kutrace/{version}", "-k", f"{of.release}/x86_64",
                           "--kernelsourcedir", of.headers, "--dkmstree", folder / "tree",
                           "--sourcetree", folder / "src"],
                          capture_output=True, text=True, check=False)
    return next((folder / "tree").rglob("kutrace.ko*"), None), done.stdout + done.stderr


def main():
    try:
        if not shutil.which("dkms"):
            raise kernels.Unavailable("missing: dkms; scripts/setup installs it")
        of = kernels.kernel("linux-image-cloud-amd64")
    except kernels.Unavailable as why:
        return guest.skipped(why)
    with tempfile.TemporaryDirectory() as scratch:
        module, said = build(of, pathlib.Path(scratch))
        if module and of.release.encode() in module.read_bytes():
            return 0
    print(f"DKMS did not build the module for {of.release}:\n{said}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
