#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes a hash of files, and of anything else that is named, as a string literal:
#
#   fingerprint.py OUTPUT [--text=TEXT]... FILE...
#
# The names of the files do not count, so that every build of the same sources has the
# same hash.

import argparse
import hashlib


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--text", action="append", default=[])
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    total = hashlib.sha256()
    for text in args.text:
        total.update(hashlib.sha256(text.encode()).digest())
    for name in args.files:
        with open(name, "rb") as file:
            total.update(hashlib.sha256(file.read()).digest())
    with open(args.output, "w", encoding="ascii") as output:
        output.write(f'"{total.hexdigest()}"\n')


if __name__ == "__main__":
    main()
