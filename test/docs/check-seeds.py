#!/usr/bin/python3
"""Checks docs/seeds.md: each test that it cites exists, and its counts are those of its lines.

    check-seeds.py SOURCE_DIR

A line is `| where | statement | shown by |`. The last cell begins with `differs:`, `missing:` or
`no test`, or is a list of tests: `` `FILE` `` or `` `FILE: NAME` ``, where a name is a gtest
(`Suite.Name`), a method of a Python class (`Class.method`) or any other word of the file.
"""
import os
import re
import sys

STATES = ("shown", "differs", "missing", "no test")
SENTENCE = re.compile(r"^(\d+) statements: (\d+) shown, (\d+) differ, (\d+) missing, "
                      r"(\d+) without a test\.$", re.M)
CITATION = re.compile(r"`(test/[\w./-]+)(?:: ([\w.]+))?`")
GTEST = r"^TEST(?:_F|_P)?\(\s*{},\s*{}\)"
METHOD = r"^class {}\(.*?^    def {}\("


def rows(text):
    """The statements: lines of three-column tables that are no headings."""
    for line in re.findall(r"^\| (.*) \|$", text, re.M):
        cells = line.split(" | ")
        if len(cells) == 3 and cells[2] != "shown by":
            yield cells


def state_of(shown_by):
    return next((s for s in STATES[1:] if shown_by.startswith(s)), "shown")


def has_name(path, text, name):
    """A gtest's two names have to stand in one TEST, a method below its class."""
    suite, dot, test = name.partition(".")
    if not dot:
        return re.search(rf"\b{name}\b", text)
    form = GTEST if path.endswith(".cpp") else METHOD
    return re.search(form.format(suite, test), text, re.M | re.S)


def problems(source, text):
    counts = dict.fromkeys(STATES, 0)
    seen = set()
    for where, statement, shown_by in rows(text):
        state = state_of(shown_by)
        counts[state] += 1
        citations = CITATION.findall(shown_by)
        if state == "shown" and not citations:
            yield f"no test is cited: {statement}"
        if (where, statement) in seen:
            yield f"twice: {statement}"
        seen.add((where, statement))
        for path, name in citations:
            full = os.path.join(source, path)
            if not os.path.exists(full):
                yield f"there is no {path}"
                continue
            with open(full) as file:
                if name and not has_name(path, file.read(), name):
                    yield f"{path} has no {name}"
    said = SENTENCE.search(text)
    wanted = [sum(counts.values()), *counts.values()]
    if not said or [int(number) for number in said.groups()] != wanted:
        yield ("the sentence has to be: {} statements: {} shown, {} differ, {} missing, {} without "
               "a test.".format(*wanted))


source = sys.argv[1]
with open(os.path.join(source, "docs/seeds.md")) as page:
    text = page.read()
found = list(problems(source, text))
print("\n".join(found) or f"{len(list(rows(text)))} statements, nothing wrong")
sys.exit(bool(found))
