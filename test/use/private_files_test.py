#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whose the files are that commands write, and where they may be.

private_files_test.py KUTRACE SMALL_TRACE: every command that writes, for its own user, and for root
on behalf of another user, as sudo starts it. Needs root for the second.
"""
import os
import stat

from commands import FORMS, Checks

USAGE, HOST, OUTPUT = 2, 4, 5
NOBODY = 65534
SUDO = {"SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY), "SUDO_USER": "nobody"}
ROOT = 0
# The owner of the file; None: it is not known, and there is no file.
WHOSE = [
    ({}, ROOT),
    ({"SUDO_UID": "0", "SUDO_GID": "0", "SUDO_USER": "root"}, ROOT),
    ({"SUDO_UID": "65534", "SUDO_GID": "65534"}, NOBODY),
    ({"SUDO_UID": "65534"}, NOBODY),
    ({"SUDO_UID": "65534", "SUDO_USER": "nobody"}, NOBODY),
    ({"SUDO_USER": "nobody"}, NOBODY),
    ({"SUDO_UID": "12345", "SUDO_GID": "12345"}, 12345),
    ({"SUDO_GID": "12345", "SUDO_UID": "12345"}, 12345),
    ({"SUDO_GID": "", "SUDO_UID": "12345"}, None),
    ({"SUDO_UID": "nobody", "SUDO_GID": "65534"}, None),
    ({"SUDO_UID": "65534x", "SUDO_GID": "65534"}, None),
    ({"SUDO_UID": "-1", "SUDO_GID": "65534"}, None),
    ({"SUDO_UID": "4294967295", "SUDO_GID": "65534"}, None),
    ({"SUDO_UID": "99999999999", "SUDO_GID": "65534"}, None),
    ({"SUDO_UID": " 65534", "SUDO_GID": "65534"}, None),
    ({"SUDO_GID": "x", "SUDO_UID": "65534"}, None),
    ({"SUDO_USER": "no-such-user"}, None),
    ({"SUDO_USER": "", "SUDO_GID": "65534"}, None),
]


def facts(path):
    status = path.lstat()
    content = path.read_bytes() if path.is_file() else b""
    return (status.st_ino, status.st_uid, stat.S_IMODE(status.st_mode), content)


class PrivateFiles(Checks):
    def write(self, command, output, environment=None):
        umask = ["sh", "-c", 'umask 0; exec "$@"', "sh"]
        return self.commands.run([*umask, *self.words(command), "-o", str(output)],
                                 env={**os.environ, **(environment or {})})

    def expect_of(self, good, command, what, done):
        self.expect(good, f"kutrace {' '.join(command)}: {what} (status {done.returncode}: "
                          f"{done.stderr.decode().strip()})")

    def is_private(self, command, form):
        place = self.folder / f"own-{'-'.join(command)}-{form}"
        place.mkdir()
        output = place / f"out.{form}"
        for what in ("new", "instead of one that all may read"):
            done = self.write(command, output)
            good = done.returncode in (0, 1) and stat.S_IMODE(output.stat().st_mode) == 0o600
            self.expect_of(good and os.listdir(place) == [output.name], command,
                        f"{what}: not a file of mode 0600 alone in its folder", done)
            output.chmod(0o644)

    def refused(self, command, what, output, kept, environment):
        before = {path: facts(path) for path in kept}
        beside = sorted(os.listdir(output.parent))
        done = self.write(command, output, environment)
        same = all(path.exists() and facts(path) == before[path] for path in kept)
        self.expect_of(done.returncode == OUTPUT and same and
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
        self.expect_of(done.returncode in (0, 1) and facts(output)[1:3] == (NOBODY, 0o600), command,
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

    def whose(self, command, form):
        """What sudo leaves in the environment, whole, in parts and wrong: whose the file is."""
        place = self.folder / f"whose-{'-'.join(command)}"
        place.mkdir()
        place.chmod(0o777)
        for environment, owner in WHOSE:
            output = place / f"out.{form}"
            done = self.write(command, output, environment)
            if owner is None:
                good = (done.returncode == USAGE and not os.listdir(place) and
                        next(iter(environment)).encode() in done.stderr)
            else:
                good = done.returncode in (0, 1) and facts(output)[1] == owner
            self.expect_of(good, command, f"with {environment}: is not {owner}'s", done)
            output.unlink(missing_ok=True)

    def without_power(self, command, form):
        """Root that may not act for others, as in many containers, says so."""
        drop = ["setpriv", "--bounding-set", "-setuid,-setgid", "--inh-caps", "-setuid,-setgid"]
        if self.commands.run([*drop, "true"]).returncode != 0:
            print("SKIPPED: no setpriv that drops capabilities")
            return
        output = self.folder / f"power.{form}"
        done = self.commands.run([*drop, *self.words(command), "-o", str(output)],
                                 env={**os.environ, **SUDO})
        self.expect_of(done.returncode == HOST and not output.exists(), command,
                       "does not say that it cannot act as another user", done)

    def all(self):
        self.folder.chmod(0o755)
        is_root = self.needs_root()
        for command in self.commands.writers:
            forms = FORMS.get(command, ["out"])
            for form in forms:
                self.is_private(command, form)
            if is_root:
                self.for_another_user(command, forms[0])
                self.whose(command, forms[0])
                self.without_power(command, forms[0])


if __name__ == "__main__":
    PrivateFiles.main()
