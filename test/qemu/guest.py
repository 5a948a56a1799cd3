#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Boots a kernel under emulation and runs a shell script in it as PID 1's child.

In: a kernel, files to carry along, a script. Out: what the script printed on its console, and the files
it left in /out, which leave the guest on a channel of their own. Passed only if the script reached its
end. By hand, with a prompt in the guest instead of a script:

    test/qemu/guest.py --kernel linux-image-6.12-cloud-amd64 --program build/dev/kutrace --shell
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import kernels

PASSED = "guest: script passed"
SKIPPED_EXIT = 77
BOOTS = 3
TIMEOUT = 600  # seconds of a guest, unless its case says otherwise
TOOLS = ["busybox", "cpio", "strip", "apt-get", "apt-cache", "dpkg-deb", "make", "gcc"]
COMMAND_LINE = "panic=-1 quiet mitigations=off"

# thread=single: attaching tracepoints patches code, which QEMU 7.2's parallel TCG can crash on.
MACHINES = {
    "amd64": ["qemu-system-x86_64", "-machine", "q35", "-cpu", "max", "-m", "1G", "-append",
              f"console=ttyS0 tsc=reliable no_timer_check {COMMAND_LINE}"],
    "arm64": ["qemu-system-aarch64", "-machine", "virt,gic-version=3", "-cpu",
              "max,pauth-impdef=on", "-m", "1G", "-append", f"console=ttyAMA0 {COMMAND_LINE}"],
}
TWO_CPUS = ["-smp", "2", "-accel", "tcg,thread=single"]
# One instruction is one nanosecond and one tick of a counter of 1 GHz; works with one CPU only.
COUNTED = ["-smp", "1", "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off"]

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /tmp /out /run /dev/shm && mount -t tmpfs tmpfs /tmp && mount -t tmpfs tmpfs /out
mount -t tmpfs tmpfs /dev/shm
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
ifconfig lo 127.0.0.1 up
for module in $(cat /channel); do insmod /modules/$module; done
if [ -e /interactive ]; then setsid cttyhack sh; else sh -e /script && echo "{passed}"; fi
dmesg >/out/dmesg
port=$(grep -lx out /sys/class/virtio-ports/*/name)
tar -c -C /out -f /dev/$(basename $(dirname $port)) .
poweroff -f
"""


def shared_libraries(program):
    """Absolute paths that the program needs at run time, its loader included."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return re.findall(r"(/\S+) \(0x", text)


def copy_program(program, root, architecture):
    """Without what only debuggers read, which is most of it: the guest is slow in unpacking."""
    target = root / "bin" / pathlib.Path(program).name
    if architecture == "amd64":
        subprocess.run(["strip", "--strip-debug", "-o", target, program], check=True)
    else:
        shutil.copy(program, target)
    for library in shared_libraries(program):
        target = root / library.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)


def build_initramfs(folder, of, programs, modules, script, busybox=None):
    root = pathlib.Path(folder) / "root"
    for name in ("bin", "dev", "proc", "sys", "tmp", "modules"):
        (root / name).mkdir(parents=True)
    shutil.copy(busybox or shutil.which("busybox"), root / "bin" / "busybox")
    for program in programs:
        copy_program(program, root, of.architecture)
    channel = of.channel_modules(root / "modules")
    (root / "channel").write_text("\n".join(path.name for path in channel), encoding="utf-8")
    for module in modules:
        shutil.copy(module, root / "modules")
    (root / "init").write_text(INIT.replace("{passed}", PASSED), encoding="utf-8")
    (root / "init").chmod(0o755)
    if script:
        (root / "script").write_text(script, encoding="utf-8")
    else:
        (root / "interactive").touch()
    os.mknod(root / "dev" / "console", 0o600 | 0o020000, os.makedev(5, 1))
    os.mknod(root / "dev" / "null", 0o666 | 0o020000, os.makedev(1, 3))
    archive = pathlib.Path(folder) / "initramfs"
    subprocess.run(f"cd '{root}' && find . | cpio -o -H newc --quiet > '{archive}'", shell=True,
                   check=True)
    return archive


def require_tools(architecture="amd64", more=()):
    missing = [tool for tool in [MACHINES[architecture][0], *TOOLS, *more]
               if not shutil.which(tool)]
    if missing:
        raise kernels.Unavailable("missing: " + " ".join(missing) + "; scripts/setup installs them")
    if os.geteuid() != 0:
        raise kernels.Unavailable("needs root, to make device nodes")


def skipped(why):
    """The exit code of a test that cannot run: in CI that is a failure."""
    print("SKIPPED:", why, file=sys.stderr)
    return 1 if os.environ.get("CI") == "true" else SKIPPED_EXIT


def verdict(findings):
    """The exit code of a test, and what it found."""
    for finding in findings:
        print("FAILED:", finding)
    return 1 if findings else 0


def qemu_command(of, archive, channel, accelerator, words):
    *machine, line = MACHINES[of.architecture]
    return [*machine, f"{line} {words}", *accelerator, "-nographic", "-nodefaults", "-no-reboot",
            "-serial", "stdio", "-kernel", str(of.image), "-initrd", str(archive),
            "-device", "virtio-serial-pci", "-chardev", f"file,id=out,path={channel}",
            "-device", "virtserialport,chardev=out,name=out"]


def monitor_options(path):
    """QEMU's monitor as a port of the guest, which so gives orders to its own machine."""
    return ["-chardev", f"socket,id=monitor,path={path},server=on,wait=off",
            "-mon", "chardev=monitor", "-chardev", f"socket,id=orders,path={path}",
            "-device", "virtserialport,chardev=orders,name=monitor"]


def mistook_its_clock(log):
    """A guest that gets no time while it measures its counter believes another rate for ever."""
    return log.exists() and "PIT calibration deviates from HPET" in log.read_text(
        encoding="utf-8", errors="replace")


def died_of_patching(accelerator, console):
    """A parallel emulator can run a breakpoint that the kernel has already patched away.

    The kernel patches calls and branches of its own code as long as it runs: while it boots, and when a
    tracepoint gets or loses probes. Kernels die so without anything of ours in them. The instruction
    tells: it is the kernel's own. A breakpoint in our module or in a program of ours is our fault.
    """
    oops = console.partition("Oops: int3")[2]
    at = re.search(r"RIP: 0010:(\S+\+0x.*)", oops)
    return (any("thread=multi" in word for word in accelerator) and at is not None
            and "[" not in at[1] and not at[1].startswith("bpf_"))


def boot(command, channel, out, timeout):
    """One boot: what the console said. What the guest left is then in the folder `out`."""
    channel.unlink(missing_ok=True)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=timeout, check=False)
        console = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        console = (late.stdout or b"").decode(errors="replace") + "\nguest: timed out"
    if channel.exists() and channel.stat().st_size > 0:
        with tarfile.open(channel) as archive:
            archive.extractall(out)
    return console


def run(of, script, out, programs=(), modules=(), accelerator=None, timeout=TIMEOUT, busybox=None,
        words="", monitor=False, devices=()):
    """Runs the script in the guest. Returns whether it reached its end, and the console's text.

    `words` go to the kernel's command line; with `monitor` the guest has QEMU's; `devices` are further
    words of QEMU's own. The files of the guest's /out are then in the folder `out`. A guest that mistook
    its clock, as under load, is booted again, and one that its emulator broke.
    """
    log = pathlib.Path(out) / "dmesg"
    accelerator = accelerator or TWO_CPUS
    with tempfile.TemporaryDirectory() as folder:
        archive = build_initramfs(folder, of, programs, modules, script, busybox)
        channel = pathlib.Path(folder) / "channel"
        command = qemu_command(of, archive, channel, accelerator, words) + list(devices)
        command += monitor_options(pathlib.Path(folder) / "monitor") if monitor else []
        if script is None:
            return subprocess.run(command, check=False).returncode == 0, ""
        for _ in range(BOOTS):
            log.unlink(missing_ok=True)
            console = boot(command, channel, out, timeout)
            if not (mistook_its_clock(log) or died_of_patching(accelerator, console)):
                break
            print("guest: booted again, for the emulator's sake\n" + console, file=sys.stderr)
    return PASSED in console, console


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", required=True, help="metapackage of the kernel")
    parser.add_argument("--program", action="append", default=[], help="goes to /bin of the guest")
    parser.add_argument("--module", action="store_true", help="builds kutrace.ko, into /modules")
    parser.add_argument("--script", help="run by busybox sh -e in the guest")
    parser.add_argument("--shell", action="store_true", help="a prompt instead of a script")
    parser.add_argument("--out", default="guest-out", help="folder for what the guest left in /out")
    arguments = parser.parse_args()
    try:
        require_tools()
        of = kernels.kernel(arguments.kernel)
    except kernels.Unavailable as why:
        sys.exit(skipped(why))
    modules = [kernels.built_module(of)] if arguments.module else []
    script = None if arguments.shell else pathlib.Path(arguments.script).read_text(encoding="utf-8")
    passed, console = run(of, script, arguments.out, arguments.program, modules)
    print(console)
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
