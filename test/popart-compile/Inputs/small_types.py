"""Models and test data with elements of 8 bits and less, in ONNX's files as bytes and as numbers,
with all codes of each type. What a code stands for is computed from ONNX's definitions alone.

usage: small_types.py FOLDER    makes FOLDER/TYPE-raw and FOLDER/TYPE-typed
"""
import math
import os
import sys

import onnx
from onnx import TensorProto, helper


def small_float(exponent, mantissa, bias, infinity, nans):
    """The value of a code with a sign bit in front."""
    def value(code):
        if nans(code):
            return math.nan
        sign = -1.0 if code >> (exponent + mantissa) else 1.0
        e = code >> mantissa & (1 << exponent) - 1
        m = code & (1 << mantissa) - 1
        if infinity and e == (1 << exponent) - 1:
            return sign * math.inf
        return sign * (2.0 ** (1 - bias - mantissa) * m if e == 0
                       else 2.0 ** (e - bias - mantissa) * (m + (1 << mantissa)))
    return value


def integer(bits, signed):
    return lambda code: code - (1 << bits) if signed and code >> (bits - 1) else code


# Number of TensorProto.DataType, bits, first opset, value of a code.
TYPES = {
    "float8e4m3fn": (17, 8, 19, small_float(4, 3, 7, False, lambda c: c & 127 == 127)),
    "float8e4m3fnuz": (18, 8, 19, small_float(4, 3, 8, False, lambda c: c == 128)),
    "float8e5m2": (19, 8, 19, small_float(5, 2, 15, True, lambda c: c & 127 > 124)),
    "float8e5m2fnuz": (20, 8, 19, small_float(5, 2, 16, False, lambda c: c == 128)),
    "uint4": (21, 4, 21, integer(4, False)),
    "int4": (22, 4, 21, integer(4, True)),
    "float4e2m1": (23, 4, 23, small_float(2, 1, 1, False, lambda c: False)),
    "uint2": (25, 2, 25, integer(2, False)),
    "int2": (26, 2, 25, integer(2, True)),
}


def varint(number):
    result = b""
    while number > 127:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, kind, extent, packed, is_raw):
    """A TensorProto: dims, data_type, int32_data or raw_data, name."""
    numbers = b"".join(varint(byte) for byte in packed)
    return (field(1, varint(extent)) + varint(2 << 3) + varint(kind) +
            (field(9, packed) if is_raw else field(5, numbers)) + field(8, name.encode()))


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def make(folder, kind, bits, opset, value, is_raw):
    os.makedirs(folder)
    # All codes and one more, so that the last byte is not full.
    codes = list(range(1 << bits)) + [1]
    per_byte = 8 // bits
    padded = codes + [0] * (-len(codes) % per_byte)
    packed = bytes(sum(code << bits * i for i, code in enumerate(padded[at:at + per_byte]))
                   for at in range(0, len(padded), per_byte))
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT),
         helper.make_node("Identity", ["x"], ["z"])],
        "small", [info("x", kind, [len(codes)])],
        [info("y", TensorProto.FLOAT, [len(codes)]), info("z", kind, [len(codes)])])
    onnx.save(helper.make_model(graph, ir_version=8,
                                opset_imports=[helper.make_opsetid("", opset)]),
              os.path.join(folder, "model.onnx"))
    write(folder, "input_0.pb", tensor("x", kind, len(codes), packed, is_raw))
    floats = helper.make_tensor("y", TensorProto.FLOAT, [len(codes)], [value(c) for c in codes])
    write(folder, "output_0.pb", floats.SerializeToString())
    write(folder, "output_1.pb", tensor("z", kind, len(codes), packed, is_raw))


def main():
    for name, (kind, bits, opset, value) in TYPES.items():
        for form in ("raw", "typed"):
            make(os.path.join(sys.argv[1], f"{name}-{form}"), kind, bits, opset, value,
                 form == "raw")
    cut = os.path.join(sys.argv[1], "int4-raw")
    write(cut, "cut.pb", tensor("x", 22, 17, b"\x10" * 8, True))


main()
