#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on an #include that no edge of the layers allows, on output or opened files outside the
rooms that may touch the world, and on conversions of text that throw, for nothing throws across a
layer. The rooms and their edges are those of kutrace_layer() in CMakeLists.txt; a room may stand in a
folder with others (emit/page), but not in another room.
Before it looks at the sources it plants offences and demands that each is found."""
import pathlib
import re
import sys
import tempfile

TOUCH_THE_WORLD = ("cli", "files", "functions", "record/", "serve")
MAY_OPEN = {"base/mapped_file.cpp", "base/memory_file.cpp", "base/stream.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)
WORLD_HEADERS = re.compile(
    r"^(iostream|fstream|ostream|print|syncstream|spdlog/.*|fcntl\.h|unistd\.h)$")
WORLD_CALLS = re.compile(
    r"(?<![\w.>:])(?:std::|::)?"
    r"(?:printf|puts|putchar|fprintf|fputs|fwrite|fopen|freopen|creat|popen|system)\s*\("
    r"|(?<![\w>])::open\s*\(|fmt::print\b"
    r"|std::(?:cout|cerr|clog|ofstream|ifstream|fstream)\b")
# base/number_text.h has what does not throw.
THROWING_CALLS = re.compile(
    r"(?<![\w.>])(?:std::)?(?:sto(?:i|l|ll|ul|ull|f|d|ld)|lexical_cast\s*<[^;()]*>)\s*\(")


def edges(cmake_text):
    """Room -> every room that it may include from, itself included."""
    direct = {}
    for line in re.findall(r"^kutrace_layer\(([^)]*)\)", cmake_text, re.M):
        name, *needs = line.split()
        direct[name] = set(needs)
    direct["cli"] = set(direct)

    def reach(name):
        return {name}.union(*(reach(need) for need in direct[name]))

    return {name: reach(name) for name in direct}


def room_of(path, rooms):
    """The room that this path below src/ stands in, or None."""
    parts = path.split("/")[:-1]
    for count in range(len(parts), 0, -1):
        if "/".join(parts[:count]) in rooms:
            return "/".join(parts[:count])
    return None


def nested(rooms):
    return [f"{inner}: stands in the room {outer}" for inner in sorted(rooms)
            for outer in sorted(rooms) if inner.startswith(outer + "/")]


def unnamed(rooms, page):
    """Rooms that the page about the architecture does not name."""
    return [f"doc/architecture.md does not name {room}" for room in sorted(rooms)
            if not re.search(rf"(?<![\w/]){re.escape(room)}(?![\w/])", page)]


def without_comments(text):
    """Comments and the insides of strings blanked, lines kept; include lines stay whole."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|^\s*#\s*include[^\n]*|"(?:\\.|[^"\\\n])*"', re.S | re.M)

    def blank(match):
        found = match.group(0)
        if found.lstrip().startswith("#"):
            return found
        return re.sub(r"[^\n]", " ", found)

    return pattern.sub(blank, text)


def offences(source_dir, allowed):
    found = []
    count = 0
    for path in sorted(p for p in source_dir.rglob("*") if p.suffix in {".h", ".cpp", ".c"}):
        relative = path.relative_to(source_dir).as_posix()
        layer = room_of(relative, allowed)
        if layer is None:
            found.append(f"{relative}: its room is not declared in CMakeLists.txt")
            continue
        count += 1
        text = without_comments(path.read_text(encoding="utf-8"))
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            header = match.group(2)
            if match.group(1) == '"':
                target = room_of(header, allowed)
                if target is not None and target not in allowed[layer]:
                    found.append(f"{relative}:{line}: {layer} must not include from {target}")
            elif not layer.startswith(TOUCH_THE_WORLD) and relative not in MAY_OPEN:
                if WORLD_HEADERS.match(header):
                    found.append(f"{relative}:{line}: {layer} must not include <{header}>")
        for match in THROWING_CALLS.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{relative}:{line}: {match.group(0).strip()} throws")
        if layer.startswith(TOUCH_THE_WORLD) or relative in MAY_OPEN:
            continue
        for match in WORLD_CALLS.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            call = match.group(0).strip()
            found.append(f"{relative}:{line}: {layer} must not touch the world: {call}")
    return found, count


PLANTED = {
    "base/a.cpp": '#include "format/raw_file.h"\n',
    "format/b.cpp": "#include <iostream>\n",
    "decode/c.cpp": "// fine\n#include <spdlog/spdlog.h>\n",
    "spans/d.cpp": 'void f() { fmt::print("x"); }\n',
    "reports/e.cpp": '#include "cli/command.h"\n',
    "timeline/f.cpp": 'void f() { auto* x = std::fopen("a", "r"); }\n',
    "record/run/g.cpp": '#include "model/span.h"\n',
    "record/blocks/o.h": '#include "record/ebpf/bpf/layout.h"\n',
    "emit/page/p.cpp": '#include "emit/text/text_sink.h"\n',
    "emit/q.cpp": "\n",
    "filters/k.cpp": "int f() { return ::open(0, 0); }\n",
    "record/proc/m.cpp": "auto n = std::stoull(word, nullptr, 16);\n",
    "cli/n.cpp": "using namespace std;\nint n = stoi (word);\n",
    "nowhere/h.cpp": "\n",
}
INNOCENT = {
    "cli/i.cpp": '#include <iostream>\n#include "emit/a.h"\n#include "record/run/a.h"\n',
    "reports/l.h": "struct L { static L open(int); };\nL l = L::open(1);\n",
    "spans/j.cpp": '#include "base/text.h"\n// std::cout and fopen( in a comment\n'
                   'void open_span();\nauto s = "printf(";\n'
                   'void g(Thing t) { t.open(1); snprintf(0, 0, ""); t.stoi(1); restoi(1); }\n',
    "base/mapped_file.cpp": "#include <fcntl.h>\nint f() { return ::open(0, 0); }\n",
}


def self_check(allowed):
    """Every planted offence is found, and nothing in innocent files."""
    if not nested({"emit", "emit/page", "read/page"}) or nested({"emit/page", "emit/pages"}):
        sys.exit("the check is broken: rooms within rooms")
    if unnamed({"emit/page", "base"}, "emit/pages, src/base and base") != [
            "doc/architecture.md does not name emit/page"]:
        sys.exit("the check is broken: rooms that are not named")
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        for name, text in {**PLANTED, **INNOCENT}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found, _ = offences(root, allowed)
    seen = {line.split(":")[0] for line in found}
    missed = set(PLANTED) - seen
    wrong = seen - set(PLANTED)
    if missed or wrong:
        sys.exit(f"the check is broken: missed {sorted(missed)}, wrongly found {sorted(wrong)}")


def main():
    root = pathlib.Path(sys.argv[1])
    allowed = edges((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    self_check(allowed)
    found, count = offences(root / "src", allowed)
    found += nested(allowed)
    found += unnamed(allowed, (root / "doc/architecture.md").read_text(encoding="utf-8"))
    if count == 0:
        sys.exit("no source was checked")
    for line in found:
        print(line)
    if found:
        sys.exit(f"{len(found)} offences against the rooms")
    print(f"{count} files keep to their rooms, {len(PLANTED)} planted offences were found")


main()
