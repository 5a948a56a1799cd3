#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on a source that does not keep to the namespace of its room: kutrace::spans in src/spans,
kutrace::read in every folder of src/read, and kutrace itself in the rooms of the vocabulary that
all others speak. A class of a library may be declared in the library's namespace, and nothing else.
Fails on `using namespace` in src, too, which hides whose a name is.
Before it looks at the sources it plants offences and demands that each is found."""
import pathlib
import re
import sys

from cpp_tokens import NAMESPACE, TOKEN

VOCABULARY = {"base", "format", "model"}
C_PROGRAMS = ("record/ebpf/bpf/", "functions/")
DECLARED = re.compile(r"\s*(?:class|struct)\s+\w+\s*")
USING = re.compile(r"(?:^|\s)using\s+namespace\s+([\w:]+)")


def namespace_of(room):
    return "kutrace" if room in VOCABULARY else f"kutrace::{room}"


def is_library(namespace):
    return namespace.split("::")[0] not in ("", "std", "kutrace")


def statements(text):
    """(text of the statement, what ends it, line): the pieces between braces and semicolons."""
    statement = ""
    at = 0
    for token in TOKEN.finditer(text):
        statement += text[at:token.start()]
        at = token.end()
        if token.group(0) in "{};":
            yield statement, token.group(0), text.count("\n", 0, at) + 1
            statement = ""


def offences_of(text, room, rooms):
    """(line, what is wrong) of one source of this room."""
    own = namespace_of(room)
    opened = set()
    scopes = []
    for statement, end, line in statements(text):
        using = USING.search(statement)
        if using and end == ";":
            yield line, f"using namespace {using.group(1)}"
        inside = scopes[0].group(1) or "" if len(scopes) == 1 and scopes[0] else ""
        if end != "}" and is_library(inside) and not (end == ";" and DECLARED.fullmatch(statement)):
            yield line, f"more than a declared class in namespace {inside}"
        if end == "}" and scopes:
            scopes.pop()
        if end != "{":
            continue
        found = NAMESPACE.search(statement)
        scopes.append(found)
        if not found:
            continue
        name = found.group(1) or ""
        if len(scopes) == 1:
            opened.add(name)
            if name != own and not is_library(name):
                yield line, f"opens namespace {name or 'without a name'}, its room's is {own}"
        elif own == "kutrace" and name.split("::")[0] in rooms:
            yield line, f"opens namespace kutrace::{name}, its room's is {own}"
    if own not in opened:
        yield 1, f"does not open {own}, the namespace of its room"


def offences(sources):
    """Lines about these sources, path below src -> text."""
    rooms = {path.split("/")[0] for path in sources}
    return [f"{path}:{line}: {what}" for path in sorted(sources)
            for line, what in offences_of(sources[path], path.split("/")[0], rooms)]


PLANTED = {
    "spans/a.h": "namespace kutrace {\nclass A {};\n}",
    "spans/b.cpp": "namespace kutrace::spans {\n}\nnamespace kutrace::timeline {\nstruct B;\n}",
    "read/page/c.cpp": "namespace kutrace::read::page {\nint c;\n}",
    "base/d.h": "namespace kutrace::base {\nint d;\n}",
    "format/e.h": "namespace kutrace { namespace spans { int e; } }",
    "emit/text/f.cpp": "namespace {\nint f;\n}\nnamespace kutrace::emit {\n}",
    "files/g.h": "// namespace kutrace::files {\nstruct G {};\n",
    "cli/h.cpp": "namespace kutrace::cli {\nusing namespace kutrace::spans;\n}",
    "timeline/i.cpp": "namespace kutrace::timeline {\nvoid f() { using namespace std; }\n}",
    "spans/n.h": "namespace timeline {\nclass N {};\n}\nnamespace kutrace::spans {\n}",
    "cli/o.h": "namespace CLI {\nclass App;\nint o;\n}\nnamespace kutrace::cli {\n}",
    "raw/j.cpp": "namespace std {\nstruct J {};\n}\nnamespace kutrace::raw {\n}",
}
INNOCENT = {
    "spans/k.cpp": "struct of_c;\nnamespace kutrace::spans {\nnamespace {\nvoid f() { if (1) {} }"
                   "\n}\n"
                   "namespace fs = std::filesystem;\nauto s = \"namespace other {\";\n"
                   "struct S { char c = '{'; };\nusing timeline::find;\n}\nint main() {}",
    "format/l.h": "namespace kutrace {\nnamespace ev {\nint n;\n}\n}\n"
                  "template <> struct std::hash<L> {};",
    "cli/p.h": "namespace CLI {\nclass App;\nstruct Option;\n}\nnamespace kutrace::cli {\n}",
    "read/trace/m.h": "#define OPEN namespace other {\nnamespace kutrace::read {\n}",
}


def self_check():
    """Every planted offence is found, and nothing in innocent files."""
    found = {line.split(":")[0] for line in offences({**PLANTED, **INNOCENT})}
    missed = set(PLANTED) - found
    wrong = found - set(PLANTED)
    if missed or wrong:
        sys.exit(f"the check is broken: missed {sorted(missed)}, wrongly found {sorted(wrong)}")


def main():
    self_check()
    source_dir = pathlib.Path(sys.argv[1]) / "src"
    sources = {path.relative_to(source_dir).as_posix(): path.read_text(encoding="utf-8")
               for path in source_dir.rglob("*") if path.suffix in {".h", ".cpp"}}
    sources = {path: text for path, text in sources.items() if not path.startswith(C_PROGRAMS)}
    if not sources:
        sys.exit("no source was checked")
    found = offences(sources)
    for line in found:
        print(line)
    if found:
        sys.exit(f"{len(found)} offences against the namespaces of the rooms")
    print(f"{len(sources)} files keep to their room's namespace, "
          f"{len(PLANTED)} planted offences were found")


main()
