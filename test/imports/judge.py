# SPDX-License-Identifier: BSD-3-Clause
"""What tests of imports share: what trace-cmd and perf print of a file, as events and as time of
threads, and what kutrace says of the same file."""
import collections
import json
import re
import subprocess
import sys

# comm-pid [cpu] seconds.ns: event: text   and   tid [cpu] seconds.ns: system:event: text
TRACE_CMD = re.compile(r"^\s*.*-(?P<pid>\d+)\s+\[(?P<cpu>\d+)\]\s+(?P<time>\d+\.\d{9}): "
                       r"(?P<name>\w+):\s*(?P<text>.*)$")
PERF = re.compile(r"^\s*(?:.*\s)?(?P<pid>-?\d+) \[(?P<cpu>\d+)\]\s+(?P<time>\d+\.\d{9}):\s+"
                  r"(?:\w+:)?(?P<name>[\w-]+):\s*(?P<text>.*)$")
# comm-pid [cpu] flags seconds.us: event: text
FTRACE = re.compile(r"^\s*.*-(?P<pid>\d+)\s+\[(?P<cpu>\d+)\] \S+\s+(?P<time>\d+\.\d{6}): "
                    r"(?P<name>\w+): (?P<text>.*)$")
# Of a kernel's own text, or of a plugin of the tool's.
SWITCH = re.compile(r"prev_pid=(-?\d+).*next_pid=(-?\d+)|:(\d+) \[\d+\] \S+ ==> .*:(\d+) \[")

Event = collections.namedtuple("Event", "time cpu pid name text")
KINDS = {"sched_switch": "switch", "sched_waking": "wakeup", "sched_wakeup_new": "wakeup",
         "sys_enter": "call", "sys_exit": "return", "softirq_entry": "softirq",
         "softirq_exit": "softirq end", "irq_handler_entry": "irq", "irq_handler_exit": "irq end",
         "local_timer_entry": "irq", "local_timer_exit": "irq end", "page_fault_user": "fault",
         "page_fault_kernel": "fault"}


def events(lines, pattern):
    found = []
    for match in filter(None, map(pattern.match, lines)):
        seconds, ns = match["time"].split(".")
        found.append(Event(int(seconds) * 10**9 + int(ns.ljust(9, "0")), int(match["cpu"]), int(match["pid"]),
                           match["name"], match["text"]))
    # Of one CPU, in the order in which they stand.
    return sorted((event for event in found if event.name in KINDS), key=lambda event: event.time)


def pids_of_switch(event):
    match = SWITCH.search(event.text)
    return [int(group) for group in match.groups() if group is not None]


def counts(all_events):
    return dict(collections.Counter(KINDS[event.name] for event in all_events))


def window(all_events):
    """From where each CPU has switched to before one of them does so for the last time."""
    switches = collections.defaultdict(list)
    for event in all_events:
        if event.name == "sched_switch":
            switches[event.cpu].append(event.time)
    return max(times[0] for times in switches.values()), min(times[-1] for times in switches.values())


def thread_times(all_events, begin, end):
    """Time on CPUs by thread within a window. Where an event is of another thread than the last
    switch went to, nobody knows who ran since the event before it, which need not be among these:
    such threads are the second result."""
    times, doubtful = collections.Counter(), set()

    def ran(pid, since, until):
        times[pid] += max(0, min(until, end) - max(since, begin))

    cpus = collections.defaultdict(list)
    for event in all_events:
        cpus[event.cpu].append(event)
    for of_cpu in cpus.values():
        runs, since, last = None, None, None
        for event in of_cpu:
            is_switch = event.name == "sched_switch"
            pid, to = pids_of_switch(event) if is_switch else (event.pid, None)
            if pid != runs and pid != -1:
                if runs is not None:
                    ran(runs, since, last)
                    doubtful |= {runs, pid}
                runs, since = pid, event.time
            last = event.time
            if is_switch:
                ran(runs, since, event.time)
                runs, since = to, event.time
        ran(runs, since, end)
    return {pid: time for pid, time in times.items() if time}, doubtful


def kind_of(number, words):
    if number == 0x200:
        return "switch" if any(word.startswith("left=") for word in words) else None
    if number == 0x206:
        return "wakeup"
    if number == 0x40e:
        return "fault"
    if number & ~0x200 == 0x5ff:
        return "softirq end" if number & 0x200 else "softirq"
    if 0x500 <= number & ~0x200 < 0x5ff:
        return "irq end" if number & 0x200 else "irq"
    if 0x800 <= number < 0x1000:
        return "return" if number & 0x200 else "call"
    return None


ENDS = {"call": "return", "irq": "irq end", "softirq": "softirq end"}


class Ours:
    """What kutrace says of a file."""

    def __init__(self, program, path):
        self.program, self.path = program, str(path)

    def run(self, *words):
        run = subprocess.run([self.program, *words], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"kutrace {' '.join(words)}: {run.returncode}\n{run.stdout}{run.stderr}")
        return run.stdout

    def ask(self, sql):
        return [tuple(row.values())
                for row in json.loads(self.run("query", "--format", "json", "-e", sql, self.path))]

    def counts(self):
        found = collections.Counter()
        for line in self.run("dump", "--stage", "events", self.path).splitlines():
            words = line.split()
            if words[1] == "-":
                continue
            kind = kind_of(int(words[2], 16), words)
            found[kind] += 1
            if kind in ENDS and any(word.startswith("ret=") for word in words):
                found[ENDS[kind]] += 1  # in one entry
        del found[None]
        return dict(found)

    def start(self):
        """CLOCK_MONOTONIC at the start; None: it is another clock."""
        found = re.search(r"^start_monotonic_ns +(\d+)$", self.run("info", self.path), re.M)
        return int(found[1]) if found else None

    def thread_times(self, begin, end):
        """A window of the trace's own times."""
        inside = f"min(end_ns, {end}) - max(start_ns, {begin})"
        rows = self.ask(f"select coalesce(tid, 0), sum({inside}) from spans where end_ns > {begin} "
                        f"and start_ns < {end} and kind not in ('loss', 'hidden') "
                        "and cpu is not null and kind in (select distinct kind from spans where "
                        "kind in ('user','kthread','syscall','fault','irq','softirq','sched','idle',"
                        "'idle_low','c_exit')) group by 1")
        return {tid: time for tid, time in rows if time}


class Findings:
    def __init__(self):
        self.checked, self.found = 0, []

    def equal(self, ours, theirs, what):
        self.checked += 1
        differ = [f"{key}: {ours.get(key)} against {theirs.get(key)}"
                  for key in sorted(set(ours) | set(theirs), key=str) if ours.get(key) != theirs.get(key)]
        if differ or not theirs:
            self.found.append(f"{what}: {len(differ)} of {len(theirs)} differ: {'; '.join(differ[:6])}")

    def expect(self, good, what):
        self.checked += 1
        if not good:
            self.found.append(what)

    def finish(self):
        print(f"{self.checked} checks")
        sys.exit("\n".join(self.found) if self.found else 0)


def judge(findings, ours, theirs, name):
    """Counts of events, and time of threads to the nanosecond."""
    findings.equal(ours.counts(), counts(theirs), f"{name}: events")
    begin, end = window(theirs)
    zero = ours.start() or theirs[0].time
    findings.expect(end > begin, f"{name}: no time in which all CPUs switched")
    times, doubtful = thread_times(theirs, begin, end)
    known = [{pid: time for pid, time in found.items() if pid not in doubtful}
             for found in (ours.thread_times(begin - zero, end - zero), times)]
    findings.equal(*known, f"{name}: time of threads")
    ours.run("check", ours.path)


def judge_text(findings, kutrace, binary, text, theirs, name):
    """The text that a tool printed of a file, beside the file: the same events, and the same time of
    threads but for what times are cut to."""
    path = binary.with_suffix(".txt")
    path.write_text(text)
    ours = Ours(kutrace, path)
    findings.equal(ours.counts(), counts(theirs), f"{name}: events")
    cut = 1000 if "times below a microsecond" in ours.run("info", str(path)) else 0
    every = 2 * sum(event.name == "sched_switch" for event in theirs)
    begin, end = window(theirs)
    of_file, of_text = (one.thread_times(begin - zero, end - zero)
                        for one in (Ours(kutrace, binary), ours)
                        for zero in [one.start() or theirs[0].time])
    findings.expect(sum(of_text.values()) > 0, f"{name}: nothing ran")
    for pid in sorted(set(of_file) | set(of_text)):
        differ = abs(of_file.get(pid, 0) - of_text.get(pid, 0))
        findings.expect(differ <= cut * every,
                        f"{name}: thread {pid}: {of_text.get(pid)} ns against {of_file.get(pid)}")
    ours.run("check", str(path))
