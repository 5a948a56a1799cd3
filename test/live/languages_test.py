#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Marks of programs in other languages, which are made with the files of include/languages: a small program of each
language is built, runs alone and while it is recorded, and makes the same marks as all others.

languages_test.py KUTRACE SOURCE. Prints what differs, exits 1 if anything does, 77 where this machine cannot record or
has none of the languages; in CI a language that is missing is a failure.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import judged

LONG = "größer als sechs Buchstaben: " + 40 * "0123456789 " + "Ende"
MUCH = 1023 * "y"
COUNTER = "queue length"
READINGS = [3, -12, 3]
MARKS = ["load the index", "a.b-9", LONG, "/load the index", MUCH, "/" + MUCH, "77", *(f"{COUNTER}={value}" for value in READINGS)]


def build(folder, *words, **variables):
    subprocess.run([str(word) for word in words], check=True, cwd=folder, env={**os.environ, **variables})


def python(folder, files, own):
    shutil.copy(files / "kutrace.py", folder)
    shutil.copy(own / "marks.py", folder)
    return [sys.executable, folder / "marks.py"]


def node(folder, files, own):
    shutil.copy(files / "kutrace.js", folder)
    shutil.copy(own / "marks.js", folder)
    return ["node", folder / "marks.js"]


def go(folder, files, own):
    (folder / "kutrace").mkdir()
    shutil.copy(files / "kutrace.go", folder / "kutrace")
    shutil.copy(own / "marks.go", folder)
    (folder / "go.mod").write_text("module marked\n\ngo 1.19\n")
    build(folder, "go", "build", "-o", "marks", ".", GOCACHE=str(folder / "cache"),
          GOPATH=str(folder / "path"), GOFLAGS="-mod=mod", GOPROXY="off")
    return [folder / "marks"]


def rust(folder, files, own):
    shutil.copy(files / "kutrace.rs", folder)
    shutil.copy(own / "marks.rs", folder)
    build(folder, "rustc", "-D", "warnings", "-O", "-o", "marks", "marks.rs")
    return [folder / "marks"]


def java(folder, files, own):
    shutil.copy(files / "Kutrace.java", folder)
    shutil.copy(own / "Marks.java", folder)
    build(folder, "javac", "-encoding", "UTF-8", "-d", folder, "Kutrace.java", "Marks.java")
    return ["java", "-cp", folder, "Marks"]


# What is left of odd values in a language that has such.
ODD = {"python3": ["load file-\\377.dat", "/load file-\\377.dat", "??", "5", "None", "bytes", "x=1", "x=2", "1", "7"],
       "node": ["5", "null", "undefined", "/5", "bytes", "x=1", "x=2", "x=10", "1", "7"]}

LANGUAGES = {"python3": python, "node": node, "go": go, "rustc": rust, "javac": java}


class Test(judged.Test):
    def all(self):
        files = self.recorded / "include" / "languages"
        own = pathlib.Path(__file__).parent / "languages"
        missing = [tool for tool in LANGUAGES if not shutil.which(tool)]
        for tool, make in LANGUAGES.items():
            if tool in missing:
                continue
            folder = self.folder / tool
            folder.mkdir()
            command = make(folder, files, own)
            self.language(tool, command)
            if tool in ODD:
                *before, program = command
                shutil.copy(own / f"odd{program.suffix}", folder)
                self.language(tool, [*before, program.with_stem("odd")], ODD[tool])
        if missing:
            judged.skip(f"not here: {', '.join(missing)}; what was tried: {self.findings or 'good'}")

    def language(self, tool, command, odd=None):
        alone = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
        self.expect((alone.returncode, alone.stdout, alone.stderr) == (0, "", ""), f"{tool}, not recorded: {alone}")
        trace = self.folder / f"{tool}.raw"
        said, _ = self.record(trace, [], command)
        self.expect(said == "", f"{tool} said {said}")
        rows = json.loads(self.kutrace("query", "--format", "json", trace, "select name, arg from marks order by start_ns"))
        marks = [judged.label_of(row) for row in rows]
        expected = MARKS if odd is None else odd
        self.expect(marks == expected, f"{tool}: marks {marks}, not {expected}")
        if odd is not None:
            return
        rows = json.loads(self.kutrace("query", "--format", "json", trace,
                                       f"select value from readings where name = '{COUNTER}' order by time_ns"))
        values = [row["value"] for row in rows]
        self.expect(values == READINGS, f"{tool}: readings {values}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
