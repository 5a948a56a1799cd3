# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of other releases of Debian than the system's: the oldest, the newest, one without headers.

In: the archive that the system's packages come from, the name of a release. Out: a Kernel as kernels.py
has them, whose headers this system's compiler and C library can build modules with. Which versions a
release has today is asked of it.
"""
import re
import subprocess

import kernels

# Release that has the kernel, and another that has what its tools need, if they are not in one.
RELEASES = {"bullseye": None, "sid": None, "trixie-backports": "trixie"}
NEWEST = "trixie-backports"  # of those whose kernels start under this system's QEMU
# What newer compilers can do, as the headers were configured for one.
NEWER_COMPILER = re.compile(r"^.*CONFIG_CC_HAS_(MIN_FUNCTION_ALIGNMENT|COUNTED_BY\w*)\b.*\n", re.M)
LAST_FOR_SPARSE = (6, 12)
MOVED = ".elf"
# Newer packages of an image leave it to these.
PARTS = r"linux-(?:binary|modules)-\d\S*"


def archive():
    """Address of the archive from which the system's packages come."""
    with open("/etc/os-release", encoding="utf-8") as text:
        codename = re.search(r"VERSION_CODENAME=(\S+)", text.read()).group(1)
    lines = kernels.apt("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)",
                        "Created-By: Packages").splitlines()
    for line in lines:
        address, of = line.split()
        if of == codename:
            return address
    raise kernels.Unavailable(f"no archive with {codename}")


def apt_of(release, architecture):
    releases = [release] + ([RELEASES[release]] if RELEASES[release] else [])
    name = f"{release}-{architecture}"
    listing = kernels.cache_folder() / "apt" / f"{name}.list"
    listing.parent.mkdir(parents=True, exist_ok=True)
    listing.write_text("".join(f"deb {archive()} {one} main\n" for one in releases),
                       encoding="utf-8")
    settings = f'Dir::Etc::SourceList "{listing}";\nDir::Etc::SourceParts "/dev/null";\n'
    settings += 'Dir::State::status "/dev/null";\n'  # what is installed is not to be had there
    settings += f'APT::Default-Release "{release}";\n' if RELEASES[release] else ""
    return kernels.other_apt(name, architecture, settings)


def make_tool_runnable(tool, libraries):
    """A tool of the headers' that needs a newer C library than the system's gets the one it came with."""
    said = subprocess.run(["ldd", tool], capture_output=True, text=True, check=False)
    if "not found" not in said.stdout + said.stderr:
        return
    moved = tool.with_name(f"{tool.name}{MOVED}")
    tool.rename(moved)
    tool.write_text(f'#!/bin/sh\nexec {libraries}/ld-linux-x86-64.so.2 --library-path '
                    f'{libraries}:/usr/lib/x86_64-linux-gnu {moved} "$@"\n', encoding="utf-8")
    tool.chmod(0o755)


def make_buildable(of):
    """For the system's compiler and C library."""
    kernels.make_headers_usable(of)
    for name in ("include/config/auto.conf", "include/generated/autoconf.h"):
        path = of.headers / name
        path.write_text(NEWER_COMPILER.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
    libraries = of.folder / "usr" / "lib" / "x86_64-linux-gnu"
    for tool in (of.folder / "usr" / "lib").glob("linux-kbuild-*/**/*"):
        if tool.is_file() and tool.suffix != MOVED and tool.read_bytes()[:4] == b"\x7fELF":
            make_tool_runnable(tool, libraries)


def image_packages(image, environment):
    """The package of an image, and those that hold it in its place."""
    listed = kernels.apt("apt-cache", "depends", image, environment=environment)
    return [image, *re.findall(rf"^  Depends: ({PARTS})$", listed, re.M)]


def kernel(release, architecture="amd64", flavour="cloud-", with_image=True):
    """The kernel that a release's metapackage of headers stands for."""
    environment = apt_of(release, architecture)
    suffix = "" if architecture == "amd64" else f":{architecture}"
    package = kernels.depends(f"linux-headers-{flavour}{architecture}{suffix}",
                              r"linux-headers-[^\s:]+", environment)
    name = package[len("linux-headers-"):]
    version = kernels.version_of(package + suffix, environment)
    common = kernels.depends(package + suffix, r"linux-headers-[^\s:]+-common\S*", environment)
    tools = kernels.depends(package + suffix, r"linux-kbuild-[^\s:]+", environment)
    packages = [package + suffix, common, tools, "libc6:amd64"]
    if with_image:
        packages += image_packages(f"linux-image-{name}{suffix}", environment)
    folder = f"linux-{'image' if with_image else 'headers'}-{name}_{version}"
    of = kernels.Kernel(name, architecture, kernels.cache_folder() / "kernels" / folder,
                        kernels.series_of(name) <= LAST_FOR_SPARSE)
    if not of.folder.exists():
        kernels.unpack(packages, of.folder, environment)
    make_buildable(of)
    return of


def image_of_series(release, series):
    """The newest kernel of a series such as 6.18 that a release has, for which it may have no headers."""
    environment = apt_of(release, "amd64")
    listed = kernels.apt("apt-cache", "pkgnames", f"linux-image-{series}.", environment=environment)
    names = re.findall(r"^linux-image-(\S+-cloud-amd64)$", listed, re.M)
    if not names:
        raise kernels.Unavailable(f"{release} has no kernel {series}")
    name = max(names, key=lambda one: [int(part) for part in re.findall(r"\d+", one)])
    version = kernels.version_of(f"linux-image-{name}", environment)
    of = kernels.Kernel(name, "amd64",
                        kernels.cache_folder() / "kernels" / f"linux-image-{name}_{version}")
    if not of.folder.exists():
        kernels.unpack(image_packages(f"linux-image-{name}", environment), of.folder, environment)
    return of
