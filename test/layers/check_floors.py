#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails where a room of the page imports from one that it must not know, or looks for a DOM where
there is none, and where a header of the module includes from its own floor or above. Types named in
comments bind nothing and are free. Before it looks it plants offences and demands that each is
found."""
import pathlib
import posixpath
import re
import sys

# Room of web/src -> what it may import from, beside itself. Files that stand in no room tie all
# together.
WEB = {
    "base": set(),
    "model": set(),
    "layout": {"model"},
    "draw": {"layout", "model"},
    "state": {"draw", "layout", "model", "base"},
    "panels": {"state", "draw", "layout", "model", "base"},
    "input": {"panels", "state", "draw", "layout", "model", "base"},
}
WITHOUT_DOM = {"model", "layout"}
IMPORT = re.compile(r"^\s*(?:import|export)\b[^;'\"]*?from\s*['\"](\.[^'\"]+)['\"]"
                    r"|^\s*import\s*['\"](\.[^'\"]+)['\"]|\bimport\(\s*['\"](\.[^'\"]+)['\"]\s*\)",
                    re.M)
DOM = re.compile(r"(?<![\w.'])(?:document|window|localStorage)\s*\.")

# Headers of kmod/ by floor, the lowest first; one may include those of lower floors.
KMOD = [{"compat.h", "clock.h", "events.h"}, {"kutrace.h"}, {"cursor.h", "direct.h"}, {"put.h"}]
# The calls of a patched kernel are made by hooks alone.
OF_HOOKS = {"direct.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def without_comments(text):
    """Comments blanked, lines kept."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text,
                  flags=re.S)


def room_of(path):
    return path.split("/")[0] if "/" in path else ""


def web_offences(files):
    """Lines about these files, path below web/src -> text."""
    found = []
    for path, text in sorted(files.items()):
        room = room_of(path)
        text = without_comments(text)
        if room and room not in WEB:
            found.append(f"{path}: the room {room} is not declared in check_floors.py")
            continue
        for match in IMPORT.finditer(text):
            asked = next(name for name in match.groups() if name)
            target = room_of(posixpath.normpath(posixpath.join(posixpath.dirname(path), asked)))
            if room and target != room and target not in WEB[room]:
                line = text.count("\n", 0, match.end()) + 1
                found.append(f"{path}:{line}: {room} must not import from {target or asked}")
        if room in WITHOUT_DOM:
            found += [f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {room} has no DOM"
                      for match in DOM.finditer(text)]
    return found


def kmod_offences(files):
    """Lines about these files, name in kmod -> text."""
    floor_of = {name: floor for floor, names in enumerate(KMOD) for name in names}
    found = []
    for path, text in sorted(files.items()):
        if path.endswith(".h") and path not in floor_of:
            found.append(f"{path}: its floor is not declared in check_floors.py")
            continue
        for match in INCLUDE.finditer(without_comments(text)):
            header = match.group(1)
            line = text.count("\n", 0, match.start(1)) + 1
            if header.startswith("kutrace/"):
                continue
            if header not in floor_of:
                found.append(f"{path}:{line}: {header} is neither the module's nor shared")
            elif floor_of[header] >= floor_of.get(path, len(KMOD)):
                found.append(f"{path}:{line}: {path} must not include {header}")
            elif header in OF_HOOKS and not path.startswith("hooks"):
                found.append(f"{path}:{line}: {header} is for hooks")
    return found


WEB_PLANTED = {
    "state/a.js": "import { x } from './b.js';\nimport { el } from '../panels/dom.js';\n",
    "model/b.js": "export { y } from '../draw/palette.js';\n",
    "layout/c.js": "const x = await import('../state/range.js');\n",
    "model/d.js": "const x = document.title;\n",
    "draw/e.js": "import {\n  one,\n  two,\n} from '../state/view.js';\n",
    "panels/f.js": "import { app } from '../app.js';\n",
    "base/g.js": "import '../model/trace.js';\n",
    "nowhere/h.js": "\n",
}
WEB_INNOCENT = {
    "state/i.js": "/** @param {import('../panels/dom.js').X} x */\nimport { KIND } from '../model/a.js';\n",
    "app.js": "import { a } from './panels/a.js';\nimport { b } from './state/b.js';\n",
    "model/j.js": "// document.title\nconst t = 'window.x';\nimport { c } from './a.js';\n",
}
KMOD_PLANTED = {
    "kutrace.h": '#include "put.h"\n',
    "cursor.h": '#include "direct.h"\n',
    "new.h": "\n",
    "session.c": '#include "direct.h"\n',
    "device.c": '#include "buffer.c"\n',
    "main.c": '#include "../src/record/ebpf/bpf/layout.h"\n',
}
KMOD_INNOCENT = {
    "put.h": '#include <linux/kernel.h>\n#include "cursor.h"\n#include "clock.h"\n',
    "hooks_irq.c": '#include "direct.h"\n#include "put.h"\n#include "kutrace/abi.h"\n',
}


def self_check():
    for check, planted, innocent in ((web_offences, WEB_PLANTED, WEB_INNOCENT),
                                     (kmod_offences, KMOD_PLANTED, KMOD_INNOCENT)):
        seen = {line.split(":")[0] for line in check({**planted, **innocent})}
        if seen != set(planted):
            sys.exit(f"the check is broken: missed {sorted(set(planted) - seen)}, "
                     f"wrongly found {sorted(seen - set(planted))}")


def read(folder, *endings):
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(folder.rglob("*")) if path.suffix in endings}


def main():
    root = pathlib.Path(sys.argv[1])
    self_check()
    web = read(root / "web/src", ".js")
    kmod = read(root / "kmod", ".c", ".h")
    if len(web) < 50 or len(kmod) < 10:
        sys.exit("no source was checked")
    found = [f"web/src/{line}" for line in web_offences(web)]
    found += [f"kmod/{line}" for line in kmod_offences(kmod)]
    print(*found, sep="\n")
    if found:
        sys.exit(f"{len(found)} offences against the floors")
    print(f"{len(web)} files of the page and {len(kmod)} of the module keep to their floors, "
          f"{len(WEB_PLANTED) + len(KMOD_PLANTED)} planted offences were found")


main()
