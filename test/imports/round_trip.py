# SPDX-License-Identifier: BSD-3-Clause
"""A trace that is exported and read again tells what it told."""
import collections
import subprocess

RUNS = """kind in ('user', 'kthread', 'syscall', 'fault', 'irq', 'softirq', 'sched', 'idle',
'idle_low', 'c_exit')"""
TIMES = f"select cpu, coalesce(tid, 0), sum(dur_ns) from spans where {RUNS} group by 1, 2"
LOSSES = "select cpu, count(*) from spans where kind in ('loss', 'hidden') group by 1"
# rt_sigreturn leaves no number for its end.
OUR_CALLS = """select tid, name, count(*), sum(dur_ns) from calls where kind = 'syscall' and tid > 0
and name != 'rt_sigreturn' and not begin_inferred and not end_inferred
group by 1, 2"""
# Where their threads went on, they may come back as whole ones.
INFERRED = """select tid, name, count(*) from calls where kind = 'syscall' and tid > 0
and (begin_inferred or end_inferred) group by 1, 2"""
LAST_CALLS = """select tid, name, count(*), sum(end_inferred) from calls
where name in ('exit', 'exit_group') group by 1, 2"""
OUR_IRQS = "select name, count(*), sum(dur_ns) from calls where kind = 'irq' group by 1"


def knows(exports, trace, fact):
    """What info says of it; null: nothing."""
    run = subprocess.run([exports.program, "info", trace], capture_output=True, text=True, check=True)
    values = [line.split(maxsplit=1)[1] for line in run.stdout.splitlines()
              if line.startswith(fact + " ")]
    return values[0] if values else None


def judge_round_trip(exports, trace, form):
    name = trace.stem
    again = exports.export(trace, form)
    losses = collections.Counter(exports.sums(trace, LOSSES))
    before, after = (exports.sums(path, TIMES) for path in (trace, again))
    # Before each loss there is 1 ns of nobody's, which is idle.
    near = {key: after.get(key, 0) for key in before}
    for key, time in before.items():
        if key[1] == 0 and time <= near[key] <= time + losses[key[0]]:
            near[key] = time
    exports.equal(before, near, f"{name}: time by CPU and thread, read again")
    whole = {row[:2]: row[2:] for row in exports.ask(trace, OUR_CALLS)}
    found = {row[:2]: row[2:] for row in exports.ask(again, OUR_CALLS)}
    for *key, most in exports.ask(trace, INFERRED):
        key = tuple(key)
        more = found.get(key, (0, 0))[0] - whole.get(key, (0, 0))[0]
        if 0 < more <= most:
            whole[key] = found[key]
    exports.equal(whole, found, f"{name}: system calls, read again")
    last = ({row[:2]: row[2:] for row in exports.ask(path, LAST_CALLS)} for path in (trace, again))
    exports.equal(*last, f"{name}: last calls of threads, read again")
    exports.equal({row[0]: row[1:] for row in exports.ask(trace, OUR_IRQS)},
                  {row[0]: row[1:] for row in exports.ask(again, OUR_IRQS)},
                  f"{name}: interrupts, read again")
    subprocess.run([exports.program, "check", again], capture_output=True, check=True)
