# SPDX-License-Identifier: BSD-3-Clause
"""Twenty pieces of work, each between two marks. One of them is ten times as large."""
import hashlib

import kutrace

for i in range(20):
    with kutrace.scope("hash"):
        hashlib.sha256(bytes(10_000_000 if i == 7 else 1_000_000)).digest()
