# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the lab, recorded by the module and by eBPF: each trace must show what the program did.

What it must show is that of test/lab/experiments.py. The guest has a disk for those that need one. Left out is
hog-paging, whose waits for the disk an emulator makes shorter than those for a CPU.
"""
import pathlib
import subprocess
import sys

import guest
import record_case

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lab"))
import experiments

PROGRAMS = ["kutrace", "lab-hello", "lab-disk", "lab-rpc", "lab-locks", "lab-hog", "lab-queues"]
ACCELERATOR = guest.TWO_CPUS
TIMEOUT = 1500
SOURCES = ["module", "ebpf"]
NAMES = [name for name in experiments.EXPERIMENTS if name != "hog-paging"]
# The module records results of more than 16 bits, such as a megabyte, of calls whose arguments it records.
OPTIONS = {("module", "disk"): "--args"}
DISK_MB = 256


def more_modules(of, folder):
    """The disk's driver."""
    return of.unpacked_modules(["virtio_blk"], folder)


def devices(folder):
    """A disk, of which nothing is in the guest's memory yet: words of QEMU's."""
    image = folder / "disk"
    image.unlink(missing_ok=True)
    with open(image, "wb") as file:
        file.truncate(DISK_MB << 20)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    return ["-drive", f"file={image},format=raw,if=virtio"]


def recorded(source, name):
    program, words, _ = experiments.EXPERIMENTS[name]
    return (f"kutrace record --source {source} {OPTIONS.get((source, name), '')} -o /out/{source}-{name}.raw -- lab-{program} {' '.join(words)} "
            f">/out/{source}-{name}.told 2>/out/{source}-{name}.log\n")


SCRIPT = f"""
insmod /modules/kutrace.ko
insmod /modules/virtio_blk.ko
mkdir /disk
mount -t ext4 /dev/vda /disk
cd /disk
{"".join(recorded(source, name) for source in SOURCES for name in NAMES)}
cd /
umount /disk
rmmod kutrace
"""


def check_one(arguments, out, source, name):
    findings = []
    trace = out / f"{source}-{name}.raw"

    def ask(*words):
        done = record_case.run(arguments, "kutrace", *map(str, words))
        if done.returncode != 0:
            findings.append(f"{trace.name}: kutrace {words[0]}: {done.stderr}")
        return done.stdout

    def expect(good, what):
        if not good:
            findings.append(f"{trace.name}: {what}")

    print(f"-- {trace.name}")
    told = experiments.numbers((out / f"{source}-{name}.told").read_text(encoding="utf-8"))
    experiments.EXPERIMENTS[name][2](experiments.Trace(trace, ask, expect), told)
    return findings + record_case.check_law(arguments, trace)


def check(out, arguments):
    return [finding for source in SOURCES for name in NAMES for finding in check_one(arguments, out, source, name)]
