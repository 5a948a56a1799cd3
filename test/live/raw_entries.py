# SPDX-License-Identifier: BSD-3-Clause
"""Entries of a raw trace, read by nothing of kutrace's: tuples (CPU, counter, 44 low bits, payload words)."""
import struct

WORDS = 8192
TSDELTA = 0x21d
PERIOD = 1 << 20


def number_of(low44):
    return low44 >> 32


def length_of(number):
    if 0x280 <= number <= 0x281:
        return 2
    return number >> 4 & 15 if number < 0x200 else 1


def entries_of(data):
    """Of all blocks; those of names alone have the CPU None."""
    found = []
    for at in range(0, len(data) // (8 * WORDS) * WORDS, WORDS):
        words = struct.unpack_from(f"<{WORDS}Q", data, 8 * at)
        found += entries_of_block(words, 12 if at == 0 else 6, at == 0)
    return found


def entries_of_block(words, at, is_first):
    cpu, time, found, first = words[0] >> 56, words[0] & (1 << 56) - 1, [], True
    while at < WORDS:
        word = words[at]
        if word == 0:
            at += 1
            continue
        stamp, low44 = word >> 44, word & (1 << 44) - 1
        if number_of(low44) == TSDELTA:
            time += low44 & 0xffffffff
            at += 1
            continue
        ahead = (stamp - time) % PERIOD
        time += ahead if ahead <= (PERIOD // 2 if first else 0xe0000) else ahead - PERIOD
        first = False
        length = max(length_of(number_of(low44)), 1)
        if number_of(low44) & 0xf0f == 0x10b and words[at] & 0xffffffff == 0xffffffff:
            cpu = None
        found.append((None if is_first else cpu, time, low44, words[at + 1:at + length]))
        at += length
    return found
