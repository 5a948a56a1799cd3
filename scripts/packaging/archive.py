# SPDX-License-Identifier: BSD-3-Clause
"""Debian's archive: packages of any architecture, unpacked into folders, with the system left as it is.

In: names of packages, an environment in which apt knows them (empty: the system's own). Out: folders.
What apt fetches for it lies in ${XDG_CACHE_HOME:-~/.cache}/kutrace/apt.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


class Unavailable(Exception):
    """A package, kernel or tool that cannot be had here; the text says which."""


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "kutrace"


def apt(*arguments, **options):
    environment = dict(os.environ, **options.pop("environment", {}))
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=environment,
                          **options)
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def depends(package, pattern, environment):
    """The package that a metapackage stands for today: old ones leave the archive."""
    found = re.search(rf"Depends: ({pattern})", apt("apt-cache", "depends", package,
                                                    environment=environment))
    if not found:
        raise Unavailable(f"no package {package}; apt-get update")
    return found.group(1)


def versions_of(packages, environment):
    """The newest version of each, asked at once, as apt takes long to begin."""
    text = apt("apt-cache", "policy", *packages, environment=environment)
    found = [version for version in re.findall(r"Candidate: (\S+)", text) if version != "(none)"]
    if len(found) != len(packages):
        raise Unavailable(f"no package {' or '.join(packages)}; apt-get update")
    return found


def version_of(package, environment):
    return versions_of([package], environment)[0]


def unpack(packages, folder, environment):
    """Downloads packages and unpacks them into one folder, which appears whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        print("fetching", *packages, file=sys.stderr)
        apt("apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", *packages, cwd=scratch,
            environment=environment)
        tree = pathlib.Path(scratch) / "tree"
        for deb in pathlib.Path(scratch).glob("*.deb"):
            apt("dpkg-deb", "-x", str(deb), str(tree))
        tree.chmod(0o755)
        if not folder.exists():
            tree.rename(folder)


def other_apt(name, architecture, settings=""):
    """Environment in which apt knows other packages than the system's does, which it leaves alone."""
    folder = cache_folder() / "apt" / name
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "apt.conf").write_text(
        f'APT::Architecture "amd64";\nAPT::Architectures {{ "amd64"; "{architecture}"; }};\n'
        f'Dir::State::Lists "{folder}/lists";\nDir::Cache "{folder}/cache";\n'
        f'APT::Sandbox::User "root";\n{settings}', encoding="utf-8")
    environment = {"APT_CONFIG": str(folder / "apt.conf")}
    if not any((folder / "lists").glob("*Packages*")):
        apt("apt-get", "update", "-q", environment=environment)
    return environment


def foreign_apt(architecture):
    """The same, of another architecture."""
    return other_apt(architecture, architecture)


def version_exists(package, environment):
    try:
        return bool(version_of(package, environment))
    except Unavailable:
        return False
