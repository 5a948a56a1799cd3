# SPDX-License-Identifier: BSD-3-Clause
"""Debian's kernels for the guests: image, modules and headers, fetched once, and our module built.

In: the name of a metapackage such as linux-image-6.12-cloud-amd64. Out: a Kernel with paths. What is
fetched stays in ${XDG_CACHE_HOME:-~/.cache}/kutrace/kernels, one folder per package and version; a
module in a folder named by the contents of its sources.
"""
import dataclasses
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "packaging"))
# Known to those who import this by its name.
from archive import (Unavailable, apt, cache_folder, depends, foreign_apt, other_apt, unpack,
                     version_exists, version_of)

# Of compiler, objtool, sparse or modpost; make has warnings about itself.
COMPLAINT = re.compile(r": (warning|error):|WARNING: modpost|ERROR: modpost")
CROSS = {"arm64": ("arm64", "aarch64-linux-gnu-")}
# Carry the guest's results out; built into the kernel where the file is missing. Order counts.
CHANNEL_MODULES = ["virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev",
                   "virtio_pci", "virtio_console"]


@dataclasses.dataclass
class Kernel:
    """One kernel: release such as 6.12.117+deb12-cloud-amd64, image, unpacked modules, headers."""
    release: str
    architecture: str
    folder: pathlib.Path
    sparse: bool = True  # understands its headers

    @property
    def image(self):
        own = self.modules / "vmlinuz"  # newer packages have it there
        return own if own.exists() else self.folder / "boot" / f"vmlinuz-{self.release}"

    @property
    def modules(self):
        merged = self.folder / "usr" / "lib" / "modules" / self.release
        return merged if merged.exists() else self.folder / "lib" / "modules" / self.release

    @property
    def has_headers(self):
        return self.headers.exists()

    @property
    def headers(self):
        return self.folder / "usr" / "src" / f"linux-headers-{self.release}"

    def channel_modules(self, into):
        return self.unpacked_modules(CHANNEL_MODULES, into)

    def unpacked_modules(self, names, into):
        """Copies modules of these names that this kernel has, unpacked, in their order."""
        result = []
        for name in names:
            found = list(self.modules.rglob(f"{name}.ko*"))
            if not found:
                continue
            target = pathlib.Path(into) / f"{name}.ko"
            data = found[0].read_bytes()
            target.write_bytes(lzma.decompress(data) if found[0].suffix == ".xz" else data)
            result.append(target)
        return result


def series_of(release):
    """6.12.117+deb12-cloud-amd64 is of the series (6, 12)."""
    return tuple(int(part) for part in re.findall(r"\d+", release)[:2])


def make_headers_usable(kernel):
    """The headers name their parts by absolute paths of an installed system; here they lie elsewhere."""
    makefile = kernel.headers / "Makefile"
    text = makefile.read_text(encoding="utf-8")
    sources = kernel.folder / "usr" / "src"
    usable = re.sub(r"(include |KBUILD_OUTPUT=)\S*/(linux-headers-)", rf"\1{sources}/\2", text)
    if usable != text:  # another test may be building with it
        makefile.write_text(usable, encoding="utf-8")
    (kernel.headers / "vmlinux").unlink(missing_ok=True)  # would ask for pahole


@dataclasses.dataclass
class Machine:
    """What a kernel of another architecture than this one needs; nothing for this one."""
    environment: dict = dataclasses.field(default_factory=dict)  # of apt
    cross: tuple = ()  # the kernel's name of the architecture, the prefix of its compiler
    busybox: pathlib.Path | None = None

    @property
    def compiler(self):
        return f"{self.cross[1]}gcc"


def machine(architecture):
    if architecture == "amd64":
        return Machine()
    environment = foreign_apt(architecture)
    return Machine(environment, CROSS[architecture], foreign_busybox(architecture, environment))


def foreign_busybox(architecture, environment):
    """A static busybox of another architecture."""
    package = f"busybox-static:{architecture}"
    folder = cache_folder() / "kernels" / f"{package}_{version_of(package, environment)}"
    if not folder.exists():
        unpack([package], folder, environment)
    return folder / "bin" / "busybox"


def kernel(metapackage, architecture="amd64", environment=None):
    """Image, modules and headers of the kernel that a metapackage such as linux-image-... names."""
    environment = environment or {}
    suffix = "" if architecture == "amd64" else f":{architecture}"
    image = depends(metapackage + suffix, r"linux-image-[^\s:]+", environment)
    release = image[len("linux-image-"):]
    base = re.sub(r"-(cloud|rt)-\w+$", "", release)
    common = f"linux-headers-{base}-common{'-rt' if '-rt-' in release else ''}"
    headers = f"linux-headers-{release}{suffix}"
    tools = depends(headers, r"linux-kbuild-[^\s:]+", environment)
    tools = tools if version_exists(tools, environment) else f"linux-kbuild-{base}"
    folder = cache_folder() / "kernels" / f"{image}_{version_of(image + suffix, environment)}"
    result = Kernel(release, architecture, folder)
    if not folder.exists():
        unpack([image + suffix, headers, common, tools], folder, environment)
    make_headers_usable(result)
    return result


def contents(folder):
    return [(str(path.relative_to(ROOT)), path.read_bytes())
            for path in sorted(folder.rglob("*")) if path.is_file()]


def symbols_of(module):
    """What nm said of the objects that a built module is made of."""
    return module.with_name("symbols")


def newest_tested():
    """The series of the newest kernel for which the module builds without being asked twice."""
    text = (ROOT / "kmod" / "check-kernel").read_text(encoding="utf-8")
    return series_of(re.search(r"^newest=(\S+)", text, re.M).group(1))


def make_module(scratch, sources, of, cross=(), checked=False):
    """What make says of these sources, names and contents, in a folder of their own."""
    for name, data in sources:
        target = pathlib.Path(scratch) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    command = ["make", "-C", str(of.headers), f"M={scratch}/kmod", "W=1", "modules"]
    command += [f"CC={cross[1] if cross else ''}gcc"]  # not the one the headers name
    command += ["KUTRACE_UNTESTED_KERNEL=1"]  # here it is tested
    command += ["KUTRACE_CHECKED=1"] if checked else []
    command += ["C=2"] if of.sparse and shutil.which("sparse") else []
    command += [f"ARCH={cross[0]}", f"CROSS_COMPILE={cross[1]}"] if cross else []
    return subprocess.run(command, capture_output=True, text=True, check=False)


def module_sources():
    return contents(ROOT / "kmod") + contents(ROOT / "include")


def built_module(of, cross=(), checked=False):
    """kutrace.ko for a kernel, from the sources in the tree; `checked`: warns where it is misused."""
    sources = module_sources()
    digest = hashlib.sha256(repr((sources, of.folder.name, checked)).encode()).hexdigest()[:16]
    module = cache_folder() / "modules" / digest / "kutrace.ko"
    if module.exists() and symbols_of(module).exists():
        return module
    module.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=module.parent) as scratch:
        done = make_module(scratch, sources, of, cross, checked)
        if done.returncode != 0 or COMPLAINT.search(done.stderr):
            sys.exit(f"the module does not build cleanly for {of.release}:\n"
                     f"{done.stdout}\n{done.stderr}")
        symbols_of(module).write_text(subprocess.run(
            ["nm", "-A", "-g", *[f"{path.stem}.o" for path in (ROOT / "kmod").glob("*.c")]],
            capture_output=True, text=True, check=True, cwd=f"{scratch}/kmod").stdout)
        shutil.copy(f"{scratch}/kmod/kutrace.ko", module.with_suffix(".part"))
        module.with_suffix(".part").rename(module)
    return module
