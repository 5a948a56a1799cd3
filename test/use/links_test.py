#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Links on the way to an output: wherever on the path one stands and whatever folder it is in, root
follows his own alone, and who called sudo those of somebody else only where not everybody may write.

links_test.py KUTRACE SMALL_TRACE: every command that writes. Needs root, and two other users.
"""
import os
import shutil

from commands import FORMS, Checks

OUTPUT = 5
ROOT, HE, SHE = 0, 65534, 12345
SUDO = {"SUDO_UID": str(SHE), "SUDO_GID": str(SHE), "SUDO_USER": ""}

# Owner and mode of the folder in which the link is.
FOLDERS = {
    "sticky": (ROOT, 0o1777),
    "open": (ROOT, 0o777),
    "his": (HE, 0o755),
    "his sticky": (HE, 0o1777),
    "his open": (HE, 0o777),
}
# What is written, where {l} is the link to a folder, {f} one to a file in it, {s} root's link to {l}.
SPELLINGS = ["{l}/out", "{l}/./out", "{l}/inner/../out", "{l}/../target/out", "{l}//out", "{f}",
             "{s}/out", "{s}/inner/../out", "{p}/inner/../link/out"]


class Place:
    """A folder with a link of `owner` to another folder, in which there is a file."""

    def __init__(self, folder, kind, owner, target_owner):
        shutil.rmtree(folder, ignore_errors=True)
        self.folder, self.target = folder / "place", folder / "target"
        for path in (folder, self.folder, self.target, self.target / "inner",
                     self.folder / "inner"):
            path.mkdir()
        self.file = self.target / "out"
        self.file.write_text("kept")
        for path in (self.target, self.target / "inner", self.file):
            os.chown(path, target_owner, target_owner)
        self.links = {"l": self.folder / "link", "f": self.folder / "file", "s": folder / "safe"}
        os.symlink("../target", self.links["l"])
        os.symlink(self.file, self.links["f"])
        os.symlink(self.links["l"], self.links["s"])
        for name in ("l", "f"):
            os.lchown(self.links[name], owner, owner)
        folder_owner, mode = FOLDERS[kind]
        os.chown(self.folder, folder_owner, folder_owner)
        self.folder.chmod(mode)

    def path(self, spelling):
        return spelling.format(p=self.folder, **self.links)

    def untouched(self):
        return self.file.read_text(errors="replace") == "kept" and \
            sorted(os.listdir(self.target)) == ["inner", "out"]


class Links(Checks):
    def write(self, command, output, environment):
        return self.commands.run([*self.words(command), "-o", output],
                                 env={**os.environ, **environment})

    def one(self, command, kind, owner, spelling, sudo):
        form = FORMS.get(command, ["out"])[0]
        place = Place(self.folder / "case", kind, owner, SHE if sudo else ROOT)
        done = self.write(command, place.path(spelling), SUDO if sudo else {})
        asking = SHE if sudo else ROOT
        may = owner in (asking, ROOT) or (sudo and not FOLDERS[kind][1] & 0o002)
        what = (f"kutrace {' '.join(command)} ({form}), {'sudo' if sudo else 'root'}: {spelling} "
                f"through a link of {owner} in a folder that is {kind}")
        if may and (done.returncode not in (0, 1) or place.untouched()):
            self.findings.append(f"{what}: is not followed: {done.stderr.decode().strip()}")
        if not may and (done.returncode != OUTPUT or not place.untouched()):
            self.findings.append(f"{what}: is followed (status {done.returncode})")
        if not may and b"somebody else" not in done.stderr:
            self.findings.append(f"{what}: says {done.stderr.decode().strip()}")

    def ends_in_a_folder(self, command):
        for spelling in ("{l}", "{l}/", "{l}/.", "{l}/inner/..", "{f}/", "{l}/new/"):
            place = Place(self.folder / "case", "open", ROOT, ROOT)
            done = self.write(command, place.path(spelling), {})
            if done.returncode != OUTPUT or not place.untouched():
                self.findings.append(f"kutrace {' '.join(command)}: {spelling}: status "
                                     f"{done.returncode}: {done.stderr.decode().strip()}")

    def all(self):
        if not self.needs_root():
            return
        self.folder.chmod(0o755)
        for number, command in enumerate(self.commands.writers):
            for kind in FOLDERS:
                for owner in (ROOT, HE, SHE):
                    for spelling in SPELLINGS if number == 0 else ("{l}/out", "{f}"):
                        self.one(command, kind, owner, spelling, sudo=False)
                    self.one(command, kind, owner, "{l}/out", sudo=True)
            self.ends_in_a_folder(command)


if __name__ == "__main__":
    Links.main()
