# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Random words for the disassembler: whatever it makes of them must assemble to the
# same words again.
#
#   random-words.py words OUT.s COUNT       data: half of the words any numbers, half
#                                           with an opcode that is likely
#   random-words.py source LISTING OUT.s OUT.words
#                                           what was decoded, as assembly, and its words
#   random-words.py compare WORDS FILE.bin
import random
import re
import struct
import sys

SUPERVISOR = re.compile(r"^(run|runall|sync|ld64putcs|ld128putcs)\b")


def words(output, count):
    generator = random.Random(1)
    with open(output, "w") as out:
        out.write('.section .text, "ax"\n')
        for _ in range(int(count)):
            word = generator.getrandbits(32)
            if generator.random() < 0.5:
                # No bundle, few bits in the function code.
                word &= 0x7fffffff & ~(generator.getrandbits(12) & 0xfff)
            out.write(".int 0x%x\n" % word)


def source(listing, assembly, expected):
    decoded = unknown = 0
    with open(assembly, "w") as asm, open(expected, "w") as wanted:
        asm.write(".allow_invalid_repeat\n")
        for line in open(listing):
            match = re.match(r"\s*[0-9a-f]+: ((?:[0-9a-f]{2} )+)\s*(.*)", line)
            if not match:
                continue
            data = bytes.fromhex(match.group(1))
            text = match.group(2)
            if "<unknown>" in text:
                unknown += 1
                continue
            decoded += 1
            mode = "supervisor" if SUPERVISOR.match(text) else "worker"
            asm.write(".%s\n%s\n" % (mode, text))
            for (word,) in struct.iter_unpack("<I", data):
                wanted.write("%08x %s\n" % (word, text))
    print("%d decoded, %d not" % (decoded, unknown))


def has_two(word, line):
    """Zero is an immediate of two forms of the logic instructions, the low and
    the high one, which mean the same."""
    return (re.search(r" (or|and|andc) .*, 0x0", line) and
            word ^ int(line.split()[0], 16) in (0x1000, 0x3000))


def compare(expected, binary):
    code = [word for (word,) in struct.iter_unpack("<I", open(binary, "rb").read())]
    wanted = open(expected).read().splitlines()
    wrong = ["assembled as %08x: %s" % pair for pair in zip(code, wanted)
             if pair[0] != int(pair[1].split()[0], 16) and not has_two(*pair)]
    if len(code) != len(wanted):
        wrong.append("%d words for %d" % (len(code), len(wanted)))
    print("\n".join(wrong[:20]))
    print("%d words, %d wrong" % (len(code), len(wrong)))
    sys.exit(bool(wrong))


{"words": words, "source": source, "compare": compare}[sys.argv[1]](*sys.argv[2:])
