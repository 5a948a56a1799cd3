#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kutrace count on this machine beside strace, perf, /proc and python's statistics, of programs that
do what is known.

count_test.py KUTRACE COUNTED. Prints every difference, exits 1 if there is one, 77 where this machine
cannot record.
"""
import csv
import io
import json
import math
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

import judged

USAGE, HOST, INTERRUPTED = 2, 4, 130
# What /proc/softirqs calls them.
OF_KERNEL = {"tx": "net_tx", "rx": "net_rx", "irq_p": "irq_poll", "taskl": "tasklet", "hrtim": "hrtimer"}
SLEEPS, SLEEP_NS = 20, 3_000_000
PAGES = 3000
HIDDEN = 3  # a kernel may hide threads of its own, and with them a switch away from another
SAME_PLACE = 2  # of two stacks that meet in the kernel's table, it keeps one
ERRNO = {"EBADF": 9, "EFAULT": 14}
CALL = re.compile(r"^(\w+)\(.*\) += (0x[0-9a-f]+|-?\d+)(?: (E\w+))?.*$")


# getppid, 110, with an argument that it does not look at.
LARGE = """
import ctypes
call = ctypes.CDLL(None).syscall
for _ in range(10):
    call(ctypes.c_long(110), ctypes.c_long(2 ** 62))
"""


# getppid, which seccomp rejects.
REJECTED = """
import ctypes, os, struct
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2
LOAD_NUMBER, IS_EQUAL, ANSWER = 0x20, 0x15, 0x06
ERRNO, ALLOW = 0x50000 + 1, 0x7fff0000
steps = [(LOAD_NUMBER, 0, 0, 0), (IS_EQUAL, 0, 1, 110), (ANSWER, 0, 0, ERRNO), (ANSWER, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
prctl = ctypes.CDLL(None).prctl
if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(PR_SET_SECCOMP, FILTER, program, 0, 0):
    raise SystemExit("no seccomp")
for _ in range(10):
    os.getppid()
"""


def power(value):
    """The lower bound of the power of two, as DTrace has it."""
    if value == 0:
        return 0
    bound = 1 << (abs(value).bit_length() - 1)
    return bound if value > 0 else -bound


def step(value, least, most, width):
    if value < least:
        return least - width
    return most if value >= most else least + (value - least) // width * width


def tally(values):
    return {value: values.count(value) for value in sorted(set(values))}


class Test(judged.Test):
    def same(self, what, ours, theirs):
        self.expect(ours == theirs, f"{what}: kutrace count says {ours}, it is {theirs}")

    def near(self, what, ours, theirs, part=1e-9):
        self.expect(math.isclose(ours, theirs, rel_tol=part),
                    f"{what}: kutrace count says {ours}, it is {theirs}")

    def run(self, *words, **options):
        return subprocess.run([self.program, "count", *words], capture_output=True, text=True,
                              **options)

    def ask(self, question, *words, command=None):
        """The answer about the command and its descendants, and what the command printed."""
        command = command or [self.recorded]
        out = self.folder / "answer.json"
        done = self.run(question, "--only-command", "-o", str(out), *words, "--", *command)
        if done.returncode != 0:
            self.findings.append(f"{question}: status {done.returncode}, says {done.stderr}")
            return {"rows": [], "missed": {}}, ""
        answer = json.loads(out.read_text().splitlines()[-1])
        if question.startswith("sched:") and answer["missed"]["no_begin"] <= HIDDEN:
            answer["missed"]["no_begin"] = 0
        if answer["missed"]["stacks"] <= SAME_PLACE:
            answer["missed"]["stacks"] = 0
        self.expect(not any(answer["missed"].values()), f"{question}: missed {answer['missed']}")
        return answer, done.stdout

    def only(self, question, *words, command=None):
        rows = self.ask(question, *words, command=command)[0]["rows"]
        self.same(f"{question}: rows", len(rows), 1)
        return rows[0] if rows else None

    # ---- beside strace ---------------------------------------------------------------------------

    def strace(self, *words):
        """The program under strace, which writes a file for each thread: no call has two lines."""
        for old in self.folder.glob("strace.*"):
            old.unlink()
        return ["strace", "-ff", "-qq", *words, "-o", str(self.folder / "strace"), self.recorded]

    def straced(self, *words):
        """What strace saw of the program in a run of its own."""
        subprocess.run(self.strace(*words), check=True, capture_output=True)
        return self.seen_by_strace()

    def seen_by_strace(self):
        """(call, result, error)"""
        calls = []
        for path in self.folder.glob("strace.*"):
            for line in path.read_text().splitlines():
                found = CALL.match(line)
                if found:
                    calls.append((found[1], int(found[2], 0), found[3] or "0"))
        return calls

    def results(self):
        """Every aggregate of what read returns, beside python over strace's lines."""
        calls = self.straced("-e", "trace=read", "-e", "signal=none")
        results = [-ERRNO[error] if error != "0" else result for _, result, error in calls]
        sizes = [result for result in results if result >= 0]
        bounds = (-5, 150_000, 10_007)
        most = bounds[0] + -(-(bounds[1] - bounds[0]) // bounds[2]) * bounds[2]
        row = self.only("syscall:read, count, sum(result), min(result), max(result), avg(result), "
                        "stddev(result)")
        if not row:
            return
        self.same("count", row["count"], len(results))
        self.same("sum", row["sum_result"], sum(results))
        self.same("min", row["min_result"], min(results))
        self.same("max", row["max_result"], max(results))
        self.near("avg", row["avg_result"], statistics.fmean(results))
        self.near("stddev", row["stddev_result"], statistics.pstdev(results))
        row = self.only("syscall:read, sum(bytes), avg(bytes), stddev(bytes), min(bytes), "
                        f"quantize(result), lquantize(result, {bounds[0]}, {bounds[1]}, {bounds[2]})")
        self.same("sum of bytes", row["sum_bytes"], sum(sizes))
        self.near("avg of bytes", row["avg_bytes"], statistics.fmean(sizes))
        self.near("stddev of bytes", row["stddev_bytes"], statistics.pstdev(sizes))
        self.same("min of bytes", row["min_bytes"], min(sizes))
        self.same("quantize", {one["from"]: one["count"] for one in row["quantize_result"]},
                  tally([power(result) for result in results]))
        self.same("lquantize", {one["from"]: one["count"] for one in row["lquantize_result"]},
                  tally([step(result, bounds[0], most, bounds[2]) for result in results]))
        row = self.only("syscall:read, max(arg2), sum(arg2)")
        self.expect(row["sum_arg2"] >= row["max_arg2"] > 100_000, f"arguments: {row}")

    def by_name_and_error(self):
        """In one run, as threads that meet do not always make the same calls."""
        answer, _ = self.ask("syscall:*, by name, error, where comm == counted* || "
                             f"comm == toucher || comm == {self.recorded.name[:15]}",
                             command=self.strace())
        ours = {(row["name"], row["error"]): row["count"] for row in answer["rows"]}
        theirs = tally([(name, error) for name, _, error in self.seen_by_strace()])
        self.same("calls by name and error", ours, theirs)

    def conditions(self):
        calls = self.straced("-e", "trace=read", "-e", "signal=none")
        results = [-ERRNO[error] if error != "0" else result for _, result, error in calls]
        large = [result for result in results if result >= 65536]
        for condition, expected in (
                ("error", 80), ("!error", len(results) - 80), ("error == EBADF", 50),
                ("error == 14", 30), ("result < 0", 80), ("result >= 0", len(results) - 80),
                ("bytes >= 64k", len(large)), ("bytes < 64k", len(results) - 80 - len(large)),
                ("result > 100 && result <= 200", sum(100 < one <= 200 for one in results)),
                ("error == EBADF || error == EFAULT", 80),
                ("!(error == EBADF || bytes >= 64k) && arg2 != 10",
                 len(results) - 80 - len(large)),
                ("comm == counted-thread", 33), ('comm == "counted-c*"', 35),
                ("comm != counted-main && comm == counted-*", 68), ("duration > 10s", 0),
                ("comm == counted-threa", 0), ("name == read && !(name == write)", len(results)),
                ("duration >= 0 && cpu < 4096 && tid > 0 && comm == counted-thread", 33)):
            if condition.startswith("name"):
                rows = self.ask("syscall:*", "--where", condition)[0]["rows"]
            else:
                rows = self.ask("syscall:read", "--where", condition)[0]["rows"]
            self.same(condition, rows[0]["count"] if rows else 0, expected)
        rows = self.ask("syscall:read, where error", "--where", "error == EFAULT")[0]["rows"]
        self.same("two conditions", rows[0]["count"], 30)

    def keys(self):
        rows = self.ask("syscall:read, by comm")[0]["rows"]
        found = {row["comm"]: row["count"] for row in rows}
        self.same("reads of the thread", found.get("counted-thread"), 33)
        self.same("reads of the children", found.get("counted-child"), 35)
        rows = self.ask("syscall:read, by process, where comm == counted-child")[0]["rows"]
        self.same("reads of each child", sorted(row["count"] for row in rows), [7] * 5)
        self.expect(all(re.fullmatch(r"counted-child\.\d+", row["process"]) for row in rows),
                    f"processes: {rows}")
        rows = self.ask("syscall:read, by thread, pid, where comm == counted-thread")[0]["rows"]
        self.expect(len(rows) == 1 and rows[0]["thread"] != f"counted-thread.{rows[0]['pid']}",
                    f"threads: {rows}")
        rows = self.ask("syscall:read, by result, where result < 0")[0]["rows"]
        self.same("by result", {row["result"]: row["count"] for row in rows}, {-9: 50, -14: 30})

    # ---- durations -------------------------------------------------------------------------------

    def durations(self):
        answer, said = self.ask("syscall:clock_nanosleep, count, sum(duration), min(duration), "
                                "max(duration), avg(duration), quantize(duration)")
        row = answer["rows"][0]
        own = dict(line.split("=") for line in said.splitlines())
        self.same("sleeps", row["count"], SLEEPS)
        self.expect(SLEEPS * SLEEP_NS <= row["sum_duration_ns"] <= int(own["sleeps_ns"]),
                    f"sleeps: {row} beside {own}")
        self.expect(SLEEP_NS <= row["min_duration_ns"] <= row["max_duration_ns"] <=
                    int(own["longest_sleep_ns"]), f"sleeps: {row} beside {own}")
        self.near("avg of sleeps", row["avg_duration_ns"], row["sum_duration_ns"] / SLEEPS)
        self.same("sleeps of the distribution",
                  sum(one["count"] for one in row["quantize_duration_ns"]), SLEEPS)
        self.expect(min(one["from"] for one in row["quantize_duration_ns"]) == power(SLEEP_NS),
                    f"distribution of sleeps: {row}")

    def off_cpu(self):
        """A sleeping thread is away from its CPU for as long, and then waits for one."""
        row = self.only("sched:off-cpu, count, min(duration), where comm == counted-main && "
                        "name == blocked && duration >= 3ms")
        self.expect(row["count"] >= SLEEPS - HIDDEN, f"off-cpu: {row}")
        row = self.only("sched:run-queue, count, max(duration), where comm == counted-main && "
                        "name == woken")
        self.expect(row["count"] >= SLEEPS - HIDDEN, f"run queue: {row}")
        rows = self.ask("sched:off-cpu, by kstack, where name == blocked")[0]["rows"]
        self.expect(any("hrtimer_nanosleep" in row["kstack"] and row["count"] >= SLEEPS - HIDDEN
                        for row in rows), f"stacks of sleeps: {rows}")

    def user_stacks(self):
        """syscall() has no frame, which hides its caller; the caller's caller is named."""
        version = subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout
        rows = self.ask("syscall:read, by ustack, where comm == counted-child")[0]["rows"]
        self.same("reads of the children", sum(row["count"] for row in rows), 35)
        named = [row for row in rows if "fork_known" in row["ustack"] and
                 row["ustack"].endswith(";syscall")]
        if "symbols of programs: yes" in version:
            self.same("reads by fork_known", sum(row["count"] for row in named), 35)
        rows = self.ask("syscall:clock_nanosleep, by kstack, ustack")[0]["rows"]
        self.same("stacks of both", sum(row["count"] for row in rows), SLEEPS)

    def numbers(self):
        """Calls that no kernel has. A return from a signal handler leaves -1 as its number, too."""
        asked = {999: 3, 600: 2, 100000: 1, -5: 4, -1: 2}
        calls = "; ".join(f"[call(ctypes.c_long({number})) for _ in range({count})]" for number, count in asked.items())
        rows = self.ask("syscall:*, by name, where error == ENOSYS",
                        command=[sys.executable, "-c", f"import ctypes; call = ctypes.CDLL(None).syscall; {calls}"])[0]["rows"]
        self.same("calls by number", {row["name"]: row["count"] for row in rows if row["name"].startswith("sys")},
                  {f"sys#{number}": count for number, count in asked.items()})
        self.same("returns from handlers", [row for row in rows if row["name"] == "rt_sigreturn"], [])

    # ---- other probes ----------------------------------------------------------------------------

    def faults(self):
        row = self.only("fault:user, where comm == toucher")
        self.expect(PAGES <= row["count"] <= PAGES + 20, f"faults: {row}")

    def beside_perf(self):
        """perf stat counts the same events of the same run; both see the command alone."""
        if not shutil.which("perf"):
            self.findings.append("perf is missing")
            return
        events = {"sched:sched_process_fork": "tracepoint:sched:sched_process_fork, by comm"}
        for event, question in events.items():
            answer, _ = self.ask(question)
            ours = sum(row["count"] for row in answer["rows"])
            theirs = self.folder / "perf"
            done = subprocess.run(["perf", "stat", "-x,", "-o", str(theirs), "-e", event,
                                   self.recorded], capture_output=True, text=True)
            if done.returncode != 0:
                print(f"not beside perf stat: {done.stderr.strip()}")
                return
            counted = [line.split(",")[0] for line in theirs.read_text().splitlines()
                       if event in line]
            self.same(event, str(ours), counted[0])

    def beside_proc(self):
        """All of the machine: what the kernel counted itself between two looks around it."""
        def softirqs():
            lines = pathlib.Path("/proc/softirqs").read_text().splitlines()[1:]
            return {line.split(":")[0].strip().lower(): sum(map(int, line.split()[1:]))
                    for line in lines}

        def switches():
            text = pathlib.Path("/proc/stat").read_text()
            return int(re.search(r"^ctxt (\d+)", text, re.M)[1])

        for question, look, shown in (
                ("softirq:*, by name", softirqs, lambda row: row["name"]),
                ("sched:switch", switches, lambda row: "all")):
            before = look()
            out = self.folder / "machine.json"
            done = self.run(question, "-o", str(out), "--", "sleep", "1")
            after = look()
            self.same(f"{question}: status", done.returncode, 0)
            answer = json.loads(out.read_text())
            if look is switches:
                before, after = {"all": before}, {"all": after}
            # Loading and ending take as long as the counting, or longer.
            for row in answer["rows"]:
                name = shown(row)
                key = OF_KERNEL.get(name, name)
                self.expect(key in after and 0 < row["count"] <= after[key] - before[key],
                            f"{question}: {row}, the kernel counted "
                            f"{after.get(key, 0) - before.get(key, 0)} around it")

    # ---- how it is used --------------------------------------------------------------------------

    def every(self):
        """Intervals add up to all of it, and none is lost between two."""
        done = self.run("syscall:read, by comm, sum(result), count", "--only-command", "--every",
                        "20ms", "--format", "json", "--", self.recorded)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        intervals = [line for line in lines if line["span"] == "interval"]
        self.expect(len(intervals) >= 3 and lines[-1]["span"] == "all", f"intervals: {lines}")
        for before, after in zip(intervals, intervals[1:]):
            self.same("begin of an interval", after["begin_ns"], before["end_ns"])
        sums = {}
        for line in intervals:
            for row in line["rows"]:
                of_comm = sums.setdefault(row["comm"], [0, 0])
                of_comm[0] += row["count"]
                of_comm[1] += row["sum_result"]
        self.same("sums of intervals", sums, {row["comm"]: [row["count"], row["sum_result"]]
                                              for row in lines[-1]["rows"]})
        self.same("reads of all intervals", sum(one[0] for one in sums.values()),
                  self.only("syscall:read")["count"])
        done = self.run("syscall:read", "--only-command", "--every", "20ms", "--cumulative",
                        "--format", "csv", "--", self.recorded)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        counts = [int(row["count"]) for row in rows]
        self.expect(counts == sorted(counts) and counts[-1] == sum(one[0] for one in sums.values()),
                    f"running totals: {counts}")

    def large_sums(self):
        """A sum that needs more than 64 bits is none; averages are right."""
        done = self.run("syscall:getppid, sum(arg0), avg(arg0), stddev(arg0), where arg0 == 0x4000000000000000",
                        "--only-command", "--format", "json", "--",
                        sys.executable, "-c", LARGE)
        row = json.loads(done.stdout)["rows"][0]
        self.expect("sum_arg0" not in row and "more than 64 bits" in done.stderr, f"{row}: {done.stderr}")
        self.expect(abs(row["avg_arg0"] / 2 ** 62 - 1) < 1e-9, f"avg of 2^62: {row}")
        self.expect(row["stddev_arg0"] < 2 ** 40, f"stddev of 2^62: {row}")

    def rejected(self):
        """Of a call that seccomp rejects, only the return is seen: it is counted, but its duration is not known."""
        answer, _ = self.ask("syscall:getppid, by error", command=[sys.executable, "-c", REJECTED])
        self.same("rejected calls", [(row["error"], row["count"]) for row in answer["rows"]], [("EPERM", 10)])
        done = self.run("syscall:getppid, avg(duration)", "--only-command", "--format", "json", "--",
                        sys.executable, "-c", REJECTED)
        self.same("rejected calls without a begin", json.loads(done.stdout)["missed"]["no_begin"], 10)
        self.expect("rejected by seccomp" in done.stderr, f"rejected calls: says {done.stderr}")

    def full(self):
        """What has no room is counted, and said."""
        done = self.run("syscall:read, by result", "--only-command", "--keys", "10", "--format",
                        "json", "--", self.recorded)
        answer = json.loads(done.stdout)
        shown = sum(row["count"] for row in answer["rows"])
        self.same("rows of a full map", len(answer["rows"]), 10)
        self.same("calls that had room and those that had not", shown + answer["missed"]["no_room"],
                  self.only("syscall:read")["count"])
        self.expect("no room" in done.stderr, f"a full map: says {done.stderr}")

    def forms(self):
        words = ("syscall:read, by comm, error, count, avg(bytes)", "--hist", "bytes",
                 "--only-command")
        done = self.run(*words, "--format", "csv", "--", self.recorded)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        answer, _ = self.ask(*words)
        self.same("columns of CSV", list(rows[0]), ["span", "begin_ns", "end_ns", "comm", "error",
                                                    "count", "avg_bytes", "quantize_bytes"])
        ours = {(row["comm"], row["error"]): int(row["count"]) for row in rows}
        self.same("CSV beside JSON", ours, {(row["comm"], row["error"]): row["count"]
                                            for row in answer["rows"]})
        table = self.run(*words, "--", self.recorded).stdout
        for (comm, error), count in ours.items():
            self.expect(re.search(rf"^{comm} +{error} +{count} ", table, re.M),
                        f"the table has no line {comm} {error} {count}:\n{table}")

    def ends(self):
        """Ctrl-C ends it with the result; the command's status is passed on."""
        for number, status in ((signal.SIGINT, 0), (signal.SIGTERM, 0)):
            running = subprocess.Popen([self.program, "count", "syscall:*", "--format", "json"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(1.5)
            running.send_signal(number)
            out, err = running.communicate(timeout=20)
            self.expect(running.returncode == status and json.loads(out)["rows"][0]["count"] > 0,
                        f"{number}: status {running.returncode}, {out!r}, {err!r}")
        for command, status in ((["sh", "-c", "exit 7"], 7), (["/no/such/command"], 127),
                                (["sh", "-c", "kill -TERM $$"], 143)):
            done = self.run("syscall:read", "--", *command)
            self.same(f"status of {command}", done.returncode, status)
        begin = time.monotonic()
        done = self.run("syscall:read", "--for", "300ms", "--format", "json")
        self.expect(done.returncode == 0 and time.monotonic() - begin < 20, f"--for: {done}")
        length = json.loads(done.stdout)["end_ns"]
        self.expect(300e6 <= length < 3e9, f"--for 300ms lasts {length} ns")
        done = self.run("syscall:read", "--for", "100ms", "--", "sh", "-c", "sleep 0.5; exit 3")
        self.same("a limit ends the counting, not the command", done.returncode, 3)

    def refusals(self):
        for words in (["syscall:rad"], ["syscall:read, by nothing"], ["syscall:exit_group"],
                      ["irq:*, where error"], ["syscall:read", "--only-command"],
                      ["syscall:read", "--cumulative"], ["syscall:read", "--for", "0"],
                      ["syscall:read", "--where", "name == nothing"], [""],
                      ["tracepoint:syscalls:sys_enter_read"]):
            done = self.run(*words)
            self.expect(done.returncode == USAGE and "hint" in done.stderr or
                        words[-1] in ("name == nothing", "0") and done.returncode == USAGE,
                        f"{words}: status {done.returncode}, says {done.stderr}")
        done = self.run("tracepoint:sched:nothing")
        self.same("a tracepoint that is none", done.returncode, HOST)

    def all(self):
        if shutil.which("strace"):
            self.results()
            self.by_name_and_error()
            self.conditions()
        else:
            print("not beside strace: it is missing")
            self.expect(os.environ.get("CI") != "true", "strace is missing")
        for check in (self.keys, self.durations, self.off_cpu, self.user_stacks, self.numbers,
                      self.faults, self.beside_perf,
                      self.beside_proc, self.every, self.large_sums, self.rejected, self.full,
                      self.forms, self.ends, self.refusals):
            check()


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
