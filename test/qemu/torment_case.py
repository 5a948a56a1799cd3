# SPDX-License-Identifier: BSD-3-Clause
"""All that kutrace-abuse does in the case `use`, twenty times as often: 60000 random commands, as many on
shared files, 400 recordings of a file that others use, 200 times loaded and unloaded under load.
"""
import guest
import use_case

PROGRAMS = ["kutrace-abuse"]
ACCELERATOR = guest.TWO_CPUS
TIMEOUT = 5400
SCRIPT = use_case.abuse_all(20)


def check(out, _):
    return use_case.surprises(out)
