#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the documents with the sources they describe.

check_docs.py ROOT: every repair, damage and META key of src/ and every span kind is
described, every entry kind of this project is, every rule has an example that is tested, every test
that spans.md quotes exists, and every relative link leads to a file. Prints every difference, exits
1 if there is one.
"""
import pathlib
import re
import sys

COUNTER = r'KUTRACE_COUNTER\(\w+, '
RULES = {
    "doc/spans.md": (
        COUNTER + r'"(?!json_|chrome_)(\w+)", repair',
        COUNTER + r'"(?!json_|counter_|chrome_|files_)(\w+)", note',
        COUNTER + r'"(files_\w+)", note',  # a limit: it takes a million descriptors to show it
        r'case SpanKind::k\w+:\s+return "(\w+)"',
    ),
    "doc/trace-format.md": (
        COUNTER + r'"(?!json_)(\w+)", damage',
        COUNTER + r'"(counter_\w+)", note',
        r'KUTRACE_FACT\(\w+, "(\w+)"',
        r'KUTRACE_FACT_FAMILY\(\w+, "(\w+\.)"',
    ),
    "doc/span-json.md": (COUNTER + r'"(json_\w+)"',),
    "doc/imports.md": (COUNTER + r'"(chrome_\w+)"',),
}
TITLE = re.compile(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"((?:\s*"(?:[^"\\]|\\.)*")*)')
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def read(path):
    return path.read_text(encoding="utf-8")


def undescribed(root, findings):
    sources = [read(path) for kind in ("*.cpp", "*.def")
               for path in sorted((root / "src").rglob(kind))]
    for document, patterns in RULES.items():
        text = read(root / document)
        for pattern in patterns:
            names = {name for source in sources for name in re.findall(pattern, source)}
            if not names:
                findings.append(f"{document}: nothing in src/ matches {pattern}")
            findings.extend(f"{document}: {name} is not described" for name in sorted(names)
                            if f"`{name}" not in text)


def undescribed_kinds(root, findings):
    text = read(root / "doc/trace-format.md")
    kinds = re.findall(r"KUTRACE_KIND\((\w+), 0x(\w+),", read(root / "include/kutrace/events.def"))
    for name, number in kinds:
        if int(number, 16) >= 0x107 and f"**{name}**, kind {number}" not in text:
            findings.append(f"doc/trace-format.md: kind {number}, {name}, is not described")


def rules_without_example(root, findings):
    examples = read(root / "doc/spans.md").split("### An example of each")[1].split("\n## ")[0]
    tested = read(root / "test/unit/spans_rules_test.cpp")
    sources = [read(path) for kind in ("*.cpp", "*.def")
               for path in sorted((root / "src").rglob(kind))]
    for pattern in RULES["doc/spans.md"][:2]:
        for rule in sorted({name for source in sources for name in re.findall(pattern, source)}):
            if f"| `{rule}` |" not in examples:
                findings.append(f"doc/spans.md: {rule} has no example")
            if f'"{rule}"' not in tested:
                findings.append(f"spans_rules_test.cpp: {rule} has no example")


def quoted_tests(root, findings):
    titles = set()
    for path in sorted((root / "test").rglob("*.cpp")):
        for first, rest in TITLE.findall(read(path)):
            titles.add(first + "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', rest)))
    section = read(root / "doc/spans.md").split("### Upstream's defects and their tests")[1]
    quoted = [title for line in section.splitlines() if line.startswith("|")
              for title in re.findall(r'"([^"]+)"', line)]
    if not quoted:
        findings.append("doc/spans.md: quotes no test")
    findings.extend(f"doc/spans.md: there is no test \"{title}\""
                    for title in quoted if title not in titles)


def dead_links(root, findings):
    for page in [root / "README.md", *sorted((root / "doc").rglob("*.md"))]:
        for target in LINK.findall(read(page)):
            if "://" not in target and not (page.parent / target).exists():
                findings.append(f"{page.relative_to(root)}: {target} does not exist")


def main(root):
    findings = []
    undescribed(root, findings)
    undescribed_kinds(root, findings)
    rules_without_example(root, findings)
    quoted_tests(root, findings)
    dead_links(root, findings)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
