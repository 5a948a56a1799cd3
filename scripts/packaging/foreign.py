#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What builds kutrace, as a program that needs no library, for another architecture than this one.

    foreign.py arm64 FILE     writes a toolchain file for CMake

In: Debian's name of the architecture. Out: the file, which names the compiler and a folder with Debian's
libraries and headers of that architecture; they are fetched once and lie in the cache.
"""
import hashlib
import pathlib
import sys

import archive

TRIPLET = {"arm64": "aarch64-linux-gnu"}
LIBRARIES = ["libbpf-dev", "libbsd-dev", "libbz2-dev", "libdeflate-dev", "libdw-dev", "libedit-dev",
             "libelf-dev", "libfmt-dev", "liblzma-dev", "libmd-dev", "libncurses-dev",
             "libspdlog-dev", "libsqlite3-dev", "libzstd-dev", "zlib1g-dev"]
# Not linked, but their CMake files look for them: the package, and how that of the library is called.
SHARED = {"libfmt-dev": r"libfmt\d[^\s:]*", "libspdlog-dev": r"libspdlog\d[^\s:]*"}
HEADERS = ["libcli11-dev"]
TOOLCHAIN = """\
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {processor})
set(CMAKE_C_COMPILER {triplet}-gcc)
set(CMAKE_CXX_COMPILER {triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE {triplet})
set(CMAKE_FIND_ROOT_PATH {system} {system}/usr)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Nothing that is built tells where the libraries were.
set(foreign_flags "-ffile-prefix-map={system}= -isystem {system}/usr/include -isystem {system}/usr/include/{triplet}")
set(CMAKE_C_FLAGS_INIT "${{foreign_flags}}")
set(CMAKE_CXX_FLAGS_INIT "${{foreign_flags}}")
set(ENV{{PKG_CONFIG_LIBDIR}} {system}/usr/lib/{triplet}/pkgconfig)
set(ENV{{PKG_CONFIG_SYSROOT_DIR}} {system})
"""


def system_folder(architecture):
    """Libraries and headers of the other architecture, unpacked."""
    environment = archive.foreign_apt(architecture)
    shared = [archive.depends(f"{name}:{architecture}", pattern, environment)
              for name, pattern in SHARED.items()]
    wanted = sorted(f"{name}:{architecture}" for name in [*LIBRARIES, *shared]) + HEADERS
    versions = archive.versions_of(wanted, environment)
    digest = hashlib.sha256(repr((wanted, versions)).encode()).hexdigest()[:16]
    folder = archive.cache_folder() / "cross" / f"{architecture}-{digest}"
    if not folder.exists():
        archive.unpack(wanted, folder, environment)
    return folder


def write_toolchain(architecture, file):
    triplet = TRIPLET[architecture]
    text = TOOLCHAIN.format(system=system_folder(architecture), triplet=triplet,
                            processor=triplet.split("-", maxsplit=1)[0])
    pathlib.Path(file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in TRIPLET:
        sys.exit(__doc__)
    try:
        write_toolchain(sys.argv[1], sys.argv[2])
    except archive.Unavailable as why:
        sys.exit(f"foreign: {why}")
