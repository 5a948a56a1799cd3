#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packets that --packets takes: each that fits, with its hash, sent and received, and none that does not.

packets_test.py KUTRACE. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import collections
import struct
import sys

import judged

FITTING, OTHERS = 40, 60
PREFIX = 0x5254554B  # "KUTR"
PROGRAM = """
import socket, sys
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(("127.0.0.1", 0))
to.settimeout(10)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
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
    def seen(self, name, mask, payloads):
        """How often each hash was sent and received, of these payloads."""
        trace = self.folder / f"{name}.raw"
        sender = self.folder / "sender.py"
        sender.write_text(PROGRAM)
        lines = self.folder / "payloads"
        lines.write_text("\n".join(data.hex() for data in payloads))
        self.record(trace, ["--packets", mask] if mask else [],
                    ["sh", "-c", f"{sys.executable} {sender} <{lines}"])
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

    def judge(self, name, mask, payloads, fitting):
        counts, others = self.seen(name, mask, payloads)
        expected = collections.Counter({(event, hash_of(data)): 1 for data in fitting for event in ("214", "215")})
        self.expect(counts == expected, f"{name}: {len(expected)} packets were expected, {sum(counts.values())} are there")
        # Others on this machine may send packets, too, but none that begins so.
        self.expect(mask is None or mask == "-1" or others == 0, f"{name}: {others} packets that do not fit")

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


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
