#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The module built against the headers of other Debian releases: the oldest kernel it is for, the newest.

In: the archive that the system's packages come from. Out: no warning at W=1, nor of sparse where it
understands the headers; every symbol is one that the kernel exports to modules; and the module's files
call each other in one direction only.
"""
import collections
import re
import subprocess
import sys

import guest
import kernels

# Release that has the kernel, and another that has what its tools need, if they are not in one.
RELEASES = {"bullseye": None, "sid": None, "trixie-backports": "trixie"}
METAPACKAGE = "linux-headers-cloud-"
# What newer compilers can do, as the headers were configured for one.
NEWER_COMPILER = re.compile(r"^.*CONFIG_CC_HAS_(MIN_FUNCTION_ALIGNMENT|COUNTED_BY\w*)\b.*\n", re.M)
LAST_FOR_SPARSE = (6, 12)
MOVED = ".elf"


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


def headers(release, architecture):
    """A kernel without an image."""
    environment = apt_of(release, architecture)
    suffix = "" if architecture == "amd64" else f":{architecture}"
    package = kernels.depends(f"{METAPACKAGE}{architecture}{suffix}", r"linux-headers-[^\s:]+",
                              environment)
    name = package[len("linux-headers-"):]
    version = kernels.version_of(package + suffix, environment)
    base = re.sub(r"-cloud-\w+$", "", name)
    tools = kernels.depends(package + suffix, r"linux-kbuild-[^\s:]+", environment)
    number = tuple(int(part) for part in re.findall(r"\d+", name)[:2])
    of = kernels.Kernel(name, architecture,
                        kernels.cache_folder() / "kernels" / f"{package}_{version}",
                        number <= LAST_FOR_SPARSE)
    if not of.folder.exists():
        kernels.unpack([package + suffix, f"linux-headers-{base}-common", tools, "libc6:amd64"],
                       of.folder, environment)
    make_buildable(of)
    return of


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


def main():
    findings = []
    try:
        for architecture in ("amd64", *kernels.CROSS):
            cross = kernels.CROSS.get(architecture, ())
            guest.require_tools(architecture, [f"{cross[1]}gcc"] if cross else [])
            for release in RELEASES:
                of = headers(release, architecture)
                module = kernels.built_module(of, cross)
                edges = calls(kernels.symbols_of(module).read_text(encoding="utf-8"))
                findings += [f"{of.release}: {file}.c is called by what it calls"
                             for file in circles(edges)]
                findings += [] if edges["main"] else ["the objects show no calls"]
                print("built for", of.release)
    except kernels.Unavailable as why:
        return guest.skipped(why)
    return guest.verdict(findings)


if __name__ == "__main__":
    sys.exit(main())
