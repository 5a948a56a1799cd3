#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Boots one of Debian's kernels under emulation and runs a shell script in it as PID 1's child.

In: the name of a kernel metapackage, programs to carry along, a script. Out: what the script printed
on its console; exit status 0 only if the script reached its end and said so.

    test/qemu/guest.py --kernel linux-image-6.12-cloud-amd64 --program build/ci/kutrace \\
        --script test/qemu/record.sh
    test/qemu/guest.py --kernel ... --program ... --shell      # a prompt in the guest
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PASSED = "guest: script passed"
SKIPPED_EXIT = 77
QEMU = "qemu-system-x86_64"
TOOLS = [QEMU, "busybox", "cpio", "apt-get", "apt-cache", "dpkg-deb"]
# thread=single: attaching tracepoints patches code, which QEMU 7.2's parallel TCG can crash on.
MACHINE = ["-machine", "q35", "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2", "-m", "1G",
           "-nographic", "-nodefaults", "-no-reboot", "-serial", "stdio"]
COMMAND_LINE = "console=ttyS0 panic=-1 quiet tsc=reliable mitigations=off no_timer_check"

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /tmp && mount -t tmpfs tmpfs /tmp
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
ifconfig lo 127.0.0.1 up
if [ -e /interactive ]; then setsid cttyhack sh; else sh -e /script && echo "{passed}"; fi
poweroff -f
"""


def cache_folder():
    base = os.environ.get("KUTRACE_CACHE") or pathlib.Path.home() / ".cache" / "kutrace"
    return pathlib.Path(base) / "kernels"


def newest_image(metapackage):
    """The image package that the metapackage stands for today: old ones leave the archive."""
    text = subprocess.run(["apt-cache", "depends", metapackage], check=True, capture_output=True,
                          text=True).stdout
    found = re.search(r"Depends: (linux-image-\S+)", text)
    if not found:
        sys.exit(f"guest.py: no package {metapackage}; run apt-get update")
    return found.group(1)


def kernel_image(metapackage):
    """Path of the kernel's bzImage, downloaded once per package name."""
    package = newest_image(metapackage)
    folder = cache_folder() / package
    images = list(folder.glob("vmlinuz-*"))
    if images:
        return images[0]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", package],
                       cwd=scratch, check=True, stdout=sys.stderr)
        deb = next(pathlib.Path(scratch).glob("*.deb"))
        subprocess.run(["dpkg-deb", "-x", deb, scratch + "/x"], check=True)
        image = next(pathlib.Path(scratch).glob("x/boot/vmlinuz-*"))
        shutil.copy(image, folder / (image.name + ".part"))
    (folder / (image.name + ".part")).rename(folder / image.name)
    return folder / image.name


def shared_libraries(program):
    """Absolute paths that the program needs at run time, its loader included."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return re.findall(r"(/\S+) \(0x", text)


def build_initramfs(folder, programs, script):
    root = pathlib.Path(folder) / "root"
    for name in ("bin", "dev", "proc", "sys", "tmp"):
        (root / name).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin" / "busybox")
    for program in programs:
        shutil.copy(program, root / "bin" / pathlib.Path(program).name)
        for library in shared_libraries(program):
            target = root / library.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, target)
    (root / "init").write_text(INIT.replace("{passed}", PASSED))
    (root / "init").chmod(0o755)
    if script:
        shutil.copy(script, root / "script")
    else:
        (root / "interactive").touch()
    os.mknod(root / "dev" / "console", 0o600 | 0o020000, os.makedev(5, 1))
    os.mknod(root / "dev" / "null", 0o666 | 0o020000, os.makedev(1, 3))
    archive = pathlib.Path(folder) / "initramfs.gz"
    subprocess.run(f"cd '{root}' && find . | cpio -o -H newc --quiet | gzip -1 > '{archive}'",
                   shell=True, check=True)
    return archive


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", required=True, help="metapackage of the kernel")
    parser.add_argument("--program", action="append", default=[], help="goes to /bin of the guest")
    parser.add_argument("--script", help="run by busybox sh -e in the guest")
    parser.add_argument("--append", default="", help="added to the kernel's command line")
    parser.add_argument("--shell", action="store_true", help="a prompt instead of a script")
    parser.add_argument("--timeout", type=int, default=240, help="seconds for the whole guest")
    arguments = parser.parse_args()
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print("SKIPPED: needs", ", ".join(missing) or "root (device nodes)", file=sys.stderr)
        sys.exit(1 if os.environ.get("CI") else SKIPPED_EXIT)
    image = kernel_image(arguments.kernel)
    with tempfile.TemporaryDirectory() as folder:
        archive = build_initramfs(folder, arguments.program, arguments.script)
        command = [QEMU, *MACHINE, "-kernel", str(image), "-initrd", str(archive), "-append",
                   f"{COMMAND_LINE} {arguments.append}"]
        if arguments.shell:
            sys.exit(subprocess.run(command, check=False).returncode)
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=arguments.timeout, check=False)
            output = done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as late:
            output = (late.stdout or b"").decode(errors="replace") + "\nguest.py: timed out"
    print(output)
    if PASSED not in output:
        print("replay by hand:", " ".join(sys.argv[:1] + ["--shell"] + [
            f"--kernel {arguments.kernel}"] + [f"--program {p}" for p in arguments.program]),
              file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
