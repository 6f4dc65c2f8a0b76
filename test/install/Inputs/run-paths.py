# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads where the loader looks for the libraries of each program and library below folders.

An empty or relative entry means the folder that a program happens to be started in, where
anybody may have put a library. Prints each such entry, and how many files were read.
"""

import os
import re
import subprocess
import sys


def is_dynamic(path):
    """Whether it is an ELF program or shared library; links are read where they lead to."""
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        head = file.read(18)
    return head[:4] == b"\x7fELF" and head[16] in (2, 3)  # ET_EXEC, ET_DYN


def is_safe(entry):
    return entry.startswith("/") or re.match(r"\$ORIGIN(/|$)", entry) is not None


def main(folders):
    count = 0
    for folder in folders:
        for place, _, names in os.walk(folder):
            for path in (os.path.join(place, name) for name in sorted(names)):
                if not is_dynamic(path):
                    continue
                count += 1
                text = subprocess.run(["readelf", "-dW", path], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
                for entries in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", text):
                    for entry in dict.fromkeys(entries.split(":")):
                        if not is_safe(entry):
                            print(f"{path}: '{entry}' of '{entries}'")
                for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
                    if "/" in name:
                        print(f"{path}: needs '{name}'")
    print(f"{count} files")


main(sys.argv[1:])
