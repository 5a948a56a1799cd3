# SPDX-License-Identifier: BSD-3-Clause
"""The guests' programs for another architecture than this one; none needs a library.

In: names of programs, a kernels.Machine. Out: paths. Test programs are one source each; kutrace itself
is built as for the tarball of that architecture.
"""
import os
import pathlib
import subprocess

import kernels
import foreign

HERE = pathlib.Path(__file__).parent
# What a program needs beside it.
PARTNERS = {"kutrace-odd": ["kutrace-odd32"]}
CXX = {"kutrace-pattern": kernels.ROOT / "test" / "live" / "pattern" / "pattern.cpp"}


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


def kutrace(architecture, build):
    """The program, built in a folder of that build; unchanged files are not compiled again."""
    folder = pathlib.Path(build).resolve() / "qemu" / f"static-{architecture}"
    folder.mkdir(parents=True, exist_ok=True)
    toolchain = folder / "toolchain.cmake"
    foreign.write_toolchain(architecture, toolchain)
    environment = dict(os.environ, CCACHE_BASEDIR=str(kernels.ROOT))
    settings = {"CMAKE_BUILD_TYPE": "Release", "BUILD_TESTING": "OFF", "KUTRACE_LINK": "static",
                "KUTRACE_TOGETHER": "all", "KUTRACE_WARNINGS_ARE_ERRORS": "OFF"}
    run(["cmake", "-S", kernels.ROOT, "-B", folder, "-G", "Ninja", "--toolchain", toolchain,
         *(f"-D{name}={value}" for name, value in settings.items())], env=environment)
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    run(["cmake", "--build", folder, "--target", "kutrace", "-j", jobs], env=environment)
    return folder / "kutrace"


def programs(names, architecture, machine, build, out):
    result = []
    for name in names:
        result.append(kutrace(architecture, build) if name == "kutrace" else
                      compiled(name, machine, out))
        result += [compiled_32bit(partner, out) for partner in PARTNERS.get(name, [])]
    return result


def taken_along(names, architecture, machine, build, out):
    """Programs for a guest."""
    if not machine.cross:
        return [pathlib.Path(build) / name for name in names]
    return programs(names, architecture, machine, build, out)
