# SPDX-License-Identifier: BSD-3-Clause
"""A flight recorder by either source: calls that are too long are found, one for one, and its snapshots keep the law.

Groups of events are switched meanwhile.
"""
import json
import re

import guest
import record_case

PROGRAMS = ["kutrace"]
ACCELERATOR = guest.TWO_CPUS
SOURCES = ["module", "ebpf"]
LIMIT_MS = 700
# Long ones are three times the limit, as the guest is slow.
SCRIPT = f"""
insmod /modules/kutrace.ko
for source in {' '.join(SOURCES)}; do
  kutrace flight --source $source -o /out/$source --buffer-mb 16 --every 0 --before 2s --after 100ms --at-end \\
    --when 'call:*nanosleep>{LIMIT_MS}ms' --when 'delay:nobody>1s' 2>/out/flight-$source.log &
  flight=$!
  while ! grep -q "recording;" /out/flight-$source.log; do sleep 0.1; done
  for seconds in 2.1 0.1 2.2 0.1; do sleep $seconds; sleep 0.3; done
  kutrace control groups -faults +disk >/out/groups-$source.told
  sleep 0.2
  kill -INT $flight
  wait $flight
done
rmmod kutrace
"""


def triggers(arguments, snapshot):
    facts = record_case.run(arguments, "kutrace", "info", str(snapshot)).stdout
    return [json.loads(text) for text in re.findall(r"trigger\s+(\{.*\})", facts)]


def check(out, arguments):
    findings = []
    for source in SOURCES:
        snapshots = sorted((out / source).glob("flight-*.raw"))
        told = []
        for snapshot in snapshots:
            findings += record_case.check_law(arguments, snapshot)
            told += [trigger for trigger in triggers(arguments, snapshot) if trigger["what"].startswith("call ")]
        lengths = [round(trigger["length_ns"] / 1e9, 1) for trigger in told if trigger["thread"] == "sleep"]
        good = len(lengths) == 2 and 2.1 <= lengths[0] < 3.5 and 2.2 <= lengths[1] < 3.5
        findings += [] if good else [f"{source}: sleeps of 2.1 s and 2.2 s were planted: {told}"]
        findings += record_case.expect(out, f"groups-{source}.told", "disk")
    return findings
