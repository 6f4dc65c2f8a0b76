# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same-assembly.py GP_DUMP PROGRAM < TRACE: compares the assembly of a trace with what
the disassembler prints for the same addresses."""
import re
import subprocess
import sys

TRACED = re.compile(r"t\[[^]]*\]: 0x(\w+) \(.*?\): \S+ \+ 0x\w+: (.*) @\d+$")
LISTED = re.compile(r"^\s*([0-9a-f]+):\t?(.*?)(?:\s*//.*)?$")


def in_words(match):
    """Code addresses: the trace prints them in bytes, the disassembler in words."""
    return str(int(match[0], 16) // 4)


def plain(text):
    text = re.sub(r"0x4[0-9a-f]{4}(?=$|;)", in_words, text)
    return re.sub(r"\s*([;{}])\s*", r"\1", re.sub(r"\s+", " ", text.strip()))


command = [sys.argv[1], "--disassemble", sys.argv[2]]
listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
listed = {}
for line in listing.splitlines():
    if match := LISTED.match(line):
        listed[int(match[1], 16)] = plain(match[2])
seen = {}
for line in sys.stdin:
    if match := TRACED.match(line.rstrip("\n")):
        seen[int(match[1], 16)] = plain(match[2])
for pc, text in seen.items():
    if listed.get(pc) != text:
        sys.exit(f"{pc:#x}: trace '{text}', disassembler '{listed.get(pc)}'")
print(f"{len(seen)} instructions are the same")
