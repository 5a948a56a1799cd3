#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rules that KUtrace's own reader and checker put to a raw trace, asked of a file.

check_format.py TRACE...; prints every rule that is broken, exits 1 if there is one. Independent of the
program's own reader on purpose.
"""
import array
import pathlib
import sys

BLOCK_WORDS = 8192
FIRST_HEADER, HEADER = 12, 6
LOW56 = (1 << 56) - 1
PERIOD = 1 << 20
TSDELTA = 0x21D
GAP = 0xE0000
MOST_LATE = 0x20000
MOST_CPUS = 80
YEAR_2016, YEAR_2050 = 1451606400 * 10**6, 2524608000 * 10**6
END_OF_COUNTER = 3.15e15


def entry_words(word):
    event = word >> 32 & 0xFFF
    if event in (0x101, 0x280, 0x281):
        return 2
    return event >> 4 & 15 if 0x010 <= event <= 0x1FF else 1


def pair_rules(block):
    start, start_usec, stop, stop_usec = block[2:6]
    yield "flags of block 0 have version 3", block[1] >> 56 & 15 == 3
    yield "the recording starts before it stops", start < stop and start_usec < stop_usec
    yield "counters are below 3.15e15", stop < END_OF_COUNTER
    yield "the year is one of 2016 to 2049", YEAR_2016 < start_usec < YEAR_2050
    rate = (stop - start) / max(1, stop_usec - start_usec)
    yield f"1 to 100 ticks per microsecond: {rate}", 1 <= rate <= 100.1
    yield "words 6 and 7 are 0", block[6] == block[7] == 0


def walk(block, first):
    """Offset and first word of each entry; stops at the padding."""
    at = first
    while at < BLOCK_WORDS and block[at]:
        yield at, block[at]
        at += max(1, entry_words(block[at]))


def entry_rules(block, first):
    base = block[0] & LOW56
    previous, end = base, first
    for at, word in walk(block, first):
        words, event, time = entry_words(word), word >> 32 & 0xFFF, word >> 44
        yield f"word {at}: 1 to 8 words", 1 <= words <= 8
        yield f"word {at}: the entry ends before the last word", at + words < BLOCK_WORDS
        yield f"word {at}: a block does not begin with TSDELTA", at != first or event != TSDELTA
        forward = (time - previous) % PERIOD
        if event == TSDELTA:
            previous += word & 0xFFFFFFFF
            yield f"word {at}: TSDELTA leads to its own time", previous % PERIOD == time
        elif forward > GAP:
            yield f"word {at}: a late entry is not later than allowed", PERIOD - forward < MOST_LATE
        else:
            previous += forward
        end = at + words
    yield "what is not used is 0", not any(block[end:])
    yield "the last word is unused", block[-1] == 0


def block_rules(number, block, start, stop, ticks_per_usec, start_usec):
    base, usec = block[0] & LOW56, block[1] & LOW56
    yield "CPU below 80", block[0] >> 56 < MOST_CPUS
    yield "its counter is in the recording", start <= base <= stop
    expected = start_usec + (base - start) / ticks_per_usec
    yield f"its wall clock belongs to its counter: {usec - expected:.1f} us off", \
        abs(usec - expected) < 1000
    yield from entry_rules(block, FIRST_HEADER if number == 0 else HEADER)


def trace_rules(blocks):
    """Events that KUtrace's checker wants to see at least once."""
    seen = {word >> 32 & 0xFFF for number, block in enumerate(blocks)
            for _, word in walk(block, FIRST_HEADER if number == 0 else HEADER)}
    yield "a fault", any(0x400 <= event < 0x500 for event in seen)
    yield "an interrupt", any(0x500 <= event < 0x600 for event in seen)
    yield "a system call", any(0x800 <= event < 0xA00 for event in seen)
    yield "a context switch", 0x200 in seen
    yield "a wakeup", 0x206 in seen
    yield "names of threads, faults, interrupts and system calls", \
        {2, 4, 5, 8} <= {event & 0xF0F for event in seen if event < 0x200}


def rules_broken(path):
    data = pathlib.Path(path).read_bytes()
    if not data or len(data) % (8 * BLOCK_WORDS):
        return [f"{path}: {len(data)} bytes are no whole blocks"]
    words = array.array("Q", data)
    blocks = [words[i:i + BLOCK_WORDS] for i in range(0, len(words), BLOCK_WORDS)]
    first = blocks[0]
    broken = [f"{path}: {rule}" for rule, kept in pair_rules(first) if not kept]
    if broken:
        return broken
    rate = (first[4] - first[2]) / (first[5] - first[3])
    for number, block in enumerate(blocks):
        broken += [f"{path}: block {number}: {rule}" for rule, kept in
                   block_rules(number, block, first[2], first[4], rate, first[3]) if not kept]
    return broken + [f"{path}: there is no sign of {what}" for what, seen in trace_rules(blocks)
                     if not seen]


def main(paths):
    broken = [line for path in paths for line in rules_broken(path)]
    print("\n".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
