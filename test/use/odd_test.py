#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kutrace why without a question: what it says, how it exits, that the commands it names work, and
that its manual page lists what it looks for.

odd_test.py KUTRACE ODD_TRACE MANUAL_PAGE
"""
import csv
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


class Odd:
    def __init__(self, program, make, page, folder):
        self.program, self.make, self.page, self.folder = program, make, page, pathlib.Path(folder)
        self.findings = []

    def expect(self, holds, sentence):
        if not holds:
            self.findings.append(sentence)

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def trace(self, *words):
        path = self.folder / ("a trace of " + "-".join(words) + ".raw")
        path.write_bytes(subprocess.run([self.make, *words], capture_output=True,
                                        check=True).stdout)
        return path

    def answer(self, *words):
        status, out, err = self.run("why", "--format", "json", *words)
        self.expect(status in (0, 1), f"{words}: status {status}: {err}")
        found = json.loads(out) if status in (0, 1) else {"findings": []}
        self.expect(status == (1 if found["findings"] else 0), f"{words}: status {status}")
        return found

    def commands_work(self, name, finding):
        words = shlex.split(finding["command"])
        self.expect(words[0] == "kutrace", f"{name}: {finding['command']}")
        status, out, err = self.run(*words[1:])
        self.expect(status == 0 and out, f"{name}: {finding['command']}: {status}: {err}")

    def odd(self, name, number):
        trace = self.trace(name, "odd", str(number))
        answer = self.answer(trace)
        first = answer["findings"][0] if answer["findings"] else {"detector": "none"}
        self.expect(first["detector"] == name, f"{name}: found {first['detector']} first")
        for finding in answer["findings"]:
            self.commands_work(name, finding)
            begin, end = finding["begin_ns"], finding["end_ns"]
            self.expect(0 <= begin < end <= answer["recorded_ns"] and finding["cost_ns"] > 0,
                        f"{name}: {finding}")
            self.expect(f"&range={begin},{end}" in finding["page"], f"{name}: {finding['page']}")
        container = trace.with_suffix(".kux")
        self.run("report", trace, "-o", container)
        of_container = self.answer(container)["findings"]
        key = [(f["detector"], f["cost_ns"], f["text"]) for f in answer["findings"]]
        self.expect(key == [(f["detector"], f["cost_ns"], f["text"]) for f in of_container],
                    f"{name}: a container's findings are {of_container}")
        self.forms(name, trace, answer["findings"])

    def near_miss(self, name, number):
        found = self.answer(self.trace(name, "near-miss", str(number)))["findings"]
        self.expect(found == [], f"{name}: near miss {number}: {found}")

    def forms(self, name, trace, findings):
        _, text, _ = self.run("why", trace)
        rows = list(csv.DictReader(io.StringIO(self.run("why", "--format", "csv", trace)[1])))
        self.expect([row["text"] for row in rows] == [one["text"] for one in findings],
                    f"{name}: CSV differs from JSON")
        flat = " ".join(text.split())
        for finding in findings[:1]:
            self.expect(finding["text"] in flat and finding["command"] in text,
                        f"{name}: the text lacks {finding}")

    def part(self):
        """The rest of a trace, another thread, another CPU."""
        starved, storm = self.trace("starved", "odd", "0"), self.trace("interrupts", "odd", "0")
        for words in (["--to", "100ms"], ["--pid", "30"], ["--name", "hog"]):
            self.expect(not self.answer(*words, starved)["findings"], f"starved: {words}")
        self.expect(self.answer("--name", "vict*", starved)["findings"], "starved: its thread")
        self.expect(self.answer("--cpu", "0", storm)["findings"], "interrupts: their CPU")
        self.expect(not self.answer("--from", "400ms", storm)["findings"], "interrupts: later")

    def convoy(self):
        """The command of a lock convoy shows the numbers of its sentence, also of what lies between two of them."""
        for number in "0", "1":
            finding = self.answer(self.trace("lock-convoy", "odd", number))["findings"][0]
            told = re.search(r": (\d+) waits and ([0-9.]+) s in all", finding["text"])
            words = shlex.split(finding["command"])
            if words[1] == "blame":  # a build without queries
                return
            _, out, _ = self.run(*words[1:-1], "--format", "json", words[-1])
            shown = json.loads(out)[0]
            self.expect((shown["waits"], round(shown["total_ms"] / 1000, 3)) ==
                        (int(told[1]), float(told[2])), f"lock-convoy: {finding['text']}: {out}")

    def left_out(self):
        """Who is to blame is not in the trace."""
        trace = self.trace("starved", "odd", "0")
        part = trace.with_suffix(".kux")
        self.run("trim", "--name", "victim", trace, "-o", part)
        answer = self.answer(part)
        self.expect("starved" in self.answer(trace)["looked_for"], "starved is not looked for")
        self.expect("starved" not in answer["looked_for"] and "faults" in answer["looked_for"],
                    f"a part of the threads: {answer}")
        self.expect({"detector": "starved", "lacks": ["threads"]} in answer["not_looked_for"],
                    f"what is lacking is not told: {answer}")
        self.expect("these cannot be found: threads that were ready" in
                    " ".join(self.run("why", part)[1].split()), "what cannot be found is not told")
        self.expect("these cannot be found: frequency drops." in
                    " ".join(self.run("why", trace)[1].split()), "nor is it behind findings")

    def page_lists(self):
        rows = json.loads(self.run("why", "--list", "--format", "json")[1])
        listed = {row["detector"]: (row["looks_for"], row["trigger"]) for row in rows}
        text = " ".join(self.run("why", "--list")[1].split())
        of_csv = csv.DictReader(io.StringIO(self.run("why", "--list", "--format", "csv")[1]))
        self.expect(list(of_csv) == rows, "the list differs between CSV and JSON")
        for name, (looks_for, trigger) in listed.items():
            self.expect(f"{name}: {looks_for} {trigger}" in text, f"{name} is not in: {text}")
        page = pathlib.Path(self.page).read_text(encoding="utf-8")
        rows = {name: (looks_for, trigger) for name, looks_for, trigger in
                re.findall(r"^\| \*([a-z-]+)\* \| (.*?) \| (.*?) \|$", page, re.M)}
        self.expect(rows == listed, f"the manual page lists {rows}\nthe program {listed}")
        return listed

    def all(self):
        lines = subprocess.run([self.make], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        names = []
        for name, odd, near_misses in map(str.split, lines):
            names.append(name)
            for number in range(int(odd)):
                self.odd(name, number)
            for number in range(int(near_misses)):
                self.near_miss(name, number)
        self.part()
        self.convoy()
        self.left_out()
        listed = self.page_lists()
        self.expect(names == list(listed), f"traces for {names}, detectors {list(listed)}")
        status, out, _ = self.run("why", self.trace(names[0], "near-miss", "0"))
        self.expect(status == 0 and out.startswith("Found nothing odd in 0.8"), out)
        for looks_for, _ in listed.values():
            self.expect(looks_for in " ".join(out.split()), f"{looks_for} is not in: {out}")
        status, _, err = self.run("why")
        self.expect(status == 2 and "file is required" in err, f"no file: {status}: {err}")
        status, _, err = self.run("why", "--slowest", "3", self.trace(names[0], "odd", "0"))
        self.expect(status == 2 and "nothing is asked" in err, f"--slowest: {status}: {err}")
        return self.findings


def main(*words):
    with tempfile.TemporaryDirectory() as folder:
        findings = Odd(*words, folder).all()
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
