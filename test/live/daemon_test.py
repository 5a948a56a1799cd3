#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The daemon: what a user gets says nothing of others, readers with different groups agree with one who has all,
who stalls or floods is no harm to others, and who reads when it is killed has a readable file.

daemon_test.py KUTRACE NEIGHBOUR FOLDER. Prints what is wrong, exits 1 if anything is, 77 where this machine cannot record.
"""
import functools
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import judged
import raw_entries

READER, OTHER = 64001, 64002  # users without names
SECRET = "zq" + os.urandom(6).hex()
CONFIG = "arguments = yes\nstring_bytes = 64\nsamples = 500\n"
WORD = 0x5ec2e7aa  # of the other user's futex
MOST_OWNERS = 127
LONGEST_LINGER = 3  # seconds after which a recording that nobody reads is over
MANY_CALLS = 500_000  # of read and of write
# Which users can start, too.
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
ALL = "+samples,+locks,+disk,+signals,+processes,+migrations,+memory,+fault_addresses,+timers,+workqueue,+sockets,+pages"

# Of readers who together read what one with all groups does, and the numbers of events.
PARTS = {"syscalls": ("syscalls",), "irqs": ("irqs", "softirqs"), "faults": ("faults",),
         "wakeups": ("wakeups", "power")}
RANGES = {"syscalls": lambda n: 0x800 <= n, "irqs": lambda n: 0x500 <= n <= 0x5fe or 0x700 <= n <= 0x7fe or n == 0x207,
          "softirqs": lambda n: n in (0x5ff, 0x7ff), "faults": lambda n: 0x400 <= n <= 0x4ff or 0x600 <= n <= 0x6ff,
          "wakeups": lambda n: n in (0x206, 0x21e), "power": lambda n: n in (0x208, 0x209, 0x21c, 0x21f)}
LEAST_TICKS = 30_000_000  # half a second, or more

# Says the secret in all ways that a trace could have, and the numbers of its threads.
TALKER = r"""
import ctypes, os, socket, sys, threading, time
secret, folder = sys.argv[1], sys.argv[2]
libc = ctypes.CDLL(None)
open("/proc/self/comm", "w").write(secret)
end = time.monotonic() + float(sys.argv[3])
def talk():
    name = ctypes.create_string_buffer(struct_name(secret), 64)
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); receiver.bind(("127.0.0.1", 0))
    unix = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); unix.bind(f"\0{secret}{threading.get_native_id()}")
    while time.monotonic() < end:
        try:
            open(f"{folder}/{secret}")
        except OSError:
            pass
        libc.syscall(1023, 8, name)
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(secret.encode() * 8, receiver.getsockname())
        receiver.recv(1000)
        pid = os.fork()
        if pid == 0:
            os.execv("/bin/true", [secret, secret])
        os.waitpid(pid, 0)
        print(pid, flush=True)
def struct_name(text):
    import struct
    return struct.pack("<Q", (0x003 | 5 << 4) << 32 | 77) + text.encode().ljust(32, b"\0")
print(os.getpid(), flush=True)
thread = threading.Thread(target=talk); thread.start(); print(thread.native_id, flush=True); talk(); thread.join()
"""
# When it is told to, calls, and has children that do.
WORKER = r"""
import os, sys
open("/proc/self/comm", "w").write("the-worker")
print(os.getpid(), flush=True); sys.stdin.readline()
for child in range(int(sys.argv[1])):
    for i in range(1000):
        os.getppid()
    pid = os.fork()
    if pid == 0:
        for i in range(1000):
            os.getppid()
        os._exit(0)
    os.waitpid(pid, 0)
    print(pid, flush=True)
"""
CHILDREN, CALLS = 5, 4000


def made_cgroup():
    """One whose name is the secret, where this machine has control groups."""
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind in ("cgroup", "cgroup2"):
            cgroup = pathlib.Path(place) / SECRET
            try:
                cgroup.mkdir()
                return cgroup
            except OSError:
                pass
    return None


def window(path):
    """From when to when all CPUs of a trace were read, and its entries."""
    entries = [entry for entry in raw_entries.entries_of(path.read_bytes()) if entry[0] is not None]
    begins, ends = {}, {}
    for cpu, time_of, _, _ in entries:
        begins.setdefault(cpu, time_of)
        ends[cpu] = time_of
    return max(begins.values()) + 1, min(ends.values()), entries


def of_groups(entries, groups, begin, end):
    wanted = [RANGES[group] for group in groups] + [lambda n: n == 0x200]
    return sorted(entry for entry in entries if begin < entry[1] < end
                  and any(one(raw_entries.number_of(entry[2])) for one in wanted))


def union_findings(paths):
    """What those who read a part have, who reads "all" has, entry by entry, while all of them read."""
    traces = {name: window(path) for name, path in paths.items()}
    begin = max(one[0] for one in traces.values())
    end = min(one[1] for one in traces.values())
    findings = [] if end - begin > LEAST_TICKS else ["the readers did not read at once"]
    for name, groups in PARTS.items():
        got = of_groups(traces[name][2], groups, begin, end)
        want = of_groups(traces["all"][2], groups, begin, end)
        if got != want or len(got) <= 50:
            findings.append(f"{name}: {len(got)} entries, of all {len(want)}")
    parts = {entry for name in PARTS for entry in traces[name][2] if begin < entry[1] < end}
    beside = [entry for entry in traces["all"][2] if begin < entry[1] < end and entry not in parts
              and any(one(raw_entries.number_of(entry[2])) for one in RANGES.values())]
    if beside:
        findings.append(f"{len(beside)} entries that one reader has are in none of the parts: {beside[:3]}")
    return findings


def calls_by_thread(path):
    """(thread, CPU, time, what) of calls and returns, by time."""
    running, found = {}, []
    for cpu, time_of, low44, _ in raw_entries.entries_of(path.read_bytes()):
        number = raw_entries.number_of(low44)
        if cpu is not None and number == 0x200:
            running[cpu] = low44 & 0x1fffffff
        elif cpu is not None and number >= 0x800:
            found.append((running.get(cpu), cpu, time_of, low44))
    return sorted(found, key=lambda one: one[2])


def limit_descriptors(number):
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))


def as_user(user, *words):
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--", *map(str, words)]


class Test(judged.Test):
    def __init__(self, *words):
        super().__init__(*words)
        # Of a user without a name, who must be able to reach it.
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="kutrace-daemon-"))
        self.place.chmod(0o777)
        self.copy = self.place / "kutrace"
        shutil.copy(self.program, self.copy)
        self.copy.chmod(0o755)
        self.socket = self.place / "daemon.sock"
        self.daemon = None

    def start_daemon(self, config=CONFIG, options=(), limit=None):
        self.stop_daemon()
        (self.place / "conf").write_text(config)
        self.daemon = subprocess.Popen([self.copy, "daemon", "--socket", self.socket, "--config", self.place / "conf",
                                        *options], stderr=subprocess.DEVNULL,
                                       preexec_fn=limit and functools.partial(limit_descriptors, limit))
        for _ in range(100):
            if self.socket.exists() and self.socket.stat().st_mode & 0o666 == 0o666:
                return
            time.sleep(0.05)
        self.expect(False, "the daemon does not listen")

    def stop_daemon(self):
        if self.daemon:
            self.daemon.terminate()
            self.expect(self.daemon.wait(20) == 0, f"the daemon ended with {self.daemon.returncode}")
        self.daemon = None

    def reader(self, trace, *options, user=0):
        words = [self.copy, "record", "--source", "daemon", "--daemon-socket", self.socket, "-o", trace, *options]
        return subprocess.Popen(as_user(user, *words) if user else list(map(str, words)), stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True)

    def begun(self, trace, *options, user=0):
        """One that records when this returns, and until ended()."""
        words = [self.copy, "record", "--source", "daemon", "--daemon-socket", self.socket, "-o", trace, *options, "--",
                 "sh", "-c", "echo; read line; exit 0"]
        reader = subprocess.Popen(as_user(user, *words) if user else list(map(str, words)), stdin=subprocess.PIPE,
                                  stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        reader.stdout.readline()
        return reader

    def ended(self, reader, code=0):
        _, said = reader.communicate(timeout=60)
        self.expect(reader.returncode == code, f"{reader.args}: {reader.returncode} {said}")
        return said

    def lawful(self, trace):
        done = subprocess.run([self.program, "check", trace], check=False, capture_output=True, text=True)
        self.expect(done.returncode in (0, 1) and "every CPU adds up" in done.stdout and "violat" not in done.stdout,
                    f"{trace}: {done.stdout}{done.stderr}")

    def talker(self, user, seconds, folder="/nowhere"):
        words = [PYTHON, "-c", TALKER, SECRET, folder, seconds]
        return subprocess.Popen(as_user(user, *words) if user else list(map(str, words)), stdout=subprocess.PIPE,
                                text=True)

    # ---- what a user sees --------------------------------------------------------------------------

    def connect(self):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(str(self.socket))
        peer.settimeout(30)
        return peer

    def bytes_for_user(self):
        """All that the daemon sends to the user who asks for everything, until its input ends: by a process of this
        test, which has begun."""
        program = r"""
import select, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); out = open(sys.argv[2], "wb")
s.sendall(b'{"kutrace":1,"groups":["%s"],"arguments":true}\n' % sys.argv[3].replace(",", '","').encode())
out.write(s.recv(65536)); s.sendall(b'{"begin":true}\n'); out.write(s.recv(100)); print(flush=True); said = False
while True:
    if not said and select.select([sys.stdin], [], [], 0)[0]:
        s.sendall(b'{"end":true}\n'); said = True
    s.settimeout(0.2)
    try:
        got = s.recv(1 << 20)
    except TimeoutError:
        continue
    if not got:
        break
    out.write(got)
"""
        received = self.place / "received"
        groups = "syscalls,irqs,softirqs,faults,sched,wakeups,power,net," + ALL.replace("+", "")
        client = subprocess.Popen(as_user(READER, PYTHON, "-c", program, self.socket, received, groups),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        client.stdout.readline()
        return received, client

    def secrets(self):
        cgroup = made_cgroup()
        self.start_daemon()
        whole, own = self.place / "whole.raw", self.place / "own.raw"
        readers = [self.begun(whole, "--strings", "--events", ALL),
                   self.begun(own, "--strings", "--events", ALL, user=READER)]
        received, client = self.bytes_for_user()
        talkers = [self.talker(OTHER, 3), self.talker(0, 3)]
        if cgroup:
            (cgroup / "cgroup.procs").write_text(str(talkers[0].pid))
        mine = subprocess.Popen(as_user(READER, "sh", "-c", "for i in $(seq 100); do cat /etc/hostname; done"),
                                stdout=subprocess.DEVNULL)
        pids = {int(line) for talker in talkers for line in talker.communicate()[0].split()}
        mine.wait()
        for one in readers:
            self.ended(one)
        client.communicate(timeout=60)
        if cgroup:
            cgroup.rmdir()
        self.expect(whole.read_bytes().count(SECRET.encode()) > 10, "root does not see the secret: nothing is tested")
        for path in (own, received):
            self.expect(SECRET.encode() not in path.read_bytes(), f"{path}: the secret is told")
            self.expect(path.stat().st_size > 10000, f"{path}: nothing was read")
        entries = raw_entries.entries_of(own.read_bytes())
        self.expect(any(b"hostname" in struct.pack(f"<{len(words)}Q", *words) for *_, words in entries),
                    "the user does not see his own calls")
        self.expect(len(pids) > 20, "the talkers did not talk")
        self.no_foreign(entries, pids)
        self.lawful(own)
        self.lawful(whole)

    def no_foreign(self, entries, pids):
        """No entry that names a thread names one of these."""
        for cpu, _, low44, words in entries:
            number, argument = raw_entries.number_of(low44), low44 & 0xffffffff
            kind = number & 0xf0f if number < 0x200 else number
            named = {}
            if kind == 0x200:
                named = {argument & 0x1fffffff}
            elif kind in (0x206, 0x002):
                named = {argument}
            elif kind == 0x10f:
                named = {argument, words[1] & 0xffffffff, words[1] >> 32}
            self.expect(not pids & set(named), f"CPU {cpu}: an entry of kind {kind:x} names another's thread")

    def changing_hands(self):
        """What runs as root before it is the user's, or after, is nobody's."""
        script, suid = self.place / "script", self.place / "suid"
        script.write_text(f"read line < {self.place}/data\ntest -e /nowhere/{SECRET}\nexit 3\n")
        (self.place / "data").write_text(SECRET + "\n")
        shutil.copy("/bin/dash" if os.path.exists("/bin/dash") else "/bin/bash", suid)
        suid.chmod(0o4755)
        drop = ("import os,sys\n"
                f"os.path.exists('/nowhere/{SECRET}')\n"
                f"os.setresgid({READER},{READER},{READER}); os.setresuid({READER},{READER},{READER})\n"
                "import ctypes; ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n"
                "os.path.exists('/nowhere/isvisible')\n")
        dropper = self.place / "drop.py"
        dropper.write_text(drop)
        own, whole = self.place / "hands.raw", self.place / "hands-whole.raw"
        self.start_daemon()
        readers = [self.begun(own, "--strings", user=READER), self.begun(whole, "--strings")]
        # As soon as it starts, it does what it must not be seen to do: no switch comes in between, now and then.
        loop = f"n=0; for i in $(seq 200); do {suid} -p {script} || n=$((n+$?)); done; test $n = 600"
        done = subprocess.run(as_user(READER, "sh", "-c", loop), check=False)
        self.expect(done.returncode == 0, "the program of root did not run")
        for _ in range(20):
            subprocess.run([PYTHON, dropper], check=True)
        for one in readers:
            self.ended(one)
        self.expect(whole.read_bytes().count(SECRET.encode()) >= 40, "root does not see what changes hands")
        self.expect(SECRET.encode() not in own.read_bytes(), "what root does in a program of the user's is told")
        self.expect(own.read_bytes().count(b"isvisible") >= 10, "who is the user's by now is not seen")
        self.lawful(own)

    def namespace_of_other(self):
        """A process in a user namespace of the other user's, in which the reader has the number 1; None without any."""
        if subprocess.run(as_user(OTHER, "unshare", "-U", "-r", "true"), check=False, capture_output=True).returncode:
            return None
        holder = subprocess.Popen(as_user(OTHER, "unshare", "-U", "sh", "-c", "echo; read line"), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        holder.stdout.readline()
        for name in ("uid_map", "gid_map"):
            pathlib.Path(f"/proc/{holder.pid}/{name}").write_text(f"0 {OTHER} 1\n1 {READER} 1\n")
        return holder

    def other_rights(self):
        """Of processes that have the user's number a user sees those that the kernel lets him look into."""
        user = ["setpriv", f"--reuid={READER}", "--clear-groups"]
        rights = {"plain": [*user, f"--regid={READER}"], "group": [*user, f"--regid={OTHER}"],
                  "stronger": [*user, f"--regid={READER}", "--inh-caps=+net_raw", "--ambient-caps=+net_raw"]}
        holder = self.namespace_of_other()
        if holder:
            rights["namespace"] = [*user, f"--regid={READER}", "unshare", "-U", "-r"]
            rights["foreign"] = ["nsenter", f"--target={holder.pid}", "--user", "setpriv", "--reuid=1", "--regid=1",
                                 "--clear-groups"]
        self.start_daemon()
        own, whole = self.place / "rights.raw", self.place / "rights-whole.raw"
        readers = [self.begun(own, "--strings", user=READER), self.begun(whole, "--strings")]
        may_look = {}
        for name, words in rights.items():
            one = subprocess.Popen([*words, "sh", "-c", f"test -e /nowhere/{SECRET}{name}; echo; read line"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            one.stdout.readline()
            may_look[name] = subprocess.run(as_user(READER, "cat", f"/proc/{one.pid}/environ"), check=False,
                                            capture_output=True).returncode == 0
            one.communicate()
        for one in readers:
            self.ended(one)
        if holder:
            holder.kill()
            holder.wait()
        denied = [may_look.get(name, False) for name in ("group", "stronger", "foreign")]
        self.expect(may_look["plain"] and may_look.get("namespace", True) and not any(denied),
                    f"the kernel lets look into {may_look}: nothing is tested")
        for name, may in may_look.items():
            said = (SECRET + name).encode()
            self.expect(said in whole.read_bytes(), f"{name}: root does not see it")
            self.expect((said in own.read_bytes()) == may, f"{name}: is shown, or not, unlike in /proc")
        self.lawful(own)

    # ---- several readers ---------------------------------------------------------------------------

    def union(self):
        self.start_daemon(config="memory = 256\n")
        readers = {}
        for name, groups in PARTS.items():
            readers[name] = self.begun(self.place / f"{name}.raw", "--events", ",".join(groups))
        readers["all"] = self.begun(self.place / "all.raw")
        load = subprocess.Popen(["sh", "-c", "while :; do ls -R /usr/share/doc >/dev/null; done"])
        time.sleep(3)
        for one in readers.values():
            self.expect("nothing lost" in self.ended(one), "a reader lost something")
        load.kill()
        load.wait()
        self.findings += union_findings({name: self.place / f"{name}.raw" for name in readers})
        for name in PARTS:
            self.lawful(self.place / f"{name}.raw")

    def beside(self):
        """Two users take turns on a CPU. Of the other's number, and of what his lock holds, nothing is told: not in
        blocks that begin at a switch, and not where locks are switched on while it is recorded."""
        self.start_daemon()
        program = self.place / "neighbour"
        shutil.copy(self.recorded, program)
        both = [subprocess.Popen(as_user(user, program, *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                for user, words in ((READER, ()), (OTHER, (WORD,)))]
        others = {int(tid) for tid in both[1].stdout.readline().split()}
        own, locks, whole = (self.place / f"beside-{name}.raw" for name in ("own", "locks", "whole"))
        readers = [self.begun(own, "--events", "sched,syscalls", user=READER)]
        time.sleep(1)
        readers += [self.begun(locks, "--events", "sched,syscalls,locks", user=READER),
                    self.begun(whole, "--events", "sched,syscalls,locks")]
        time.sleep(2)
        for one in readers:
            self.ended(one)
        for one in both:
            one.stdin.close()
            one.wait()
        self.expect(sum(WORD in words for *_, words in raw_entries.entries_of(whole.read_bytes())) > 20,
                    "root does not see what the other's lock holds")
        for trace in (own, locks):
            entries = raw_entries.entries_of(trace.read_bytes())
            self.no_foreign(entries, others)
            told = sum(WORD in words for *_, words in entries)
            self.expect(told == 0, f"{trace}: {told} times what the other's lock holds")
            self.expect(len(entries) > 10000, f"{trace}: nothing to judge")
            self.lawful(trace)

    def chosen(self):
        """Who asks for some processes gets all of these, and nothing of what others do. Children have their parent's name."""
        self.start_daemon(config="memory = 256\n")
        worker = subprocess.Popen(as_user(READER, PYTHON, "-c", WORKER, CHILDREN), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        pid = worker.stdout.readline().strip()
        asked = {"process": (0, "--pid", pid), "family": (0, "--pid", pid, "--follow"),
                 "own": (READER, "--pid", pid, "--follow"), "named": (READER, "--comm", "the-work*")}
        readers = {"whole": self.begun(self.place / "choose-whole.raw")}
        for name, (user, *words) in asked.items():
            readers[name] = self.begun(self.place / f"choose-{name}.raw", *words, user=user)
        told, _ = worker.communicate("\n", timeout=60)
        for one in readers.values():
            self.ended(one)
        family = {int(pid)} | {int(child) for child in told.split()}
        self.expect(len(family) == CHILDREN + 1, f"the worker started {told}")
        whole = self.place / "choose-whole.raw"
        for name in asked:
            trace = self.place / f"choose-{name}.raw"
            self.same_calls(name, trace, whole, {int(pid)} if name == "process" else family)
            self.lawful(trace)
            self.expect("recorded_threads" in self.kutrace("info", trace), f"{name}: is not told to be a part")
        command = self.place / "choose-command.raw"
        words = [self.copy, "record", "--source", "daemon", "--daemon-socket", self.socket, "--follow", "-o", command]
        done = subprocess.run(as_user(READER, *words, "--", PYTHON, "-c", WORKER, CHILDREN), input="\n", check=False,
                              capture_output=True, text=True)
        self.expect(done.returncode == 0, f"--follow: {done.stderr}")
        got = {one[0] for one in calls_by_thread(command)}
        self.expect({int(word) for word in done.stdout.split()} == got,
                    f"--follow: calls of {sorted(got)}, of {done.stdout}")

    def same_calls(self, name, trace, whole, threads):
        got = calls_by_thread(trace)
        times = [one[2] for one in got]
        want = [one for one in calls_by_thread(whole) if one[0] in threads and times[0] <= one[2] <= times[-1]]
        self.expect(got == want and len(got) > CALLS, f"{name}: {len(got)} calls and returns, {len(want)} of the whole")
        self.expect({one[0] for one in got} == threads, f"{name}: not the calls of {sorted(threads)}")

    # ---- bad readers -------------------------------------------------------------------------------

    def bad_readers(self):
        self.start_daemon(config="memory = 1\n")
        good = self.place / "good.raw"
        stalled = self.connect()
        stalled.sendall(b'{"kutrace":1,"groups":["syscalls"]}\n')
        self.expect(b'"view":"all"' in stalled.recv(65536), "the stalled reader gets no answer")
        stalled.sendall(b'{"begin":true}\n')
        reader = self.begun(good)
        slow = self.place / "slow.raw"
        sleeper = self.begun(slow)
        sleeper.send_signal(signal.SIGSTOP)
        load = subprocess.Popen(["sh", "-c", "while :; do ls -R /usr/share/doc >/dev/null; done"])
        flood = []
        for say in (b"x" * 100000, b"{}\n" * 5000, b'{"kutrace":2,"groups":["syscalls"]}\n', b'{"kutrace":1,"groups":["a"]}\n',
                    b'{"begin":true}\n', b"\0" * 4096 + b"\n", b'{"kutrace":1,"groups":["sched"]}\n{"end":true}\n'):
            one = self.connect()
            flood.append(one)
            try:
                one.sendall(say)
            except OSError:
                pass
        for _ in range(200):
            self.connect().close()
        # Several times what is kept for the reader who is stopped, however busy the machine is.
        subprocess.run(["dd", "if=/dev/zero", "of=/dev/null", "bs=1", f"count={MANY_CALLS}"], check=True,
                       stderr=subprocess.DEVNULL)
        for one in flood:
            try:
                said = one.recv(65536)
                self.expect(not said or b'"error"' in said or b'"view"' in said, f"a flood is answered with {said[:100]}")
            except OSError:
                pass
            one.close()
        sleeper.send_signal(signal.SIGCONT)
        self.ended(reader)
        self.ended(sleeper)
        load.kill()
        load.wait()
        stalled.close()
        self.expect(self.daemon.poll() is None, "the daemon is gone")
        self.lawful(good)
        self.lawful(slow)
        info = self.kutrace("info", slow)
        self.expect("buffer full" in info or "lost" in info, f"the slow reader is not told that he was lapped: {info}")

    def talks_on(self):
        """A user who says the same again and again keeps nobody waiting, and the daemon ends when it is told to."""
        self.start_daemon()
        program = r"""
import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
s.sendall(b'{"kutrace":1,"groups":["sched"],"clocks":true}\n'); s.recv(65536)
s.sendall(b'{"begin":true}\n'); s.recv(100); print(flush=True)
while True:
    s.sendall(b'{"end":true}\n' * 10000)
"""
        talker = subprocess.Popen(as_user(READER, PYTHON, "-c", program, self.socket), stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        talker.stdout.readline()
        trace = self.place / "beside-talker.raw"
        self.ended(self.reader(trace, "--duration", "1"))
        self.lawful(trace)
        self.stop_daemon()
        talker.wait(30)

    def takes_no_end(self):
        """A user who does not take the rest of his reading goes when another recording runs, and takes nothing of it."""
        self.start_daemon()
        program = r"""
import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
s.sendall(b'{"kutrace":1,"groups":["syscalls"],"clocks":true}\n'); s.recv(65536)
s.sendall(b'{"begin":true}\n'); s.recv(100)
for call in range(int(sys.argv[2])):
    os.getppid()
s.sendall(b'{"end":true}\n'); print(flush=True)
sys.stdin.readline()
"""
        idler = subprocess.Popen(as_user(READER, PYTHON, "-c", program, self.socket, str(MANY_CALLS)),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        idler.stdout.readline()
        self.ended(self.reader(self.place / "beside-idler.raw", "--duration", "0.1"))  # after which none is read
        time.sleep(LONGEST_LINGER)
        trace = self.place / "after-idler.raw"
        reader = self.begun(trace)
        idler.communicate(b"\n", timeout=30)
        subprocess.run([PYTHON, "-c", f"import os\nfor call in range({CALLS}): os.getppid()"], check=True)
        self.ended(reader)
        self.expect(self.daemon.poll() is None, "the daemon is gone")
        self.lawful(trace)
        calls = self.kutrace("query", trace, "select count(*) from calls where name = 'getppid'", "--format", "csv")
        self.expect(int(calls.split()[-1]) >= CALLS, f"a reader has {calls.split()[-1]} of {CALLS} calls")

    def many_users(self):
        """Numbers of users who have gone are given to others."""
        self.start_daemon()
        stays = self.begun(self.place / "stays.raw")
        program = r"""
import os, socket, sys
for user in range(int(sys.argv[2])):
    child = os.fork()
    if child == 0:
        os.setgroups([]); os.setresgid(*[300001 + user] * 3); os.setresuid(*[200001] * 3)
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
        s.sendall(b'{"kutrace":1,"groups":["sched"],"clocks":true}\n'); s.recv(65536); s.sendall(b'{"begin":true}\n')
        os._exit(0 if b"begun" in s.recv(100) else 1)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"user {user} may not read")
"""
        done = subprocess.run([PYTHON, "-c", program, self.socket, str(MOST_OWNERS + 10)], check=False,
                              capture_output=True, text=True)
        self.expect(done.returncode == 0, done.stderr)
        self.ended(stays)
        self.lawful(self.place / "stays.raw")

    def killed(self):
        self.start_daemon()
        whole, own = self.place / "killed.raw", self.place / "killed-own.raw"
        readers = [self.begun(whole), self.begun(own, "-q", user=READER)]
        load = subprocess.Popen(as_user(READER, "sh", "-c", "while :; do ls -R /usr/share/doc >/dev/null; done"))
        time.sleep(3)
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()
        self.daemon = None
        for one in readers:
            self.expect("the daemon is gone" in self.ended(one, 4), "a reader does not say that the daemon is gone")
        load.kill()
        load.wait()
        for trace in (whole, own):
            self.lawful(trace)
            rows = json.loads(self.kutrace("query", "--format", "json", trace, "select count(*) as n from calls"))
            self.expect(rows[0]["n"] > 100, f"{trace}: there is nothing in it")

    def rights(self):
        self.start_daemon(config="users = nobody\ngroup = daemon\nduration = 1\ngroups = syscalls\n")
        refused = self.reader(self.place / "no.raw", "--duration", "1", user=READER)
        self.expect("may not read" in self.ended(refused, 4), "who may not read is not told")
        group = subprocess.run(["getent", "group", "daemon"], check=True, capture_output=True, text=True).stdout.split(":")[2]
        member = self.place / "member.raw"
        done = subprocess.run(["setpriv", f"--reuid={READER}", f"--regid={READER}", f"--groups={group}", "--", str(self.copy),
                               "record", "--source", "daemon", "--daemon-socket", str(self.socket), "-o", str(member)],
                              check=False, capture_output=True, text=True, timeout=60)
        self.expect(done.returncode == 0 and "limit of time" in self.kutrace("info", member),
                    f"the administrator's limit is not kept: {done.stderr}")
        numbers = {raw_entries.number_of(low44) for _, _, low44, _ in raw_entries.entries_of(member.read_bytes())}
        self.expect(any(0x800 <= n for n in numbers) and not any(0x500 <= n < 0x600 for n in numbers),
                    "a member of the group gets other groups of events than the administrator allows")
        status = pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text()
        self.expect("NoNewPrivs:\t1" in status and "Seccomp:\t2" in status and "CapEff:\t000000c000000000" in status,
                    f"the daemon has more than it needs: {status}")
        wrong = subprocess.run([self.copy, "daemon", "--config", "/dev/stdin"], input="rate = fast\n", check=False,
                               capture_output=True, text=True)
        self.expect(wrong.returncode == 2 and "line 1: rate" in wrong.stderr, f"a wrong setting: {wrong.stderr}")

    def names(self):
        """What stands where the socket is to be is not removed, but by who made it."""
        precious, folder = self.place / "precious", self.place / "folder"
        precious.write_text("precious")
        folder.mkdir()
        for words, code in ((("--socket", precious), 5), (("--socket", "/nowhere/socket"), 5), (("--socket", "x" * 200), 2),
                            (("--socket", self.place / "no.sock", "--config", folder), 4)):
            done = subprocess.run([self.copy, "daemon", "--idle", "1s", *words], check=False, capture_output=True, text=True, timeout=60)
            self.expect(done.returncode == code, f"daemon {words}: {done.returncode} {done.stderr}")
        self.expect(precious.exists() and precious.read_text() == "precious", "a file that is no socket was removed")
        self.start_daemon()
        first = self.daemon
        self.daemon = None
        self.socket.unlink()
        self.start_daemon()
        first.terminate()
        self.expect(first.wait(20) == 0, "the first daemon does not end")
        self.expect(self.socket.exists(), "the name of another daemon's socket was removed")
        self.ended(self.reader(self.place / "second.raw", "--duration", "0.1"))

    def not_served(self):
        self.start_daemon()
        for words in (("--uid", str(OTHER)), ("--cgroup", "*"), ("--stacks",), ("--functions", "libc.so.6:malloc"),
                      ("--samples", "1000"), ("--syscalls", "file"), ("--no-merge",), ("--no-fault-exit",)):
            said = self.ended(self.reader(self.place / "refused.raw", *words, "--", "true", user=READER), 2)
            self.expect(f"{words[0]}" in said and "not through the daemon" in said, f"{words}: {said}")
        said = self.ended(self.reader("-", "--pid", str(os.getpid()), "--", "true", user=READER), 2)
        self.expect("into a stream: not through the daemon" in said, f"--pid -o -: {said}")
        said = self.ended(self.reader(self.place / "refused.raw", "--uid", "0", "--", "true"), 2)
        self.expect("for who sees all users" in said, f"--uid of root: {said}")

    def left_out(self):
        """A trace has no facts of what the configuration leaves out, and the reader is told."""
        self.start_daemon(config="groups = syscalls,faults\n")
        trace = self.place / "left-out.raw"
        said = self.ended(self.reader(trace, "-q", "--strings", "--events", "+counters", "--", "true", user=READER))
        for what in ("events of irqs,softirqs,wakeups,power,net,processes", "arguments of system calls"):
            self.expect(f"{what} (the daemon's configuration leaves it out)" in said, f"{what}: {said}")
        facts = dict(line.split(maxsplit=1) for line in self.kutrace("info", trace).splitlines() if len(line.split()) > 1)
        self.expect(facts["events"] == "syscalls,faults,sched,counters", f"the trace has {facts['events']}")
        self.expect("arguments" not in facts, "the trace has arguments")
        self.expect("not seen: events of irqs" in self.kutrace("check", trace), "the trace does not say what it lacks")
        self.start_daemon(config="arguments = yes\n")
        said = self.ended(self.reader(trace, "-q", "--strings", "--", "true"))
        self.expect("what arguments of system calls point to (the daemon's" in said, f"--strings: {said}")

    def signals(self):
        """Who waits for the daemon when a second signal comes goes on waiting; who has not begun ends at once."""
        self.stop_daemon()
        server = socket.socket(socket.AF_UNIX)
        name = self.place / "slow.sock"
        server.bind(str(name))
        server.listen()
        answer = {"kutrace": 1, "view": "all", "groups": ["sched"], "cpus": [0]}
        for begins in (True, False):
            reader = subprocess.Popen([self.copy, "record", "--source", "daemon", "--daemon-socket", name, "--events",
                                       "sched", "-o", self.place / "slow.raw"], stderr=subprocess.PIPE, text=True)
            peer = self.asked(server)
            if begins:
                peer.sendall(json.dumps(answer).encode() + b"\n")
                peer.recv(1000)
                peer.sendall(b'{"begun":%d}\n' % (time.monotonic_ns() // 16))
                time.sleep(0.5)
                reader.send_signal(signal.SIGINT)
                self.expect(b"end" in peer.recv(1000), "the reader does not end")
                reader.send_signal(signal.SIGTERM)
                time.sleep(0.5)
                peer.sendall(b'{"ended":%d,"lost":[],"missed":[],"by":""}\n' % (time.monotonic_ns() // 16))
            else:
                time.sleep(0.5)
                reader.send_signal(signal.SIGINT)
            said = self.ended(reader, 0 if begins else 130)
            self.expect("does not answer" not in said, f"after a signal: {said}")
            peer.close()
        server.close()

    @staticmethod
    def asked(server):
        """The connection of the first who asks: others only look whether somebody listens."""
        while True:
            peer, _ = server.accept()
            if peer.recv(4096):
                return peer

    def no_descriptors(self):
        """Who has no descriptor for one more reader waits for one, and does not turn in circles."""
        self.start_daemon(limit=9)
        held = [self.connect() for _ in range(8)]
        time.sleep(0.5)
        spent = self.cpu_ticks()
        time.sleep(1)
        self.expect(self.cpu_ticks() - spent < 10, "a daemon without descriptors is busy")
        for one in held:
            one.close()
        late = self.connect()
        late.sendall(b"hello\n")
        self.expect(b"one line of JSON" in late.recv(1000), "nobody is let in when there are descriptors again")

    def cpu_ticks(self):
        fields = pathlib.Path(f"/proc/{self.daemon.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def too_many(self):
        self.start_daemon()
        program = ("import socket, sys\nall = [socket.socket(socket.AF_UNIX) for i in range(5)]\n"
                   "for one in all: one.connect(sys.argv[1])\nprint(all[4].recv(1000).decode())")
        said = subprocess.run(as_user(READER, PYTHON, "-c", program, self.socket), check=True, capture_output=True,
                              text=True, timeout=60).stdout
        self.expect("this user reads 4 times already" in said, f"the fifth reader of a user is told {said}")

    def all(self):
        try:
            for part in (self.secrets, self.changing_hands, self.other_rights, self.beside, self.union, self.chosen,
                         self.bad_readers, self.talks_on, self.takes_no_end, self.many_users, self.killed, self.rights,
                         self.names, self.not_served, self.left_out, self.signals, self.no_descriptors, self.too_many):
                if not os.environ.get("ONLY") or part.__name__ in os.environ["ONLY"]:
                    part()
        finally:
            self.stop_daemon()
            if not os.environ.get("KEEP"):
                shutil.rmtree(self.place, ignore_errors=True)


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
