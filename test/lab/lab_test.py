#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lab: each program is recorded, and its trace must show what it did.

lab_test.py [--keep TRACES] KUTRACE FOLDER [EXPERIMENT...]: the folder has the programs lab-hello,
lab-disk, ...; all experiments unless some are named. Traces stay in the folder TRACES, if there is one.
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "live"))
import experiments
import judged


class Test(judged.Test):
    def __init__(self, program, programs, *words):
        *self.chosen, folder = words
        super().__init__(program, folder)
        self.programs = pathlib.Path(programs).resolve()

    def all(self):
        self.program, self.folder = pathlib.Path(self.program).resolve(), self.folder.resolve()
        os.chdir(self.folder)
        for name in self.chosen or experiments.EXPERIMENTS:
            print(f"-- {name}")
            program, words, check = experiments.EXPERIMENTS[name]
            trace = self.folder / f"{name}.raw"
            told, _ = self.record(trace, [], [self.programs / f"lab-{program}", *words])
            self.expect("every CPU adds up" in self.kutrace("check", trace), f"{name}: the law")
            check(experiments.Trace(trace, self.kutrace, lambda good, what, of=name: self.expect(good, f"{of}: {what}")),
                  experiments.numbers(told))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="TRACES")
    parser.add_argument("kutrace")
    parser.add_argument("folder")
    parser.add_argument("experiment", nargs="*", choices=[[], *experiments.EXPERIMENTS])
    words = parser.parse_args()
    judged.run(Test, words.kutrace, words.folder, *words.experiment, keep=words.keep)


if __name__ == "__main__":
    main()
