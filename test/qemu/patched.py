# SPDX-License-Identifier: BSD-3-Clause
"""Patched kernels for the guests: Debian's sources, the series of kpatch/, a small configuration.

In: a version such as 6.1 and one of FLAVOURS. Out: a kernel as kernels.py has them. What is built stays
in ${XDG_CACHE_HOME:-~/.cache}/kutrace/kpatch/VERSION, with a hash of all that it is made of; with the
same hash it is taken as it is. The compiler's own cache makes most of a rebuild short.

    patched.py 6.1 [FLAVOUR...]      builds, and prints where the images are
    patched.py 6.1 --same-code       CONFIG_KUTRACE off: the code is that of the unpatched sources
"""
import argparse
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import kernels

CONFIG = kernels.ROOT / "kpatch"
SOURCES = {"6.1": "linux-source-6.1", "6.12": "linux-source-6.12"}
# on: compiled in, to count instructions; off: the same without; bpf: both with eBPF and the types it
# needs; debug: with lockdep and the like.
OPTION = "CONFIG_KUTRACE=y\n"
FLAVOURS = {"on": ["config.count", OPTION], "off": ["config.count"],
            "bpf": ["config.count", "config.bpf", OPTION], "bpf-off": ["config.count", "config.bpf"],
            "debug": ["config.debug", OPTION]}
RELATIVES = {"on": "off", "off": "on", "bpf": "bpf-off", "bpf-off": "bpf"}
APPLIED = ".kutrace-series"  # in a patched tree
TOOLS = ["make", "gcc", "ccache", "flex", "bison", "bc", "patch", "perl"]
REPRODUCIBLE = {"KBUILD_BUILD_TIMESTAMP": "@1", "KBUILD_BUILD_USER": "kutrace",
                "KBUILD_BUILD_HOST": "kutrace", "KBUILD_BUILD_VERSION": "1"}


@dataclasses.dataclass
class Patched:
    """One built kernel; the same questions as kernels.Kernel."""
    release: str
    folder: pathlib.Path
    headers: pathlib.Path
    architecture: str = "amd64"

    @property
    def image(self):
        return self.headers / "vmlinux"

    def channel_modules(self, _into):
        return []  # built in


def digest_of(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def fragments(flavour):
    """The lines of configuration, in the order in which they count."""
    text = ""
    for part in ["config", "config.x86", *FLAVOURS[flavour]]:
        text += part if "\n" in part else (CONFIG / part).read_text(encoding="utf-8")
    return text


def series_text(version):
    return [(path.name, path.read_bytes())
            for path in sorted((CONFIG / f"linux-{version}").glob("*.patch"))]


def is_stamped(folder, digest):
    stamp = folder / ".kutrace-digest"
    return stamp.exists() and stamp.read_text(encoding="utf-8") == digest


def stamp(folder, digest):
    (folder / ".kutrace-digest").write_text(digest, encoding="utf-8")


def fetch_tarball(version, folder):
    package = SOURCES[version]
    of = f"{package}_{kernels.version_of(package, {})}"
    if not (folder / of).exists():
        kernels.unpack([package], folder / of, {})
    return folder / of / "usr" / "src" / f"{package}.tar.xz"


def unpack_into(tarball, target):
    scratch = target.with_suffix(".part")
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.rmtree(target, ignore_errors=True)
    with tarfile.open(tarball) as archive:
        archive.extractall(scratch)
    next(scratch.iterdir()).rename(target)
    scratch.rmdir()


def take_back(source):
    """Takes the patches out of a tree that was patched; false if that cannot be done."""
    for patch in sorted((source / APPLIED).glob("*.patch"), reverse=True):
        done = subprocess.run(["patch", "-R", "-p1", "-s", "-f", "-d", source, "-i", patch],
                              check=False, capture_output=True)
        if done.returncode != 0:
            return False
        patch.unlink()
    return (source / APPLIED).exists()


def patched_source(version, folder):
    """The patched tree; if the series changed, only the files that it touches are new."""
    tarball = fetch_tarball(version, folder)
    digest = digest_of(tarball.parent.parent.parent.name, series_text(version))
    source = folder / "source"
    if not is_stamped(source, digest):
        if not take_back(source):
            unpack_into(tarball, source)
        (source / APPLIED).mkdir(exist_ok=True)
        for name, data in series_text(version):
            (source / APPLIED / name).write_bytes(data)
        run([kernels.ROOT / "scripts" / "kpatch", "apply", source])
        stamp(source, digest)
    return source, digest


def unpatched_source(version):
    """The tree as Debian has it. Like the patched one it is called source: objects hold that name."""
    folder = kernels.cache_folder() / "kpatch" / version
    (folder / "unpatched").mkdir(parents=True, exist_ok=True)
    tarball = fetch_tarball(version, folder)
    source, digest = folder / "unpatched" / "source", digest_of(tarball.parent.parent.parent.name)
    if not is_stamped(source, digest):
        unpack_into(tarball, source)
        stamp(source, digest)
    return source


def run(command, **options):
    done = subprocess.run([str(word) for word in command], check=False, capture_output=True,
                          text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def make(source, build, *words):
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    environment = dict(os.environ, CCACHE_BASEDIR=str(kernels.cache_folder()), **REPRODUCIBLE)
    return run(["make", "-C", source, f"O={build}", "CC=ccache gcc", "HOSTCC=ccache gcc",
                f"-j{jobs}", *words], env=environment)


def configure(source, build, wanted):
    build.mkdir(exist_ok=True)
    make(source, build, "ARCH=x86_64", "tinyconfig")
    fragment = build / "kutrace.config"
    fragment.write_text(wanted, encoding="utf-8")
    run(["scripts/kconfig/merge_config.sh", "-m", "-O", build, build / ".config", fragment],
        cwd=source, env=dict(os.environ, KCONFIG_CONFIG=str(build / ".config")))
    make(source, build, "ARCH=x86_64", "olddefconfig")
    got = (build / ".config").read_text(encoding="utf-8").splitlines()
    lost = [line for line in wanted.splitlines()
            if re.match(r"(# )?CONFIG_", line) and line not in got]
    if lost:
        sys.exit("the configuration did not take:\n" + "\n".join(lost))


def start_from_relative(folder, flavour):
    """The kernels with and without the option differ in few objects: make finds out which."""
    relative = folder / RELATIVES.get(flavour, "")
    if relative != folder and not (folder / flavour).exists() and \
            (relative / ".kutrace-digest").exists():
        shutil.copytree(relative, folder / flavour, symlinks=True)
        (folder / flavour / ".kutrace-digest").unlink()


def require_tools(flavour="on"):
    tools = TOOLS + (["pahole"] if "config.bpf" in FLAVOURS[flavour] else [])
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        raise kernels.Unavailable("missing: " + " ".join(missing) + "; scripts/setup installs them")


def kernel(version, flavour):
    """Built if it is not there."""
    require_tools(flavour)
    folder = kernels.cache_folder() / "kpatch" / version
    folder.mkdir(parents=True, exist_ok=True)
    source, of_source = patched_source(version, folder)
    build = folder / flavour
    digest = digest_of(of_source, fragments(flavour))
    if not is_stamped(build, digest):
        print(f"building linux-{version}, {flavour}", file=sys.stderr)
        start_from_relative(folder, flavour)
        configure(source, build, fragments(flavour))
        make(source, build, "vmlinux", "modules")
        stamp(build, digest)
    release = make(source, build, "-s", "kernelrelease").strip()
    return Patched(release, pathlib.Path(f"{version}-{flavour}-{digest}"), build)


# ---- the same code without the option ------------------------------------------------------------


def changed_objects(version, build):
    """Objects, as make's targets, of the C files that the series changes and the configuration has."""
    changed, created = set(), set()
    for _, data in series_text(version):
        changed.update(re.findall(rb"^--- a/(.*)\.c$", data, re.MULTILINE))
        created.update(re.findall(rb"^--- /dev/null\n\+\+\+ b/(.*)\.c$", data, re.MULTILINE))
    objects = sorted(name.decode() + ".o" for name in changed - created)
    return [name for name in objects if (build / name).exists()]


def code_of(path):
    """Instructions of all sections, with relocations, without the name of the file."""
    return run(["objdump", "-dr", "--no-show-raw-insn", path]).split("\n", 3)[-1]


def same_code(version):
    """Objects whose code is not that of the unpatched sources; and how many were compared."""
    built = kernel(version, "off").headers
    objects = changed_objects(version, built)
    source = unpatched_source(version)
    build = source.parent / "off"
    digest = digest_of((source / ".kutrace-digest").read_text(), fragments("off"), objects)
    if not is_stamped(build, digest):
        configure(source, build, fragments("off"))
        make(source, build, *objects)
        stamp(build, digest)
    return [name for name in objects if code_of(built / name) != code_of(build / name)], len(objects)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", choices=SOURCES)
    parser.add_argument("flavour", nargs="*", choices=[[], *FLAVOURS], default=[])
    parser.add_argument("--same-code", action="store_true")
    arguments = parser.parse_args()
    if arguments.same_code:
        differ, count = same_code(arguments.version)
        print(f"{count} objects compared, {len(differ)} differ:", *differ)
        sys.exit(1 if differ or not count else 0)
    for flavour in arguments.flavour or ["off", "on"]:
        print(kernel(arguments.version, flavour).image)


if __name__ == "__main__":
    main()
