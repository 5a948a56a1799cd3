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
cannot be open, which fails, and which a recorder of kutrace sees.

Nothing is raised, whatever the values. Text that os.fsdecode() made goes out as the bytes it was made of; bytes go out
as they are, and all else as str() has it. A number is what int() makes of it: a mark, counter or point whose number is
none (None, a NaN, an infinity), or a counter beyond 64 bits, is left out.
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


def _bytes(text):
    """What goes out for a label or a name: nothing if it has no text."""
    try:
        if isinstance(text, bytes):
            return bytes(text)
        text = str(text)
        try:
            return text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return text.encode("utf-8", "replace")
    except Exception:  # whatever the program's own __str__ raises
        return b""


def _whole(value):
    """A number as a whole one; None: it is none."""
    try:
        return int(value)
    except Exception:  # whatever the program's own __int__ raises
        return None


def insert(event, argument):
    """A point event that kutrace gives to programs (include/kutrace/events.def), with 32 bits."""
    if not listening():
        return
    event, argument = _whole(event), _whole(argument)
    if event is not None and argument is not None:
        _put(struct.pack("<II", argument & 0xFFFFFFFF, event & 0xFFFFFFFF))


def name(kind, number, text):
    """What a number of this kind is called: at most 56 bytes."""
    if not listening():
        return
    kind, number, text = _whole(kind), _whole(number), _bytes(text)[:_NAME_BYTES]
    if text and kind is not None and number is not None:
        _name(kind & 0xF0F, number & 0xFFFFFFFF, text)


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
    """A label, of which 1024 bytes are kept; one less of a label that begins something, so that its end is as long."""
    if listening():
        _mark(_bytes(label))


def _mark(text):
    text = text[:_MOST_BYTES if text[:1] == b"/" else _MOST_BYTES - 1]
    if (len(text) <= 6 or len(text) == 7 and text[:1] == b"/") and not text.strip(_LETTERS):
        return insert(_MARK_A, sum((_LETTERS.index(byte) + 1) * 40**place for place, byte in enumerate(text[:6])))
    _mark_long(_MARK_A, text)


def _mark_long(event, text):
    number = _long(text)
    _name_lately(number, text)
    insert(event, number)


def counter(text, value):
    """A counter of the program's own is this now."""
    if not listening():
        return
    value = _whole(value)
    if value is not None and -(2**63) <= value < 2**63:
        _mark_long(_MARK_C, (_bytes(text) + b"=%d" % value)[-_MOST_BYTES:])


def mark_number(number):
    insert(_MARK_D, number)


@contextlib.contextmanager
def scope(label):
    text = _bytes(label)  # once: the end is that of the begin, whatever becomes of the label
    if listening():
        _mark(text)
    try:
        yield
    finally:
        if listening():
            _mark(b"/" + text)


def _insert_16(event, number, above=0):
    number = _whole(number)
    if number is not None:
        insert(event, above << 16 | number & 0xFFFF)


def _name_16(kind, number, text):
    number = _whole(number)
    if number is not None:
        name(kind, number & 0xFFFF, text)


def _rpc(event, rpc, length):
    length = _whole(length) or 0
    tenths = round(10 * math.log2(length)) if length > 1 else 0
    _insert_16(event, rpc, min(tenths, 255))


def name_method(rpc, method):
    _name_16(_METHOD, rpc, method)


def rpc_request(rpc, length):
    _rpc(0x201, rpc, length)


def rpc_response(rpc, length):
    _rpc(0x202, rpc, length)


def rpc_middle(rpc):
    _rpc(0x203, rpc, 0)


def rpc_done():
    rpc_middle(0)


def name_lock(lock, text):
    _name_16(_LOCK, lock, text)


def lock_try(lock):
    _insert_16(0x210, lock)


def lock_acquired(lock):
    _insert_16(0x211, lock)


def lock_released(lock):
    _insert_16(0x212, lock)


def name_queue(queue, text):
    name(_QUEUE, queue, text)


def enqueue(queue):
    insert(0x21A, queue)


def dequeue(queue):
    insert(0x21B, queue)
