# SPDX-License-Identifier: BSD-3-Clause
"""Marks that a Python program puts into a trace of itself, as include/kutrace/mark.h does for C. Copy this file.

    import kutrace
    kutrace.mark("load the index")             a label of any length, in UTF-8
    kutrace.mark("/load the index")            a leading / ends what the label began
    kutrace.mark_number(request_id)
    with kutrace.scope("answer"): ...          both marks; also a decorator: @kutrace.scope("answer")
    kutrace.counter("queue", len(queue))       a number that changes: a track on the page

    kutrace.name_method(7, "get")              RPCs, locks and queues by number have rows of their own
    kutrace.rpc_request(7, 120); kutrace.rpc_response(7, 4000); kutrace.rpc_done()
    kutrace.lock_try(1); kutrace.lock_acquired(1); kutrace.lock_released(1)

While nobody records, a mark reads a word of shared memory. While somebody does, it is a write to a descriptor that
cannot be open, which fails, and which a recorder of kutrace sees. Nothing is raised.
"""
import contextlib
import math
import mmap
import os
import struct

_LISTENERS = "/run/kutrace-marks"
_MAGIC = b"KUTMARK1"
_CARRIERS, _BEAT, _BY_WRITE = 8, 12, 1
_ENTRY_FD = 0x7FFFFFD3
_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789-./"
_FIRST_LONG, _MOST_BYTES, _NAME_BYTES, _PIECE = 40**6, 1024, 56, 51
_METHOD, _LOCK, _QUEUE = 0x003, 0x007, 0x105
_MARK_A, _MARK_C, _MARK_D = 0x20A, 0x20C, 0x20D


def _look():
    """The page in which recorders tell that they listen; None where there is none."""
    try:
        with open(_LISTENERS, "rb", buffering=0) as file:
            page = mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    return page if page[:8] == _MAGIC else None


_page = _look()
_named = [None] * 64
_marks = 0


def listening():
    """Whether a mark is heard now; True where that cannot be told."""
    return _page is None or bool(_page[_CARRIERS] & _BY_WRITE)


def _put(entry):
    try:
        os.write(_ENTRY_FD, entry)
    except OSError:
        pass  # always: the descriptor cannot be open


def insert(event, argument):
    """A point event that kutrace gives to programs (include/kutrace/events.def), with 32 bits."""
    if listening():
        _put(struct.pack("<II", argument & 0xFFFFFFFF, event))


def name(kind, number, text):
    """What a number of this kind is called: at most 56 bytes."""
    if text and listening():
        _name(kind, number, text.encode()[:_NAME_BYTES])


def _name(kind, number, text):
    words = 1 + (len(text) + 7) // 8
    _put(struct.pack(f"<II{8 * (words - 1)}s", number, kind | words << 4, text))


def _long(text):
    value = 2166136261  # FNV-1a
    for byte in text:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return _FIRST_LONG + value % (0xFFFFFFFF - _FIRST_LONG)


def _name_label(text):
    number = _long(text)
    while len(text) > _NAME_BYTES:
        rest = _long(text[_PIECE:])
        _name(_LOCK, number, text[:_PIECE] + b"\0" + struct.pack("<I", rest))
        text, number = text[_PIECE:], rest
    _name(_LOCK, number, text)


def _name_lately(number, text):
    """Sends the name of a label, unless it was in this beat of the recorder, or among the last marks."""
    global _marks
    if _page is None:
        _marks += 1
        beat = _marks >> 3
    else:
        beat = _page[_BEAT:_BEAT + 4]
    if _named[number % 64] != (number, beat):
        _name_label(text)
        _named[number % 64] = (number, beat)  # not before: another thread that finds it so marks at once


def mark(label):
    if not listening():
        return
    text = label.encode()[:_MOST_BYTES]
    if (len(text) <= 6 or len(text) == 7 and text[:1] == b"/") and not text.strip(_LETTERS):
        return insert(_MARK_A, sum((_LETTERS.index(byte) + 1) * 40**place for place, byte in enumerate(text[:6])))
    _mark_long(_MARK_A, text)


def _mark_long(event, text):
    number = _long(text)
    _name_lately(number, text)
    insert(event, number)


def counter(text, value):
    """A counter of the program's own is this now."""
    if listening():
        _mark_long(_MARK_C, f"{text}={int(value)}".encode()[-_MOST_BYTES:])


def mark_number(number):
    insert(_MARK_D, number)


@contextlib.contextmanager
def scope(label):
    mark(label)
    try:
        yield
    finally:
        mark("/" + label)


def _rpc(event, rpc, length):
    tenths = round(10 * math.log2(length)) if length > 1 else 0
    insert(event, min(tenths, 255) << 16 | rpc & 0xFFFF)


def name_method(rpc, method):
    name(_METHOD, rpc & 0xFFFF, method)


def rpc_request(rpc, length):
    _rpc(0x201, rpc, length)


def rpc_response(rpc, length):
    _rpc(0x202, rpc, length)


def rpc_middle(rpc):
    _rpc(0x203, rpc, 0)


def rpc_done():
    rpc_middle(0)


def name_lock(lock, text):
    name(_LOCK, lock & 0xFFFF, text)


def lock_try(lock):
    insert(0x210, lock & 0xFFFF)


def lock_acquired(lock):
    insert(0x211, lock & 0xFFFF)


def lock_released(lock):
    insert(0x212, lock & 0xFFFF)


def name_queue(queue, text):
    name(_QUEUE, queue, text)


def enqueue(queue):
    insert(0x21A, queue)


def dequeue(queue):
    insert(0x21B, queue)
