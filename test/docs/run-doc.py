#!/usr/bin/python3
"""Runs what a documentation page shows.

    run-doc.py PAGE.md BUILD_DIR SOURCE_DIR

Fenced blocks are taken in order, in an empty working directory: `cpp` and `c` blocks
whose first line is a comment naming a file are written to it, `sh` blocks are run with
the build tree enabled and $POPULUS naming the source tree. A block after the comment
`<!-- not run: reason -->` is left out. The first failing command ends the run.
"""
import re
import subprocess
import sys

BLOCK = re.compile(
    r"(?P<skip><!-- not run:[^>]*-->\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.M | re.S
)
FILE_NAME = re.compile(r"^(?://|#) (\S+\.\w+)$")


def main():
    page, build, source = sys.argv[1:]
    text = open(page).read()
    ran = 0
    for block in BLOCK.finditer(text):
        if block["skip"]:
            continue
        kind, body = block["kind"], block["body"]
        if kind in ("c", "cpp", "make", "cmake", "asm"):
            name = FILE_NAME.match(body.split("\n", 1)[0])
            if name:
                with open(name[1], "w") as file:
                    file.write(body)
        elif kind == "sh":
            line = text.count("\n", 0, block.start("body")) + 1
            print(f"== {page}:{line}\n{body}", flush=True)
            script = f"set -e\n. {build}/enable.sh\nexport POPULUS={source}\n{body}"
            subprocess.run(["bash", "-c", script], check=True)
            ran += 1
    if not ran:
        sys.exit(f"{page}: no block was run")


if __name__ == "__main__":
    main()
