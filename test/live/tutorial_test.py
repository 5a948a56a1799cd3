#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""doc/tutorial.md, followed word for word: each command of its code, which begins with $, is run by a shell, in order, in a
copy of the folder, with this build's program; each must end with 0, and make the files that the text speaks of. Asked what
is odd, the program may also end with 1: on a busy machine something may be. What the machine is set up with (scripts/try)
is left out.

tutorial_test.py KUTRACE SOURCE. Prints what differs, exits 1 if anything does, 77 where this machine cannot record.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import judged

LEFT_OUT = ("scripts/try", "export PATH")
ODD = re.compile(r"kutrace why [^-]\S*")
NEEDED = ["include", "scripts", "test/lab", "test/live", "doc/tutorial.md", "doc/tutorial"]


class Test(judged.Test):
    def all(self):
        tree = self.folder / "tree"
        for part in NEEDED:
            source = self.recorded / part
            (tree / part).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, tree / part)
        program = pathlib.Path(self.program).resolve()
        environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "KUTRACE": str(program)}
        text = (tree / "doc/tutorial.md").read_text(encoding="utf-8")
        commands = re.findall(r"^    \$ ((?:.*\\\n)*.*)$", text, re.M)
        self.expect(len(commands) >= 10, f"only {len(commands)} commands")
        for command in commands:
            if command.startswith(LEFT_OUT):
                continue
            done = subprocess.run(["bash", "-c", command.replace("sudo ", "")], check=False, capture_output=True, text=True,
                                  cwd=tree, env=environment)
            good = (0, 1) if ODD.fullmatch(command) else (0,)
            self.expect(done.returncode in good, f"{command}: {done.returncode} {done.stdout[-500:]} {done.stderr[-500:]}")
            for made in re.findall(r"-o (\S+)", command):
                self.expect((tree / made).exists(), f"{command}: no {made}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
