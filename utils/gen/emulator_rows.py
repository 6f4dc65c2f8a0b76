#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the emulator's view of the instruction table from the JSON dump of
# lib/Target/IPU/*.td (conventions: IPUInstrFormats.td). Two files come out:
#   InstructionRows.inc   a type row::NAME for each instruction, which calls its
#                         semantics with the operands of a decoded instruction
#   DecodeTable.inc       mask, value and operand fields of each instruction
# The decode table also has each instruction's assembly, with %N for its operand
# N, or @N if that is a code address.
# Operands are numbered in the order in which semantics take them: destinations,
# then sources, as in the operand lists; a register that is read and written is
# passed twice in a row, the second time for the write.

import argparse
import json
import re
import sys

# Registers of each class: file, words, and the numbers that may be encoded.
REGISTER_CLASSES = {"MR": ("M", 1), "MRPair": ("M", 2), "AR": ("A", 1),
                    "ARPair": ("A", 2), "ARQuad": ("A", 4)}
MOST_REGISTERS = 6


class Operand:
    def __init__(self, name, cls, role):
        self.name, self.cls, self.role = name, cls, role

    def is_register(self):
        return self.cls in REGISTER_CLASSES


def arguments(dag):
    return [(arg[0]["def"], arg[1]) for arg in dag["args"]]


def operands_of(record):
    """Operands in the order of the semantics' parameters."""
    outs = arguments(record["OutOperandList"])
    ins = arguments(record["InOperandList"])
    twins = {name[:-3] for _, name in outs if name.endswith("Out")}
    result = [Operand(name, cls, "Write") for cls, name in outs
              if not name.endswith("Out")]
    for cls, name in ins:
        result.append(Operand(name, cls, "Read"))
        if name in twins:
            result.append(Operand(name, cls, "Write"))
    return result


def field_of(record, name):
    """Lowest bit and width of an operand in the word."""
    bits = [(i, bit["index"]) for i, bit in enumerate(record["Inst"])
            if isinstance(bit, dict) and bit.get("var") == name]
    if not bits:
        sys.exit(f"{record['!name']}: operand {name} is not in the encoding")
    low = min(i for i, _ in bits)
    for i, index in bits:
        if i - low != index:
            sys.exit(f"{record['!name']}: operand {name} is not contiguous")
    return low, len(bits)


def encoding_of(record):
    mask = value = 0
    for i, bit in enumerate(record["Inst"]):
        if not isinstance(bit, dict):
            mask |= 1 << i
            value |= bit << i
    return mask, value


def needs_two_sets(record):
    predicates = [predicate["def"] for predicate in record["Predicates"]]
    return "true" if "HasTwoSets" in predicates else "false"


def immediate_kind(cls):
    if cls == "h12":
        return "High12"
    return "Signed" if cls[0] == "s" and cls[1:].isdigit() else "Unsigned"


def legal_registers(records, cls):
    mask = 0
    for member in records[cls]["MemberList"]["args"]:
        if not isinstance(member[0], dict) or "def" not in member[0]:
            sys.exit(f"register class {cls} is not a plain list")
        encoding = records[member[0]["def"]]["HWEncoding"]
        mask |= 1 << sum(bit << i for i, bit in enumerate(encoding))
    return mask


def place_operands(name, operands):
    """The expression that reads each operand from a decoded instruction."""
    registers = immediates = 0
    places = []
    for operand in operands:
        if operand.is_register() or immediates:
            if registers == MOST_REGISTERS:
                sys.exit(f"{name}: more than {MOST_REGISTERS} operands")
            places.append(registers)
            registers += 1
        else:
            places.append(None)
            immediates += 1
    return places


def assembly_of(record, operands):
    """The pattern of the assembly, with operands by their place in the table."""
    numbers = {}
    for number, operand in enumerate(operands):
        numbers.setdefault(operand.name, number)

    def place(match):
        number = numbers[match.group(1) or match.group(2)]
        is_target = operands[number].cls.startswith("target")
        return f"{'@' if is_target else '%'}{number}"

    text = re.sub(r"\$(?:\{(\w+)\}|(\w+))", place, record["AsmString"])
    return text.replace("\t", " ")


# Columns that runtime/Emulator/Code/DecodeTable.h has as an enumeration of that name.
WORDS = ["Flow", "Workers", "Csr", "AccessKind", "Addressing", "BitMoves",
         "LowestBits", "EngineKind"]
FLAGS = ["LoadsWords", "TakesSingles", "GivesSingles", "SetsTakeTurns"]


def facts_of(record):
    """The members of InstructionFacts."""
    values = [f"{word}::{record[word]}" for word in WORDS]
    values += ["true" if record[name] else "false" for name in FLAGS]
    values.append(str(record["AccessBytes"]))
    triple = ", ".join(str(bytes) for bytes in record["TripleBytes"])
    return f"{{{', '.join(values)}, {{{triple}}}}}"


def write_rows(out, names, records):
    out.write("// Generated by utils/gen/emulator_rows.py from the instruction "
              "table; do not edit.\n\nnamespace row {\n")
    for name in names:
        record = records[name]
        places = place_operands(name, operands_of(record))
        args = ["c"] + ["o.imm" if p is None else f"o.r[{p}]" for p in places]
        flag = lambda key: "true" if record[key] else "false"
        out.write(f"""struct {name} {{
  static constexpr const char *Mnemonic = "{record["Mnemonic"]}";
  static constexpr unsigned Contexts = {record["Contexts"]};
  static constexpr bool IsSystem = {flag("IsSystem")};
  static constexpr unsigned IssueSlots = {record["IssueSlots"]};
  template <typename S>
  static auto call(Context &c, [[maybe_unused]] const Operands &o) {{
    return S::run({", ".join(args)});
  }}
}};
""")
    out.write("} // namespace row\n\n#define POPULUS_EMULATOR_ROWS(ROW)")
    for name in names:
        out.write(f" \\\n  ROW({name})")
    out.write("\n")


def write_table(out, names, records):
    out.write("// Generated by utils/gen/emulator_rows.py from the instruction "
              "table; do not edit.\n\n")
    for cls in REGISTER_CLASSES:
        out.write(f"constexpr std::uint16_t Legal{cls} = "
                  f"0x{legal_registers(records, cls):04x};\n")
    out.write("\nconstexpr RowInfo Rows[] = {\n")
    for name in names:
        record = records[name]
        mask, value = encoding_of(record)
        flag = lambda key: "true" if record[key] else "false"
        operands = operands_of(record)
        fields = []
        for operand, place in zip(operands, place_operands(name, operands)):
            low, width = field_of(record, operand.name)
            slot = "ImmSlot" if place is None else place
            if operand.is_register():
                file, words = REGISTER_CLASSES[operand.cls]
                fields.append(f"{{OperandKind::{file}{operand.role}, {low}, "
                              f"{width}, {slot}, {words}, Legal{operand.cls}}}")
            else:
                fields.append(f"{{OperandKind::{immediate_kind(operand.cls)}, "
                              f"{low}, {width}, {slot}, 0, 0}}")
        out.write(f'  {{"{name}", "{record["Mnemonic"]}", '
                  f'"{assembly_of(record, operands)}", 0x{mask:08x}, '
                  f'0x{value:08x}, {flag("IsAux")}, {record["Contexts"]}, '
                  f'{flag("IsControl")}, {flag("IsSystem")}, '
                  f'{flag("NoBundle")}, {needs_two_sets(record)}, '
                  f'{record["IssueSlots"]}, {facts_of(record)}, '
                  f'{len(fields)}, {{{", ".join(fields)}}}}},\n')
    out.write("};\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("json")
    parser.add_argument("rows")
    parser.add_argument("table")
    args = parser.parse_args()
    with open(args.json) as file:
        records = json.load(file)
    names = sorted(records["!instanceof"]["IPUInst"])
    with open(args.rows, "w") as out:
        write_rows(out, names, records)
    with open(args.table, "w") as out:
        write_table(out, names, records)


if __name__ == "__main__":
    main()
