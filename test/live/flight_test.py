#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flight recorder that is always on: planted latencies, one for one, and its snapshots.

flight_test.py KUTRACE. Programs wait for known times in calls that nobody else makes; every wait that is too long has
one snapshot, whose trigger names it, and no other wait has one. Every snapshot keeps the laws.
Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import judged

LIMIT_MS = 30
# Long and short waits: the short ones are far below the limit, the long ones above it.
WAITS_MS = [2, 45, 5, 60, 3, 80, 1]
# Waits for a signal that nobody sends, in a call that few programs know.
WAITER = """
import signal, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
for ms in map(int, sys.argv[2:]):
    signal.sigtimedwait([signal.SIGUSR2], ms / 1000)
    time.sleep(float(sys.argv[1]))
"""
# A thread of the name victim is ready to run, and may not for a while, because of another one.
DELAYED = """
import ctypes, os, threading, time
def name(text): ctypes.CDLL(None).prctl(15, text, 0, 0, 0)
os.sched_setaffinity(0, {0})
begun = threading.Event()
pid = os.fork()
if pid == 0:
    name(b"victim")
    for _ in range(40):
        time.sleep(0.01)
    os._exit(0)
time.sleep(0.1)
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
until = time.monotonic() + 0.12
while time.monotonic() < until:
    pass
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
os.waitpid(pid, 0)
"""
# What programs say of themselves, for so long: marks, RPCs, and requests from one call to another.
PLANTED = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
import kutrace
kutrace.name_method(7, "planted")
kutrace.name_method(8, "other")
def sleep(ms):
    begin = time.monotonic_ns()
    time.sleep(ms / 1000)
    return time.monotonic_ns() - begin
def mark(ms):
    kutrace.mark("planted")
    took = sleep(ms)
    kutrace.mark("/planted")
    return took
def rpc(ms):
    kutrace.rpc_request(7, 10)
    kutrace.rpc_request(8, 10)
    took = sleep(ms)
    kutrace.rpc_response(7, 10)
    kutrace.rpc_response(8, 10)
    kutrace.rpc_done()
    return took
def request(ms):
    os.sched_get_priority_max(os.SCHED_FIFO)
    took = sleep(ms)
    os.sched_get_priority_min(os.SCHED_FIFO)
    return took
for ms in map(int, sys.argv[3:]):
    begin = time.monotonic_ns()
    least = {"mark": mark, "rpc": rpc, "request": request}[sys.argv[2]](ms)
    print(least, time.monotonic_ns() - begin)
    time.sleep(0.4)
"""
# The first thread ends, and another one ends the process; or it ends with a status of its own, and the process with 0.
THREADS_END = """
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int status;
static void *other(void *nothing) { usleep(200000); exit(status); }
int main(int count, char **words) {
    pthread_t thread;
    status = atoi(words[1]);
    pthread_create(&thread, 0, other, 0);
    syscall(SYS_exit, atoi(words[2]));
}
"""
LANGUAGES = pathlib.Path(__file__).resolve().parents[2] / "include" / "languages"
KMSG = pathlib.Path("/dev/kmsg")
MAY_WRITE_LOG = pathlib.Path("/proc/sys/kernel/printk_devkmsg")


class Flight:
    """A flight recorder that runs."""

    def __init__(self, test, name, *options):
        self.test, self.folder = test, test.folder / name
        self.process = subprocess.Popen([test.program, "flight", "-o", self.folder, "--source", "ebpf", *options],
                                        stderr=subprocess.PIPE, text=True)
        self.said = ""
        while "recording;" not in self.said:
            line = self.process.stderr.readline()
            if not line:
                break
            self.said += line

    def end(self, status=0):
        self.process.send_signal(signal.SIGINT)
        _, rest = self.process.communicate(timeout=120)
        self.said += rest
        self.test.expect(self.process.returncode == status, f"flight: {self.process.returncode} {self.said}")
        return self.snapshots()

    def snapshots(self):
        return sorted(self.folder.glob("flight-*.raw"))


class Test(judged.Test):
    def triggers(self, snapshot):
        """What asked for it, by the trace's own facts; and it keeps the laws."""
        self.kutrace("check", snapshot)
        facts = self.kutrace("info", snapshot)
        return [json.loads(text) for text in re.findall(r"trigger\s+(\{.*\})", facts)]

    def judge_calls(self):
        flight = Flight(self, "calls", "--when", f"call:rt_sigtimedwait>{LIMIT_MS}ms", "--every", "0", "--before", "1s",
                        "--after", "50ms")
        waiter = subprocess.Popen([sys.executable, "-c", WAITER, "0.6", *map(str, WAITS_MS)])
        waiter.wait()
        snapshots = flight.end()
        told = [(snapshot, trigger) for snapshot in snapshots for trigger in self.triggers(snapshot)]
        expected = [ms for ms in WAITS_MS if ms > LIMIT_MS]
        self.expect(len(told) == len(expected), f"{len(told)} triggers, planted: {expected}; {flight.said}")
        self.expect(len(snapshots) == len(expected), f"{len(snapshots)} snapshots of {len(expected)}")
        for (snapshot, trigger), ms in zip(told, expected):
            length = trigger["length_ns"] / 1e6
            self.expect(trigger["tid"] == waiter.pid, f"{trigger}: not of {waiter.pid}")
            self.expect(ms <= length < ms + 25, f"{trigger}: {ms} ms were planted")
            rows = json.loads(self.kutrace("why", "--call", "rt_sigtimedwait", "--format", "json", snapshot))
            self.expect(str(trigger["length_ns"]) in json.dumps(rows), f"{snapshot}: why knows no such call: {rows}")

    def judge_delays(self):
        flight = Flight(self, "delays", "--when", "delay:victim>80ms", "--every", "0", "--before", "1s")
        subprocess.run([sys.executable, "-c", DELAYED], check=True)
        snapshots = flight.end()
        told = [trigger for snapshot in snapshots for trigger in self.triggers(snapshot)]
        # A busy machine has delays of its own: all that the traces hold, and no others.
        held = {row["dur_ns"] for snapshot in snapshots for row in self.delays(snapshot)}
        self.expect(any(one["length_ns"] >= 110e6 for one in told), f"a delay of 120 ms was planted: {told}; {flight.said}")
        self.expect({one["length_ns"] for one in told} == held, f"triggers {told}, delays {held}")
        self.expect(all(one["thread"] == "victim" for one in told), f"{told}")

    def delays(self, snapshot):
        return json.loads(self.kutrace("query", "--format", "json", snapshot,
                                       "select dur_ns from waits where thread = 'victim' and name = 'ready' "
                                       "and dur_ns > 80000000"))

    def judge_exits(self):
        program = self.folder / "planted-exit"
        shutil.copy("/bin/sh", program)
        flight = Flight(self, "exits", "--when", "exit:planted-exit", "--every", "0", "--after", "10ms")
        expected = []
        for status in (0, 3, 0, 7):
            child = subprocess.Popen([program, "-c", f"exit {status}"])
            child.wait()
            if status:
                expected.append((child.pid, status))
            time.sleep(0.5)
        killed = subprocess.Popen([program, "-c", "kill -SEGV $$"])
        killed.wait()
        expected.append((killed.pid, "SIGSEGV"))
        time.sleep(0.5)
        told = [trigger for snapshot in flight.end() for trigger in self.triggers(snapshot)]
        ends = [(one["tid"], one.get("status", one.get("signal"))) for one in told]
        self.expect(ends == expected, f"exits {told}, planted {expected}")

    def judge_exits_of_threads(self):
        program = self.folder / "threads-end"
        built = subprocess.run(["cc", "-x", "c", "-pthread", "-o", program, "-"], input=THREADS_END, text=True)
        if built.returncode != 0 or not program.exists():
            return print("SKIPPED: exits of threads: there is no compiler")
        flight = Flight(self, "threads", "--when", "exit:threads-end", "--every", "0", "--after", "10ms")
        subprocess.run([program, "0", "5"], check=True)
        time.sleep(0.5)
        failed = subprocess.Popen([program, "3", "0"])
        failed.wait()
        time.sleep(0.5)
        told = [trigger for snapshot in flight.end() for trigger in self.triggers(snapshot)]
        return self.expect([(one["tid"], one["status"]) for one in told] == [(failed.pid, 3)],
                           f"{told}, planted: status 3 of {failed.pid}")

    def judge_planted(self):
        """Marks, RPCs and requests: each that is too long fires once, with its length, and nothing else does."""
        for kind, trigger in (("mark", "mark:planted"), ("rpc", "rpc:planted"),
                              ("request", "request:sched_get_priority_max..sched_get_priority_min")):
            flight = Flight(self, kind, "--when", f"{trigger}>{LIMIT_MS}ms", "--every", "0", "--before", "1s")
            program = subprocess.Popen([sys.executable, "-c", PLANTED, LANGUAGES, kind, *map(str, WAITS_MS)],
                                       stdout=subprocess.PIPE, text=True)
            # How long each was at least and at most, by the program's own clock: a busy machine makes some longer.
            planted = [tuple(map(int, line.split())) for line in program.communicate()[0].splitlines()]
            self.expect(len(planted) == len(WAITS_MS), f"{kind}: {program.returncode}, {planted}")
            told = [one for snapshot in flight.end() for one in self.triggers(snapshot)]
            self.expect(all(one["tid"] == program.pid for one in told), f"{kind}: {told}")
            lengths = [one["length_ns"] for one in told]
            for least, most in planted:
                found = next((length for length in lengths if least <= length <= most), None)
                self.expect(found is not None or least <= LIMIT_MS * 1e6, f"{kind}: {least} ns are not among {told}")
                if found is not None:
                    lengths.remove(found)
            self.expect(not lengths, f"{kind}: nobody planted {lengths} ns: {planted}")

    def judge_log(self):
        """Lines that the kernel writes of a program that it ends fire, each once; others, and users' lines, do not."""
        crash = self.folder / "planted-log"
        built = subprocess.run(["cc", "-x", "c", "-o", crash, "-"], input="int main(void){*(volatile int*)8=1;}", text=True)
        if built.returncode != 0 or not crash.exists():
            return print("SKIPPED: log: there is no compiler")
        before = set(self.kernel_lines())
        flight = Flight(self, "log", "--when", "log:planted-log*segfault*", "--every", "0", "--before", "1s")
        for _ in range(2):
            subprocess.run([crash], check=False)
            time.sleep(0.8)
        with open(KMSG, "w", encoding="ascii") as log:
            log.write("planted-log: a user says segfault\n")
        time.sleep(0.3)
        planted = [line for line in self.kernel_lines() if line not in before and re.search(r"planted-log\[.*segfault", line)]
        told = [one["what"] for snapshot in flight.end() for one in self.triggers(snapshot)]
        if not planted:
            return print("SKIPPED: log: this kernel writes no line of a program that it ends")
        self.expect(len(told) == len(planted), f"log: {told}, the kernel wrote {planted}")
        return self.judge_log_overrun()

    def kernel_lines(self):
        return subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout.splitlines()

    def judge_log_overrun(self):
        """More lines than the kernel keeps, while nobody reads: they are told as missing, by their number."""
        limit = MAY_WRITE_LOG.read_text().strip()
        try:
            MAY_WRITE_LOG.write_text("on\n")
            log = os.open(KMSG, os.O_WRONLY)
        except OSError as refused:
            return print(f"SKIPPED: lines of the log that are missed: {refused}")
        try:
            flight = Flight(self, "overrun", "--when", "log:*planted*", "--every", "0", "--at-end")
            flight.process.send_signal(signal.SIGSTOP)
            for i in range(20000):
                os.write(log, f"planted line {i} {'x' * 100}\n".encode())
            flight.process.send_signal(signal.SIGCONT)
            time.sleep(1)
            snapshots = flight.end()
        finally:
            os.close(log)
            MAY_WRITE_LOG.write_text(limit + "\n")
        missed = sum(int(number.replace(",", "")) for number in
                     re.findall(r"([\d,]+) lines? of the kernel's log: no trigger", flight.said))
        self.expect(10000 < missed < 20000, f"20,000 lines were written while nobody read: {missed} missed; {flight.said}")
        facts = self.kutrace("info", snapshots[-1])
        self.expect("of the kernel's log" in facts, "the snapshot does not say that lines are missing")

    def judge_requests_for_snapshots(self):
        """By signal and by socket; the command on each gets the path, and JSON."""
        hook, answers = self.folder / "hook", self.folder / "answers"
        hook.write_text(f'#!/bin/sh\ncat > "{self.folder}/why.$(basename "$1").json"\necho "$1" >> {answers}\n')
        hook.chmod(0o755)
        flight = Flight(self, "asked", "--every", "0", "--keep-snapshots", "2", "--on-snapshot", hook, "--at-end")
        flight.process.send_signal(signal.SIGUSR1)
        for _ in range(100):
            if flight.snapshots():
                break
            time.sleep(0.1)
        path = pathlib.Path(self.kutrace("flight", "--snapshot").strip())
        self.expect(path in flight.snapshots(), f"{path} is not among {flight.snapshots()}")
        self.expect(path.stat().st_mode & 0o77 == 0, f"{path} is readable by others")
        snapshots = flight.end()
        self.expect(len(snapshots) == 2 and path in snapshots, f"2 snapshots were to be kept: {snapshots}")
        whats = [trigger["what"] for snapshot in snapshots for trigger in self.triggers(snapshot)]
        self.expect(whats == ["asked for", "the end of the recording"], f"{whats}")
        told = answers.read_text().split() if answers.exists() else []
        self.expect(len(told) == 3, f"the command ran on {told}")
        for answer in self.folder.glob("why.*.json"):
            json.loads(answer.read_text())
        self.expect(len(list(self.folder.glob("why.*.json"))) == 3, "each snapshot has its answer")

    def judge_pruning(self):
        """By size and by age; files of other names stay, and so does the newest snapshot."""
        for name, options in (("size", ["--keep-size", "1kB"]), ("age", ["--keep-age", "1s"])):
            folder = self.folder / name
            folder.mkdir()
            old = folder / "flight-20200101T000000.000Z-call.raw"
            other = folder / "flight.raw"
            for file in (old, other):
                file.write_bytes(b"x" * 5000)
                os.utime(file, (1577836800, 1577836800))
            snapshots = Flight(self, name, "--at-end", *options).end()
            self.expect(len(snapshots) == 1 and old not in snapshots, f"{name}: {snapshots}")
            self.expect(other.exists(), f"{name}: {other} was removed")
        folder = self.folder / "future"
        folder.mkdir()
        (folder / "flight-29990101T000000.000Z-call.raw").write_bytes(b"x")
        snapshots = Flight(self, "future", "--at-end", "--keep-snapshots", "1").end()
        self.expect(len(snapshots) == 2, f"the clock was set back, and the newest snapshot is gone: {snapshots}")

    def judge_rate(self):
        """What comes too soon is counted, and told by the next one."""
        flight = Flight(self, "rate", "--when", f"call:rt_sigtimedwait>{LIMIT_MS}ms", "--every", "3600s", "--after", "1ms",
                        "--at-end")
        subprocess.run([sys.executable, "-c", WAITER, "0.5", "40", "40", "40"], check=True)
        self.expect(len(flight.snapshots()) == 1, f"--every 3600s: {flight.snapshots()}")
        asked = {pathlib.Path(self.kutrace("flight", "--snapshot").strip()) for _ in range(2)}
        self.expect(len(asked) == 2 and asked <= set(flight.snapshots()), f"asked for twice: {asked}")
        self.expect(len(flight.end()) == 4, f"one at the end: {flight.snapshots()}")

    def judge_start(self):
        """A signal that comes before it records is a request."""
        folder = self.folder / "start"
        process = subprocess.Popen([self.program, "flight", "-o", folder, "--source", "ebpf", "--duration", "3s", "--every",
                                    "0"], stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not folder.exists():
            time.sleep(0.001)
        process.send_signal(signal.SIGUSR1)
        said = process.communicate(timeout=120)[1]
        self.expect(process.returncode == 0, f"SIGUSR1 at the start: {process.returncode} {said}")
        self.expect(said.count("signal SIGUSR1") == 1, f"SIGUSR1 at the start: {said}")
        events = re.search(r"recorded ([\d,]+) events?", said)
        self.expect(events and int(events[1].replace(",", "")) > 0, f"nothing was recorded: {said}")

    def judge_hanging_command(self):
        """Nothing is recorded while a command on a snapshot goes on at the end; another signal ends it."""
        hook = self.folder / "hangs"
        hook.write_text("#!/bin/sh\nexec sleep 1000\n")
        hook.chmod(0o755)
        flight = Flight(self, "hanging", "--every", "0", "--on-snapshot", hook, "--at-end")
        for _ in range(2):
            self.kutrace("flight", "--snapshot")
        flight.process.send_signal(signal.SIGINT)
        while line := flight.process.stderr.readline():
            flight.said += line
            if "recorded" in line:
                break
        time.sleep(0.5)
        asked = subprocess.run([self.program, "flight", "--snapshot"], capture_output=True, text=True, timeout=60)
        self.expect(asked.returncode == 4, f"a recorder that has ended is asked: {asked}")
        begin = time.monotonic()
        flight.end()
        self.expect(time.monotonic() - begin < 4, f"it ended {time.monotonic() - begin} s after the second signal")
        self.expect("is not run on 2 snapshots" in flight.said, f"{flight.said}")

    def judge_stopped(self):
        """Who asks one that does not answer does not wait for ever, and is told which it is."""
        flight = Flight(self, "stopped", "--every", "0", "--after", "4s")
        slow = pathlib.Path(self.kutrace("flight", "--snapshot").strip())
        self.expect(slow in flight.snapshots(), f"one that takes a while is not waited for: {slow}")
        flight.process.send_signal(signal.SIGSTOP)
        asked = subprocess.run([self.program, "flight", "--snapshot"], capture_output=True, text=True, timeout=60)
        flight.process.send_signal(signal.SIGCONT)
        self.expect(asked.returncode == 4 and f"process {flight.process.pid}, does not answer" in asked.stderr,
                    f"a stopped recorder is asked: {asked}")
        flight.end()

    def judge_full_disk(self):
        """It goes on where a snapshot finds no room, writes the next one where there is some, and its status tells."""
        folder = self.folder / "full"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", folder], check=True)
        filler = folder / "filler"
        try:
            flight = Flight(self, "full", "--every", "0", "--at-end", "--buffer-mb", "16")
            filler.write_bytes(bytes(os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize - 100_000))
            asked = subprocess.run([self.program, "flight", "--snapshot"], capture_output=True, text=True, timeout=60)
            self.expect(asked.returncode != 0 and not flight.snapshots(), f"a full disk: {asked}, {flight.snapshots()}")
            filler.unlink()
            snapshots = flight.end(status=5)
            self.expect(len(snapshots) == 1, f"there is room at the end: {snapshots}")
            self.expect("No space left" in flight.said and "1 snapshot could not be written" in flight.said, flight.said)
        finally:
            subprocess.run(["umount", folder], check=True)

    def judge_ending(self):
        """It ends, though what fires goes on."""
        flight = Flight(self, "ending", "--when", "call:clock_nanosleep>1ms", "--every", "0", "--before", "1ms", "--after",
                        "1ms", "--keep-snapshots", "3")
        with subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(0.002)"]) as sleeper:
            time.sleep(1)
            self.expect(len(flight.end()) == 3, f"3 snapshots were to be kept: {flight.snapshots()}")
            sleeper.kill()

    def all(self):
        self.judge_calls()
        self.judge_delays()
        self.judge_exits()
        self.judge_exits_of_threads()
        self.judge_planted()
        self.judge_log()
        self.judge_requests_for_snapshots()
        self.judge_pruning()
        self.judge_rate()
        self.judge_stopped()
        self.judge_full_disk()
        self.judge_ending()
        self.judge_start()
        self.judge_hanging_command()


if __name__ == "__main__":
    judged.need_recorder(sys.argv[1])
    judged.run(Test, *sys.argv[1:])
