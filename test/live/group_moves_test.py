#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processes that move between control groups while they are recorded, or are made in one, beside the kernel's accounts.

group_moves_test.py KUTRACE: a program works, calls and sleeps for known times in two groups; another is put into a
group, starts a program there and ends, as one in a container; a third is made in a group by clone3; a fourth moves in a
hierarchy that is not the one that is told. Each group has the time that the kernel charged it, in every command.
"""
import csv
import ctypes
import io
import os
import pathlib
import signal
import subprocess
import sys
import time

import judged

TOP = pathlib.Path("/sys/fs/cgroup")
CALLS = {"first": 1000, "second": 3000}  # getppid
BUSY = {"first": 0.3, "second": 0.6, "box": 0.2, "born": 0.2, "other": 0.1}
SLEEP = {"first": 0.05, "second": 0.15}
OFF = 0.05  # of what the kernel charged: interrupts, and what a group does beside the program's own
CLONE3, INTO_CGROUP = 435, 0x200000000


def busy(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def enter(folders):
    for folder in folders:
        pathlib.Path(folder, "cgroup.procs").write_text("0", encoding="utf-8")


def act_moves(first, second):
    for name, folders in (("first", first), ("second", second)):
        enter(folders.split(":"))
        busy(BUSY[name])
        for _ in range(CALLS[name]):
            os.getppid()
        time.sleep(SLEEP[name])


def act_born(folder):
    """A child that begins in the group; the system call is made by hand."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    args = (ctypes.c_uint64 * 11)(INTO_CGROUP, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, descriptor)
    child = ctypes.CDLL(None).syscall(CLONE3, args, ctypes.sizeof(args))
    if child == 0:
        busy(BUSY["born"])
        os._exit(0)
    os.waitpid(child, 0)


def act_other(first, second):
    enter(first.split(":"))
    enter(second.split(":"))
    busy(BUSY["other"])


class Groups:
    """Those of this test, in the hierarchies that say whose a process is and what it used."""

    def __init__(self):
        self.is_first_version = (TOP / "cpuacct").is_dir()
        self.places = [TOP / "cpu", TOP / "cpuacct"] if self.is_first_version else [TOP]
        self.names = {name: f"kutrace-{name}-{os.getpid()}" for name in BUSY}
        self.made = []

    def __enter__(self):
        for name in self.names:
            self.folders(name)
        return self

    def __exit__(self, *_):
        for folder in self.made:
            folder.rmdir()

    def make(self, folder):
        if folder not in self.made:
            folder.mkdir()
            self.made.append(folder)
        return folder

    def folders(self, name):
        return [self.make(place / self.names[name]) for place in self.places]

    def words(self, name):
        return ":".join(map(str, self.folders(name)))

    def charged(self, name):
        if self.is_first_version:
            return int((TOP / "cpuacct" / self.names[name] / "cpuacct.usage").read_text(encoding="utf-8"))
        return used(TOP / self.names[name])


def used(folder):
    """Of version 2, in ns."""
    return int((folder / "cpu.stat").read_text(encoding="utf-8").split()[1]) * 1000


def second_version():
    for line in pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2" and os.access(place, os.W_OK):
            return pathlib.Path(place)
    return None


class Test(judged.Test):
    def rows(self, *words):
        return list(csv.DictReader(io.StringIO(self.kutrace(*words, "--format", "csv"))))

    def record_charged(self, trace, command, charged):
        """What the kernel charged each group meanwhile. As record_whole, again while a context switch was hidden."""
        for _ in range(judged.WHOLE_TRIES):
            before = [account() for account in charged]
            said = self.record(trace, ["-q"], command)[1]
            after = [account() for account in charged]
            if "unseen switch" not in said:
                break
        return [end - begin for begin, end in zip(before, after)]

    def times(self, trace, *words):
        return {row["name"]: int(row["executing_ns"]) for row in self.rows("stat", "--by", "cgroup", *words, trace)
                if row["name"]}

    def judge_time(self, found, charged, what):
        print(f"{what}: {found} ns, charged {charged} ns")
        self.expect(abs(found - charged) <= OFF * charged, f"{what}: {found} ns, the kernel charged {charged} ns")

    def moves(self, groups):
        trace, names = self.folder / "moves.raw", ("first", "second")
        charged = self.record_charged(trace, [sys.executable, __file__, "moves", *map(groups.words, names)],
                                      [lambda name=name: groups.charged(name) for name in names])
        times = self.times(trace)
        profiled = {row["row"]: int(row["executing_ns"]) for row in self.rows("profile", "--by", "cgroups", trace)}
        called = {row["group"]: int(row["calls"]) for row in self.rows("syscalls", "--by", "cgroup", trace)
                  if row["call"] == "getppid"}
        page = self.folder / "moves.html"
        self.kutrace("report", trace, "-o", page)
        in_page = self.times(page)
        for name, account in zip(names, charged):
            path = "/" + groups.names[name]
            self.judge_time(times.get(path, 0), account, name)
            for what, found in (("profile", profiled), ("page", in_page)):
                self.expect(found.get(path) == times.get(path), f"{what}: {found.get(path)}, stat {times.get(path)}")
            self.expect(called.get(path) == CALLS[name], f"syscalls: {called.get(path)}, not {CALLS[name]}")
            chosen = self.times(trace, "--cgroup", path)
            self.expect(set(chosen) - {"idle", "(lost or hidden)", "total"} == {path}, f"--cgroup {path}: {chosen}")
            self.expect(chosen.get(path) == times.get(path), f"--cgroup {path}: {chosen.get(path)}")
            slept = sum(int(row["total_ns"]) for row in self.rows("blame", "--by", "cgroup", trace)
                        if row["cgroup"] == path and row["wait"] == "time")
            self.expect(SLEEP[name] <= slept / 1e9 < SLEEP[name] + 0.04, f"blame {path}: slept {slept} ns")
        said = subprocess.run([self.program, "stat", "--by", "cgroup", trace], check=False, capture_output=True, text=True)
        self.expect("moved to another" not in said.stderr, f"warns of what is told: {said.stderr}")

    def box(self, groups):
        enters = "; ".join(f"echo $$ > {folder}/cgroup.procs" for folder in groups.folders("box"))
        trace = self.folder / "box.raw"
        command = f"sh -c '{enters}; exec {sys.executable} {__file__} busy box'; sleep 0.1"
        charged, = self.record_charged(trace, ["sh", "-c", command], [lambda: groups.charged("box")])
        self.judge_time(self.times(trace).get("/" + groups.names["box"], 0), charged, "box")

    def other(self, groups):
        """What is told is of the hierarchy `cpu`, wherever else the process goes."""
        elsewhere = TOP / "pids"
        if not groups.is_first_version or not elsewhere.is_dir():
            return
        folder = groups.make(elsewhere / groups.names["other"])
        trace, command = self.folder / "other.raw", [sys.executable, __file__, "other", groups.words("other"), folder]
        charged, = self.record_charged(trace, command, [lambda: groups.charged("other")])
        self.judge_time(self.times(trace).get("/" + groups.names["other"], 0), charged, "other")

    def born(self, groups):
        place = second_version()
        if place is None:
            return
        folder = groups.make(place / ("kutrace-born2-" + str(os.getpid())))
        trace, command = self.folder / "born.raw", [sys.executable, __file__, "born", folder]
        charged, = self.record_charged(trace, command, [lambda: used(folder)])
        self.judge_time(self.times(trace).get("/" + folder.name, 0), charged, "born")

    def all(self):
        try:
            with Groups() as groups:
                for judge in (self.moves, self.box, self.other, self.born):
                    judge(groups)
        except OSError as error:
            judged.skip(f"no control group can be made here: {error}")


if __name__ == "__main__":
    ACTS = {"moves": act_moves, "born": act_born, "other": act_other, "busy": lambda name: busy(BUSY[name])}
    if sys.argv[1] in ACTS:
        ACTS[sys.argv[1]](*sys.argv[2:])
    else:
        judged.run(Test, *sys.argv[1:])
