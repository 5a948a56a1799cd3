#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Receives UDP packets as from a driver that does not say where their IP header is.

driver_packets.py, payloads in hex on standard input; lo has the address 192.0.2.1. The kernel runs an XDP program on each, which
lets it pass up from lo (BPF_PROG_TEST_RUN with live frames, since 5.18). Exits 77 where it cannot.
"""
import ctypes
import errno
import fcntl
import os
import socket
import struct
import sys

BPF_CALL = {"x86_64": 321, "aarch64": 280}
PROG_LOAD, PROG_TEST_RUN = 5, 10
XDP_PROGRAM = 6
LIVE_FRAMES = 2
LOOPBACK = 1
# r0 = XDP_PASS; exit
PASS = struct.pack("<BBhi", 0xB7, 0, 0, 2) + struct.pack("<BBhi", 0x95, 0, 0, 0)
RECEIVER, SENDER = "192.0.2.1", "192.0.2.2"
NEW_NETWORK = 0x40000000
SET_FLAGS, SET_ADDRESS, IS_UP = 0x8914, 0x8916, 1
libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attributes):
    room = ctypes.create_string_buffer(attributes, 128)
    result = libc.syscall(BPF_CALL[os.uname().machine], command, room, 128)
    if result < 0:
        error = ctypes.get_errno()
        print(f"bpf: {os.strerror(error)}", file=sys.stderr)
        sys.exit(77 if error in (errno.EPERM, errno.EINVAL, errno.ENOSYS) else 1)
    return result


def checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(payload, port):
    """Ethernet, IP and UDP without a checksum."""
    udp = struct.pack("!HHHH", 9, port, 8 + len(payload), 0) + payload
    head = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(udp), 1, 0, 64, socket.IPPROTO_UDP)
    tail = socket.inet_aton(SENDER) + socket.inet_aton(RECEIVER)
    ip = head + struct.pack("!H", checksum(head + b"\0\0" + tail)) + tail
    return bytes(12) + b"\x08\0" + ip + udp


def network_of_its_own():
    """In which lo has an address that is not one of loopback's."""
    if libc.unshare(NEW_NETWORK):
        print("unshare: no network of its own", file=sys.stderr)
        sys.exit(77)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        address = struct.pack("<HH4s8x", socket.AF_INET, 0, socket.inet_aton(RECEIVER))
        fcntl.ioctl(control, SET_ADDRESS, struct.pack("16s16s8x", b"lo", address))
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sh22x", b"lo", IS_UP))


def main():
    network_of_its_own()
    code, license_name = ctypes.create_string_buffer(PASS), ctypes.create_string_buffer(b"GPL")
    program = bpf(PROG_LOAD, struct.pack("<IIQQ", XDP_PROGRAM, len(PASS) // 8, ctypes.addressof(code),
                                         ctypes.addressof(license_name)))
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind((RECEIVER, 0))
    receiver.settimeout(10)
    for line in sys.stdin.read().split():
        packet = frame(bytes.fromhex(line), receiver.getsockname()[1])
        data = ctypes.create_string_buffer(packet)
        where = struct.pack("<IIIIII", 0, len(packet), 0, LOOPBACK, 0, 0)
        context = ctypes.create_string_buffer(where)
        bpf(PROG_TEST_RUN, struct.pack("<IIIIQQIIIIQQIII", program, 0, len(packet), 0,
                                       ctypes.addressof(data), 0, 1, 0, len(where), 0,
                                       ctypes.addressof(context), 0, LIVE_FRAMES, 0, 0))
        receiver.recv(2000)


if __name__ == "__main__":
    main()
