#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the lists of docs/popart-python.md and docs/popxl.md: which names are there.

    python-conformance.py NAMES            the list, on stdout
    python-conformance.py NAMES DOCUMENT   says where the document's list differs

NAMES is python-names.txt or popxl-names.txt. What it says is checked with the modules: names that
are supported or without effect have to be there, and a name with a signature has to have its
parameters and their defaults. The modules have to be importable.
"""

import importlib
import inspect
import re
import sys

import popart

MARK = "<!-- The list below is written by utils/gen/python-conformance.py. -->\n"
# Objects whose attributes a section lists. Sections of popxl are names of modules, and of classes
# in them.
OWNERS = {
    "Builder": popart.Builder(), "aiGraphcore": popart.AiGraphcoreOpset1,
    "aiOnnxOpset11": popart.AiOnnxOpset11, "SessionOptions": popart.SessionOptions(),
}
OF_MODULE = ("Optimizers", "Devices", "StepIO", "Losses", "Exceptions", "Module")
NAME = re.compile(r"\w+(?:\((?:[^()]|\([^()]*\))*\))?")


def rows(path):
    """Section, name with or without a signature, and what follows the bar."""
    section = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("["):
                section = line[1:-1]
                continue
            names, _, note = line.partition(" | ")
            for name in NAME.findall(names):
                yield section, name, note


def owner_of(section):
    if section in OF_MODULE:
        return popart
    if not section.startswith(("popxl", "popart.")):
        return OWNERS.get(section) or getattr(popart, section)
    try:
        return importlib.import_module(section)
    except ModuleNotFoundError:
        module, _, name = section.rpartition(".")
        return getattr(importlib.import_module(module), name)


def parameters_of(function):
    """Names with their defaults, without types."""
    parameters = [p.replace(annotation=p.empty)
                  for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return "(" + ", ".join(str(p) for p in parameters) + ")"


def wanted_parameters(signature):
    # A default of numbers may be written in several ways.
    return re.sub(r"\b1e-(\d)\b", r"1e-0\1", signature)


def check(section, name, note):
    owner = owner_of(section)
    name, has_signature, signature = name.partition("(")
    if note.startswith("refused"):
        return
    if not hasattr(owner, name):
        sys.exit(f"python-conformance.py: {section} has no {name}")
    if has_signature:
        found, wanted = parameters_of(getattr(owner, name)), wanted_parameters("(" + signature)
        if found != wanted:
            sys.exit(f"python-conformance.py: {section}.{name} takes {found}, not {wanted}")


def table(path):
    lines, counts = [], {"supported": 0, "no effect": 0, "refused": 0}
    sections = {}
    for section, name, note in rows(path):
        check(section, name, note)
        kind = note.partition(":")[0] or "supported"
        counts[kind] += 1
        sections.setdefault(section, {}).setdefault(note, []).append(name.partition("(")[0])
    lines.append(f"{counts['supported']} names are supported, {counts['no effect']} accepted "
                 f"without effect, and {counts['refused']} refused or not there.\n")
    for section, notes in sections.items():
        lines.append(f"\n### {section}\n\n| names | |\n|---|---|\n")
        for note, names in notes.items():
            text = ", ".join(f"`{name}`" for name in names)
            lines.append(f"| {text} | {note or 'supported'} |\n")
    return "".join(lines)


def main():
    if len(sys.argv) == 2:
        print(table(sys.argv[1]), end="")
        return
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], encoding="utf-8") as file:
        found = file.read().partition(MARK)[2].lstrip("\n")
    if found != table(sys.argv[1]):
        sys.exit(f"{sys.argv[2]} is not what python-conformance.py writes; write its list anew")
    print("the list is up to date")


main()
