#!/usr/bin/python3
"""Makes the viewer of reports one script and one style sheet, as C++ text.

    viewer.py OUTPUT.inc Report.proto STYLE.css SCRIPT.js...

The scripts follow each other in one module. In front of them stands `Schema`, the fields
of each message of Report.proto by number, which the viewer decodes reports with.
"""
import json
import re
import sys


def schema(proto):
    """{message: {number: [name, type, is repeated]}}, with inner messages by their names."""
    messages, stack = {}, []
    for line in re.sub(r"//.*", "", proto).splitlines():
        if start := re.match(r"\s*message (\w+) \{", line):
            stack.append(start[1])
            messages[start[1]] = {}
        elif field := re.match(r"\s*(repeated |optional )?(\w+) (\w+) = (\d+);", line):
            messages[stack[-1]][field[4]] = [field[3], field[2], field[1] == "repeated "]
        elif re.match(r"\s*\}", line):
            stack.pop()
    return messages


def literal(name, text):
    """Compilers limit the length of a literal, but not of several side by side."""
    pieces = [text[i:i + 8000] for i in range(0, len(text), 8000)]
    body = "\n".join('R"VIEWER(' + piece + ')VIEWER"' for piece in pieces)
    return f"constexpr std::string_view {name} =\n{body};\n"


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # Drop the licence line, which is about the file and not about the page.
    return re.sub(r"\A(//|/\*) SPDX[^\n]*\n", "", text)


output, proto, style, *scripts = sys.argv[1:]
script = f"const Schema = {json.dumps(schema(read(proto)), separators=(',', ':'))};\n"
script += "\n".join(read(path) for path in scripts)
with open(output, "w", encoding="utf-8") as file:
    file.write(literal("ViewerStyle", read(style)) + literal("ViewerScript", script))
