#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kutrace overhead on this machine: a loop of system calls costs what an experiment by hand says, and
scipy says the same of the same runs.

overhead_test.py KUTRACE LOOP: LOOP N makes N system calls and prints the ns of CPU time that they
took. Prints every difference, exits 1 if there is one, 77 where this machine cannot record.
"""
import json
import statistics
import subprocess
import sys

import judged

try:
    import numpy
    from scipy import stats
except ImportError as missing:
    judged.skip(f"{missing}; install python3-scipy (scripts/setup test)")

FINDINGS = 1
CALLS = 100_000
GROUPS = 9  # of the standard set


class Test(judged.Test):
    def run(self, *words):
        return subprocess.run([self.program, "overhead", *words], capture_output=True, text=True)

    def by_hand(self):
        """Bare, recorded, recorded, bare: ns per call, by the CPU time that the loop itself reads."""
        bare, recorded = [str(self.recorded), str(CALLS)], [self.program, "record", "-q", "-o", "/dev/null",
                                                   "--", str(self.recorded), str(CALLS)]
        times = {"bare": [], "recorded": []}
        for _ in range(4):
            for kind in ("bare", "recorded", "recorded", "bare"):
                done = subprocess.run(bare if kind == "bare" else recorded, check=True,
                                      capture_output=True, text=True)
                times[kind].append(float(done.stdout))
        return (statistics.median(times["recorded"]) - statistics.median(times["bare"])) / CALLS

    def found(self):
        """A loop of system calls, which is slower by what each call and its return cost."""
        out = self.folder / "loop.json"
        done = self.run("--rounds", "6", "--fail-over", "5%", "-o", str(out), "--", str(self.recorded),
                        str(CALLS))
        told = json.loads(out.read_text())
        row = told["rows"][0]
        self.expect(row["cpu"]["verdict"] == "found", f"the CPU time of calls is {row}")
        costs = "recording costs more than 5" in done.stderr
        self.expect((done.returncode == FINDINGS) == costs and
                    costs == (row["wall"]["verdict"] == "found"),
                    f"status {done.returncode}, {row['wall']}, says {done.stderr}")
        per_call, hand = row["cpu"]["difference_ns"] / CALLS, self.by_hand()
        print(f"ns per call: {per_call:.0f}, by hand {hand:.0f}; "
              f"per event {row['cpu']['per_event_ns']:.0f} of {row['events']:.0f}")
        self.expect(hand / 2 < per_call < hand * 2, f"{per_call} ns per call, by hand {hand}")
        self.expect(2 * CALLS <= row["events"], f"{row['events']} events of {CALLS} calls")
        half = self.run("--rounds", "3", "--fail-over", "1000000%", "--", str(self.recorded), str(CALLS))
        self.expect(half.returncode == 0, f"--fail-over a million %: {half.returncode}")
        self.expect("is not seen" not in half.stderr, f"least is below a million %: {half.stderr}")
        blind = self.run("--rounds", "3", "--fail-over", "0.00001%", "--format", "json", "--", "true")
        said = "is not seen: 1 of 1; the largest is" in blind.stderr
        self.expect(said == (json.loads(blind.stdout)["rows"][0]["wall"]["verdict"] == "noise"),
                    f"what cannot be seen passes: {blind.stdout}, says {blind.stderr}")
        return told

    def beside_scipy(self, told):
        """Medians, percentiles and probabilities of the same runs, by numpy and scipy."""
        for number, row in enumerate(told["rows"]):
            for name in ("wall", "cpu"):
                bare, recorded = (numpy.array([run[f"{name}_ns"] for run in told["runs"]
                                               if run["row"] == which]) for which in (-1, number))
                ties = len({*bare, *recorded}) < len(bare) + len(recorded)
                test = stats.mannwhitneyu(recorded, bare, alternative="two-sided",
                                          method="asymptotic" if ties else "exact")
                known = {
                    "bare_median_ns": numpy.median(bare),
                    "recorded_median_ns": numpy.median(recorded),
                    "bare_p95_ns": numpy.quantile(bare, 0.95),
                    "recorded_p95_ns": numpy.quantile(recorded, 0.95),
                    "difference_ns": numpy.median(recorded) - numpy.median(bare),
                    "u": test.statistic,
                    "p": test.pvalue,
                }
                for field, value in known.items():
                    self.expect(abs(row[name][field] - value) <= 1e-9 * abs(value),
                                f"row {number} {name} {field}: {row[name][field]}, not {value}")
            self.expect(row["runs"] == 2 * told["rounds"], f"row {number}: {row['runs']} runs")
            events = [run["events"] for run in told["runs"] if run["row"] == number]
            self.expect(row["events"] == numpy.median(events), f"row {number}: {row['events']}")

    def groups(self):
        """Each group alone; of the calls' own cost, the group of calls has most."""
        done = self.run("--groups", "--rounds", "2", "--warmup", "0", "--format", "json", "--",
                        str(self.recorded), str(CALLS))
        told = json.loads(done.stdout)
        names = [row["groups"] for row in told["rows"]]
        self.expect(len(names) == GROUPS + 1 and names[0] == "standard" and "sched" in names and
                    "syscalls,sched" in names, f"groups: {names}")
        order = [run["row"] for run in told["runs"] if run["round"] == 0]
        self.expect(order == order[::-1] and order[0] == -1 and sorted(order[:GROUPS + 2]) ==
                    list(range(-1, GROUPS + 1)), f"the order of a round: {order}")
        calls, switches = (next(row for row in told["rows"] if row["groups"] == name)
                           for name in ("syscalls,sched", "sched"))
        self.expect(calls["events"] >= 2 * CALLS > switches["events"],
                    f"events: {calls['events']} with calls, {switches['events']} without")
        self.expect(calls["cpu"]["difference_ns"] > 2 * switches["cpu"]["difference_ns"],
                    f"cost: {calls['cpu']} with calls, {switches['cpu']} without")
        self.beside_scipy(told)

    def all(self):
        self.beside_scipy(self.found())
        self.groups()


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
