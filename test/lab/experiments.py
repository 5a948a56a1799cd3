# SPDX-License-Identifier: BSD-3-Clause
"""What the trace of each program of the lab must show.

EXPERIMENTS: name of an experiment -> (program, its arguments, function). The function takes a Trace and
the numbers that the program told of itself; what is wrong goes to trace.expect(good, what).
"""
import json


class Trace:
    """A recorded trace; ask(*words) runs kutrace and returns what it prints."""

    def __init__(self, path, ask, expect):
        self.path, self.ask, self.expect = path, ask, expect

    def rows(self, sql):
        return json.loads(self.ask("query", self.path, "--format", "json", sql))

    def value(self, sql):
        return next(iter(self.rows(sql)[0].values()))

    def equal(self, what, found, told):
        print(f"{what}: {found}, told {told}")
        self.expect(found == told, f"{what}: {found}, told {told}")

    def scopes(self, label):
        """(begin, end, thread) of each pair of marks."""
        begins, ends = (self.rows(f"select start_ns, tid from marks where name = 'mark_a={text}'")
                        for text in (label, f"/{label}"))
        self.expect(begins and sorted(row["tid"] for row in begins) == sorted(row["tid"] for row in ends),
                    f"marks {label}: {begins}, {ends}")
        return [(begin["start_ns"], end["start_ns"], begin["tid"]) for begin in begins
                for end in ends if end["tid"] == begin["tid"]]

    def within(self, label):
        """The condition for what the thread did between its only marks of this label."""
        begin, end, tid = self.scopes(label)[0]
        return f"tid = {tid} and start_ns >= {begin} and end_ns <= {end}"

    def calls(self, label, name):
        """How many calls that returned something lie between the marks, and the sum of what they did."""
        row = self.rows("select count(*) as count, coalesce(sum(result), 0) as sum from calls where name = "
                        f"'{name}' and result > 0 and {self.within(label)}")[0]
        return row["count"], row["sum"]

    def causes(self, method, count):
        """Time in ns by the words of the cause, of all slow RPCs; what a busy machine adds is left out."""
        told = json.loads(self.ask("why", "--format", "json", "--rpc", method, "--slowest", str(count), self.path))
        self.equal(f"RPCs of method {method}", told["found"], count)
        total = sum(cause["slow_ns"] for cause in told["causes"])
        self.expect(total == told["slow_ns"], f"causes add up to {total} of {told['slow_ns']} ns")
        return {cause["text"]: cause["slow_ns"] for cause in told["causes"]
                if not cause["cause"].startswith(("ready", "unknown"))}


def hello(trace, _):
    calls = trace.rows(f"select name, result from calls where kind = 'syscall' and {trace.within('hello')}")
    trace.equal("calls between the marks", calls, [{"name": "write", "result": len("hello, world\n")}])


def disk(trace, told):
    trace.equal("written", trace.calls("write", "write"), (40, told["written"]))
    begin, end, _ = trace.scopes("sync")[0]
    synced = trace.rows(f"select dur_ns from calls where name = 'fsync' and {trace.within('sync')}")
    trace.expect(len(synced) == 1 and synced[0]["dur_ns"] > (end - begin) / 2, f"fsync: {synced} of {end - begin} ns")
    trace.equal("read without the cache", trace.calls("drct", "read"), (told["direct"], told["written"]))
    trace.equal("read in pieces", trace.calls("small", "read"), (told["pieces"], told["written"]))
    twice = trace.scopes("twice")
    trace.equal("processes that read at once", len(twice), 2)
    trace.expect(max(begin for begin, _, _ in twice) < min(end for _, end, _ in twice), f"at once: {twice}")


def rpc(planted=None):
    """Client and server say request and response of each RPC, so it is found twice."""
    def check(trace, told):
        trace.equal("responses", trace.value("select count(*) from points where event = 514"), 2 * told["requests"])
        causes = trace.causes("slow", 2 * told["slow"])
        if planted:
            worst = max(causes, key=causes.get, default="nothing")
            print(f"slow, above all: {worst}")
            trace.expect(planted in worst, f"slow because '{worst}', planted: {planted}")
    return check


def lock_times(trace):
    """How often and how long the lock was held, and wanted."""
    return {row["kind"]: (row["count"], row["sum"]) for row in trace.rows(
        "select kind, count(*) as count, sum(dur_ns) as sum from intervals where name = 'counter' group by kind")}


def good_locks(trace, told):
    times = lock_times(trace)
    print(f"locks: {times}")
    held = times.get("lock_held", (0, 0))
    # What is held for less than the clock can tell apart has no span.
    trace.expect(held[0] <= told["counter"], f"held {held[0]} times")
    wanted = times.get("lock_wanted", (0, 0))
    total = trace.value("select sum(on_cpu_ns) from threads where thread = 'turns'")
    trace.expect(wanted[1] < total / 4, f"wanted for {wanted[1]} ns, of {total} ns of work")


def bad_locks(trace, told):
    times = lock_times(trace)
    print(f"locks: {times}")
    trace.equal("held", times["lock_held"][0], told["counter"])
    wanted = times["lock_wanted"][1]
    total = trace.value("select sum(on_cpu_ns) from threads where thread = 'turns'")
    trace.expect(wanted > total / 2, f"wanted for {wanted} ns, of {total} ns of work")


def busy(label):
    """Nothing but user code, but for what interrupts it."""
    def check(trace, _):
        begin, end, tid = trace.scopes(label)[0]
        row = trace.rows("select sum(dur_ns) as all_ns, sum(case when kind = 'user' then dur_ns end) as user_ns from "
                         f"spans where tid = {tid} and start_ns < {end} and end_ns > {begin}")[0]
        print(f"{label}: {row}")
        trace.expect(row["user_ns"] > 0.8 * row["all_ns"], f"{label}: {row}")
    return check


def memory(trace, told):
    faults = trace.value(f"select count(*) from calls where kind = 'fault' and {trace.within('mem')}")
    print(f"faults: {faults}, told {told['pages']}")
    trace.expect(told["pages"] <= faults <= told["pages"] + 64, f"{faults} faults of {told['pages']} pages")


def disk_hog(trace, told):
    row = trace.rows("select count(*) as count, sum(wait_ns) as wait_ns from calls where name = 'fdatasync' and "
                     f"{trace.within('disk')}")[0]
    trace.equal("fdatasync", row["count"], told["syncs"])
    trace.expect(row["wait_ns"] > 0, f"fdatasync: {row}")


def paging(trace, told):
    """Each page that is not there is a fault that waits for the disk."""
    waited = trace.value("select count(*) from calls where kind = 'fault' and wait_ns > ready_ns and "
                         f"{trace.within('page')}")
    print(f"faults that waited: {waited} of {told['pages']} pages")
    trace.expect(0.9 * told["pages"] <= waited <= told["pages"] + 64, f"{waited} faults waited")


def queues(trace, told):
    rows = {row["name"]: row for row in trace.rows(
        "select name, count(*) as count, sum(dur_ns) as sum_ns from intervals where kind = 'queued' group by name")}
    for name in ("quick", "slow"):
        trace.equal(f"queue {name}", rows[name]["count"], told[name])
        found, own = rows[name]["sum_ns"], told[f"{name}_ns"]
        print(f"queued: {found} ns, by the program's own clock {own}")
        trace.expect(abs(found - own) < 0.2 * own + 5_000_000, f"queue {name}: {found} ns, not {own}")


EXPERIMENTS = {
    "hello": ("hello", [], hello),
    "disk": ("disk", ["lab.data"], disk),
    "rpc": ("rpc", ["none"], rpc()),
    "slow-kernel": ("rpc", ["kernel"], rpc("in read")),
    "slow-network": ("rpc", ["network"], rpc("relay slept")),
    "slow-lock": ("rpc", ["lock"], rpc("saver slept")),
    "slow-disk": ("rpc", ["disk"], rpc("disk")),
    "good-locks": ("locks", ["good"], good_locks),
    "bad-locks": ("locks", ["bad"], bad_locks),
    "hog-cpu": ("hog", ["cpu"], busy("cpu")),
    "hog-memory": ("hog", ["memory"], memory),
    "hog-cache": ("hog", ["cache"], busy("cache")),
    "hog-disk": ("hog", ["disk"], disk_hog),
    "hog-paging": ("hog", ["paging"], paging),
    "queues": ("queues", [], queues),
}


def numbers(told):
    """What a program told: name=number lines."""
    return {key: int(value) for key, value in (line.split("=") for line in told.splitlines() if "=" in line)}
