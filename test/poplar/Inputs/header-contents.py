"""Compiles the lines of header-contents.txt: a program for each header.

usage: header-contents.py TABLE OUTPUT_FOLDER COMPILER [OPTION...]
"""
import os
import subprocess
import sys


def read(path):
    """The lines of each header, with their numbers."""
    headers = {}
    for number, line in enumerate(open(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            header = line.strip().rstrip(":")
            headers[header] = []
        else:
            headers[header].append((number, line.strip()))
    return headers


def main():
    table, folder, *compiler = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for header, lines in read(table).items():
        path = os.path.join(folder, header.replace("/", "-") + ".cpp")
        with open(path, "w") as out:
            out.write(f"#include <{header}>\nvoid program() {{\n")
            for number, line in lines:
                out.write(f'#line {number} "{os.path.basename(table)}"\n{line}\n')
            out.write("}\n")
        failed += subprocess.run([*compiler, path]).returncode != 0
    sys.exit(failed != 0)


main()
