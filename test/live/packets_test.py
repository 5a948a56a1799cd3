#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packets that --packets takes: each that fits, with its hash, sent and received, and none that does not.

packets_test.py KUTRACE. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import collections
import pathlib
import struct
import subprocess
import sys

import judged

FITTING, OTHERS = 40, 60
PREFIX = 0x5254554B  # "KUTR"
# With options for each hop and for the destination (RFC 8200, 4.3 and 4.6) there are two headers between
# those of IPv6 and UDP.
PROGRAM = """
import socket, sys
version = socket.AF_INET if sys.argv[1] == "4" else socket.AF_INET6
to = socket.socket(version, socket.SOCK_DGRAM)
to.bind(("127.0.0.1" if sys.argv[1] == "4" else "::1", 0))
to.settimeout(10)
out = socket.socket(version, socket.SOCK_DGRAM)
if sys.argv[1] == "6+options":
    out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_HOPOPTS, bytes([0, 0, 1, 4, 0, 0, 0, 0]))
    out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_DSTOPTS, bytes([0, 0, 1, 4, 0, 0, 0, 0]))
for line in sys.stdin.buffer.read().split():
    out.sendto(bytes.fromhex(line.decode()), to.getsockname())
    to.recv(2000)
"""


def payload(prefix, number):
    """As long as the shortest that is recorded; no two have one hash."""
    return struct.pack("<IIQQQ", prefix, number, 1, 2, 3)


def hash_of(data):
    """The exclusive or of the first eight words."""
    result = 0
    for word in struct.unpack("<8I", data[:32]):
        result ^= word
    return result


class Test(judged.Test):
    def seen(self, name, mask, payloads, *sender):
        """How often each hash was sent and received, of these payloads."""
        trace = self.folder / f"{name}.raw"
        lines = self.folder / "payloads"
        lines.write_text("\n".join(data.hex() for data in payloads))
        self.record(trace, ["--packets", mask] if mask else [],
                    ["sh", "-c", f"{sys.executable} {' '.join(map(str, sender))} <{lines}"])
        ours = {hash_of(data) for data in payloads}
        counts = collections.Counter()
        others = 0
        for line in self.kutrace("dump", "--stage", "events", trace).splitlines():
            words = line.split()
            if len(words) < 5 or words[2] not in ("214", "215"):
                continue
            if int(words[4]) in ours:
                counts[words[2], int(words[4])] += 1
            else:
                others += 1
        return counts, others

    def judge(self, name, mask, payloads, fitting, version="4"):
        sender = self.folder / "sender.py"
        sender.write_text(PROGRAM)
        counts, others = self.seen(name, mask, payloads, sender, version)
        expected = collections.Counter({(event, hash_of(data)): 1 for data in fitting for event in ("214", "215")})
        self.expect(counts == expected, f"{name}: {len(expected)} packets were expected, {sum(counts.values())} are there")
        # Others on this machine may send packets, too, but none that begins so.
        self.expect(mask is None or mask == "-1" or others == 0, f"{name}: {others} packets that do not fit")

    def judge_driver(self, payloads):
        """Received only, and not by way of a device that sent them."""
        driver = pathlib.Path(__file__).parent / "driver_packets.py"
        tried = subprocess.run([sys.executable, driver], check=False, input=payloads[0].hex(), text=True)
        if tried.returncode == judged.SKIPPED:
            print("this kernel does not let XDP pass packets up for a test")
            return
        counts, _ = self.seen("driver", None, payloads, driver)
        expected = collections.Counter({("214", hash_of(data)): 1 for data in payloads})
        self.expect(counts == expected, f"driver: {len(expected)} packets were expected, {sum(counts.values())} are there")

    def all(self):
        fitting = [payload(PREFIX, number) for number in range(FITTING)]
        other = [payload(PREFIX ^ 1, number + 0x1000) for number in range(OTHERS)]
        both = fitting + other
        self.judge("usual", None, both, both)
        self.judge("any", "-1", both, both)
        self.judge("none", "0", both, [])
        self.judge("prefix", f"0xf:{PREFIX:#x}", both, fitting)
        # Bytes 0 and 4: the first letter, and a number's lowest byte.
        self.judge("bytes", f"0x11:{(PREFIX & 0xff) ^ 7:#x}", both,
                   [data for data in both if data[0] ^ data[4] == (PREFIX & 0xff) ^ 7])
        self.judge_driver(fitting)
        if pathlib.Path("/proc/net/if_inet6").exists():
            self.judge("IPv6", None, fitting, fitting, "6")
            self.judge("IPv6 with more headers", None, fitting, fitting, "6+options")
        else:
            print("this machine has no IPv6")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
