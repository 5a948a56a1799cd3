# SPDX-License-Identifier: BSD-3-Clause
"""The program of another architecture, arm64, recorded there through eBPF and by the module.

What a program with a known pattern did is in each trace, exactly; each keeps the law; page faults and
interrupts between CPUs are there, by what that architecture offers.
"""
import record_case

PROGRAMS = ["kutrace", "kutrace-pattern"]
ACCELERATOR = record_case.ACCELERATOR
TIMEOUT = 600
SOURCES = ["ebpf", "module"]
SCRIPT = f"""
kutrace doctor >/out/doctor
insmod /modules/kutrace.ko
for source in {' '.join(SOURCES)}; do
  kutrace record --source $source --buffer-mb 16 -o /out/$source.raw -- \\
    kutrace-pattern /tmp/data >/out/$source.told 2>/out/$source.log
done
busy="dd if=/dev/zero of=/dev/null bs=1 count=60000"
kutrace record --source ebpf --samples 500 -o /out/samples.raw -- $busy 2>/out/samples.log
kutrace record --source ebpf --args -o /out/refused.raw -- true 2>/out/refused.log && echo taken >>/out/refused.log
kutrace count 'syscall:write, by name, count, sum(bytes), where arg2 == 8' --only-command --format csv -- \\
  dd if=/dev/zero of=/tmp/a_file bs=8 count=3 >/out/counted 2>/out/counted.log || true
rmmod kutrace
"""
# Of packets whose payload lies in a page of its own eBPF reads none there before 6.12, and counts them.
TESTS = {"ebpf": "~[packets]" + record_case.PATTERN_TESTS, "module": record_case.PATTERN_TESTS}
# Spans of each kind that a program with faults, timers and two CPUs makes.
KINDS = ["syscall", "fault", "irq", "softirq", "idle", "user"]


def check_kinds(arguments, trace):
    """All kinds are there; faults last, and CPUs interrupt each other."""
    told = record_case.run(arguments, "kutrace", "query", str(trace), "--format", "csv",
                           "select (select count(distinct kind) from spans where kind in "
                           f"({', '.join(repr(kind) for kind in KINDS)})), "
                           "(select count(*) from spans where kind = 'fault' and dur_ns > 0), "
                           "(select count(*) from spans where name like '%_ipi')")
    kinds, faults, sent = (int(word) for word in told.stdout.split()[-1].split(","))
    if kinds == len(KINDS) and faults > 100 and sent > 0:
        return []
    return [f"{trace.name}: {kinds} kinds, {faults} faults, {sent} interrupts of other CPUs: {told.stderr}"]


def check(out, arguments):
    findings = record_case.expect(out, "doctor", "record uses: ebpf")
    for source in SOURCES:
        trace = out / f"{source}.raw"
        findings += record_case.check_law(arguments, trace)
        findings += record_case.check_program(arguments, trace, TESTS[source], "PATTERN")
        findings += record_case.check_loss(out, trace.with_suffix(".log").name)
        findings += check_kinds(arguments, trace)
    findings += record_case.check_samples(arguments, out / "samples.raw")
    findings += record_case.expect(out, "refused.log", "arguments of system calls can be recorded only on x86_64")
    return findings + record_case.expect(out, "counted", "write,3,24")
