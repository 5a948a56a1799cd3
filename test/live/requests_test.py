#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Requests without marks, beside what the server itself and strace say of them.

requests_test.py KUTRACE. A server reads a request, sleeps, computes, and answers. How often, and how long each took, it
measures itself; strace tells the same of a second run. Prints what differs, exits 1 if anything does, 77 where this
machine cannot record.
"""
import json
import re
import shutil
import statistics
import sys

import judged

REQUESTS = 80
# What a request takes by the server's own clock: from the return of recvfrom to that of sendto. As many with a sleep
# as without.
PROGRAM = f"""
import json, os, socket, sys, time
client, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
pid = os.fork()
if pid == 0:
    server.close()
    for number in range({REQUESTS}):
        client.send(b"x" * 40)
        client.recv(100)
    os._exit(0)
client.close()
taken = []
for number in range({REQUESTS}):
    server.recv(100)
    begin = time.monotonic_ns()
    if number % 2:
        time.sleep(0.003)
    else:
        until = time.thread_time_ns() + 500_000
        while time.thread_time_ns() < until:
            pass
    server.send(b"y" * 40)
    taken.append(time.monotonic_ns() - begin)
os.waitpid(pid, 0)
print(json.dumps(dict(pid=os.getpid(), taken=taken)))
"""
SLACK = 300_000   # ns between the kernel's return and the next step of who measures
CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(?P<at>\d+\.\d+) (?P<name>\w+)\(.*<(?P<took>\d+\.\d+)>$")


class Test(judged.Test):
    def requests(self, trace, pid):
        """All requests of the server, and the sums of its row."""
        told = json.loads(self.kutrace("stat", "--request", "recvfrom..sendto", "--pid", pid, "--by", "process,request",
                                       "--top", "0", "--format", "json", trace))
        tables = {table["by"]: table["rows"] for table in told["tables"]}
        return told["requests"], tables["process"], tables["request"]

    def judge_near(self, ours, theirs, judge):
        """Now and then who measures has to wait for a CPU between its clock and the call: the median does not care."""
        apart = statistics.median(abs(one - other) for one, other in zip(ours, theirs))
        self.expect(apart <= SLACK, f"half of the requests took {apart} ns more or less by {judge}: {ours}, {theirs}")

    def judge_recorded(self):
        trace = self.folder / "requests.raw"
        own = json.loads(self.record(trace, [], [sys.executable, "-c", PROGRAM])[0])
        total, processes, requests = self.requests(trace, own["pid"])
        self.expect(total["count"] == len(requests) == REQUESTS, f"{total['count']} requests of {REQUESTS}")
        self.expect(len(processes) == 1, f"{len(processes)} processes serve")
        requests.sort(key=lambda row: row["begin_ns"])
        self.judge_near([row["took_ns"] for row in requests], own["taken"], "the server's own clock")
        slept = computed = 0
        for number, row in enumerate(requests):
            took = row["end_ns"] - row["begin_ns"]
            self.expect(row["took_ns"] == took, f"request {number}: {row['took_ns']} of {took} ns")
            if number % 2:
                slept += row["waits_ns"].get("time", 0) >= 2_900_000
            else:
                computed += row["user_ns"] >= 100_000  # the clock that it asks meanwhile is a system call
            parts = row["executing_ns"] + row["unknown_ns"] + sum(row["waits_ns"].values())
            self.expect(parts == took, f"request {number}: {took} ns, its parts {parts}")
        self.expect(slept >= 0.4 * REQUESTS, f"{slept} requests waited for a timer, {REQUESTS // 2} slept")
        self.expect(computed >= 0.4 * REQUESTS, f"{computed} requests ran their own code, {REQUESTS // 2} computed")
        for key in ("took_ns", "executing_ns", "user_ns", "unknown_ns", "syscalls", "faults"):
            parts = sum(row[key] for row in requests)
            self.expect(processes[0][key] == parts, f"{key}: {processes[0][key]} in all, {parts} of its requests")
        self.expect(total["total_ns"] == processes[0]["took_ns"], f"{total['total_ns']} and {processes[0]['took_ns']}")

    def judge_strace(self):
        """As many requests, as long, by the times at which strace saw the calls."""
        if shutil.which("strace") is None:
            judged.skip("strace is missing; scripts/setup test installs it")
        trace, lines = self.folder / "beside.raw", self.folder / "strace"
        own = json.loads(self.record(trace, [], ["strace", "-ttt", "-T", "-o", lines, "-e", "trace=recvfrom,sendto",
                                                 sys.executable, "-c", PROGRAM])[0])
        _, _, requests = self.requests(trace, own["pid"])
        calls = [found for found in map(CALL.match, lines.read_text().splitlines()) if found]
        ends = [(found["name"], float(found["at"]) + float(found["took"])) for found in calls]
        seen = [round((end - begin) * 1e9) for (first, begin), (second, end) in zip(ends, ends[1:])
                if (first, second) == ("recvfrom", "sendto")]
        self.expect(len(seen) == len(requests) == REQUESTS, f"{len(requests)} requests, {len(seen)} by strace")
        requests.sort(key=lambda row: row["begin_ns"])
        self.judge_near([row["took_ns"] for row in requests], seen, "strace")

    def all(self):
        self.judge_recorded()
        self.judge_strace()


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
