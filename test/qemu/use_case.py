# SPDX-License-Identifier: BSD-3-Clause
"""The module used by several processes, wrongly, and while the machine changes under it.

kutrace-abuse asks for everything that must be refused, and loads and unloads under load; then a CPU goes
and comes back, the machine goes to sleep, and kutrace control starts and stops from processes of its own,
one of which is killed. The case `torment` is the first of it alone, twenty times as long.
"""
import guest
import record_case

PROGRAMS = ["kutrace", "kutrace-pattern", "kutrace-abuse"]
ACCELERATOR = guest.TWO_CPUS
SOURCES = ["module", "ebpf"]
# Of the packets of kutrace-pattern: byte 7 is 2, SOCK_DGRAM.
UDP_ALONE = "0x80:0x2000000"
LAST_ABUSE = "loaded and unloaded under load"


def abuse_all(scale):
    """On the console, too: there it tells of what the script does not survive."""
    return f"kutrace-abuse /modules/kutrace.ko all {scale} | tee /out/abuse"


SCRIPT = f"""
{abuse_all(1)}
insmod /modules/kutrace.ko
cpu1=/sys/devices/system/cpu/cpu1/online
for source in {' '.join(SOURCES)}; do
  kutrace record --source $source -o /out/hotplug-$source.raw -- \\
    sh -c "sleep 0.2; echo 0 >$cpu1; sleep 0.3; echo 1 >$cpu1; sleep 0.3" 2>/out/hotplug-$source.log
  echo 0 >$cpu1
  kutrace record --source $source -o /out/late-$source.raw -- \\
    sh -c "sleep 0.2; echo 1 >$cpu1; sleep 0.2" 2>/out/late-$source.log
done
# There is nowhere to write an image to, so the machine is back at once.
kutrace record -o /out/sleep.raw -- sh -c "echo disk >/sys/power/state" 2>/out/sleep.log || true
# Two streams at once, of each other, too.
kutrace record --source module -o /out/outer.raw -- kutrace record --source ebpf -o /out/inner.raw -- \
  kutrace-pattern /tmp/data >/out/inner.told
for source in {' '.join(SOURCES)}; do
  kutrace control go --source $source 2>/out/control-$source.log
  kutrace-pattern /tmp/data >/out/control-$source.told
  kutrace control stat >/out/control-$source.stat
  kutrace control stop /out/control-$source 2>>/out/control-$source.log
  printf 'gowrap\\nwait 1\\n\\noff\\ndump /none/such\\ndump /out/prompt-%s.raw\\nquit\\n' $source |
    kutrace control --source $source >/out/prompt-$source.stat 2>/out/prompt-$source.log || true
done
kutrace control go
kill -9 $(pidof kutrace)
kutrace control stat >/out/killed.stat
kutrace control go
kutrace control quit
kutrace control dump -o /out/again.raw
# Another's recording is ended as its refusal says.
TMPDIR=/out kutrace control go --source module
kutrace record --source module -o /out/refused.raw -- true 2>/out/refused.log || true
eval $(sed -n 's/.*hint: \\(kill [0-9]*\\) .*/\\1/p' /out/refused.log)
while pidof kutrace >/tmp/left; do sleep 0.1; done
mv /out/kutrace-control.raw.* /out/ended.raw
kutrace record --source module -o /out/free.raw -- true
for source in {' '.join(SOURCES)}; do
  kutrace record --source $source --packets {UDP_ALONE} -o /out/chosen-$source.raw -- \\
    kutrace-pattern /tmp/data >/out/chosen-$source.told
done
kutrace record --ipc --llc -o /out/uncounted.raw -- true 2>/out/uncounted.log
rmmod kutrace
insmod /modules/kutrace.ko pktmask=0
kutrace record -o /out/filtered.raw -- kutrace-pattern /tmp/data >/out/filtered.told
rmmod kutrace
"""


def packets(arguments, every, none):
    """The program's packets are in one trace; the module's parameter keeps them out of the other."""
    counts = [record_case.run(arguments, "kutrace", "dump", str(trace)).stdout.count(" 214 rx ")
              for trace in (every, none)]
    return [] if counts[0] > 0 and counts[1] == 0 else [f"packets, {every.name} {none.name}: {counts}"]


def chosen_packets(arguments, out, source):
    """Of the program's packets those that were asked for, each sent and received, and no others."""
    told = dict(line.split("=") for line in (out / f"chosen-{source}.told").read_text().split())
    text = record_case.run(arguments, "kutrace", "dump", "--stage", "events", str(out / f"chosen-{source}.raw")).stdout
    seen = [(words[2], words[4]) for words in map(str.split, text.splitlines()) if len(words) > 4]
    counts = {(kind, event): seen.count((event, told[f"{kind}_hash"])) for kind in ("udp", "tcp") for event in ("214", "215")}
    wanted = {(kind, event): int(told["packets"]) if kind == "udp" else 0 for kind, event in counts}
    return [] if counts == wanted else [f"chosen-{source}: packets {counts}, not {wanted}"]


def surprises(out):
    """What the answers were that kutrace-abuse did not expect, which then ends."""
    lines = (out / "abuse").read_text(encoding="utf-8").splitlines()
    findings = [f"abuse: {line}" for line in lines if not line.startswith("passed: ")]
    return findings if f"passed: {LAST_ABUSE}" in lines else [*findings, "abuse: ended too early"]


def check(out, arguments):
    findings = surprises(out)
    hotplug = [f"{case}-{source}.raw" for case in ("hotplug", "late") for source in SOURCES]
    findings += record_case.expect(out, "uncounted.log", "no such counter: ENODEV")
    for name in (*hotplug, "uncounted.raw", "sleep.raw", "again.raw", "ended.raw", "free.raw",
                 "outer.raw", "inner.raw", *(f"control-{s}.trace" for s in SOURCES),
                 *(f"prompt-{s}.raw" for s in SOURCES)):
        findings += record_case.check_law(arguments, out / name)
    for source in SOURCES:
        trace = out / f"control-{source}.trace"
        findings += record_case.check_pattern(arguments, trace)
        findings += record_case.expect(out, f"control-{source}.stat", "trace blocks used")
        findings += record_case.expect(out, f"control-{source}.stat", f"source {source}, mode fill")
        findings += record_case.expect(out, f"prompt-{source}.log", "/none/such")
        findings += record_case.expect(out, f"prompt-{source}.stat", "mode wrap")
    for name in hotplug:
        findings += record_case.expect(out, name.replace(".raw", ".log"), "1 time a CPU was not recorded")
        said = record_case.run(arguments, "kutrace", "check", str(out / name)).stdout
        findings += [] if "on 2 CPUs" in said and "CPU offline" in said else [f"{name}: {said}"]
    findings += record_case.expect(out, "sleep.log", "the machine went to sleep")
    findings += record_case.check_pattern(arguments, out / "inner.raw")
    findings += record_case.expect(out, "refused.log", "uses the module")
    findings += packets(arguments, out / "control-module.trace", out / "filtered.raw")
    for source in SOURCES:
        findings += record_case.check_law(arguments, out / f"chosen-{source}.raw")
        findings += chosen_packets(arguments, out, source)
    return findings + record_case.expect(out, "killed.stat", "nothing is recorded")
