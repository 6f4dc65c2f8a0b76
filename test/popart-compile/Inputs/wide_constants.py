"""A model whose shapes depend on constants of 64 bits that the device's 32 do not hold: each row is
repeated to y modulo 1000 columns and one, where y is the first element of an operator's result.
Python's integers say what y is.

usage: wide_constants.py FOLDER
"""
import os
import sys

import numpy as np
from onnx import helper

from testdata import save

INT64 = 7
B = 2000000000
WRAP = 2**64


def ints(*values, kind=np.int64):
    return np.array(values, kind)


def unsigned(*values):
    return ints(*values, kind=np.uint64)


# Operator, constants, attributes, and y.
CASES = [
    ("Add", [ints(B), ints(B)], {}, 2 * B),
    ("Mul", [ints(B), ints(B)], {}, B * B),
    ("Sum", [ints(B), ints(B), ints(7)], {}, 2 * B + 7),
    ("Pow", [ints(10), np.float32([12])], {}, 10**12),
    ("Pow", [ints(10), ints(13)], {}, 10**13),
    ("BitShift", [unsigned(B), unsigned(9)], {"direction": "LEFT"}, B << 9),
    ("BitShift", [unsigned(B), unsigned(40)], {"direction": "LEFT"}, (B << 40) % WRAP),
    ("BitShift", [unsigned(9 * B), unsigned(3)], {"direction": "RIGHT"}, 9 * B >> 3),
    ("BitShift", [unsigned(B), unsigned(33)], {"direction": "RIGHT"}, 0),
    ("BitwiseAnd", [ints(-1), ints(9 * B)], {}, 9 * B),
    ("BitwiseOr", [ints(5 * B), ints(9 * B)], {}, 5 * B | 9 * B),
    ("BitwiseXor", [ints(5), ints(9 * B)], {}, 5 ^ 9 * B),
    ("Add", [unsigned(2 * B), unsigned(2 * B)], {}, 4 * B),
    ("Mul", [unsigned(2 * B), unsigned(4)], {}, 8 * B),
    ("CumSum", [unsigned(2 * B, 2 * B), np.array(0)], {"reverse": 1}, 4 * B),
    ("ReduceSum", [ints(B, B, -1)], {}, 2 * B - 1),
    ("ReduceL1", [ints(-B, -B)], {}, 2 * B),
    ("ReduceSumSquare", [ints(-B, 3)], {}, B * B + 9),
    ("ReduceSumSquare", [ints(-7)], {}, 49),
    ("ReduceMean", [ints(B, B, B)], {}, B),
    ("ReduceSum", [unsigned(2 * B, 2 * B, 2 * B)], {}, 6 * B),
    ("ReduceMax", [unsigned(9 * B, 4)], {}, 9 * B),
    ("ReduceMax", [ints()], {}, -2**63),
    ("ReduceMin", [ints()], {}, 2**63 - 1),
    ("ReduceProd", [ints()], {}, 1),
]


def main():
    row = np.arange(3, dtype=np.float32).reshape(3, 1)
    nodes, results = [], {}
    constants = {"thousand": ints(1000), "flat": ints(-1), "zero": ints(0), "one": ints(1),
                 "three": ints(3), "thousand_unsigned": unsigned(1000)}
    for i, (op, values, attributes, wanted) in enumerate(CASES):
        names = [f"k{i}_{k}" for k in range(len(values))]
        constants.update(zip(names, values))
        thousand = "thousand_unsigned" if values[0].dtype == np.uint64 else "thousand"
        nodes += [
            helper.make_node(op, names, [f"v{i}"], **attributes),
            helper.make_node("Reshape", [f"v{i}", "flat"], [f"f{i}"]),
            helper.make_node("Slice", [f"f{i}", "zero", "one"], [f"e{i}"]),
            helper.make_node("Mod", [f"e{i}", thousand], [f"r{i}"]),
            helper.make_node("Cast", [f"r{i}"], [f"c{i}"], to=INT64),
            helper.make_node("Add", [f"c{i}", "one"], [f"n{i}"]),
            helper.make_node("Concat", ["three", f"n{i}"], [f"s{i}"], axis=0),
            helper.make_node("Expand", ["x", f"s{i}"], [f"y{i}"]),
        ]
        results[f"y{i}"] = np.repeat(row, wanted % 1000 + 1, axis=1)
    save(sys.argv[1], nodes, {"x": row}, results, constants, {"": 18})


main()
