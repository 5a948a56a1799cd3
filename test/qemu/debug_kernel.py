# SPDX-License-Identifier: BSD-3-Clause
"""A kernel that looks for mistakes: Debian's sources as they are, built with one of two configurations.

In: a version such as 6.1; `debug` for memory and locks, `kcsan` for races of data. Out: a kernel as
kernels.py has them. What is built stays in the cache beside the patched kernels, with a hash of all
that it is made of.

    debug_kernel.py 6.1 debug      builds it if need be, and prints where the image is
"""
import pathlib
import sys

import kernels
import patched

BASE = [patched.CONFIG / "config", patched.CONFIG / "config.x86"]


class DebugKernel(patched.Patched):
    """Starts as PCs do: what comes before the checker's shadow memory is mapped does not, as PVH, run."""

    @property
    def image(self):
        return self.headers / "arch" / "x86" / "boot" / "bzImage"


def wanted(looks_for):
    own = pathlib.Path(__file__).parent / f"{looks_for}.config"
    return "".join(path.read_text(encoding="utf-8") for path in [*BASE, own])


def kernel(version, looks_for):
    """Built if it is not there."""
    patched.require_tools()
    source, config = patched.unpatched_source(version), wanted(looks_for)
    build = kernels.cache_folder() / looks_for / version
    digest = patched.digest_of((source / ".kutrace-digest").read_text(encoding="utf-8"), config)
    if not patched.is_stamped(build, digest):
        print(f"building linux-{version} with all checks ({looks_for})", file=sys.stderr)
        build.parent.mkdir(parents=True, exist_ok=True)
        patched.configure(source, build, config)
        patched.make(source, build, "bzImage", "modules")
        patched.stamp(build, digest)
    release = patched.make(source, build, "-s", "kernelrelease").strip()
    return DebugKernel(release, pathlib.Path(f"{version}-{looks_for}-{digest}"), build)


if __name__ == "__main__":
    print(kernel(*sys.argv[1:]).image)
