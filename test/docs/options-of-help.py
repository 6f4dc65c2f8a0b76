#!/usr/bin/python3
"""Says which options of a help text a documentation page lacks.

    options-of-help.py HELP.txt PAGE.md

Options are the words with dashes at the starts of lines.
"""
import re
import sys

help_text, page = (open(name).read() for name in sys.argv[1:])
options = set()
for line in re.findall(r"^  ([-@].*?)(?:  |$)", help_text, re.M):
    options.update(re.findall(r"(?:--?|@)[A-Za-z#]\S*", line))
for option in sorted(options):
    name = re.split(r"[=.]", option)[0]
    if "`" + name not in page:
        print("missing:", option)
print(len(options), "options described")
