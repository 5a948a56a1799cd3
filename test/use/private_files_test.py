#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whose the files are that commands write, and where they may be.

private_files_test.py KUTRACE SMALL_TRACE: every command that writes, for its own user, and for root
on behalf of another user, as sudo starts it. Needs root for the second.
"""
import os
import pathlib
import stat
import subprocess
import sys

from commands import FORMS, Commands, later, path_in, scratch

OUTPUT = 5
NOBODY = 65534
SUDO = {"SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY), "SUDO_USER": "nobody"}


def facts(path):
    status = path.lstat()
    content = path.read_bytes() if path.is_file() else b""
    return (status.st_ino, status.st_uid, stat.S_IMODE(status.st_mode), content)


class Check:
    def __init__(self, commands, folder):
        self.commands, self.folder = commands, pathlib.Path(folder)
        self.findings = list(commands.unknown)
        os.chmod(folder, 0o755)
        whole = path_in(folder, "whole.raw")
        whole.write_bytes(commands.trace())
        self.first, self.other = later(commands, self.folder, whole)
        self.whole = whole

    def write(self, command, output, environment=None):
        trace = self.first if command == ("raw", "concat") else self.whole
        words = self.commands.words(command, str(trace), self.other)
        return subprocess.run(["sh", "-c", 'umask 0; exec "$@"', "sh", *words, "-o", str(output)],
                              capture_output=True, env={**os.environ, **(environment or {})})

    def expect(self, good, command, what, done):
        if not good:
            self.findings.append(f"kutrace {' '.join(command)}: {what} (status {done.returncode}: "
                                 f"{done.stderr.decode().strip()})")

    def is_private(self, command, form):
        place = self.folder / f"own-{'-'.join(command)}-{form}"
        place.mkdir()
        output = place / f"out.{form}"
        for what in ("new", "instead of one that all may read"):
            done = self.write(command, output)
            good = done.returncode in (0, 1) and stat.S_IMODE(output.stat().st_mode) == 0o600
            self.expect(good and os.listdir(place) == [output.name], command,
                        f"{what}: not a file of mode 0600 alone in its folder", done)
            output.chmod(0o644)

    def refused(self, command, what, output, kept, environment):
        before = {path: facts(path) for path in kept}
        beside = sorted(os.listdir(output.parent))
        done = self.write(command, output, environment)
        same = all(path.exists() and facts(path) == before[path] for path in kept)
        self.expect(done.returncode == OUTPUT and same and
                    sorted(os.listdir(output.parent)) == beside, command, what, done)

    def for_another_user(self, command, form):
        place = self.folder / f"sudo-{'-'.join(command)}"
        root, his = place / "etc", place / "home"
        for path in (place, root, his):
            path.mkdir()
        shadow = root / f"shadow.{form}"
        shadow.write_text("secret")
        shadow.chmod(0o600)
        os.chown(his, NOBODY, NOBODY)
        output = his / f"out.{form}"
        done = self.write(command, output, SUDO)
        self.expect(done.returncode in (0, 1) and facts(output)[1:3] == (NOBODY, 0o600), command,
                    "the file is not of the user who asked", done)
        links = {his / f"link.{form}": shadow, his / f"new.{form}": root / f"new.{form}"}
        for link, target in links.items():
            os.symlink(target, link)
            os.lchown(link, NOBODY, NOBODY)
        self.refused(command, "replaces what he may not write", shadow, [shadow], SUDO)
        self.refused(command, "creates where he may not", root / f"fresh.{form}", [shadow], SUDO)
        for link in links:
            self.refused(command, "follows his link", link, [shadow], SUDO)
        os.chown(shadow, NOBODY, NOBODY)  # his file in a folder that is not his
        self.refused(command, "replaces a file in a folder that is not his", shadow, [shadow], SUDO)

    def link_of_another(self, command, form):
        """In a folder open to all, root does not follow where another user's link leads."""
        place = self.folder / f"tmp-{'-'.join(command)}"
        place.mkdir()
        place.chmod(0o1777)
        target = self.folder / f"target-{'-'.join(command)}.{form}"
        target.write_text("kept")
        link = place / f"out.{form}"
        os.symlink(target, link)
        os.lchown(link, NOBODY, NOBODY)
        self.refused(command, "follows a link that another user made", link, [target], None)
        os.lchown(link, 0, 0)
        done = self.write(command, link)
        self.expect(done.returncode in (0, 1) and link.is_symlink() and
                    target.read_bytes() != b"kept", command, "does not follow an own link", done)


def main(program, small_trace):
    commands = Commands(program, small_trace)
    is_root = os.geteuid() == 0
    with scratch() as folder:
        check = Check(commands, folder)
        for command in commands.writers:
            forms = FORMS.get(command, ["out"])
            for form in forms:
                check.is_private(command, form)
            if is_root:
                check.for_another_user(command, forms[0])
                check.link_of_another(command, forms[0])
    if not is_root:
        print("SKIPPED: only root can be asked to write for another user")
        if os.environ.get("CI") == "true":
            check.findings.append("this must run as root")
    for finding in check.findings:
        print(finding)
    return 1 if check.findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
