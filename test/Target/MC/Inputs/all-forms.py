# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes every instruction of the table once, and checks the assembler against it.
#
#   all-forms.py write TARGET-DIR OUT.s OUT.words   assembly, and the words that the
#                                                   table's bit fields give for it
#   all-forms.py check WORDS FILE.bin               compares with assembled code
#   all-forms.py source LISTING OUT.s               assembly from a disassembly
#
# Operands are chosen here and encoded here from the records' bit lists, so that the
# assembler and disassembler are compared with something other than themselves.
import json
import re
import struct
import subprocess
import sys
import tempfile

REGISTERS = {
    "MR": [("$m%d" % i, i) for i in range(16)],
    "AR": [("$a%d" % i, i) for i in (0, 1, 2, 3, 4, 5, 6, 7, 14, 15)],
    "ARPair": [("$a%d:%d" % (i, i + 1), i) for i in (0, 2, 4, 6, 14)],
    "ARQuad": [("$a0:3", 0), ("$a4:7", 4)],
    "MRPair": [("$m%d:%d" % (i, i + 1), i) for i in range(0, 16, 2)],
}

LEAST, LARGEST = -1, -2


def choose(kind, seed):
    """The text and the field of an operand of that class; the least and the
    largest for the seeds LEAST and LARGEST."""
    if kind in REGISTERS:
        choices = REGISTERS[kind]
        return choices[seed * 7 % len(choices)]
    if kind == "h12":
        field = (seed * 1103 + 1) % 4095 + 1
        return hex(field << 20), field
    if kind == "csrlow":
        return "%d" % (seed % 256), seed % 256
    if kind == "csrup":
        return "%d" % (11 + seed % 200), 11 + seed % 200
    bits = int(re.search(r"\d+$", kind).group())
    mask = (1 << bits) - 1
    value = (seed * 2654435761 + 12345) & mask
    if seed in (LEAST, LARGEST):
        value = 0 if seed == LEAST else mask
    if kind.startswith("s"):
        value -= 1 << (bits - 1)
    return str(value), value & mask


def load(target_dir):
    include = subprocess.check_output(["llvm-config", "--includedir"], text=True)
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.check_call(
            ["llvm-tblgen", "-I", include.strip(), "-I", target_dir,
             target_dir + "/IPU.td", "--dump-json", "-o", out.name])
        return json.load(open(out.name))


def form(record, seed):
    """One line of assembly and its word."""
    operands = {}
    for name in ("InOperandList", "OutOperandList"):
        for position, (definition, operand) in enumerate(record[name]["args"]):
            if operand not in operands and not operand.endswith("Out"):
                operands[operand] = choose(definition["def"],
                                           seed + 3 * position)
    text = re.sub(r"\$\{?(\w+)\}?", lambda m: operands[m.group(1)][0],
                  record["AsmString"])
    word = 0
    for bit, value in enumerate(record["Inst"]):
        if isinstance(value, dict):
            value = operands[value["var"]][1] >> value["index"] & 1
        word |= value << bit
    return text, word


def bundle(text, word):
    """The halves of a bundle with the instruction: its text and word, and those
    of a partner that writes another register."""
    if word & 1 << 30:
        return ("mov $m3, $m5", 0x81352000), (text, word)
    used = set()
    for match in re.finditer(r"\$a(\d+)(?::(\d+))?", text):
        first = int(match.group(1))
        used.update(range(first, int(match.group(2) or first) + 1))
    free = min(set(range(8)) - used)
    return ((text, word | 1 << 31),
            ("mov $a%d, $a2" % free, 0x41024000 | free << 20))


def write(target_dir, assembly, words):
    records = load(target_dir)
    names = records["!instanceof"]["IPUInst"]
    assert len(names) > 300, "the table has shrunk"
    with open(assembly, "w") as asm, open(words, "w") as expected:
        asm.write(".allow_invalid_repeat\n")
        for index, name in enumerate(names):
            record = records[name]
            mode = "supervisor" if record["Contexts"] == 2 else "worker"
            for seed in (index, index + 5, 2 * index + 1, LEAST, LARGEST):
                text, word = form(record, seed)
                asm.write(".%s\n%s\n" % (mode, text))
                expected.write("%08x %s\n" % (word, text))
                if record["NoBundle"] == 0 and mode == "worker":
                    main, aux = bundle(text, word)
                    asm.write("{ %s ; %s }\n" % (main[0], aux[0]))
                    for half in main, aux:
                        expected.write("%08x %s\n" % (half[1], half[0]))


def check(words, binary):
    code = open(binary, "rb").read()
    expected = open(words).read().splitlines()
    if len(code) != 4 * len(expected):
        sys.exit("%d bytes of code for %d instructions"
                 % (len(code), len(expected)))
    wrong = 0
    for (word,), line in zip(struct.iter_unpack("<I", code), expected):
        if word != int(line.split()[0], 16):
            print("assembled as %08x: %s" % (word, line))
            wrong += 1
    print("%d forms, %d wrong" % (len(expected), wrong))
    sys.exit(wrong != 0)


SUPERVISOR_ONLY = ("run", "runall", "sync", "ld64putcs", "ld128putcs")


def source(listing, assembly):
    with open(assembly, "w") as asm:
        asm.write(".allow_invalid_repeat\n")
        for line in open(listing):
            if "<unknown>" in line:
                sys.exit("not disassembled: " + line)
            if line[0].isspace() and line.strip():
                supervisor = line.split()[0] in SUPERVISOR_ONLY
                asm.write(".%s\n%s" % (
                    "supervisor" if supervisor else "worker", line))


{"write": write, "check": check, "source": source}[sys.argv[1]](*sys.argv[2:])
