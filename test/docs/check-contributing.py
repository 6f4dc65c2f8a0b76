#!/usr/bin/python3
"""Compares the files that pages for contributors name with those of their examples.

    check-contributing.py SOURCE_DIR PAGE.md...

A page says by which command the files of its running example are found:

    <!-- files: grep -rlw ipu21 include lib runtime tools -->

Each of them has to be named in the page, in backquotes.
"""
import re
import subprocess
import sys


def missing(source, page):
    with open(page) as file:
        text = file.read()
    named = set(re.findall(r"`([^`\s]+)`", text))
    for command in re.findall(r"^<!-- files: (grep .*) -->$", text, re.M):
        found = subprocess.run(command.split(), cwd=source, capture_output=True, text=True,
                               check=True)
        yield from sorted(set(found.stdout.split()) - named)


source, *pages = sys.argv[1:]
wrong = [f"{page} does not name {name}" for page in pages for name in missing(source, page)]
print("\n".join(wrong) or f"{len(pages)} pages, nothing missing")
sys.exit(bool(wrong))
