#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recorder with no more capabilities than the shipped units, manifests and documents give it.

capabilities_test.py KUTRACE ROOT: each of them is read for its capabilities and options, and what it
starts must record. Prints what fails, exits 1 if anything does, 77 where this machine cannot record.
"""
import ctypes
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import time

import judged

NOBODY = 65534
ANY_USER = 1000
LEAST = ["bpf", "perfmon"]  # doc/permissions.md
QUESTIONS = ["syscall:*, by name", "sched:off-cpu, by kstack, sum(duration)", "irq:*, by name",
             "tracepoint:sched:sched_switch", "syscall:*, by ustack"]

SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 38, 22


def refuse_maps():
    """From now on this process makes none, as under a policy."""
    load, equal, leave = 0x20, 0x15, 0x06
    code = [(load, 0, 0, 0), (equal, 0, 3, SYS_BPF), (load, 0, 0, 16), (equal, 0, 1, 0), (leave, 0, 0, 0x50001),
            (leave, 0, 0, 0x7fff0000)]
    packed = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in code))
    program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(packed))
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0)


def names(words):
    return [word.lower().removeprefix("cap_") for word in words]


def as_root(capabilities):
    """A process of root's that has, and can get, only these."""
    kept = "".join(f",+{one}" for one in capabilities)
    return ["setpriv", f"--bounding-set=-all{kept}", "--inh-caps=-all", "--"]


def as_nobody(capabilities):
    kept = "".join(f",+{one}" for one in capabilities)
    return ["setpriv", f"--bounding-set=-all{kept}", f"--inh-caps=-all{kept}", f"--ambient-caps=-all{kept}",
            f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]


class Unit:
    def __init__(self, text):
        self.capabilities = names(re.search(r"^CapabilityBoundingSet=(.*)", text, re.M)[1].split())
        self.environment = dict(re.findall(r"^Environment=\"?(\w+)=([^\"\n]*)", text, re.M))
        self.command = re.search(r"^ExecStart=kutrace (.*)", text, re.M)[1]

    def words(self, **more):
        known = {**self.environment, **more}
        return shlex.split(re.sub(r"\$\{?(\w+)\}?", lambda found: known[found[1]], self.command))


class Test(judged.Test):
    def __init__(self, program, root, folder):
        super().__init__(program, folder)
        self.folder.chmod(0o777)
        self.program = shutil.copy(program, self.folder / "kutrace")  # where every user can reach it
        self.packaging = pathlib.Path(root) / "scripts/packaging"

    def read(self, name):
        return (self.packaging / name).read_text(encoding="utf-8")

    def run(self, what, rights, *words):
        done = subprocess.run([*rights, self.program, *map(str, words)], check=False, capture_output=True, text=True,
                              env=dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)))
        self.expect(done.returncode == 0, f"{what}: {words}: {done.returncode} {done.stderr}")
        return done.stdout

    def judge_trace(self, what, trace):
        if not trace.exists():
            self.expect(False, f"{what}: no trace")
            return
        self.kutrace("check", trace)
        self.expect(int(re.search(r"events +(\d+)", self.kutrace("info", trace))[1]) > 0, f"{what}: nothing is recorded")

    def record_all(self, what, capabilities):
        doctor = self.run(what, as_root(capabilities), "doctor")
        groups = re.search(r"all of them: kutrace record --events (\S+)", doctor)[1]
        for number, options in enumerate([[], ["--events", groups], ["--samples", "99", "--stacks", "--strings"],
                                          ["--follow"], ["--functions", "libc.so.6:malloc"], ["--mode", "wrap"]]):
            trace = self.folder / f"{what}-{number}.raw"
            self.run(what, as_root(capabilities), "record", "-q", *options, "-o", trace, "--", "true")
            self.judge_trace(what, trace)

    def count(self):
        for question in QUESTIONS:
            self.run("count", as_root(LEAST), "count", question, "--", "true")

    def doctor_refused(self):
        """Where it cannot say why, it does not send the reader to itself."""
        done = subprocess.run([self.program, "doctor"], check=False, capture_output=True, text=True, preexec_fn=refuse_maps)
        told = done.stdout.partition("source ebpf:")[2]
        self.expect("programs do not load: Operation not permitted" in told and "CAP_SYS_ADMIN; " in told
                    and "hint: kutrace doctor" not in told, f"doctor under a policy: {done.returncode} {told}")

    def fly(self, what, rights, words, snapshots):
        process = subprocess.Popen([*rights, self.program, *words], stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, XDG_RUNTIME_DIR=str(self.folder), TMPDIR=str(self.folder)))
        said = ""
        while "recording;" not in said and (line := process.stderr.readline()):
            said += line
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=120)[1]
        self.expect(process.returncode == 0, f"{what}: {process.returncode} {said}")
        made = sorted(snapshots.glob("flight-*.raw"))
        self.expect(made, f"{what}: no snapshot")
        for snapshot in made:
            self.judge_trace(what, snapshot)

    def new_folder(self, name):
        made = self.folder / name
        made.mkdir()
        made.chmod(0o777)
        return made

    def flight_unit(self):
        unit = Unit(self.read("kutrace-flight-recorder.service"))
        snapshots = self.new_folder("unit")
        self.fly("flight unit", as_nobody(unit.capabilities), unit.words(STATE_DIRECTORY=str(snapshots)), snapshots)

    def daemon_unit(self):
        unit = Unit(self.read("kutrace-daemon.service"))
        socket, trace = self.folder / "daemon.sock", self.folder / "daemon.raw"
        daemon = subprocess.Popen([*as_root(unit.capabilities), self.program, *unit.words(), "--socket", socket],
                                  stderr=subprocess.PIPE, text=True)
        for _ in range(100):
            if socket.exists():
                break
            time.sleep(0.05)
        self.kutrace("record", "-q", "--source", "daemon", "--daemon-socket", socket, "-o", trace, "--", "true")
        self.judge_trace("daemon", trace)
        daemon.terminate()
        said = daemon.communicate(timeout=20)[1]
        self.expect(daemon.returncode == 0, f"daemon: {daemon.returncode} {said}")

    def daemon_set(self):
        text = self.read("kubernetes.yaml")
        capabilities = names(re.search(r"add: \[(.*)\]", text)[1].replace(",", " ").split())
        words = re.findall(r"^ +- (.*)", re.search(r"args:\n((?: +- .*\n)+)", text)[1], re.M)
        snapshots = self.new_folder("snapshots")
        words = [word.replace("/snapshots", str(snapshots)) for word in words]
        self.fly("DaemonSet", as_root(capabilities), words, snapshots)

    def container(self):
        """Started by a user in a folder of his own."""
        text = self.read("Containerfile")
        folder = self.new_folder("user")
        folder.chmod(0o755)
        trace = folder / "trace.raw"
        trace.touch()  # as his shell does
        for one in (folder, trace):
            os.chown(one, ANY_USER, ANY_USER)
        words = re.search(r"^# +kutrace (record .*) >trace.raw$", text, re.M)[1].replace("--duration 5", "--duration 1")
        with open(trace, "wb") as output:
            done = subprocess.run([*as_root(names(re.findall(r"--cap-add=(\w+)", text))), self.program, *words.split()],
                                  check=False, cwd=folder, stdout=output, stderr=subprocess.PIPE, text=True)
        self.expect(done.returncode == 0, f"container: {done.returncode} {done.stderr}")
        self.judge_trace("container", trace)

    def all(self):
        self.record_all("least", LEAST)
        self.count()
        self.doctor_refused()
        self.flight_unit()
        self.daemon_unit()
        self.daemon_set()
        self.container()


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        judged.skip("needs root and setpriv (util-linux)")
    judged.run(Test, *sys.argv[1:])
