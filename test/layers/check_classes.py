#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails where two files of one program define a class of the same full name: the linker keeps one
definition's inline functions for both. A program is src and include, with one folder of tests and
what tests share. Before it looks it plants such classes and demands that each is found."""
import pathlib
import re
import sys

from cpp_tokens import NAMESPACE, TOKEN

TYPE = re.compile(
    r"(?:^|[\s>])(?:class|struct|union|enum(?:\s+(?:class|struct))?)"
    r"(?:\s+(?:alignas\s*\([^)]*\)|\[\[[^\]]*\]\]|__attribute__\s*\(\(.*?\)\)))*"
    r"\s+(\w+)(?:\s+final)?\s*(?::[^:].*)?$", re.S)
NESTED = object()  # a scope in which nothing has a name for others


def classes(text):
    """Full names of the classes that this file defines for others to see."""
    found = set()
    scopes = []  # names of namespaces and classes, or NESTED
    statement = ""
    at = 0
    for token in TOKEN.finditer(text):
        statement += text[at:token.start()]
        at = token.end()
        word = token.group(0)
        if word == "{":
            scopes.append(scope_of(statement, scopes, found))
        elif word == "}" and scopes:
            scopes.pop()
        if word in "{};":
            statement = ""
    return found


def scope_of(statement, scopes, found):
    if NESTED in scopes:
        return NESTED
    namespace = NAMESPACE.search(statement)
    if namespace:
        return namespace.group(1) or NESTED
    # Default arguments of templates hold "class" too; a specialisation has no name of its own.
    kind = TYPE.search(re.sub(r"template\s*<[^{}]*?>(?=\s*(?:class|struct|union))", "", statement))
    if kind:
        found.add("::".join([*scopes, kind.group(1)]))
    return NESTED


def doubles(files):
    """Lines about names that several of these files, path -> text, define."""
    where = {}
    for path in sorted(files):
        for name in classes(files[path]):
            where.setdefault(name, []).append(path)
    return [f"{name} is defined in {' and in '.join(places)}"
            for name, places in sorted(where.items()) if len(places) > 1]


PLANTED = {
    "a.h": "namespace k {\ntemplate <class T>\nclass Same final : public Base<T> {\n int x; };\n}",
    "b.h": "namespace k {\n// class Other {\nstruct Same {\n  struct Inner {};\n};\n}  // k",
    "c.cpp": "namespace k { enum class Way : unsigned char { kA }; }",
    "d.cpp": "namespace k {\nenum class Way { kB };\n}",
    "e.h": "struct alignas(64) Bare { char c = '{'; };",
    "f.h": "#define OPEN {\nstruct Bare { int n = 1'000'000; };",
}
INNOCENT = {
    "a.cpp": "namespace k { namespace { class Hidden {}; } }",
    "b.cpp": "namespace k { namespace { class Hidden {}; } class Only; }",
    "c.h": "namespace k { struct Outer { struct Inner {}; }; }",
    "d.h": "namespace k { struct Other { struct Inner {}; }; class Only {}; }",
    "e.cpp": "namespace k { struct Only* f() { struct Local {}; return {}; } }",
    "f.cpp": "namespace k { void g() { struct Local {}; } auto t = R\"(struct Other {)\"; }",
    "g.h": "template <> struct std::hash<int*> { };",
    "h.h": "template <> struct std::hash<long*> { };",
}


def self_check():
    found = {line.split(" ")[0] for line in doubles(PLANTED)}
    if found != {"k::Same", "k::Way", "Bare"}:
        sys.exit(f"the check is broken: of the planted classes it finds {sorted(found)}")
    wrong = doubles(INNOCENT)
    if wrong:
        sys.exit(f"the check is broken: {wrong}")


def read(root, *folders):
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
            for folder in folders for path in sorted((root / folder).rglob("*"))
            if path.suffix in {".h", ".cpp"}}


def main():
    root = pathlib.Path(sys.argv[1])
    self_check()
    # The eBPF programs are linked with nothing of these.
    shared = {path: text for path, text in read(root, "src", "include", "test/support").items()
              if not path.startswith("src/record/ebpf/bpf/")}
    kinds = sorted(path.name for path in (root / "test").iterdir() if path.is_dir())
    found = set(doubles(shared))
    for kind in kinds:
        if kind != "support":
            # Programs that are run by tests stand in folders of their own.
            tests = {path: text for path, text in read(root, f"test/{kind}").items()
                     if path.count("/") == 2}
            found.update(doubles({**shared, **tests}))
    count = sum(len(classes(text)) for text in shared.values())
    if count < 100:
        sys.exit(f"only {count} classes were seen")
    for line in sorted(found):
        print(line)
    if found:
        sys.exit(f"{len(found)} classes are defined twice")
    print(f"{count} classes, each defined once; the planted ones were found")


main()
