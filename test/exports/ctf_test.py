#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""babeltrace2 reads what is exported as CTF, and finds the same events and the same sums.

ctf_test.py KUTRACE BABELTRACE2 MADE_CALLS SMALL_TRACE ODD_TRACE [TRACE...]: every switch with its time, calls
by thread and name with their number and time, interrupts, waits, wakeups with their targets, and
what was lost; names that could break the metadata; folders that cannot be written.
"""
import pathlib
import re
import shutil
import signal
import subprocess

from exported import Exports

LINE = re.compile(r"\[(\d+)\.(\d{9})\] (?:\S* )?(syscall_\w+?_.*|\w+): (?:\{ cpu_id = (\d+) \}, )?"
                  r"\{ tid = (-?\d+) \}, \{ ?(.*?) ?\}$")
FIELD = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,]+)(?:, |$)')
LOSS = re.compile(r"WARNING: Tracer discarded (\d+) events? between ")
LOST, HIDDEN = 0x7FFFFFF0, 0x7FFFFFF1
PAIRS = {"syscall_": "syscall", "irq_handler_": "irq", "irq_softirq_": "softirq",
         "x86_irq_vectors_": "irq", "kutrace_call_": None}
TRIES = 50
FAULTS = ("x86_exceptions_page_fault_user", "x86_exceptions_page_fault_kernel")


class Event:
    def __init__(self, match):
        seconds, rest, self.name, cpu, tid, fields = match.groups()
        self.time = int(seconds) * 1_000_000_000 + int(rest)
        self.cpu = None if cpu is None else int(cpu)
        self.tid = int(tid)
        self.fields = {name: value.strip('"') for name, value in FIELD.findall(fields)}

    def number(self, field):
        return int(self.fields[field], 0)


def read(exports, babeltrace, folder):
    """Events in the order of their times, and how many were lost."""
    run = subprocess.run([babeltrace, "--clock-seconds", "--no-delta", folder], capture_output=True,
                         text=True, check=True)
    lost, events = 0, []
    for line in run.stderr.splitlines():
        match = LOSS.match(line)
        exports.expect(match, f"{folder.name}: babeltrace2 says {line}")
        lost += int(match.group(1)) if match else 0
    for line in run.stdout.splitlines():
        match = LINE.match(line)
        exports.expect(match, f"{folder.name}: not understood: {line}")
        if match:
            events.append(Event(match))
    exports.expect(all(a.time <= b.time for a, b in zip(events, events[1:])),
                   f"{folder.name}: events are not in order")
    return events, lost


def switches_of(exports, trace):
    """Who came after whom, by CPU and time; at the end each CPU is idle."""
    rows = exports.ask(trace, "select cpu, start_ns, kind, tid, end_ns from spans order by 1, 2")
    found, runs, end = [], {}, 0
    for cpu, start, kind, tid, until in rows:
        end = max(end, until)
        tid = {"loss": LOST, "hidden": HIDDEN}.get(kind, tid or 0)
        if runs.get(cpu) != tid:
            found.append((cpu, start, runs.get(cpu, 0), tid))
            runs[cpu] = tid
    return found + [(cpu, end, tid, 0) for cpu, tid in runs.items() if tid != 0]


def add(sums, key, time):
    count, total = sums.get(key, (0, 0))
    sums[key] = (count + 1, total + time)


def calls_of(events):
    """Number and time of calls, by kind, thread (0: a CPU's) and name; interrupts by number."""
    sums, begun = {}, {}
    for event in events:
        if event.name == "kutrace_call":
            # Its begin or its end was not seen; or it was on no CPU.
            key = event.fields["kind"], event.tid, event.fields["name"]
            add(sums, key, event.number("duration_ns"))
            begun.pop((*key, None), None)
            continue
        base = next((base for base in PAIRS if event.name.startswith(base)), None)
        if base is None and event.name not in FAULTS:
            continue
        kind = PAIRS.get(base) or event.fields.get("kind", "fault")
        of_cpu = kind in ("irq", "softirq")
        what = event.name.removeprefix(base or "")
        is_exit = what.startswith("exit") or what.endswith("exit")
        if base == "syscall_":
            name = what.partition("_")[2]
        elif base is None or base == "kutrace_call_":
            name = event.fields.get("name", "page_fault")
        else:
            name = event.number({"irq_softirq_": "vec", "irq_handler_": "irq"}.get(base, "vector"))
        tid = 0 if of_cpu else event.tid
        key = kind, tid, name, event.cpu if tid == 0 else None
        if not is_exit:
            begun.setdefault(key, []).append(event.time)
        elif begun.get(key):
            add(sums, key[:3], event.time - begun[key].pop())
    return sums


def our_calls(exports, trace):
    rows = exports.ask(trace, """select kind, coalesce(tid, 0), name, event, arg, count(*), sum(dur_ns)
    from calls group by 1, 2, 3, 4, case when kind = 'softirq' then arg end""")
    sums = {}
    for kind, tid, name, event, arg, count, time in rows:
        if kind == "irq":
            name, tid = event & 0xff, 0
        elif kind == "softirq":
            tid, name = 0, arg if arg < 10 else name
        have = sums.get((kind, tid, name), (0, 0))
        sums[kind, tid, name] = (have[0] + count, have[1] + time)
    return sums


def check_trace(exports, babeltrace, trace):
    name = trace.name
    events, lost = read(exports, babeltrace, exports.export(trace, "ctf"))
    begin = exports.ask(trace, "select min(start_ns) from spans")[0][0]
    shift = min(event.time for event in events) - begin
    ours = switches_of(exports, trace)
    theirs = [(event.cpu, event.time - shift, event.number("prev_tid"), event.number("next_tid"))
              for event in events if event.name == "sched_switch"]
    exports.expect(sorted(ours) == sorted(theirs),
                   f"{name}: {len(ours)} switches against {len(theirs)}, "
                   f"{sorted(set(ours) ^ set(theirs))[:5]}")
    our_sums = our_calls(exports, trace)
    exports.equal(our_sums, calls_of(events), f"{name}: calls")
    waits = {}
    for event in events:
        if event.name == "kutrace_wait":
            reason = event.fields["reason"].removeprefix("wait_")
            reason = {"cpu": "ready", "unk": "unexplained"}.get(reason, reason)
            add(waits, (event.tid, reason), event.number("duration_ns"))
    exports.equal({row[:2]: row[2:] for row in exports.ask(
        trace, "select tid, name, count(*), sum(dur_ns) from waits group by 1, 2")}, waits, f"{name}: waits")
    wakings = [event for event in events if event.name == "sched_waking"]
    points = exports.ask(trace, "select start_ns, cpu, arg from points where event = 518")
    exports.expect(sorted(points) == sorted((event.time - shift, event.cpu, event.number("tid"))
                                            for event in wakings), f"{name}: wakeups")
    targets = set((event.time - shift, event.number("tid"), event.number("target_cpu"))
                  for event in wakings)
    missing = [row for row in exports.ask(
        trace, "select start_ns, to_tid, to_cpu from wakeups where kind = 'wakeup'")
               if row not in targets]
    exports.expect(not missing, f"{name}: not woken to that CPU: {missing[:5]}")
    # Of a loss of an unknown number one is told.
    losses = exports.ask(trace, "select max(coalesce(entries, 1), 1) from losses where dur_ns > 0")
    exports.equal({"lost": sum(row[0] for row in losses)}, {"lost": lost}, name)
    print(f"{name}: {len(events)} events, {len(ours)} switches, {len(our_sums)} kinds of calls, "
          f"{len(wakings)} wakeups, {lost} lost")


def check_places(exports, trace):
    """What stands there stays; who is ended leaves nothing."""
    place = exports.folder / "place"
    place.mkdir()
    (place / "folder").mkdir()
    (place / "file").write_text("precious")
    export = [exports.program, "export", "--to", "ctf", trace, "-o"]
    for output, status in [("folder", 5), ("folder/", 5), ("file", 5), ("missing/folder", 5), ("-", 2)]:
        run = subprocess.run([*export, output], cwd=place, capture_output=True, text=True)
        exports.expect(run.returncode == status and "hint:" in run.stderr,
                       f"-o {output} ends with {run.returncode}: {run.stderr}")
    exports.expect((place / "file").read_text() == "precious" and not any((place / "folder").iterdir()),
                   "what stood where the output was to go is not as it was")
    ended = False
    for _ in range(TRIES):
        with subprocess.Popen([*export, "ended"], cwd=place, stderr=subprocess.DEVNULL) as running:
            while running.poll() is None and not list(place.glob("*.part")):
                pass
            running.send_signal(signal.SIGTERM)
            ended = running.wait() == -signal.SIGTERM
        if ended:
            break
        shutil.rmtree(place / "ended", ignore_errors=True)
    exports.expect(ended, "an export is never seen to write")
    left = sorted(path.name for path in place.iterdir())
    exports.expect(left == ["file", "folder"], f"after a signal there are {left}")


def check(exports, babeltrace, calls, small, odd, *traces):
    made = [exports.made(small)]
    made += [exports.made(small, which) for which in ("large", "partly", "lossy", "hostile")]
    made += [exports.made(odd, which, "odd", "0") for which in ("lock-convoy", "priority-inversion")]
    for which, *seed in [("talking", "3"), ("truth", "1"), ("truth", "2"), ("nested",), ("requests",)]:
        made.append(exports.folder / f"{which}{''.join(seed)}.raw")
        subprocess.run([calls, which, made[-1], *seed], check=True)
    check_places(exports, made[1])
    recorded = exports.recorded()
    for trace in made + recorded + [pathlib.Path(trace) for trace in traces]:
        check_trace(exports, babeltrace, trace)
    for trace in recorded:
        exports.read_back(trace, "ctf", "--label", "part")
        exports.read_back(trace, "ctf", "--cpu", "0")
        faults = exports.ask(trace, "select count(*) from calls where kind = 'fault'")
        again = exports.ask(exports.folder / f"{trace.stem}.ctf", "select count(*) from points where name = 'page_fault'")
        exports.expect(faults == again, f"{trace.name}: {faults} page faults, read back {again}")


if __name__ == "__main__":
    Exports.main(check)
