# SPDX-License-Identifier: BSD-3-Clause
"""The program with a known pattern, recorded by both sources in all three modes.

Each trace keeps the law, has lost nothing, gives back exactly what the program did, and can be read by
KUtrace's own tools.
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import check_format
import guest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "live"))
import filtered_test
import points_test
import stacks_test

PROGRAMS = ["kutrace", "kutrace-pattern", "kutrace-acts", "kutrace-hostile", "kutrace-pointed",
            "kutrace-stacked", "kutrace-filtered"]
ACCELERATOR = guest.TWO_CPUS
SOURCES = ["module", "ebpf"]
MODES = ["stream", "fill", "wrap"]
POINTS = "+locks,+disk,+signals,+processes,+migrations,+memory,+fault_addresses,+timers,+workqueue,+sockets,+pages"
SCRIPT = f"""
sources="{' '.join(SOURCES)}"
if [ -e /modules/kutrace.ko ]; then insmod /modules/kutrace.ko; else sources=ebpf; fi
kutrace doctor >/out/doctor
for source in $sources; do
  for mode in {' '.join(MODES)}; do
    kutrace record --source $source --mode $mode --buffer-mb 16 -o /out/$source-$mode.raw -- \\
      kutrace-pattern /tmp/data >/out/$source-$mode.told 2>/out/$source-$mode.log
  done
  kutrace record --source $source -o /out/$source-acts.raw -- \\
    kutrace-acts barrier exec insert write >/out/$source-acts.told 2>/out/$source-acts.log
  kutrace record --source $source -o /out/$source-filtered.raw -- \\
    sh -c '{filtered_test.script("/bin/kutrace-filtered")}' >/out/$source-filtered.told 2>/out/$source-filtered.log
done
# Overflow of each kind, of copies and in the module, and what auto takes.
busy="dd if=/dev/zero of=/dev/null bs=1 count=120000"
kutrace record --mode wrap --buffer-mb 1 -o /out/wrapped.raw -- $busy 2>/out/wrapped.log
kutrace record --mode fill --buffer-mb 1 -o /out/full.raw -- $busy 2>/out/full.log
kutrace record --mode wrap --args --buffer-mb 1 -o /out/wrapped-inside.raw -- $busy 2>/out/wrapped-inside.log
kutrace record --mode fill --args --buffer-mb 1 -o /out/full-inside.raw -- $busy 2>/out/full-inside.log
kutrace record --samples 500 -o /out/samples.raw -- $busy 2>/out/samples.log
# Arguments and what they point to, and counts of the kernel's.
few="dd if=/dev/zero of=/tmp/a_file bs=8 count=3"
for source in $sources; do
  kutrace record --source $source --strings -o /out/$source-strings.raw -- $few 2>/out/$source-strings.log
  kutrace record --source $source --strings -o /out/$source-still.raw -- kutrace-hostile still \
    2>/out/$source-still.log
  kutrace record --source $source --strings -o /out/$source-racing.raw -- kutrace-hostile racing \
    >/out/$source-racing.told 2>/out/$source-racing.log
  kutrace record --source $source --events {POINTS} -o /out/$source-points.raw -- kutrace-pointed \
    >/out/$source-points.told 2>/out/$source-points.log
  kutrace record --source $source --stacks --samples 500 -o /out/$source-stacks.raw -- \
    kutrace-pattern /tmp/data >/out/$source-stacks.told 2>/out/$source-stacks.log
  kutrace record --source $source --counter-period 20ms -o /out/$source-counters.raw -- \
    kutrace-pattern /tmp/data >/out/$source-counters.told 2>/out/$source-counters.log
  kutrace record --source $source --stacks --samples 1000 -o /out/$source-chains.raw -- \
    /bin/kutrace-stacked {stacks_test.SPIN_MS} {stacks_test.SLEEPS} {stacks_test.GARBAGE} \
    >/out/$source-chains.told 2>/out/$source-chains.log
done
kutrace count 'syscall:write, by name, count, sum(bytes), where arg2 == 8' --only-command --format csv -- $few \\
  >/out/counted 2>/out/counted.log || true
# With the least capabilities libbpf may not search the modules for what this kernel lacks. busybox has
# a setpriv of its own, which cannot bound them.
if /bin/setpriv --version | grep -q util-linux; then
  /bin/setpriv --bounding-set=-all,+bpf,+perfmon --inh-caps=-all -- kutrace record --source ebpf -o /out/least.raw -- \\
    $few 2>/out/least.log
fi
[ ! -e /modules/kutrace.ko ] || rmmod kutrace
"""


def more_programs():
    return [path for path in [shutil.which("setpriv")] if path]


def run(arguments, program, *words, environment=None):
    return subprocess.run([pathlib.Path(arguments.build) / program, *words], capture_output=True,
                          text=True, check=False, env=dict(os.environ, **(environment or {})))


def check_law(arguments, trace):
    done = run(arguments, "kutrace", "check", str(trace))
    if done.returncode == 0 and "100.000000" in done.stdout:
        return []
    return [f"{trace.name}: {done.stdout}{done.stderr}"]


GETPPID = ' "getppid"'
# Emulated CPUs stand still when the host is busy, in interrupts too, which the kernel charges to threads.
PATTERN_TESTS = "[pattern]~*the kernel charged it"


def check_program(arguments, trace, tests, name):
    """The live tests of a program, over a trace of it and what it told."""
    done = run(arguments, "kutrace-live", tests,
               environment={f"KUTRACE_{name}_TRACE": str(trace),
                            f"KUTRACE_{name}_TOLD": str(trace.with_suffix(".told"))})
    return [] if done.returncode == 0 else [f"{trace.name}: {done.stdout}{done.stderr}"]


def check_pattern(arguments, trace):
    return check_program(arguments, trace, PATTERN_TESTS, "PATTERN")


def check_acts(arguments, trace):
    return check_program(arguments, trace, "[acts]", "ACTS")


def expect(out, name, text):
    said = (out / name).read_text(encoding="utf-8")
    return [] if text in said else [f"{name}: does not say '{text}':\n{said}"]


def check_loss(out, name):
    """Nothing, but what the kernel does not run: a program that interrupts one of its own kind."""
    said = (out / name).read_text(encoding="utf-8")
    skipped = re.search(r"the kernel skipped runs of hooks: (.*)", said)
    runs = sum(map(int, re.findall(r"\w+ (\d+) \(", skipped.group(1)))) if skipped else 0
    may_be = f"{runs:,} {'entry' if runs == 1 else 'entries'} lost" \
        if skipped and name.startswith("ebpf") else ""
    return [] if may_be and may_be in said else expect(out, name, "nothing lost")


def check_samples(arguments, trace):
    """A busy program has samples, in the kernel and outside of it."""
    text = run(arguments, "kutrace", "dump", str(trace)).stdout
    counts = [len(re.findall(rf"^\d+ \d+ {event} ", text, re.MULTILINE)) for event in (280, 281)]
    if min(counts) > 10:
        return check_law(arguments, trace)
    return [f"{trace.name}: {counts} samples of user and kernel code"]


# Of a line of `syscalls --text`, what is another at each run: time and thread, durations, addresses, random
# bytes, the number of a new thread, the file of the recorder's own words.
OF_ONE_RUN = re.compile(r'^[\d.]+ \[\d+\] | <[\d.]+>|0x[0-9a-f]{6,}|\d{6,}|(?<=getrandom\()".*"|(?<=\) = )\d{3,}(?= )|'
                        r"\w+-(strings|still)")


# Before its program starts, the command gives back the limit of open files that eBPF alone raises.
OF_EBPF = "*prlimit64(0, RLIMIT_NOFILE, "


def calls_of(arguments, trace, name):
    """What a program called, as text, without what is another at each run."""
    text = run(arguments, "kutrace", "syscalls", "--text", "--name", name, str(trace)).stdout
    lines = [OF_ONE_RUN.sub("*", line) for line in text.splitlines()]
    return [line for line in lines if not line.startswith(OF_EBPF)]


def check_sameness(arguments, traces, name):
    """Every source tells the same of all that a program called."""
    calls = [calls_of(arguments, trace, name) for trace in traces]
    differ = [f"{first}\n{other}" for other_calls in calls[1:]
              for first, other in itertools.zip_longest(calls[0], other_calls) if first != other]
    return [f"{traces[0].name} and another source differ:\n" + "\n".join(differ)] if differ else []


def check_racing(arguments, trace):
    """Names that changed while they were read: each is one that there was, or a part."""
    text = run(arguments, "kutrace", "syscalls", "--text", "--name", "kutrace-hostile", str(trace)).stdout
    names = re.findall(r'openat\(-1, ([^ ]*), O_RDONLY\) = -1 E(?:BADF|NAMETOOLONG|NOENT)', text)
    told = int(trace.with_suffix(".told").read_text().split("=")[1])
    if len(names) == told and all(re.fullmatch(r'"[ab]{0,280}"(\.\.\.)?', name) for name in names):
        return check_law(arguments, trace)
    return [f"{trace.name}: {len(names)} of {told} names, such as {names[:3]}"]


def check_strings(arguments, traces):
    """A program's file, and what it wrote there."""
    findings = []
    for trace in traces:
        text = "\n".join(calls_of(arguments, trace, "dd"))
        writes = re.findall(r"write\(1(?:<[^>]*>)?, (.*), 8\) = 8", text)
        opened = re.findall(r'open(?:at)?\((?:AT_FDCWD(?:<[^>]*>)?, )?"/tmp/a_file", O_WRONLY\|O_CREAT\S*, 0666\)',
                            text)
        if writes != [r'"\0\0\0\0\0\0\0\0"'] * 3 or len(opened) != 1:
            findings.append(f"{trace.name}: {text}{trace.with_suffix('.log').read_text(encoding='utf-8')}")
        findings += check_law(arguments, trace)
    return findings + check_sameness(arguments, traces, "dd")


def check_stacks(arguments, trace):
    """What slept did so in the scheduler, and all waits are among those by stacks."""
    folded = run(arguments, "kutrace", "profile", "--stacks", "off", str(trace)).stdout.splitlines()
    slept = [line for line in folded if ";schedule;__schedule;wait:" in line and "kutrace-pattern" in line]
    waits = run(arguments, "kutrace", "query", str(trace), "select sum(dur_ns) from waits").stdout.split()[-1]
    total = sum(int(line.rsplit(" ", 1)[1]) for line in folded)
    sampled = run(arguments, "kutrace", "profile", "--stacks", "on", str(trace)).stdout
    if slept and total == int(waits) and sampled:
        return check_law(arguments, trace)
    return [f"{trace.name}: {total} ns of {waits}: {folded[:5]} {trace.with_suffix('.log').read_text()}"]


def check_counters(arguments, trace):
    """Free memory is among them, and less than all of it."""
    counts = run(arguments, "kutrace", "query", str(trace), "--format", "csv",
                 "select max(case when name = 'mem_free' then value end), max(case when name = 'mem_total' then value "
                 "end) from readings")
    free, total = (float(word or 0) for word in counts.stdout.split()[-1].split(","))
    if 0 < free < total:
        return check_law(arguments, trace)
    return [f"{trace.name}: {counts.stdout}{counts.stderr}{trace.with_suffix('.log').read_text()}"]


def check_chains(arguments, trace):
    """Stacks of a program with known chains of calls."""
    build = pathlib.Path(arguments.build)
    test = stacks_test.Test(build / "kutrace", build / "kutrace-stacked", trace.parent)
    named = trace.with_suffix(".named.raw")
    named.unlink(missing_ok=True)
    test.name(trace, named, "/bin/kutrace-stacked")
    pid = int(trace.with_suffix(".told").read_text(encoding="utf-8").split("pid=")[1].split()[0])
    test.samples(named, pid)
    test.waits(named, pid)
    test.whole(named)
    return [f"{trace.name}: {finding}" for finding in test.findings]


def check_points(arguments, trace):
    """Moments as many as the program caused; programs that are started as often as the trace's calls say."""
    test = points_test.Test(pathlib.Path(arguments.build) / "kutrace", trace.parent)
    test.moments(trace, points_test.numbers(trace.with_suffix(".told").read_text(encoding="utf-8")))
    if test.findings:
        return [f"{trace.name}: {finding}" for finding in test.findings]
    counts = run(arguments, "kutrace", "query", str(trace), "--format", "csv",
                 "select (select count(*) from points where name = 'exec'), (select count(*) from calls where "
                 "name like 'execve%' and result = 0), (select count(*) from points where name = 'exit'), "
                 "(select count(*) from points where name in ('hrtimer_expires', 'timer_expires'))")
    numbers = [int(word) for word in counts.stdout.split()[-1].split(",")]
    if numbers[0] == numbers[1] > 0 and numbers[2] > 0 and numbers[3] > 0:
        return check_law(arguments, trace)
    return [f"{trace.name}: {counts.stdout}{counts.stderr}{trace.with_suffix('.log').read_text()}"]


def check_page(arguments, trace):
    """The page of the trace, in Chromium: as many calls of a name as the trace has."""
    tests = pathlib.Path(__file__).parents[1] / "browser"
    web = tests.parents[1] / "web"
    node = shutil.which("node")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not (node and chromium and (web / "node_modules" / "playwright-core").exists()):
        print("NOT RUN: the page in a browser: needs node, chromium, npm packages of web/")
        return ["no browser"] if os.environ.get("CI") == "true" else []
    page = trace.with_suffix(".html")
    run(arguments, "kutrace", "report", str(trace), "-o", str(page))
    calls = run(arguments, "kutrace", "dump", "--stage", "calls", str(trace)).stdout
    done = subprocess.run([node, tests / "recorded_test.mjs", page, chromium, web, "2",
                           f"getppid={calls.count(GETPPID)}"],
                          capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"{page.name}: {done.stderr}"]


def check_filtered(arguments, trace):
    """Marks under filters of system calls do no harm, and are heard."""
    told = trace.with_suffix(".told").read_text(encoding="utf-8").splitlines()
    ended = [line for line in told if line.endswith(" 7")]
    findings = [] if len(ended) == len(filtered_test.PROFILES) else [f"{trace.name}: {told}"]
    return findings + filtered_test.findings_of(
        lambda sql: json.loads(run(arguments, "kutrace", "query", "--format", "json", str(trace), sql).stdout),
        trace.name)


def check(out, arguments):
    sources = SOURCES if arguments.has_module else SOURCES[1:]
    findings = expect(out, "doctor", f"record uses: {sources[0]}")
    if "cannot see: \n" in (out / "doctor").read_text(encoding="utf-8"):
        findings.append("doctor: cannot see, and says not what")
    for name in [f"{source}-{mode}" for source in sources for mode in MODES]:
        trace = out / f"{name}.raw"
        findings += check_law(arguments, trace) + check_pattern(arguments, trace)
        findings += check_format.rules_broken(trace)
        findings += check_loss(out, f"{name}.log")
    for source in sources:
        findings += check_acts(arguments, out / f"{source}-acts.raw")
        findings += check_filtered(arguments, out / f"{source}-filtered.raw")
    findings += check_samples(arguments, out / "samples.raw")
    findings += check_strings(arguments, [out / f"{source}-strings.raw" for source in sources])
    findings += check_sameness(arguments, [out / f"{source}-still.raw" for source in sources], "kutrace-hostile")
    for source in sources:
        findings += check_racing(arguments, out / f"{source}-racing.raw")
        findings += check_points(arguments, out / f"{source}-points.raw")
        findings += check_stacks(arguments, out / f"{source}-stacks.raw")
        findings += check_chains(arguments, out / f"{source}-chains.raw")
        findings += check_counters(arguments, out / f"{source}-counters.raw")
    findings += expect(out, "counted", "write,3,24")
    if (out / "least.log").exists():
        findings += check_law(arguments, out / "least.raw")
    findings += check_page(arguments, out / f"{sources[0]}-stream.raw")
    for name in ("wrapped", "full", "wrapped-inside", "full-inside"):
        findings += expect(out, f"{name}.log", f"source: {sources[0]}")
        findings += check_law(arguments, out / f"{name}.raw")
    return findings + expect(out, "full.log", "the buffer is full")
