#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Moments with numbers, and the table of locks, of a program that causes a known number of each.

points_test.py KUTRACE POINTED. Prints every difference, exits 1 if there is one, 77 where this machine
cannot record.
"""
import contextlib
import json
import os
import pathlib
import signal
import sys

import judged

GROUPS = ["locks", "disk", "signals", "processes", "migrations", "memory", "fault_addresses", "timers",
          "workqueue", "sockets", "pages"]
HIDDEN = 3  # a kernel may hide threads of its own, and with them a switch away from another
SYN_SENT, ESTABLISHED = 2, 1
PAGE = 4096
GROUP_MB = 16


@contextlib.contextmanager
def memory_group():
    """The folder of a control group whose memory is limited; None: there are none here."""
    first, second = pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup")
    controls = second / "cgroup.subtree_control"
    if (first / "memory.limit_in_bytes").exists():
        group, limit = first / f"kutrace-test-{os.getpid()}", "memory.limit_in_bytes"
    elif controls.exists() and "memory" in controls.read_text(encoding="utf-8"):
        group, limit = second / f"kutrace-test-{os.getpid()}", "memory.max"
    else:
        yield None
        return
    try:
        group.mkdir()
    except OSError:
        yield None
        return
    try:
        (group / limit).write_text(f"{GROUP_MB}M", encoding="utf-8")
        yield group
    finally:
        group.rmdir()


def numbers(told):
    """What the program says that it did."""
    return {key: int(value) for key, value in (line.split("=") for line in told.splitlines())}


class Test(judged.Test):
    def equal(self, what, found, told):
        print(f"{what}: {found}, told {told}")
        self.expect(found == told, f"{what}: {found}, told {told}")

    def look(self, trace, *options):
        """The numbers that the program told of itself while it was recorded."""
        told, said = self.record(trace, options, [self.recorded])
        self.expect("nothing lost" in said or "skipped" in said, said)
        return numbers(told)

    def all(self):
        trace = self.folder / "trace.raw"
        told = self.look(trace, "--events", ",".join("+" + group for group in GROUPS))
        self.expect("every CPU adds up" in self.kutrace("check", trace), "the law")
        self.moments(trace, told)
        self.locks(trace, told)
        self.reclaim()
        plain = self.folder / "plain.raw"
        self.look(plain, "--events", "-processes")
        self.expect("point:" not in self.kutrace("dump", plain), "moments that nobody asked for")

    def moments(self, trace, told):
        points = json.loads(self.kutrace("query", trace, "--format", "json",
                                         "select name, tid, pid, arg, arg2, result, start_ns from points "
                                         "where event between 544 and 639"))
        pid = told["pid"]

        def of(name, **wanted):
            return [point for point in points if point["name"] == name and
                    all(point[key] == value for key, value in wanted.items())]

        usr1 = int(signal.SIGUSR1)
        self.equal("signals sent", len(of("signal_send", tid=pid, arg=usr1, arg2=pid)), told["signals"])
        self.equal("signals taken", len(of("signal_take", tid=pid, arg=usr1)), told["signals"])
        children = [fork["arg"] for fork in of("fork", tid=pid) if fork["arg"] == fork["arg2"]]
        self.equal("children", len(children), told["children"])
        ends = [end for end in of("exit", result=told["status"] << 8) if end["tid"] in children]
        self.equal("their ends", len(ends), told["children"])
        self.equal("exec", len(of("exec", tid=pid)), 1)
        moved = of("migrate", arg=pid)
        # The kernel moves it for its own reasons, too; here it goes to and fro between two.
        self.expect(len(moved) >= told["migrations"], f"{len(moved)} migrations of {told['migrations']}")
        self.expect(all(move["arg2"] != move["result"] for move in moved), f"migrations: {moved}")
        begin, end = told["pages_at"], told["pages_at"] + told["pages"] * PAGE
        pages = [fault["arg"] for fault in of("fault_address", tid=pid) if begin <= fault["arg"] < end]
        self.expect(sorted(pages) == list(range(begin, end, PAGE)), f"addresses of faults: {sorted(pages)}")
        self.equal("faults", len(pages), told["pages"])
        opened = [state for state in of("socket_state", result=SYN_SENT << 8 | ESTABLISHED)
                  if state["arg2"] & 0xffff == told["port"]]
        self.equal("connections", len(opened), told["connections"])
        known = self.kutrace("info", trace)
        for what, name in (("send", "socket_send"), ("receive", "socket_receive")):
            if f"bytes that sockets {what} (this kernel has no" not in known:
                self.equal(f"{name}, bytes", [point["result"] for point in of(name, tid=pid)
                                              if told["port"] in (point["arg2"] >> 16, point["arg2"] & 0xffff)],
                           [told["sent_bytes"]] * told["sends"])
        self.equal("retransmits", sum(point["result"] for point in of("retransmit")
                                      if point["arg2"] & 0xffff == told["deaf_port"]), told["retransmits"])
        self.expect(told["retransmits"] > 0, "nothing was retransmitted")
        filled = [page for page in of("page_alloc", tid=pid, arg2=0) if page["arg"] != 0]
        self.expect(len(filled) >= told["pages"], f"{len(filled)} pages for {told['pages']} faults")
        self.expect(of("page_free", tid=pid), "no page was freed")
        issued, completed = len(of("disk_issue")), len(of("disk_complete"))
        print(f"disk: {issued} issued, {completed} completed" if issued or completed
              else "disk: no requests here")
        begun, done = len(of("work")), len(of("work_end"))
        self.expect(abs(begun - done) <= 4, f"work: {begun} begun, {done} done")
        self.expect(of("hrtimer_expires"), "no timer expired")

    def reclaim(self):
        """A program that writes a file three times as large as its control group's memory."""
        with memory_group() as group:
            if not group:
                print("reclaim: no control groups of memory here")
                return
            trace, file = self.folder / "reclaim.raw", self.folder / "written"
            self.record(trace, ["--events", "+memory"], ["sh", "-c", f"echo $$ > {group}/cgroup.procs && "
                        f"exec dd if=/dev/zero of={file} bs=1M count={3 * GROUP_MB} status=none"])
            rows = json.loads(self.kutrace("query", trace, "--format", "json",
                                           "select name, result from points where thread = 'dd' and "
                                           "name in ('reclaim', 'reclaim_end')"))
        pages = [row["result"] for row in rows if row["name"] == "reclaim_end"]
        print(f"reclaim: {len(pages)} times, {sum(pages)} pages")
        self.equal("begins of reclaim", len(rows) - len(pages), len(pages))
        self.expect(sum(pages) > GROUP_MB * 256, f"{sum(pages)} pages were reclaimed")

    def locks(self, trace, told):
        rows = json.loads(self.kutrace("locks", "--format", "json", trace))["locks"]
        pid = told["pid"]

        def at(address, size=1):
            return [row for row in rows if row.get("process") == pid and
                    address <= int(row["address"], 16) < address + size]

        def few(what, found, times):
            print(f"{what}: {found}, told {times}")
            self.expect(times - HIDDEN <= found <= times, f"{what}: {found}, told {times}")

        contended = at(told["contended_at"])
        few("contended", sum(row["waits"] for row in contended), told["contended"])
        for row in contended:
            self.expect(row["kind"] == "futex lock" and row["contention"], f"contended: {row}")
            self.expect("owner" not in row, f"an owner that the word does not tell: {row}")
            self.expect(row["ended_by_tid"] == pid and row["waiters"] == 1, f"contended: {row}")
            # The first holds it for 3 ms, of which the other sleeps all but 50 us and what it is late.
            self.expect(2_000_000 * row["waits"] <= row["total_ns"] <= 20_000_000 * row["waits"],
                        f"contended: {row}")
        owned = at(told["owned_at"])
        few("owned", sum(row["waits"] for row in owned), told["owned"])
        for row in owned:
            self.expect(row["kind"] == "futex pi" and row["owner_tid"] == pid, f"owned: {row}")
        idle = at(told["idle_at"], told["idle_bytes"])
        sleeps = sum(row["waits"] for row in idle if row["kind"] == "futex idle")
        few("idle", sleeps, told["idle"])
        self.expect(not [row for row in idle if row["contention"]], f"idle: {idle}")
        self.expect(sum(1 for row in rows if row["contention"]) ==
                    next((i for i, row in enumerate(rows) if not row["contention"]), len(rows)), "order")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
