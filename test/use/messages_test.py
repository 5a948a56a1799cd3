#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What commands say, and how: one prefix, no colours unless wanted, no "1 entries", and a failure
to write it is a failure.

messages_test.py KUTRACE SMALL_TRACE
"""
import csv
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

from commands import Checks, help_text, listed

USAGE, INPUT, OUTPUT = 2, 3, 5
NARROW = 60  # columns
WRONG_NUMBER = re.compile(r"\b1 (entries|events|blocks|CPUs|spans|records|names|times|samples|"
                          r"threads)\b")
MESSAGE = re.compile(r"kutrace: (info|warning|error): .|  (hint|because): .")


def rest_of(master):
    """What is written to a terminal until its other end is closed."""
    text = b""
    try:
        while part := os.read(master, 65536):
            text += part
    except OSError:
        pass  # the other end is closed
    os.close(master)
    return text


def on_terminal(words, environment):
    """What the command writes to a terminal as its standard error."""
    master, slave = pty.openpty()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=slave,
                   env={**os.environ, "TERM": "xterm", **environment})
    os.close(slave)
    return rest_of(master)


def shown(words, columns):
    """What the command writes to a terminal so wide."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    running = subprocess.Popen(words, stdout=slave, stderr=subprocess.DEVNULL)
    os.close(slave)
    text = rest_of(master)
    running.wait()
    return text.decode().replace("\r\n", "\n")


class Messages(Checks):
    def __init__(self, *words):
        super().__init__(*words)
        self.one = self.folder / "one.raw"
        self.one.write_bytes(self.commands.trace("one"))

    def prefix(self, command):
        out = ["-o", str(self.folder / "out")] if command in self.commands.writers else []
        tried = [self.words(command) + out, self.words(command)[:-1] + ["/no/such/file"] + out,
                 [self.commands.program, *command, "--no-such-option"]]
        for words in tried:
            text = subprocess.run(words, capture_output=True, text=True).stderr
            odd = [line for line in text.splitlines() if not MESSAGE.match(line)]
            self.expect(not odd, f"{' '.join(words)}: says {odd}")

    def numbers(self, command):
        if command == ("raw", "concat"):
            return
        out = ["-o", str(self.folder / "out.txt")] if command in self.commands.writers else []
        words = self.commands.words(command, str(self.one), "")
        done = subprocess.run(words + out, capture_output=True, text=True)
        text = done.stdout + done.stderr
        self.expect(not WRONG_NUMBER.search(text),
                    f"{' '.join(command)}: says {WRONG_NUMBER.findall(text)}")

    def full(self):
        program = self.commands.program
        asked = [[program, "--help"], [program, "--version"], [program, "help"]]
        asked += [[program, *command, "--help"] for command in listed(program)]
        asked += [self.words(command) for command in self.commands.readers
                  if command not in self.commands.writers and command != ("check", "--quiet")]
        asked += [self.words(command) + ["-o", "-"] for command in self.commands.writers]
        for words in asked:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
            self.expect(done.returncode == OUTPUT and "No space left" in done.stderr,
                        f"{' '.join(words)} to a full device: status {done.returncode}, says "
                        f"{done.stderr!r}")

    def colours(self):
        words = [self.commands.program, "info", "/no/such/file"]
        self.expect(b"\x1b[" in on_terminal(words, {"NO_COLOR": ""}), "no colours on a terminal")
        self.expect(b"\x1b[" not in on_terminal(words, {"NO_COLOR": "1"}), "NO_COLOR is ignored")

    def nobody_matches(self):
        for command in ("trim", "svg"):
            done = subprocess.run([self.commands.program, command, "--pid", "999999",
                                   str(self.whole)], capture_output=True, text=True)
            self.expect(done.returncode == INPUT and "no thread or process 999999" in done.stderr,
                        f"{command} --pid 999999: status {done.returncode}, {done.stderr!r}")
            done = subprocess.run([self.commands.program, command, "--pid", "10",
                                   str(self.whole)], capture_output=True, text=True)
            self.expect(done.returncode == 0, f"{command} --pid 10: {done.stderr!r}")

    def negative(self):
        """A number below the least that an option takes, wherever the help names a number."""
        tried = 0
        for command in listed(self.commands.program):
            for option in re.findall(r"^ +(?:-\w,)?(--[\w-]+) (?:UINT|INT)\b",
                                     help_text(self.commands.program, command), re.M):
                words = [self.commands.program, *command, option, "-1"]
                if command in self.commands.readers:
                    words += self.words(command)[1 + len(command):]
                if command in self.commands.writers:
                    words += ["-o", str(self.folder / "negative")]
                done = subprocess.run(words, capture_output=True, text=True)
                tried += 1
                self.expect(done.returncode == USAGE and option in done.stderr and
                            len(done.stderr) < 200,
                            f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
        self.expect(tried >= 8, f"only {tried} options take numbers")

    def marks(self):
        """What is no mark is not taken for one, nor passed over."""
        for words, told in ((["--number", "4294967296"], "--number: '4294967296' is no whole number from 0 to 4294967295"),
                            (["--number", "-1"], "'-1' is no whole number from 0 to 4294967295"),
                            (["/"], "'/' ends nothing"), (["/", "--", "true"], "'/' ends nothing")):
            self.says(["mark", *words], USAGE, told)
        self.says(["mark", "--number", "4294967295"], 0)
        self.says(["mark"], USAGE, "hint: kutrace mark ")

    def no_such_cpu(self):
        for output in ([], ["-o", str(self.folder / "cpu.raw")]):
            done = subprocess.run([self.commands.program, "trim", "--cpu", "7", str(self.whole),
                                   *output], capture_output=True, text=True)
            self.expect(done.returncode == INPUT and "has no CPU 7" in done.stderr,
                        f"trim --cpu 7 {output}: status {done.returncode}: {done.stderr}")

    def apart(self):
        """A window beside the recording is told of with both times; one without time is no window."""
        late, part = self.folder / "late.kux", self.folder / "late.raw"
        for out in (late, part):
            self.commands.run([self.commands.program, "trim", "--from", "1ms", "--to", "2ms",
                               str(self.whole), "-o", str(out)])
        for command, trace in ((["trim"], late), (["svg"], late), (["raw", "cut"], part),
                               (["trim"], part), (["stat"], late)):
            words = [*command, str(trace), "-o", str(self.folder / "apart.txt")]
            self.says([*words, "--to", "500us"], INPUT, "recording begins at 0.001", "window ends at 0.0005")
            self.says([*words, "--from", "5s"], INPUT, "window begins at 5.0", "recording ends at 0.002",
                      "hint: times count from the start of the recording")
            self.says([*words, "--from", "2ms", "--to", "1ms"], USAGE, "ends before it begins", "hint: --from is its begin")
            self.says([*words, "--from", "1ms", "--to", "1ms"], USAGE, "the window is empty")
        for command in ("trim", "svg"):
            self.says([command, "--around", "lonely±0", str(self.whole)], USAGE, "the window is empty")
        self.says(["trim", "--last", "0", str(self.whole)], USAGE, "the window is empty")

    def gaps(self):
        """What could not be read is said by everything that writes something else of it."""
        cut = self.folder / "gaps.raw"
        cut.write_bytes(self.whole.read_bytes()[:65536])
        spans, half = self.folder / "whole.json", self.folder / "half.json"
        self.commands.run([self.commands.program, "spans", self.whole, "-o", spans])
        half.write_bytes(spans.read_bytes()[:spans.stat().st_size // 2])
        for command in self.commands.writers:
            for trace in (cut, half):
                # Span JSON does not tell what locks there are, so that is refused.
                writes_none = ("trim",) if trace == cut else ("locks",)
                if command[0] in ("raw", "align", "pcap", "symbolize") or command == writes_none:
                    continue
                words = self.commands.words(command, str(trace), "")
                done = subprocess.run([*words, "-o", str(self.named(command, "gaps"))],
                                      capture_output=True, text=True)
                self.expect("the trace is incomplete" in done.stderr,
                            f"{' '.join(words)}: says nothing of what it could not read: "
                            f"status {done.returncode}: {done.stderr}")

    def unrecorded(self):
        """Sums and explanations say what the recorder was told to leave out; a picture shows it."""
        partly = self.folder / "partly.raw"
        partly.write_bytes(self.commands.trace("partly"))
        told = ["syscalls", "wakeups are not recorded", "only some threads were recorded, and others are not counted: processes 10"]
        for command in (["stat"], ["blame"], ["why", "--at", "10@2us"], ["why"], ["diff"]):
            for trace, words in ((partly, told), (self.whole, [])):
                inputs = [str(trace)] * (2 if command == ["diff"] else 1)
                done = subprocess.run([self.commands.program, *command, *inputs],
                                      capture_output=True, text=True)
                self.expect(all(word in done.stderr for word in words),
                            f"{command} {trace}: says {done.stderr!r}, not all of {words}")
                self.expect(words or "not recorded" not in done.stderr,
                            f"{command} {trace}: says {done.stderr!r}")

    def lone_options(self):
        """An option that says more of another one is refused without it, not ignored."""
        for words, missing in ((["diff", "--fail-on", "count"], "--fail-over"),
                               (["diff", "--before", "..1ms"], "--after")):
            done = subprocess.run([self.commands.program, *words, str(self.whole), str(self.whole)],
                                  capture_output=True, text=True)
            self.expect(done.returncode == USAGE and missing in done.stderr,
                        f"{' '.join(words)}: status {done.returncode}: {done.stderr}")

    def says(self, words, status, *told, not_told=(), given=None):
        with open(given or os.devnull, "rb") as input:
            done = subprocess.run([self.commands.program, *words], stdin=input, capture_output=True, text=True)
        text = done.stdout + done.stderr
        self.expect(done.returncode == status and all(word in text for word in told) and
                    not any(word in text for word in not_told),
                    f"{' '.join(words)}: status {done.returncode}, {text!r}, not {told}")
        return done.stdout

    def no_effect(self):
        """Options of recorders that nothing would come of are refused before anything is recorded."""
        for words, told in ((("flight", "--duration", "0"), "--duration: 0 would record nothing"),
                            (("flight", "--snapshot", "-o", "flights"), "--snapshot excludes --output"),
                            (("flight", "--snapshot", "--when", "delay>1ms"), "excludes"),
                            (("control", "go", "--follow"), "--follow: whose children?"),
                            (("control", "stop", "--pid", "1"), "stop starts no recording"),
                            (("control", "stat", "--strings"), "stat starts no recording"),
                            (("control", "stop", "one", "-o", "two"), "stop has two files: one and -o"),
                            (("control", "go", "-o", "one"), "-o: go writes no file"),
                            (("control", "stat", "one"), "stat takes no argument"),
                            (("top", "--once", "-n", "3"), "--once excludes --number"),
                            (("top", "--once", "--last", "3s"), "--once excludes --last"),
                            (("record", "--source", "ebpf", "--daemon-socket", "/s", "--", "true"),
                             "--daemon-socket: no daemon with --source ebpf")):
            self.says(words, USAGE, told)

    def nothing_found(self):
        """What there is instead is told where it is."""
        whole = str(self.whole)
        self.says(["why", "--call", "page_fault", whole], INPUT, "only system calls", "profile")
        self.says(["why", "--mark", "lonely", whole], INPUT, "mark /lonel ", "grep ' mark '",
                  not_told=["syscalls"])
        self.says(["locks", whole], 0, "futexes", "intervals")
        self.says(["why", "--mark", "late", whole], INPUT, "has mark late, but no mark /late behind it")
        for command in (["syscalls", "--call", "nosuch"], ["why", "--request", "nosuch..read"]):
            self.says([*command, whole], INPUT, "kutrace syscalls", not_told=["span JSON"])
        apart = self.folder / "no rpcs.raw"
        apart.write_bytes(self.commands.trace("apart"))
        self.says(["why", "--rpc", "*", str(apart)], INPUT, "has no RPCs", f"kutrace query '{apart}' 'select")
        self.says(["why", "--function", "*", whole], INPUT, "has no functions", f"--by function {whole} lists")
        self.says(["stat", "--name", "nosuch", whole], INPUT, f"kutrace profile --by threads {whole} lists")
        self.says(["syscalls", "--call", "nosuch", "-"], INPUT, "kutrace syscalls FILE lists", given=self.whole)
        spans = self.folder / "none.json"
        self.commands.run([self.commands.program, "spans", self.whole, "-o", spans])
        for command in (["syscalls"], ["why", "--call", "read"], ["why", "--request", "read..read"]):
            self.says([*command, str(spans)], INPUT, "of no system calls", "span JSON")

    def not_of_the_part(self):
        """What there is, but not in the chosen part, is told with its number; the rest counts the part."""
        apart = self.folder / "apart.raw"
        apart.write_bytes(self.commands.trace("apart"))
        ask = ["why", "--call", "read", str(apart)]
        self.says(ask, 0, "1 call: begin or return is not in the trace")
        self.says([*ask, "--name", "client"], 0, not_told=["begin or return"])
        self.says([*ask, "--name", "server"], INPUT, "of 1 call begin or return is not in the trace")
        self.says([*ask, "--from", "6us"], INPUT, "3 calls read in the trace, none in this window")
        self.says([*ask, "--from", "6us", "--name", "client"], INPUT, "none of these threads in this window")
        self.says(["syscalls", *ask[1:], "--from", "6us"], INPUT, "3 such calls in the trace, none in this window")
        self.says(["why", "--request", "read..read", "--name", "server", str(apart)], INPUT,
                  "1 request read..read in the trace, none of these threads")
        self.says(["why", "--mark", "work", str(apart)], INPUT, "has mark work, but its end /work is another thread's",
                  "kutrace mark 'work' -- COMMAND")

    def of_waits(self):
        """Of a thread that was in no call the wait is explained, and called one."""
        self.says(["why", "--at", "20@1.1ms", str(self.whole)], 0, "The wait for", not_told=["call"])

    def all_of_them(self):
        """Where all are the slowest, nothing is compared; 0 lines are all lines."""
        whole = str(self.whole)
        for share, others in (("100%", False), ("2", True)):
            self.says(["why", "--call", "*", "--slowest", share, whole], 0,
                      *(["others_ms", "of the others"] if others else ["no others to compare"]),
                      not_told=["no others"] if others else ["others_ms", "more_ms"])
        for command in listed(self.commands.program):
            if command not in self.commands.readers or \
                    "--top " not in help_text(self.commands.program, command):
                continue
            texts = [subprocess.run([self.commands.program, *command, "--top", top,
                                     *self.words(command)[1 + len(command):]],
                                    capture_output=True, text=True).stdout for top in ("0", "999")]
            self.expect(texts[0] == texts[1] != "", f"{command}: --top 0 is not all: {texts[0]!r}")
            self.says([*command, "--top", "abc", whole], USAGE, "'abc'", "whole number of 0 or more")

    def commands_of_the_shell(self):
        """Stand where SQL does, too."""
        whole = str(self.whole)
        self.says(["query", whole, ".schema calls"], 0, "calls: ", "dur_ns", not_told=["spans: "])
        self.says(["query", whole, "-e", ".tables", "select 6 * 7 as n"], 0, "wakeups", "42")
        self.says(["query", whole, ".nosuch"], USAGE, "there is no command .nosuch", ".help lists them")

    def no_pages(self):
        """A table is not written to what is called a page."""
        for command in (("syscalls",), ("blame",), ("stat",), ("locks",), ("query",)):
            for form in ("html", "kux"):
                path = self.folder / f"none.{form}"
                if command in self.commands.readers:
                    self.says([*self.words(command)[1:], "-o", str(path)], USAGE, "kutrace report")
                self.expect(not path.exists(), f"{command} writes {path.name}")

    def lists_of_calls(self):
        whole = str(self.whole)
        ask = ["why", "--format", "json", "--slowest", "100%"]
        count = {calls: json.loads(self.says([*ask, "--call", calls, whole], 0))["found"]
                 for calls in ("read", "none,re?d")}
        self.expect(count["read"] == count["none,re?d"] > 0, f"calls: {count}")

    def lists(self):
        """What a list of runs or arguments lacks, or has twice, is told in its own words."""
        whole = str(self.whole)
        for words, told in ((["diff", whole + ",", whole], "comma without a name"),
                            (["diff", f"{whole},{whole}", whole], "twice"),
                            (["query", whole, "select * from critical_path(1, 2)"], "too few"),
                            (["query", whole, "select * from overlap(5)"], "too few"),
                            (["query", whole, "select * from span_totals(5)"], "too few"),
                            (["query", whole, "select * from call_totals where to_ns = 5"], "too few"),
                            (["query", whole, "select * from overlap(0, 'abc')"], "has something else"),
                            (["query", whole, "select * from span_totals(0, 'abc')"], "has something else"),
                            (["query", whole, "select * from critical_path(1, 2, 'abc')"], "has something else")):
            done = subprocess.run([self.commands.program, *words], capture_output=True, text=True)
            self.expect(done.returncode == USAGE and told in done.stderr,
                        f"{' '.join(words)}: status {done.returncode}: {done.stderr}")

    def run_of(self, name, busy_us, rare_us=0, burst_us=0):
        """Span JSON of 200 ms; in each of them worker has the CPU so long, then other; in the first rare, and in 40
        of them burst, in worker's place."""
        spans = []
        for begin in range(0, 200_000, 1000):
            for at, length, pid, thread in ((begin, busy_us, 10, "worker.10"),
                                            (begin + busy_us, 1000 - busy_us, 20, "other.20")):
                instead = rare_us if begin == 0 else burst_us if 40_000 <= begin < 80_000 else 0
                if pid == 10 and instead:
                    pid, thread = (30, "rare.30") if begin == 0 else (40, "burst.40")
                    spans.append(f"[{at / 1e6:.8f}, {instead / 1e6:.8f}, 0, {pid}, 0, {65536 + pid}, "
                                 f'0, 0, 0, "{thread}"],')
                    at, length, pid, thread = at + instead, length - instead, 10, "worker.10"
                spans.append(f"[{at / 1e6:.8f}, {length / 1e6:.8f}, 0, {pid}, 0, {65536 + pid}, "
                             f'0, 0, 0, "{thread}"],')
        head = '{"Comment" : "V2", "tracebase" : "2026-01-01_00:00:00", "version" : 3,'
        last = '[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]]}'
        path = self.folder / f"{name}.json"
        path.write_text("\n".join([head, '"events" : [', *spans, last]) + "\n")
        return str(path)

    def blind_limits(self):
        """A limit below what equal runs differ by lets everything pass: that is said, and only then."""
        for told, lengths in ((True, [300, 500, 700]), (False, [500, 500, 500])):
            sides = (",".join(self.run_of(f"{side}{told}{at}", length)
                              for at, length in enumerate(lengths)) for side in ("before", "after"))
            done = subprocess.run([self.commands.program, "diff", "--fail-over", "20%",
                                   "--by", "program", "--only", "worker", *sides],
                                  capture_output=True, text=True)
            self.expect(done.returncode == 0 and ("vary by more than 20 %" in done.stderr) == told and
                        ("most time in A is program worker, +-" in done.stderr) == told,
                        f"runs of {lengths}: status {done.returncode}: {done.stderr}")

    def no_verdict(self):
        """What is too little to be tested does not pass --fail-over in silence: if it is all there is, that is an
        error; if it grew, it is named, as is what only the other side has, in one stretch."""
        before = self.run_of("before", 500, rare_us=100)
        after = self.run_of("after", 500, rare_us=300, burst_us=200)
        gate = [self.commands.program, "diff", "--fail-over", "5%", "--by", "program", "--format", "csv"]
        for only, status, told in (("rare", INPUT, ["no verdict", "program rare (+200.0 %)", "1 of 1"]),
                                   ("rare,other", 0, ["program rare (+200.0 %)", "1 of 2"]),
                                   ("burst,other", 0, ["program burst (new)", "1 of 2"]),
                                   ("other", 0, [])):
            done = subprocess.run([*gate, "--only", only, before, after], capture_output=True, text=True)
            self.expect(done.returncode == status and all(words in done.stderr for words in told) and
                        ("too little" in done.stderr) == bool(told),
                        f"--only {only}: status {done.returncode}: {done.stderr}")
            verdicts = {row["name"]: row["verdict"] for row in csv.DictReader(done.stdout.splitlines())}
            self.expect(set(verdicts) == set(only.split(",")) and verdicts.get("rare", "untold") == "untold",
                        f"--only {only}: {verdicts}")

    def untold_side(self):
        """What a side does not tell of does not pass --fail-over as none of it: Chrome's JSON has no CPU time."""
        run = self.run_of("told", 500)
        chrome = self.folder / "chrome.json"
        chrome.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "name": "f", "pid": 1, "tid": 2, "ts": 1000 * ms, "dur": 10} for ms in range(1000)]}))
        for sides, which in (([run, str(chrome)], "B"), ([str(chrome), run], "A")):
            done = subprocess.run([self.commands.program, "diff", "--fail-over", "5%", "--by", "program",
                                   "--format", "csv", *sides], capture_output=True, text=True)
            self.expect(done.returncode == INPUT and f"{which} ({chrome}) does not tell of CPU time" in done.stderr,
                        f"{which}: status {done.returncode}: {done.stderr}")
            verdicts = {row["verdict"] for row in csv.DictReader(done.stdout.splitlines())}
            self.expect(verdicts == {"untold"}, f"{which}: {verdicts}")

    def cut_pages(self):
        """A page or container that ends early is told as such, wherever it ends."""
        for form in ("html", "kux"):
            page, part = self.folder / f"page.{form}", self.folder / f"part.{form}"
            self.commands.run([self.commands.program, "report", self.whole, "-o", page])
            content = page.read_bytes()
            for share in (0.1, 0.5, 0.9, 0.98):
                part.write_bytes(content[:int(len(content) * share)])
                done = subprocess.run([self.commands.program, "check", str(part)],
                                      capture_output=True, text=True)
                self.expect(done.returncode == INPUT and re.search(r"\b(ends|cut)\b", done.stderr),
                            f"{share} of a {form}: status {done.returncode}: {done.stderr}")

    def odd_names(self):
        """Bytes in names do not reach a terminal as they are: escapes, ends of lines."""
        odd = "odd\n\x1b[31m"
        program, folder = self.commands.program, str(self.folder)
        tried = [[program, odd], [program, "info", odd], [program, "--" + odd],
                 [program, "trim", "--name", odd, str(self.whole)],
                 [program, "trim", "--label", odd, str(self.whole)],
                 [program, "trim", "--pid", odd, str(self.whole)],
                 [program, "dump", "--stage", odd, str(self.whole)]]
        for command in self.commands.writers:
            for place in (f"{folder}/{odd}", f"{folder}/{odd}/{odd}"):
                tried.append([*self.words(command), "-o", place])
        for command in self.commands.readers:
            tried.append(self.commands.words(command, odd, odd))
        for words in tried:
            done = subprocess.run(words, capture_output=True)
            lines = [line for line in done.stderr.split(b"\n") if line]
            self.expect(all(MESSAGE.match(line.decode()) for line in lines) and
                        b"\x1b" not in done.stderr,
                        f"{words}: says {done.stderr!r}")

    def version(self):
        short, long = (subprocess.run([self.commands.program, option], capture_output=True)
                       for option in ("-V", "--version"))
        self.expect(short.returncode == 0 and short.stdout == long.stdout, "-V is not --version")

    def widths(self):
        """A table fits the terminal, or says what it leaves out; --wide is what a pipe gets."""
        one = str(self.one)
        for words in (["stat"], ["syscalls"], ["profile"], ["blame"], ["blame", "--by", "thread"],
                      ["why", "--call", "*"], ["diff", one]):
            line = [self.commands.program, *words, one]
            piped = subprocess.run(line, capture_output=True, text=True).stdout
            narrow = shown(line, NARROW)
            self.expect(narrow != "" and len(piped) > 0, f"{words}: says nothing")
            long = [text for text in narrow.split("\n")
                    if len(text) > NARROW and re.match(" *[0-9]", text)]
            self.expect(not long, f"{words}: does not fit {NARROW} columns: {long}")
            wide = max(len(text) for text in piped.split("\n"))
            self.expect(wide <= NARROW or narrow != piped, f"{words}: is as wide as in a pipe")
            self.expect(shown(line + ["--wide"], NARROW) == piped, f"{words} --wide: is not all")

    def no_calls(self):
        """Why a trace has no system calls depends on what was recorded."""
        partly, spans = self.folder / "partly.raw", self.folder / "calls.json"
        partly.write_bytes(self.commands.trace("partly"))
        self.says(["syscalls", str(partly)], INPUT, "tells of no system calls", "they were not recorded",
                  not_told=["span JSON"])
        subprocess.run([self.commands.program, "spans", self.whole, "-o", spans], capture_output=True, check=True)
        self.says(["syscalls", str(spans)], INPUT, "tells of no system calls", "span JSON holds pieces")
        text = self.folder / "switches.txt"
        text.write_text("     a-10  [000] .....     5.000000: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 "
                        "prev_state=S ==> next_comm=b next_pid=20 next_prio=120\n")
        self.says(["syscalls", str(text)], INPUT, "tells of no system calls", "events/raw_syscalls")

    def all(self):
        for command in self.commands.readers:
            self.prefix(command)
            self.numbers(command)
        self.full()
        self.colours()
        self.nobody_matches()
        self.negative()
        self.marks()
        self.no_such_cpu()
        self.apart()
        self.gaps()
        self.unrecorded()
        self.lone_options()
        self.no_effect()
        self.lists()
        self.lists_of_calls()
        self.nothing_found()
        self.not_of_the_part()
        self.of_waits()
        self.all_of_them()
        self.commands_of_the_shell()
        self.no_pages()
        self.no_calls()
        self.blind_limits()
        self.no_verdict()
        self.untold_side()
        self.cut_pages()
        self.odd_names()
        self.version()
        self.widths()


if __name__ == "__main__":
    Messages.main()
