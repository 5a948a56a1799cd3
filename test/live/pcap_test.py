#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A capture of tcpdump's beside a trace of the same time: each message that was sent is in both, the trace's packets
get the ends that tcpdump prints, the capture's times are near, and what the trace lacks is added to it.

pcap_test.py KUTRACE TCPDUMP. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import collections
import json
import re
import shutil
import subprocess
import sys
import time

import judged

MESSAGES = 200
NEAR_US = 5000  # of 95 % of the packets; a CPU may be taken away between tracer and capture
TALK = f"""
import os, socket
one, other = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
six, sixth = (socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) for _ in range(2))
other.bind(("127.0.0.1", 0))
sixth.bind(("::1", 0))
for i in range({MESSAGES}):
    one.sendto(os.urandom(64), other.getsockname())
    other.recv(64)
    six.sendto(os.urandom(64), sixth.getsockname())
    sixth.recv(64)
one.sendto(b"short", other.getsockname())
closed = socket.create_server(("127.0.0.1", 0))
nowhere = closed.getsockname()
closed.close()
one.sendto(b"nobody listens", nowhere)
listener = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(listener.getsockname())
server, _ = listener.accept()
for i in range({MESSAGES}):
    client.sendall(os.urandom(100))
    server.recv(100)
"""


class Test(judged.Test):
    def __init__(self, program, tcpdump, *words):
        super().__init__(program, *words)
        if not shutil.which(tcpdump):
            judged.skip(f"{tcpdump} is missing")
        self.tcpdump = tcpdump

    def capture(self, file, work):
        """What goes over the loopback device while `work` is done."""
        with subprocess.Popen([self.tcpdump, "-i", "lo", "-U", "--immediate-mode", "-s", "256", "-B", "16384", "-w", file],
                              stderr=subprocess.PIPE, text=True) as tcpdump:
            said = tcpdump.stderr.readline()
            while said and "listening on" not in said:
                said = tcpdump.stderr.readline()
            self.expect(said, "tcpdump does not listen")
            work()
            size = -1
            while size != file.stat().st_size:  # what it has not read yet is lost when it ends
                size = file.stat().st_size
                time.sleep(1)
            tcpdump.terminate()
            tcpdump.stderr.read()

    def packets(self, capture):
        """As tcpdump prints them: when, from where to where with flags, how long."""
        text = subprocess.run([self.tcpdump, "-tt", "-nn", "-r", capture], check=True, capture_output=True, text=True).stdout
        for at, one, other, rest in re.findall(r"^(\S+) IP6? (\S+) > (\S+): (.*)", text, re.MULTILINE):
            length = int(re.search(r"length (\d+)", rest).group(1))
            if rest.startswith("ICMP"):
                yield float(at), f"icmp {one} > {other}", "", length
                continue
            ends = [re.sub(r"^(.*:.*)\.(\d+)$", r"[\1]:\2", end) if ":" in end else re.sub(r"\.(\d+)$", r":\1", end)
                    for end in (one, other)]
            flags = re.search(r"Flags (\[\S+\])", rest)
            yield (float(at), f"{'udp ' if 'UDP' in rest else ''}{ends[0]} > {ends[1]}", flags.group(1) if flags else "",
                   length)

    def captured_alone(self, capture, named):
        """What the trace lacks are points with tcpdump's names, lengths and distances in time."""
        alone = [(at, f"{flow} {flags}".strip(), length) for at, flow, flags, length in self.packets(capture)
                 if length < 32 or flow.startswith("icmp")]
        rows = self.kutrace("query", "--format", "json", named,
                            "select start_ns, substr(name, 10) as flow, arg, cpu, tid from points where event = 581 order by 1")
        points = json.loads(rows)
        self.expect([(row["flow"], row["arg"]) for row in points] == [packet[1:] for packet in alone],
                    f"captured alone: tcpdump {alone[:9]}, ours {points[:9]}")
        self.expect(any("[S]" in flow for _, flow, _ in alone) and any(flow.startswith("icmp") for _, flow, _ in alone),
                    "no connection was set up, or no ICMP message sent")
        for (at, _, _), row in zip(alone, points):
            apart = (row["start_ns"] - points[0]["start_ns"]) / 1e3 - (at - alone[0][0]) * 1e6
            self.expect(abs(apart) < 2 * NEAR_US, f"{row}: {apart} us off")

    def all(self):
        trace, capture = self.folder / "trace.raw", self.folder / "capture.pcap"
        self.capture(capture, lambda: self.record(trace, [], [sys.executable, "-c", TALK]))
        told = self.kutrace("pcap", trace, capture)
        for order in ('<(cat "$1") "$2"', '"$2" "$1"'):
            same = subprocess.run(["bash", "-c", f'"$0" pcap {order}', self.program, trace, capture], check=False,
                                  capture_output=True, text=True)
            self.expect(same.stdout == told, f"pcap {order}: {same.stdout}{same.stderr}")
        numbers = re.search(r"in both +([\d,]+): ([\d,]+) received, ([\d,]+) sent", told)
        both = int(numbers.group(1).replace(",", "")) if numbers else 0
        self.expect(both >= 3 * MESSAGES, f"{both} packets are in both:\n{told}")
        near = re.search(r"([\d.]+) us \(95 %\)", told)
        self.expect(near and float(near.group(1)) < NEAR_US, told)
        flows = collections.Counter(flow for _, flow, _, length in self.packets(capture)
                                    if length >= 32 and not flow.startswith("icmp"))
        self.expect(sum(flows.values()) >= 3 * MESSAGES, f"tcpdump saw {flows}")
        named = self.folder / "named.raw"
        self.kutrace("pcap", trace, capture, "-o", named)
        rows = self.kutrace("query", "--format", "csv", named,
                            "select name, count(*) from points where name like 'rx % > %' group by name").splitlines()[1:]
        seen = {name.strip('"')[len("rx "):]: int(count) for name, count in (row.rsplit(",", 1) for row in rows)}
        for flow, count in flows.items():
            if count >= MESSAGES:
                self.expect(seen.get(flow) == count, f"{flow}: tcpdump saw {count} packets, the trace {seen.get(flow)}")
        self.captured_alone(capture, named)
        sums = [re.findall(r"(?m)^(?:CPU|all).*$", self.kutrace("stat", "--by", "cpu", one)) for one in (trace, named)]
        self.expect(sums[0] == sums[1], f"sums by CPU: {sums}")
        self.kutrace("check", named)
        refused = subprocess.run([self.program, "pcap", trace, trace], check=False, capture_output=True, text=True)
        self.expect(refused.returncode == 3 and "neither pcap nor pcapng" in refused.stderr, refused.stderr)


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
