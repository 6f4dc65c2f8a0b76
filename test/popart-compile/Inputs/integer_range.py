# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of integers at the edges of their types, beside Python's integers.

    integer_range.py models DIR             writes models of each type: with the operands as
                                            inputs, and as constants
    integer_range.py check DIR MODEL OUTPUTS
                                            compares the results in a folder

The rule is docs/operators.md's: what Python's integers give, modulo the size of the type;
quotients towards zero; x / 0 is 0 and x modulo 0 is x; shifts by more than there are bits leave
nothing but the sign."""

import random
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

TYPES = {"int32": TensorProto.INT32, "uint32": TensorProto.UINT32, "int16": TensorProto.INT16,
         "uint16": TensorProto.UINT16, "int8": TensorProto.INT8, "uint8": TensorProto.UINT8}

LOGIC = ("Less", "Equal")


def quotient(x, y):
    return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def fmod(x, y):
    return x - quotient(x, y) * y


def modulo(x, y):
    return x if y == 0 else x % y


def power(x, y):
    if y < 0:
        return {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)
    return pow(x, y, 2**64) if abs(x) > 1 else x**y


def shift(x, y, bits, left):
    return 0 if left and not 0 <= y < bits else x << y if left else x >> min(y % 2**32, 99)


def operators(kind):
    """Those of two operands and those of one, as name: operator, function, attributes."""
    bits = np.iinfo(kind).bits
    binary = {
        "Add": ("Add", lambda x, y: x + y, {}), "Sub": ("Sub", lambda x, y: x - y, {}),
        "Mul": ("Mul", lambda x, y: x * y, {}), "Div": ("Div", quotient, {}),
        "Mod": ("Mod", modulo, {}), "Fmod": ("Mod", fmod, {"fmod": 1}),
        "Max": ("Max", max, {}), "Min": ("Min", min, {}),
        "Less": ("Less", lambda x, y: x < y, {}), "Equal": ("Equal", lambda x, y: x == y, {})}
    unary = {"Abs": ("Abs", abs, {}), "Sign": ("Sign", lambda x: (x > 0) - (x < 0), {})}
    if bits == 32:
        binary["Pow"] = ("Pow", power, {})
    if kind.startswith("i"):
        unary["Neg"] = ("Neg", lambda x: -x, {})
    else:
        for way in ("LEFT", "RIGHT"):
            binary[f"Shift{way}"] = (
                "BitShift", lambda x, y, left=way == "LEFT": shift(x, y, bits, left),
                {"direction": way})
    for other, onnx_type in TYPES.items():
        unary[f"To{other}"] = ("Cast", lambda x: x, {"to": onnx_type})
    return binary, unary


def operands(kind, zeros):
    """Edges of the type, small numbers and pseudo-random ones, each with each."""
    rng = random.Random(1)
    limits = np.iinfo(kind)
    some = {limits.min, limits.min + 1, limits.max, limits.max - 1, limits.max // 2 + 1, 0, 1, 2,
            3, 7, 10, limits.bits - 1, limits.bits, limits.bits + 1}
    some |= {-x for x in some if limits.min <= -x <= limits.max}
    some |= {rng.randint(int(limits.min), int(limits.max)) for _ in range(4)}
    pairs = [(x, y) for x in sorted(some) for y in sorted(some) if y != 0 or zeros]
    return [np.array(values, kind) for values in zip(*pairs)]


def models(folder):
    for kind, onnx_type in TYPES.items():
        for name in ("given", "folded"):
            values = dict(zip("xy", operands(kind, name == "given")))
            shape = values["x"].shape
            nodes, results = [], []
            for inputs, table in zip((["x", "y"], ["x"]), operators(kind)):
                for result, (op, _, attributes) in table.items():
                    nodes.append(helper.make_node(op, inputs, [result], **attributes))
                    of = TensorProto.BOOL if op in LOGIC else attributes.get("to", onnx_type)
                    results.append(helper.make_tensor_value_info(result, of, shape))
            inputs = [helper.make_tensor_value_info(k, onnx_type, shape) for k in values]
            constants = [numpy_helper.from_array(v, k) for k, v in values.items()]
            is_given = name == "given"
            graph = helper.make_graph(nodes, name, inputs if is_given else [], results,
                                      [] if is_given else constants)
            save(helper.make_model(graph, ir_version=8,
                                   opset_imports=[helper.make_opsetid("", 17)]),
                 f"{folder}/{kind}-{name}.onnx")
            for key, value in values.items():
                np.save(f"{folder}/{kind}-{name}-{key}.npy", value)


def check(folder, model, outputs):
    kind = model.split("-")[0]
    x, y = (np.load(f"{folder}/{model}-{k}.npy").tolist() for k in "xy")
    binary, unary = operators(kind)
    for table, operands_of in ((binary, list(zip(x, y))), (unary, [(v,) for v in x])):
        for name, (op, function, attributes) in table.items():
            got = np.load(f"{outputs}/{name}.npy").tolist()
            of = next((k for k, v in TYPES.items() if v == attributes.get("to")), kind)
            size = 2 if op in LOGIC else 2**np.iinfo(of).bits
            for given, result in zip(operands_of, got):
                if (int(result) - int(function(*given))) % size != 0:
                    print(f"WRONG {kind} {name} of {given}: {result} for {function(*given)}")
                    break
    print(f"{model}: {len(binary) + len(unary)} operators compared")


if __name__ == "__main__":
    (models if sys.argv[1] == "models" else check)(*sys.argv[2:])
