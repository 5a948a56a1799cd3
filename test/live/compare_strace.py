#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records programs under strace with kutrace, and compares the two, call by call.

Both see the same run, so names, order, results, addresses and descriptors must be the same for every
thread. strace decodes what structures hold and names a few more numbers; where it does, the trace has
the pointer or the number. Any other difference fails, and is printed.

A program of pointers that lead nowhere is among them (--hostile, hostile/hostile.cpp).

usage: compare_strace.py --kutrace PROGRAM [--hostile PROGRAM] [--keep FOLDER] [--many] [--command 'SHELL COMMAND']...
"""
import argparse
import codecs
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from judged import need_recorder, skip

LINE = re.compile(r"(\d+) +(.*)")  # strace pads numbers of fewer than five digits
FIRST_PID_NAMESPACE = 0xEFFFFFFC  # the kernel's PROC_PID_INIT_INO
CALL = re.compile(r"(\w+)\((.*)\)\s+= (\?|-?\w+(?:<.*>)?)(.*)")
OURS = re.compile(r"[\d.]+ \[(\d+)\] (\.\.\. )?(\w+)\((.*)\) = (\S+?(?:<.*>)?)( [A-Z0-9_]+)? <[\d.]+>(.*)")
DESCRIPTOR = re.compile(r"(-?\d+|AT_FDCWD)(?:<(.*)>)?(?:\(deleted\))?", re.DOTALL)
NUMBER = re.compile(r"-?(0x[0-9a-f]+|\d+)")
WORDS = re.compile(r"[A-Z_]\w*(\|\w+)*")
OF_NO_BIT = {"AT_STATX_SYNC_AS_STAT"}
OF_MANY_BITS = {"STATX_ALL": "STATX_BTIME"}  # and one of them
# Stopped and continued by strace itself; or a call of the kernel's that goes on under another name.
NOT_COMPARED = {"restart_syscall", "rt_sigreturn"}
FILE_CALLS = ("read", "write", "close", "fsync", "pread64", "lseek")  # about their first descriptor

PYTHON = r"""
import ctypes, mmap, os, socket, threading
here = os.environ["FOLDER"]
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(5)
c = socket.create_connection(s.getsockname()); a, peer = s.accept()
c.sendall(b"GET / HTTP/1.1\r\n\r\n\x00\x80\xff" + b"x" * 100); a.recv(1000); a.close(); c.close()
s6 = socket.socket(socket.AF_INET6); s6.bind(("::1", 0)); s6.close()
u = socket.socket(socket.AF_UNIX); u.bind(here + "/u.sock"); u.close()
u = socket.socket(socket.AF_UNIX); u.bind("\0abstract" + here); u.close()
d = os.open(here + "/f", os.O_CREAT | os.O_RDWR | os.O_TRUNC | os.O_CLOEXEC, 0o640)
os.write(d, b'a\n"\\\t\x01\x02' + bytes(range(200, 240))); os.pread(d, 10, 2); os.lseek(d, -3, 2)
os.ftruncate(d, 3); os.fsync(d); os.close(d)
os.rename(here + "/f", here + "/g"); os.link(here + "/g", here + "/h")
os.symlink("x" * 250, here + "/l"); os.readlink(here + "/l")
for path in (b"/tmp/" + b"y" * 5000, b"/tmp/\xc3\xa9\x07"):
    try: os.open(path, 0)
    except OSError: pass
os.kill(os.getpid(), 0); os.getrandom(5); os.umask(0o22)
r, w = os.pipe2(os.O_NONBLOCK)
try: os.read(r, 5)
except OSError: pass
t = threading.Thread(target=os.getppid); t.start(); t.join()
if os.fork() == 0: os.execv("/bin/echo", ["echo"] + ["arg%d" % i for i in range(12)])
os.wait()
libc = ctypes.CDLL(None)
libc.open(ctypes.c_void_p(8), 0); libc.open(ctypes.c_void_p(0), 0)
os.close(os.memfd_create("of memory", 0))
m = mmap.mmap(-1, 8192); m.madvise(mmap.MADV_DONTNEED); m.close()
"""

COMMANDS = [
    "cat /etc/hostname /nonexistent | wc -c; ls -l /etc > /dev/null; cd /; pwd",
    "/usr/bin/python3 -c \"$PYTHON\"",
]
# For --many: what people run, with what Debian has.
MANY = {
    "git": "git init -q r && cd r && date > f && git add f && git -c user.name=a -c user.email=a@b.c commit -qm 1 && "
           "git log --oneline && git gc -q",
    "gcc": "printf '#include <stdio.h>\\nint main(void) { return puts(\"hi\") < 0; }\\n' > a.c && gcc -O2 -o a a.c && ./a",
    "make": "printf 'all: a b\\na b:\\n\\tdate > $@\\n' > Makefile && make -s -j2",
    "tar": "tar -cf - /etc/apt /etc/default | gzip | tar -tzf - | wc -l",
    "find": "find /etc -name '*.conf' | xargs grep -l nameserver; true",
    "sqlite3": "sqlite3 a.db 'create table t(a); insert into t values (1), (2); select sum(a) from t'",
    "curl": "mkdir logs; printf 'error_log logs/e; pid p; events {} http { access_log logs/a; server { listen 127.0.0.1:8099;"
            " root /usr/share/doc; } }' > n.conf && nginx -p $PWD -c n.conf && "
            "curl -s http://127.0.0.1:8099/base-files/copyright | wc -c; nginx -p $PWD -c n.conf -s quit; sleep 0.3",
    "postgres": "mkdir data; chown postgres . data; bin=$(ls -d /usr/lib/postgresql/*/bin); runuser -u postgres -- sh -c \""
                "$bin/initdb -D data > /dev/null && $bin/pg_ctl -D data -s -w -o '-k $PWD -c listen_addresses=' start && "
                "$bin/psql -h $PWD -c 'select count(*) from pg_class' && $bin/pg_ctl -D data -s -m fast stop\"",
    "redis-server": "redis-server --port 0 --unixsocket $PWD/r.sock --daemonize yes > /dev/null; sleep 0.3; "
                    "redis-cli -s r.sock set a 1; redis-cli -s r.sock get a; redis-cli -s r.sock shutdown nosave",
}


def strace_calls(path):
    """By thread: name, arguments, result of each call, in the order of their returns; and what threads
    were in when they were killed."""
    calls, unfinished = collections.defaultdict(list), {}
    for line in path.read_text(errors="surrogateescape").splitlines():
        thread, text = LINE.match(line).groups()
        if text.endswith(" <unfinished ...>"):
            unfinished[thread] = text.removesuffix(" <unfinished ...>")
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", text)
        if resumed:
            text = unfinished.pop(thread) + resumed[1]
        found = CALL.match(text) if not text.startswith(("+++", "---")) else None
        if found:
            result = "interrupted" if "ERESTART" in found[4] else found[3]
            calls[int(thread)].append((found[1], found[2], result))
    return calls, {int(thread): text.split('(')[0] for thread, text in unfinished.items()}


def our_calls(program, trace, threads):
    text = subprocess.run([program, "syscalls", "--text", trace], check=True, capture_output=True)
    calls = collections.defaultdict(list)
    for line in text.stdout.decode(errors="surrogateescape").splitlines():
        found = OURS.fullmatch(line)
        if not found:
            sys.exit(f"not understood: {line}")
        if int(found[1]) in threads and not found[2]:
            calls[int(found[1])].append((found[3], found[4], found[5]))
    return calls


def split(arguments):
    """At the commas outside of brackets and strings."""
    parts, depth, quoted, start, i = [], 0, False, 0, 0
    while i < len(arguments):
        letter = arguments[i]
        if quoted:
            i += letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter in "[{(":
            depth += 1
        elif letter in "]})":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(arguments[start:i].strip())
            start = i + 1
        i += 1
    last = arguments[start:].strip()
    return parts + [last] if last else parts


def unquoted(text):
    return codecs.escape_decode(text.removesuffix("...")[1:-1])[0]


def is_same_number(theirs, ours):
    """Of 32 bits, or of 64; strace shows modes in octal."""
    try:
        numbers = [int(re.sub(r"^0(?=\d)", "0o", text), 0) for text in (theirs, ours)]
    except ValueError:
        return False
    return numbers[0] & 0xFFFFFFFF == numbers[1] & 0xFFFFFFFF


def same_descriptor(theirs, ours):
    """What a descriptor stands for. strace asks /proc at each call, kutrace follows what calls say."""
    their, our = DESCRIPTOR.fullmatch(theirs), DESCRIPTOR.fullmatch(ours)
    if not their or not our or their[1] != our[1]:
        return None
    if their[2] == our[2]:
        return "same"
    if our[2] is None:
        return "a descriptor that only strace knows"
    if their[2] is None:
        return "a descriptor that strace does not know"
    name = re.sub(r"<(char|block) \d+:\d+>$", "", their[2])
    if our[2] == name:
        return "same"
    if name.startswith("/memfd:") and our[2] == name + " (deleted)":
        return "memory, which has no path"
    if os.path.realpath(our[2]) == name or re.sub(r"^/proc/\d+/", "/proc/self/", name) == our[2]:
        return "another way to the file"
    kind = re.split(r":\[", our[2])[0]
    if re.fullmatch(re.escape(kind) + r"(:\[(\w+:)?\d+(->\d+)?(,.*)?\])?", name):
        return "the same kind of a descriptor without a name"
    if re.fullmatch(re.escape(kind.partition("-")[0]) + r":\[\d+\]", name):
        return "a kind of a socket that strace did not find out"
    shape = re.escape(our[2]).replace(r"\?", r"[^>]*")
    return "an end of a connection that only strace knows" if re.fullmatch(shape, name) else None


def is_same(theirs, ours):
    """Why the two may differ, or None if they must not."""
    theirs = re.sub(r" /\* .*? \*/", "", theirs)
    ours = re.sub(r" /\* .*? \*/", "", ours)
    if theirs == ours:
        return "same"
    if "<" in theirs + ours and DESCRIPTOR.fullmatch(theirs) and DESCRIPTOR.fullmatch(ours):
        return same_descriptor(theirs, ours)
    if theirs.startswith(("{", "[", "~[")) and NUMBER.fullmatch(ours):
        return "what a structure holds"
    if theirs.startswith("[") and ours.startswith("["):
        pairs = list(zip(split(theirs[1:-1]), split(ours[1:-1])))
        return "argv" if all(ours == "..." or is_same(theirs, ours) for theirs, ours in pairs) else None
    if WORDS.fullmatch(theirs) and WORDS.fullmatch(ours) and "NULL" not in (theirs, ours):
        words = [set(text.split("|")) - OF_NO_BIT for text in (theirs, ours)]
        is_all = OF_MANY_BITS.get(theirs, theirs) in words[1]
        return "the same words" if words[0] == words[1] or is_all else None
    if WORDS.fullmatch(theirs) and (NUMBER.fullmatch(ours) or ours == "NULL"):
        return "a word for a number"
    if theirs.startswith('"') and ours.startswith('"'):
        their_bytes, our_bytes = unquoted(theirs), unquoted(ours)
        if their_bytes == our_bytes and theirs.endswith("...") == ours.endswith("..."):
            return "same"
        is_cut = theirs.endswith("...") or ours.endswith("...")
        shorter = min(len(their_bytes), len(our_bytes))
        return "cut elsewhere" if is_cut and their_bytes[:shorter] == our_bytes[:shorter] else None
    if theirs.startswith('"') and NUMBER.fullmatch(ours):
        return "a string that only strace knows of"
    if theirs.startswith("0x") and (ours.endswith(('..."', '"...', ", ...}")) or ours == r'"\0"'):
        return "a part of what strace could not read"
    if ours == "???" and theirs.startswith(("0x", "...")):
        return "what cannot be read"
    if is_same_number(theirs, ours):
        return "the same number"
    return "no pointer" if {theirs, ours} == {"0", "NULL"} else None


def compare_call(theirs, ours, reasons):
    """Differences that have no reason, as text."""
    if theirs[0] != ours[0]:
        return [f"another call: {theirs} {ours}"]
    wrong = []
    if theirs[2] != "interrupted" and not is_same(theirs[2], ours[2]):
        wrong.append(f"{theirs[0]}: result {theirs[2]} here {ours[2]}")
    their_parts, our_parts = split(theirs[1]), split(ours[1])
    if any("=" in part.split('"')[0] and not part.startswith("{") for part in their_parts):
        reasons["names of arguments"] += 1  # clone(child_stack=..., flags=...)
        return wrong
    for their_part, our_part in zip(their_parts, our_parts):
        why = is_same(their_part, our_part)
        if why is None:
            wrong.append(f"{theirs[0]}: {their_part} here {our_part}")
        else:
            reasons[why] += 1
    if len(their_parts) > len(our_parts):
        wrong.append(f"{theirs[0]}: {theirs[1]} here {ours[1]}")
    return wrong


def in_sql(program, trace, found):
    """What the text says of descriptors is what the table of calls has as their files."""
    ours = collections.Counter()
    for thread, calls in found.items():
        for name, arguments, _ in calls:
            known = re.match(r"\d+<([^<>]+)>$", split(arguments)[0]) if name in FILE_CALLS else None
            if known:
                ours[str(thread), name, known[1]] += 1
    threads = ", ".join(str(thread) for thread in found)
    names = ", ".join(f"'{name}'" for name in FILE_CALLS)
    sql = (f"select tid, name, file, count(*) as n from calls where tid in ({threads}) and "
           f"name in ({names}) and file is not null and not begin_inferred group by tid, name, file")
    rows = json.loads(subprocess.run([program, "query", "--format", "json", trace, sql], check=True,
                                     capture_output=True, text=True).stdout)
    theirs = {(str(row["tid"]), row["name"], row["file"]): row["n"] for row in rows}
    return [f"{key}: {count} in the text, {theirs.get(key, 0)} in SQL" for key, count in ours.items()
            if theirs.get(key, 0) != count], sum(ours.values())


def in_story(program, trace, expected):
    """The file that kutrace why tells of the longest fsync is one that strace told of one."""
    of = {thread: [split(call[1])[0] for call in calls if call[0] == "fsync"]
          for thread, calls in expected.items()}
    threads = ",".join(str(thread) for thread, files in of.items() if files)
    if not threads:
        return []
    words = [program, "why", "--call", "fsync", "--pid", threads, "--format", "json", trace]
    told = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    known = {DESCRIPTOR.fullmatch(file)[2] for files in of.values() for file in files}
    return [] if told.get("file") in known else [f"fsync on {told.get('file')}, here {known}"]


def compare(program, command, folder, reasons):
    trace, log = folder / "trace.raw", folder / "strace.txt"
    environment = dict(os.environ, FOLDER=str(folder), PYTHON=PYTHON)
    subprocess.run([program, "record", "-q", "--strings", "-o", trace, "--", "strace", "-f", "-yy", "-s", "32",
                    "-o", log, "/bin/sh", "-c", command],
                   check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([program, "check", "-q", trace], check=True)
    expected, killed_in = strace_calls(log)
    found = our_calls(program, trace, expected)
    wrong, calls = [], 0
    for thread, theirs in expected.items():
        if theirs[-1][2] == "?":
            killed_in.setdefault(thread, theirs[-1][0])
        theirs = [call for call in theirs if call[0] not in NOT_COMPARED and call[2] != "?"]
        first = next((i for i, call in enumerate(found[thread]) if call[0] == theirs[0][0]), 0)
        ours = [call for call in found[thread][first:]
                if call[0] not in NOT_COMPARED and call[2] != "?"]
        if len(ours) == len(theirs) + 1 and ours[-1][0] == killed_in.get(thread):
            ours.pop()
        if len(theirs) != len(ours):
            wrong.append(f"thread {thread}: {len(theirs)} calls, here {len(ours)}")
        for their_call, our_call in zip(theirs, ours):
            calls += 1
            wrong += compare_call(their_call, our_call, reasons)
    apart, known = in_sql(program, trace, found)
    reasons["descriptors with the same name in SQL"] += known
    wrong += in_story(program, trace, expected)
    return calls, wrong + apart + ([] if known else ["no descriptor has a name"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kutrace", required=True)
    parser.add_argument("--hostile")
    parser.add_argument("--keep", help="folder for what was recorded")
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--many", action="store_true", help="programs that people run, as far as they are installed")
    options = parser.parse_args()
    if not shutil.which("strace"):
        skip("strace is missing")
    if os.stat("/proc/self/ns/pid").st_ino != FIRST_PID_NAMESPACE:
        skip("strace numbers threads by a PID namespace of its own, a trace does not")
    need_recorder(options.kutrace)
    reasons, failed = collections.Counter(), []
    hostile = [f"{options.hostile} still"] if options.hostile else []
    many = [f"cd $FOLDER && {command}" for program, command in MANY.items() if shutil.which(program) or
            program == "postgres" and pathlib.Path("/usr/lib/postgresql").exists()]
    for command in options.command or COMMANDS + hostile + (many if options.many else []):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(options.keep or scratch)
            calls, wrong = compare(options.kutrace, command, folder, reasons)
        print(f"{calls} calls of {command.splitlines()[0][:60]!r}: {len(wrong)} differ")
        failed += wrong
        if calls < 50:
            failed.append("too few calls were compared")
    print(", ".join(f"{count} {why}" for why, count in reasons.most_common()))
    for line in failed[:40]:
        print("  " + line)
    sys.exit(1 if failed else 0)


main()
