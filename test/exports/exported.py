# SPDX-License-Identifier: BSD-3-Clause
"""What tests of exports share: traces that are exported, kutrace's own answers about them, and what
was found."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EDGES_NS = 20_000


class Exports:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.findings = []
        self.checked = 0

    def expect(self, good, what):
        self.checked += 1
        if not good:
            self.findings.append(what)

    def equal(self, ours, theirs, what):
        """Two dictionaries; names what differs."""
        differ = [f"{key}: {ours.get(key)} against {theirs.get(key)}"
                  for key in sorted(set(ours) | set(theirs), key=str) if ours.get(key) != theirs.get(key)]
        self.expect(not differ, f"{what}: {len(differ)} of {len(ours)} differ: {'; '.join(differ[:5])}")

    def made(self, maker, *words):
        """A trace that a program of the tests prints."""
        path = self.folder / ("-".join(words) + ".raw" if words else "plain.raw")
        path.write_bytes(subprocess.run([maker, *words], capture_output=True, check=True).stdout)
        return path

    def recorded(self):
        """A recording of this machine, made now, as a list: none without the right to record."""
        path = self.folder / "recorded.raw"
        part = f'"{self.program}" mark part; ls -R /usr/share/doc | wc -l; "{self.program}" mark /part'
        load = f"find /usr/share/doc -type f | head -2000 | xargs cat | gzip -1 | wc -c; {part}; sleep 0.01; {part}"
        run = subprocess.run([self.program, "record", "-q", "-o", path, "--", "sh", "-c", load],
                             capture_output=True, text=True)
        if run.returncode == 0:
            return [path]
        print(f"no recording is among the traces: {run.stderr}")
        self.expect(os.environ.get("CI") != "true", "this machine cannot be recorded")
        return []

    def cut(self, trace, to):
        """The trace as if it had ended before."""
        path = self.folder / f"{trace.stem}-{to}.raw"
        subprocess.run([self.program, "trim", "--to", to, trace, "-o", path], check=True)
        return path

    def export(self, trace, form, *words):
        path = self.folder / f"{trace.stem}.{form}"
        subprocess.run([self.program, "export", "--to", form, *words, trace, "-o", path], check=True)
        return path

    def read_back(self, trace, form, *words):
        """An export of a part of a trace, read by kutrace again: who ran how long, as `trim` has it."""
        ran = """select cpu, tid, sum(dur_ns) from spans where tid > 0 and kind not in ('loss', 'hidden')
            group by 1, 2"""
        part = trace
        if words:
            part = self.folder / f"{trace.stem}.kux"
            subprocess.run([self.program, "trim", *words, trace, "-o", part], check=True)
        again = self.folder / f"{trace.stem}{''.join(words)}.again.{form}"
        subprocess.run([self.program, "export", "--to", form, *words, trace, "-o", again], check=True)
        ours, theirs = self.sums(part, ran), self.sums(again, ran)
        # At a window's edge the end of a call or an interrupt may have no place.
        differ = [f"{key}: {ours.get(key)} against {theirs.get(key)}" for key in set(ours) | set(theirs)
                  if abs(ours.get(key, 0) - theirs.get(key, 0)) > EDGES_NS]
        self.expect(not differ, f"{trace.name}: {form} {words} read back: {len(differ)} of {len(ours)} differ: {differ[:5]}")

    def ask(self, trace, sql):
        """Rows of kutrace query, as tuples."""
        run = subprocess.run([self.program, "query", "--format", "json", "-e", sql, trace],
                             capture_output=True, text=True, check=True)
        return [tuple(row.values()) for row in json.loads(run.stdout)]

    def sums(self, trace, sql):
        """The same, by all columns but the last one."""
        return by_key(self.ask(trace, sql))

    @classmethod
    def main(cls, check):
        with tempfile.TemporaryDirectory(prefix="kutrace-exports-") as folder:
            exports = cls(sys.argv[1], folder)
            check(exports, *sys.argv[2:])
        for finding in exports.findings:
            print(finding)
        print(f"{exports.checked} checks, {len(exports.findings)} findings")
        sys.exit(1 if exports.findings or not exports.checked else 0)


def by_key(rows):
    return {(row[:-1] if len(row) > 2 else row[0]): row[-1] for row in rows}
