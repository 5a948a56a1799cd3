# SPDX-License-Identifier: BSD-3-Clause
"""The guests' programs for another architecture than this one.

In: names of programs, a kernels.Machine. Out: paths. Test programs are one source each; kutrace itself
is built with Debian's libraries of that architecture, which are fetched once and lie in the cache, and
which it needs in the guest, too.
"""
import os
import pathlib
import re
import shutil
import subprocess

import kernels

HERE = pathlib.Path(__file__).parent
# What is linked, and the package of the shared library that its headers depend on.
LIBRARIES = {"libfmt-dev": r"libfmt\d[^\s:]*", "libspdlog-dev": r"libspdlog\d[^\s:]*",
             "libdeflate-dev": r"libdeflate\d", "libisal-dev": r"libisal\d",
             "libzstd-dev": r"libzstd\d", "zlib1g-dev": "zlib1g", "libelf-dev": r"libelf\d",
             "libbpf-dev": r"libbpf\d", "libsqlite3-dev": r"libsqlite3-\d"}
HEADERS = ["libcli11-dev"]
# What a program needs beside it.
PARTNERS = {"kutrace-odd": ["kutrace-odd32"]}
CXX = {"kutrace-pattern": kernels.ROOT / "test" / "live" / "pattern" / "pattern.cpp"}
TRIPLET = {"arm64": "aarch64-linux-gnu"}


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}:\n{done.stdout[-4000:]}\n{done.stderr}")
    return done.stdout


def compiled(name, machine, out):
    """A program of one source, which needs no library."""
    source = CXX.get(name, HERE / "programs" / f"{name.removeprefix('kutrace-')}.c")
    compiler, standard = (machine.compiler, "gnu17") if source.suffix == ".c" else \
        (machine.compiler.removesuffix("gcc") + "g++", "gnu++23")
    run([compiler, f"-std={standard}", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-pthread",
         f"-I{kernels.ROOT}/include", f"-I{kernels.ROOT}/test", "-o", out / name, source])
    return out / name


def compiled_32bit(name, out):
    """A program of one source in assembler, for the 32-bit architecture that arm64 has inside."""
    source = HERE / "programs" / f"{name.removeprefix('kutrace-')}.S"
    run(["clang-19", "--target=arm-linux-gnueabi", "-march=armv7-a", "-c", "-o", out / f"{name}.o", source])
    run(["aarch64-linux-gnu-ld", "-m", "armelf_linux_eabi", "-o", out / name, out / f"{name}.o"])
    return out / name


def system_folder(architecture, machine):
    """Libraries and headers of the other architecture, unpacked."""
    shared = [kernels.depends(f"{name}:{architecture}", pattern, machine.environment)
              for name, pattern in LIBRARIES.items()]
    wanted = sorted(f"{name}:{architecture}" for name in [*LIBRARIES, *shared]) + HEADERS
    versions = [kernels.version_of(name, machine.environment) for name in wanted]
    digest = kernels.hashlib.sha256(repr((wanted, versions)).encode()).hexdigest()[:16]
    folder = kernels.cache_folder() / "cross" / f"{architecture}-{digest}"
    if not folder.exists():
        kernels.unpack(wanted, folder, machine.environment)
    return folder


def kutrace(architecture, machine, build):
    """The program, built in a folder of that build; unchanged files are not compiled again."""
    system, triplet = system_folder(architecture, machine), TRIPLET[architecture]
    folder = pathlib.Path(build).resolve() / "qemu" / f"{architecture}-program"
    search = {f"CMAKE_FIND_ROOT_PATH_MODE_{kind}": "ONLY" for kind in ("LIBRARY", "INCLUDE", "PACKAGE")}
    settings = {
        "CMAKE_SYSTEM_NAME": "Linux", "CMAKE_SYSTEM_PROCESSOR": triplet.split("-", maxsplit=1)[0],
        "CMAKE_C_COMPILER": machine.compiler, "CMAKE_CXX_COMPILER": f"{triplet}-g++",
        "CMAKE_LIBRARY_ARCHITECTURE": triplet, "CMAKE_FIND_ROOT_PATH": f"{system};{system}/usr",
        "CMAKE_CXX_FLAGS": f"-isystem {system}/usr/include -isystem {system}/usr/include/{triplet}",
        # Where libraries find those that they need in turn.
        "CMAKE_EXE_LINKER_FLAGS": f"-Wl,-rpath-link,{system}/usr/lib/{triplet}:{system}/lib/{triplet}",
        "CMAKE_BUILD_TYPE": "Release", "BUILD_TESTING": "OFF", "KUTRACE_UNITY": "ON",
        "KUTRACE_WARNINGS_ARE_ERRORS": "OFF", **search}
    if shutil.which("ccache"):
        settings["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    environment = dict(os.environ, PKG_CONFIG_LIBDIR=f"{system}/usr/lib/{triplet}/pkgconfig",
                       PKG_CONFIG_SYSROOT_DIR=str(system), CCACHE_BASEDIR=str(kernels.ROOT))
    run(["cmake", "-S", kernels.ROOT, "-B", folder, "-G", "Ninja",
         *(f"-D{name}={value}" for name, value in settings.items())], env=environment)
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    run(["cmake", "--build", folder, "--target", "kutrace", "-j", jobs], env=environment)
    return folder / "kutrace"


def programs(names, architecture, machine, build, out):
    result = []
    for name in names:
        result.append(kutrace(architecture, machine, build) if name == "kutrace" else
                      compiled(name, machine, out))
        result += [compiled_32bit(partner, out) for partner in PARTNERS.get(name, [])]
    return result


def libraries(of, architecture, machine):
    """The shared libraries that programs of the other architecture need, its loader included."""
    triplet, system = TRIPLET[architecture], system_folder(architecture, machine)
    places = [system / "usr" / "lib" / triplet, system / "lib" / triplet,
              pathlib.Path(f"/usr/{triplet}/lib")]
    found, wanted = {}, list(of)
    while wanted:
        text = run([f"{triplet}-readelf", "-d", wanted.pop()])
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
            if name not in found:
                found[name] = next(place / name for place in places if (place / name).exists())
                wanted.append(found[name])
    return list(found.values())


def taken_along(names, architecture, machine, build, out):
    """Programs for a guest, and their libraries if these are not this machine's."""
    if not machine.cross:
        return [pathlib.Path(build) / name for name in names], []
    found = programs(names, architecture, machine, build, out)
    return found, libraries(found, architecture, machine)
