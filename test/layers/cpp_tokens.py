# SPDX-License-Identifier: BSD-3-Clause
"""What ends a statement of C++ and what must be passed over to find it: for checks that look at
scopes and need no parser."""
import re

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'  # comments
    r'|^[ \t]*\#(?:\\\n|[^\n])*'  # lines of the preprocessor
    r'|R"([^(\s]*)\(.*?\)\1"'  # texts
    r"""|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"""
    r"|[{};]", re.S | re.M)
# At the end of the statement that opens a scope; the name of a nameless one is None.
NAMESPACE = re.compile(r"(?:^|\s)namespace(?:\s+([\w:]+))?\s*$")
