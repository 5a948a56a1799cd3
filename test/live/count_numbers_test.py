#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kutrace count and numbers of processes that come again: who gets the number of one of the command's is none of it.

count_numbers_test.py KUTRACE. Nothing else may run beside it: it tells the kernel which number comes next, so that
everybody gets numbers that others had a moment ago. Prints what differs, exits 1 if anything does, 77 where this machine
cannot record.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import judged

LAST_NUMBER = pathlib.Path("/proc/sys/kernel/ns_last_pid")


class Test(judged.Test):
    def all(self):
        """A stranger that gets the number of a process of the command that ended is none of the command's."""
        number = self.folder / "number"
        command = f"sh -c 'echo $$ > {number}; exit 0'; sleep 4"
        counting = subprocess.Popen([self.program, "count", "syscall:getppid, by pid", "--only-command", "--format", "json",
                                     "--", "sh", "-c", command], stdout=subprocess.PIPE, text=True)
        while not number.exists() or not number.read_text():
            time.sleep(0.01)
        wanted, got = int(number.read_text()), 0
        time.sleep(0.3)
        for _ in range(1000):
            try:
                LAST_NUMBER.write_text(str(wanted - 1))
            except OSError as refused:
                print(f"numbers that come again: not here: {refused}")
                break
            got = os.fork()
            if got == 0:
                for _ in range(100):
                    os.getppid()
                os._exit(0)
            os.waitpid(got, 0)
            if got == wanted:
                break
        rows = json.loads(counting.communicate()[0])["rows"]
        print(f"numbers that come again: {wanted}" if got == wanted else "numbers that come again: none came")
        foreign = [row for row in rows if row["pid"] == wanted and row["count"] >= 100]
        self.expect(not foreign, f"calls of a stranger: {foreign}")


if __name__ == "__main__":
    judged.run(Test, *sys.argv[1:])
