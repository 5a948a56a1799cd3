# SPDX-License-Identifier: BSD-3-Clause
"""Patched kernels for the guests: Debian's sources, the series of kpatch/, a small configuration.

In: one of TARGETS, such as 6.1 or 6.1-arm64, and one of FLAVOURS. Out: a kernel as kernels.py has them.
What is built stays in ${XDG_CACHE_HOME:-~/.cache}/kutrace/kpatch/VERSION, with a hash of all that it is
made of; with the same hash it is taken as it is. The compiler's own cache makes most of a rebuild short.

    patched.py 6.1 [FLAVOUR...]      builds, and prints where the images are
    patched.py 6.1-arm64 --same-code CONFIG_KUTRACE off: the code is that of the unpatched sources
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
            "debug": ["config.debug", "config.debug.{}", OPTION]}
RELATIVES = {"on": "off", "off": "on", "bpf": "bpf-off", "bpf-off": "bpf"}
APPLIED = ".kutrace-series"  # in a patched tree
TOOLS = ["make", "gcc", "ccache", "flex", "bison", "bc", "patch", "perl"]
REPRODUCIBLE = {"KBUILD_BUILD_TIMESTAMP": "@1", "KBUILD_BUILD_USER": "kutrace",
                "KBUILD_BUILD_HOST": "kutrace", "KBUILD_BUILD_VERSION": "1"}


@dataclasses.dataclass(frozen=True)
class Target:
    """What is built: the series of a version, for an architecture."""
    version: str
    architecture: str = "amd64"

    @property
    def short_name(self):
        """As in the names of configurations."""
        return {"amd64": "x86"}.get(self.architecture, self.architecture)

    @property
    def cross(self):
        """The kernel's name of another architecture than this one, the prefix of its compiler."""
        return kernels.CROSS.get(self.architecture, ())

    @property
    def prefix(self):
        return self.cross[1] if self.cross else ""

    @property
    def cache(self):
        return kernels.cache_folder() / "kpatch" / self.version

    def build_name(self, flavour):
        return f"{self.architecture}-{flavour}" if self.cross else flavour


X86 = Target("6.1")
TARGETS = {"6.1": X86, "6.12": Target("6.12"), "6.1-arm64": Target("6.1", "arm64")}


@dataclasses.dataclass
class Patched:
    """One built kernel; the same questions as kernels.Kernel."""
    release: str
    folder: pathlib.Path
    headers: pathlib.Path
    architecture: str = "amd64"
    sparse: bool = True
    has_headers: bool = True

    @property
    def image(self):
        return self.headers / {"amd64": "vmlinux", "arm64": "arch/arm64/boot/Image"}[self.architecture]

    def channel_modules(self, _into):
        return []  # built in


def digest_of(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def fragments(target, flavour):
    """The lines of configuration, in the order in which they count."""
    text = ""
    for part in ["config", "config.{}", *FLAVOURS[flavour]]:
        name = part.format(target.short_name)
        text += part if "\n" in part else (CONFIG / name).read_text(encoding="utf-8")
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
    """The patched tree, for all architectures; if the series changed, only what it touches is new."""
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


def make(source, build, *words, target=X86):
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    environment = dict(os.environ, CCACHE_BASEDIR=str(kernels.cache_folder()), **REPRODUCIBLE)
    cross = [f"ARCH={target.cross[0]}", f"CROSS_COMPILE={target.prefix}"] if target.cross else []
    return run(["make", "-C", source, f"O={build}", f"CC=ccache {target.prefix}gcc",
                "HOSTCC=ccache gcc", f"-j{jobs}", *cross, *words], env=environment)


def configure(source, build, wanted, target=X86):
    build.mkdir(exist_ok=True)
    architecture = [] if target.cross else ["ARCH=x86_64"]
    make(source, build, *architecture, "tinyconfig", target=target)
    fragment = build / "kutrace.config"
    fragment.write_text(wanted, encoding="utf-8")
    run(["scripts/kconfig/merge_config.sh", "-m", "-O", build, build / ".config", fragment],
        cwd=source, env=dict(os.environ, KCONFIG_CONFIG=str(build / ".config")))
    make(source, build, *architecture, "olddefconfig", target=target)
    got = (build / ".config").read_text(encoding="utf-8").splitlines()
    lost = [line for line in wanted.splitlines()
            if re.match(r"(# )?CONFIG_", line) and line not in got]
    if lost:
        sys.exit("the configuration did not take:\n" + "\n".join(lost))


def take_over_tools(relative, build):
    """The commands that built the tools name their folder. Where it differs they are built again, and
    with objtool every object."""
    for saved in (build / "tools").rglob(".*.cmd"):
        text = saved.read_text(encoding="utf-8")
        saved.write_text(text.replace(f"{relative}/", f"{build}/"), encoding="utf-8")


def start_from_relative(target, flavour):
    """The kernels with and without the option differ in few objects: make finds out which."""
    if flavour not in RELATIVES:
        return
    build = target.cache / target.build_name(flavour)
    relative = target.cache / target.build_name(RELATIVES[flavour])
    if not build.exists() and (relative / ".kutrace-digest").exists():
        shutil.copytree(relative, build, symlinks=True)
        (build / ".kutrace-digest").unlink()
        take_over_tools(relative, build)


def require_tools(target=X86, flavour="on"):
    tools = TOOLS + (["pahole"] if "config.bpf" in FLAVOURS[flavour] else [])
    tools += [f"{target.prefix}gcc"] if target.cross else []
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        raise kernels.Unavailable("missing: " + " ".join(missing) + "; scripts/setup installs them")


def kernel(name, flavour):
    """Built if it is not there. `name`: of TARGETS."""
    target = TARGETS[name]
    require_tools(target, flavour)
    target.cache.mkdir(parents=True, exist_ok=True)
    source, of_source = patched_source(target.version, target.cache)
    build = target.cache / target.build_name(flavour)
    digest = digest_of(of_source, fragments(target, flavour))
    if not is_stamped(build, digest):
        print(f"building linux-{name}, {flavour}", file=sys.stderr)
        start_from_relative(target, flavour)
        configure(source, build, fragments(target, flavour), target)
        make(source, build, "Image" if target.cross else "vmlinux", "modules", target=target)
        stamp(build, digest)
    release = make(source, build, "-s", "kernelrelease", target=target).strip()
    return Patched(release, pathlib.Path(f"{name}-{flavour}-{digest}"), build, target.architecture)


# ---- the same code without the option ------------------------------------------------------------


def changed_objects(version, build):
    """Objects, as make's targets, of the C files that the series changes and the configuration has."""
    changed, created = set(), set()
    for _, data in series_text(version):
        changed.update(re.findall(rb"^--- a/(.*)\.c$", data, re.MULTILINE))
        created.update(re.findall(rb"^--- /dev/null\n\+\+\+ b/(.*)\.c$", data, re.MULTILINE))
    objects = sorted(name.decode() + ".o" for name in changed - created)
    return [name for name in objects if (build / name).exists()]


def code_of(target, path):
    """Instructions of all sections, with relocations, without the name of the file."""
    return run([f"{target.prefix}objdump", "-dr", "--no-show-raw-insn", path]).split("\n", 3)[-1]


def same_code(name):
    """Objects whose code is not that of the unpatched sources; and how many were compared."""
    target = TARGETS[name]
    built = kernel(name, "off").headers
    objects = changed_objects(target.version, built)
    source = unpatched_source(target.version)
    build = source.parent / target.build_name("off")
    wanted = fragments(target, "off")
    digest = digest_of((source / ".kutrace-digest").read_text(), wanted, objects)
    if not is_stamped(build, digest):
        configure(source, build, wanted, target)
        make(source, build, *objects, target=target)
        stamp(build, digest)
    differ = [name for name in objects
              if code_of(target, built / name) != code_of(target, build / name)]
    return differ, len(objects)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("flavour", nargs="*", choices=[[], *FLAVOURS], default=[])
    parser.add_argument("--same-code", action="store_true")
    arguments = parser.parse_args()
    if arguments.same_code:
        differ, count = same_code(arguments.target)
        print(f"{count} objects compared, {len(differ)} differ:", *differ)
        sys.exit(1 if differ or not count else 0)
    for flavour in arguments.flavour or ["off", "on"]:
        print(kernel(arguments.target, flavour).image)


if __name__ == "__main__":
    main()
