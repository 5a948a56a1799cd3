#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What LTTng itself writes tells kutrace what it tells babeltrace2.

lttng_test.py KUTRACE BABELTRACE2 LTTNG SESSIOND STORY: its tracer of the kernel needs a module, so
its tracer of user space writes a story of switches and calls, whole, in small buffers that lose
events, and with threads as context; and events of a program that are none of the kernel's."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import judge
from babeltrace_events import babeltrace_events

kutrace, babeltrace, lttng, sessiond, story = sys.argv[1:]
DISCARDED = re.compile(r"WARNING: Tracer discarded (\d+) event")
ROUNDS = "20000"


class Sessions:
    """A session daemon of LTTng: the one that runs, or one of our own while this lasts."""

    def __init__(self, folder):
        self.folder, self.pid = folder, None
        self.environment = os.environ | {"LTTNG_HOME": str(folder)}

    def __enter__(self):
        pid = self.folder / "sessiond.pid"
        subprocess.run([sessiond, "--no-kernel", "--daemonize", "--pidfile", pid], env=self.environment,
                       capture_output=True)
        deadline = time.monotonic() + 20
        while subprocess.run([lttng, "list"], env=self.environment, capture_output=True).returncode != 0:
            if time.monotonic() > deadline:
                sys.exit("lttng-sessiond does not answer")
            time.sleep(0.1)
        if pid.exists():
            self.pid = int(pid.read_text())
        return self

    def __exit__(self, *_):
        if self.pid is None:
            return
        os.kill(self.pid, signal.SIGTERM)
        deadline = time.monotonic() + 20
        while pathlib.Path(f"/proc/{self.pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.1)

    def lttng(self, *words):
        run = subprocess.run([lttng, *words], env=self.environment, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"lttng {' '.join(map(str, words))}: {run.stdout}{run.stderr}")

    def record(self, name, channel, contexts=(), event="kutrace_story:*"):
        trace, session = self.folder / name, f"kutrace-{os.getpid()}-{name}"
        self.lttng("create", session, "--output", trace)
        self.lttng("enable-channel", "--userspace", "--session", session, *channel, "channel")
        self.lttng("enable-event", "--userspace", "--session", session, "--channel", "channel", event)
        for context in contexts:
            self.lttng("add-context", "--userspace", "--session", session, "--type", context)
        self.lttng("start", session)
        subprocess.run([story, ROUNDS], env=self.environment, check=True)
        self.lttng("stop", session)
        self.lttng("destroy", session)
        return next(trace.rglob("metadata")).parent


def judge_whole(findings, trace):
    judge.judge(findings, judge.Ours(kutrace, trace), babeltrace_events(babeltrace, trace), trace.name)


def judge_lossy(findings, trace):
    """As many are lost as babeltrace2 says. Behind a loss nobody tells who runs up to the next switch,
    so a few events are left out; none is made up."""
    ours, theirs = judge.Ours(kutrace, trace), judge.counts(babeltrace_events(babeltrace, trace))
    for kind, count in ours.counts().items():
        found = theirs.get(kind, 0)
        findings.expect(0.9 * found <= count <= found, f"lossy: {kind}: {count} against {found}")
    said = subprocess.run([babeltrace, trace], capture_output=True, text=True, check=True).stderr
    lost = sum(map(int, DISCARDED.findall(said)))
    findings.expect(lost > 0, "lossy: LTTng lost nothing")
    told = ours.ask("select coalesce(sum(entries), 0) from losses")
    findings.equal({"lost": told[0][0]}, {"lost": lost}, "lossy")


def judge_foreign(findings, trace):
    """None of its events is the kernel's: that is said, and no picture is made up."""
    run = subprocess.run([kutrace, "info", trace], capture_output=True, text=True)
    findings.expect(run.returncode == 3 and "user space" in run.stderr, f"foreign: {run.returncode} {run.stderr}")


def main():
    findings = judge.Findings()
    with tempfile.TemporaryDirectory(prefix="kutrace-lttng-") as name:
        with Sessions(pathlib.Path(name)) as sessions:
            large = ("--subbuf-size", "1M", "--num-subbuf", "16")
            judge_whole(findings, sessions.record("whole", large))
            judge_whole(findings, sessions.record("contexts", large, ("vpid", "procname", "ip")))
            judge_lossy(findings, sessions.record("lossy", ("--subbuf-size", "16k", "--num-subbuf", "2")))
            judge_foreign(findings, sessions.record("foreign", large, (), "kutrace_story:chapter"))
    findings.finish()


main()
