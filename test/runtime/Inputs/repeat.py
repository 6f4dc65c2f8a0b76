# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""repeat.py PROGRAM: how much more memory 40,000 runs take than 1,000."""

import os
import sys


def kibibytes(runs):
    """The most memory of a process of its own."""
    null = os.open(os.devnull, os.O_WRONLY)
    process = os.posix_spawnp(
        "ipu-run", ["ipu-run", sys.argv[1], "--input", "in=zeros", "--engine=interpreter",
                    "--threads=1", "--repeat", str(runs)],
        os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    _, status, usage = os.wait4(process, 0)
    assert status == 0, status
    return usage.ru_maxrss


more = kibibytes(40000) - kibibytes(1000)
print("no more memory" if more < 512 else f"{more} KiB more")
