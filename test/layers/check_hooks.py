#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on a hook that leaves it to the kernel to hold its CPU: newer kernels do not.

Every BPF program of a tracepoint comes from a macro of bpf/hook.h, every probe of the module from
KUTRACE_PROBE in compat.h. Before it looks at the sources it plants offences and demands that each is
found.
"""
import pathlib
import re
import sys

MAKES_PROGRAMS = "src/record/ebpf/bpf/hook.h"
RULES = {
    "src/record/ebpf/bpf": re.compile(r'SEC\s*\(\s*"(?:tp_btf|raw_tp|fentry|tracepoint)(?!/kutrace_start)'),
    "kmod": re.compile(r"\.(?:probe|filtered) = (?!KUTRACE_PROBE_OF\()|tracepoint_probe_register\((?!hook)"),
}
PLANTED = {
    "src/record/ebpf/bpf": ['SEC("tp_btf/sys_enter")\nint BPF_PROG(sys_enter)', 'SEC( "raw_tp/x")', 'SEC("raw_tp")'],
    "kmod": ["{ .probe = (void *)on_x }", "\t.filtered = on_x,",
             "tracepoint_probe_register(found, on_x, NULL);"],
}


def offences(folder, text):
    return [text[:match.start()].count("\n") + 1 for match in RULES[folder].finditer(text)]


def main():
    root = pathlib.Path(sys.argv[1])
    found = [f"not found: {text}" for folder, texts in PLANTED.items() for text in texts
             if not offences(folder, text)]
    for folder in RULES:
        for path in sorted((root / folder).glob("*.[ch]")):
            name = path.relative_to(root).as_posix()
            if name != MAKES_PROGRAMS:
                found += [f"{name}:{line}: a hook that does not hold its CPU"
                          for line in offences(folder, path.read_text(encoding="utf-8"))]
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
