#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Perfetto's trace_processor reads what is exported for it, and finds the same sums.

perfetto_test.py KUTRACE NODE TRACE_PROCESSOR SMALL_TRACE ODD_TRACE [TRACE...]: by CPU and kind, by
CPU and thread, by thread and call, by thread and reason of waiting; wakeups; its own count of what
was wrong.
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "imports"))
from exported import Exports, by_key  # noqa: E402

LOST, HIDDEN = 0x7FFFFFF0, 0x7FFFFFF1

ERRORS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
# It ends rt_sigreturn where it begins. The tracks of CPUs hold all that they did.
KINDS = """select substr(t.name, 5), s.category, sum(s.dur) from slice s join track t on s.track_id = t.id
where t.name glob 'CPU [0-9]*' and t.name not glob '* *[a-z]*' group by 1, 2"""
SCHED = """select s.cpu, t.tid, sum(s.dur) from sched s join thread t using (utid)
where s.dur > 0 group by 1, 2"""
CALLS = """select t.tid, s.name, count(), sum(s.dur) from slice s join thread_track k on s.track_id = k.id
join thread t using (utid) where s.name not in ('rt_sigreturn', 'sys_rt_sigreturn')
and (s.name glob 'sys_*' or s.category in ('fault', 'syscall'))
group by 1, 2"""
IRQS = """select s.name, count(), sum(s.dur) from slice s where s.name glob 'IRQ (*' group by 1"""
WAITS = """select t.tid, s.name, sum(s.dur) from slice s join thread_track k on s.track_id = k.id
join thread t using (utid) where s.category = 'wait' group by 1, 2"""
# A thread that was woken is ready from 1 ns after it left its CPU at the earliest. A state that goes on
# until the end has the length -1.
READY = """select t.tid, sum(iif(s.dur < 0, trace_end() - s.ts, s.dur)), count()
from thread_state s join thread t using (utid)
where s.state glob 'R*' and s.state != 'Running' and t.tid > 0 and t.tid < 2147483632
group by 1"""
WAKERS = """select w.tid, t.tid, count() from thread_state s join thread t using (utid)
join thread w on s.waker_utid = w.utid group by 1, 2"""


def ask(node, processor, trace, statements):
    run = subprocess.run([node, HERE / "trace_processor.mjs", processor, trace, *statements],
                         capture_output=True, text=True, timeout=300, check=True)
    return [[tuple(row) for row in rows] for rows in json.loads(run.stdout.splitlines()[-1])]


def unfinished(exports, trace):
    """Calls whose returns were not seen, of threads that did not go on: Perfetto gives them the length
    -1."""
    last = exports.sums(trace, "select tid, max(start_ns) from spans where tid > 0 group by 1")
    return [row for row in exports.ask(trace, """select tid, name, end_ns, dur_ns from calls
            where kind = 'syscall' and tid > 0 and end_inferred and name != 'rt_sigreturn'""")
            if last.get(row[0], -1) < row[2]]


def kutrace_sums(exports, trace):
    kinds = exports.sums(trace, "select cpu, kind, total_ns from span_totals")
    sched = {}
    for cpu, kind, tid, time in exports.ask(
            trace, "select cpu, kind, tid, sum(dur_ns) from spans group by 1, 2, 3"):
        tid = {"loss": LOST, "hidden": HIDDEN}.get(kind, tid or 0)
        sched[cpu, tid] = sched.get((cpu, tid), 0) + time
    calls = {row[:2]: row[2:] for row in exports.ask(
        trace, """select tid, name, count(*), sum(dur_ns) from calls
        where kind in ('syscall', 'fault') and tid > 0 and name != 'rt_sigreturn' group by 1, 2""")}
    for tid, name, _, time in unfinished(exports, trace):
        count, total = calls[tid, name]
        calls[tid, name] = count, total - time - 1
    irqs = {f"IRQ ({name})": (count, total) for name, count, total in exports.ask(
        trace, "select name, count(*), sum(dur_ns) from calls where kind = 'irq' group by 1")}
    waits = exports.sums(trace, "select tid, name, sum(dur_ns) from waits group by 1, 2")
    return kinds, sched, calls, irqs, waits


def check_trace(exports, node, processor, trace):
    name = trace.name
    exported = exports.export(trace, "perfetto")
    errors, kinds, sched, calls, irqs, waits, ready, wakers = ask(
        node, processor, exported, [ERRORS, KINDS, SCHED, CALLS, IRQS, WAITS, READY, WAKERS])
    exports.expect(not errors, f"{name}: trace_processor counts {errors}")
    our_kinds, our_sched, our_calls, our_irqs, our_waits = kutrace_sums(exports, trace)
    exports.equal(our_kinds, {(int(cpu), kind): time for cpu, kind, time in kinds},
                  f"{name}: time by CPU and kind")
    exports.equal(our_sched, by_key(sched), f"{name}: time by CPU and thread")
    exports.equal(our_calls, {(row[0], row[1].removeprefix("sys_")): row[2:] for row in calls},
                  f"{name}: calls")
    exports.equal(our_irqs, {row[0]: row[1:] for row in irqs}, f"{name}: interrupts")
    ours = {}
    for (tid, reason), time in our_waits.items():
        ours[tid, reason] = ours.get((tid, reason), 0) + time
    theirs = {}
    for tid, reason, time in waits:
        reason = {"cpu": "ready", "unk": "unexplained"}.get(reason[5:], reason[5:])
        theirs[tid, reason] = theirs.get((tid, reason), 0) + time
    exports.equal(ours, theirs, f"{name}: waits by thread and reason")
    # Of a thread that did not run yet Perfetto knows nothing; what a trace does not tell of a thread
    # that was ready goes on as that.
    early = exports.sums(trace, """select tid, sum(dur_ns) from waits
    where name = 'ready' and start_ns = (select min(start_ns) from spans) group by 1""")
    unknown = exports.sums(trace, "select tid, sum(unknown_ns) from threads group by 1")
    for tid, time, count in ready:
        our_time = ours.get((tid, "ready"), 0) - early.get(tid, 0)
        exports.expect(our_time - count <= time <= our_time + (unknown.get(tid) or 0),
                       f"{name}: thread {tid} was ready {time} ns, and {our_time} by kutrace")
    # Wakeups of threads that ran before, and not in the nanosecond in which they were woken. kutrace
    # counts them where they run, so not those of the last threads, which are ready until the end.
    known = exports.sums(trace, """select tid, to_tid, count(*) from wakeups
    where kind = 'wakeup' group by 1, 2""")
    ready_at_end = {row[0] for row in exports.ask(trace, """select tid from waits
    where name = 'ready' and end_ns = (select max(end_ns) from spans)""")}
    for waker, woken, count in wakers:
        exports.expect(count <= known.get((waker, woken), 0) + (woken in ready_at_end),
                       f"{name}: {waker} woke {woken} {count} times, "
                       f"by kutrace {known.get((waker, woken), 0)}")
    told = sum(count for _, _, count in wakers)
    exports.expect(told > 0 or not known, f"{name}: no wakeup has a waker")
    print(f"{name}: {sum(our_kinds.values())} ns, {len(our_calls)} kinds of calls, "
          f"{told} of {sum(known.values())} wakeups")


def check(exports, node, processor, small, odd, *traces):
    made = [exports.made(small), exports.made(small, "large")]
    made += [exports.made(odd, which, "odd", "0") for which in ("lock-convoy", "priority-inversion")]
    recorded = exports.recorded()
    # Where a recording ends, threads are ready, sleep, and run.
    cut = [exports.cut(trace, to) for trace in recorded for to in ("0.1s", "0.25s", "0.4s", "0.55s")]
    for trace in made + recorded + cut + [pathlib.Path(trace) for trace in traces]:
        check_trace(exports, node, processor, trace)
    for trace in recorded:
        exports.read_back(trace, "perfetto", "--label", "part")
        exports.read_back(trace, "perfetto", "--name", "sh")
    exports.read_back(exports.made(small, "lossy"), "perfetto")


if __name__ == "__main__":
    Exports.main(check)
