# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts among the live tests share: a test that cannot run, and how one ends."""
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def skip(why):
    """Leaves with the exit code of a test that cannot run: in CI that is a failure."""
    print(f"SKIPPED: {why}")
    sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)


def need_recorder(program):
    doctor = subprocess.run([program, "doctor"], check=False, capture_output=True, text=True)
    if doctor.returncode != 0:
        skip(f"recording is not possible here:\n{doctor.stdout}{doctor.stderr}")


def run(test, program, *words):
    """Runs test(program, *words, folder).all(), prints its findings, and leaves with 1 if there are any."""
    need_recorder(program)
    with tempfile.TemporaryDirectory(prefix="kutrace-live-") as folder:
        made = test(program, *words, folder)
        made.all()
    for finding in made.findings:
        print(finding)
    print(f"{len(made.findings)} findings")
    sys.exit(1 if made.findings else 0)
