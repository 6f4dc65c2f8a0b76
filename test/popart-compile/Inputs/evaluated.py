"""A model whose shapes depend on constants through operators that have no rule for constants: each
of them computes the number of columns that a row is repeated to. NumPy says what the results are.

usage: evaluated.py FOLDER
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INT64, FLOAT = TensorProto.INT64, TensorProto.FLOAT


def ints(*values):
    return np.array(values, np.int64)


def floats(*values):
    return np.array(values, np.float32)


SQUARE = np.array([[1, 2], [3, 4]], np.float32)
ONES = np.ones((1, 1, 3, 3), np.float32)

# Operator, constants, attributes, and the first element of the (first) result.
CASES = [
    ("ReduceMax", [floats(2, 6)], {}, 6),
    ("ReduceMin", [floats(7, 3)], {}, 3),
    ("ReduceMean", [floats(2, 4)], {}, 3),
    ("ReduceMean", [ints(2, 4)], {}, 3),
    ("ReduceSum", [floats(2, 4)], {}, 6),
    ("ReduceProd", [floats(2, 4)], {}, 8),
    ("ReduceL1", [floats(-3, 4)], {}, 7),
    ("ReduceL2", [floats(3, 4)], {}, 5),
    ("ReduceSumSquare", [floats(1, 2)], {}, 5),
    ("ArgMax", [ints(2, 3, 1, 9)], {}, 3),
    ("ArgMin", [floats(4, 3, 2, 9)], {}, 2),
    ("TopK", [floats(2, 7, 3), ints(1)], {}, 7),
    ("MatMul", [SQUARE, SQUARE], {}, SQUARE @ SQUARE),
    ("Gemm", [SQUARE, SQUARE], {"transB": 1}, SQUARE @ SQUARE.T),
    ("Einsum", [SQUARE, SQUARE], {"equation": "ij,jk->ik"}, SQUARE @ SQUARE),
    ("Pad", [floats(1, 2), ints(1, 1), np.array(9, np.float32)], {}, 9),
    ("Trilu", [SQUARE * 3], {}, 3),
    ("OneHot", [ints(1), np.array(3), ints(5, 9)], {}, 5),
    ("ScatterND", [ints(1, 2), ints(0).reshape(1, 1), ints(9)], {}, 9),
    ("GatherND", [ints(4, 2), ints(0).reshape(1, 1)], {}, 4),
    ("Conv", [ONES, ONES], {}, 9),
    ("MaxPool", [ONES * 5], {"kernel_shape": [3, 3]}, 5),
    ("AveragePool", [ONES * 6], {"kernel_shape": [3, 3]}, 6),
    ("DepthToSpace", [np.full((1, 4, 1, 1), 8, np.float32)], {"blocksize": 2}, 8),
    ("ReverseSequence", [SQUARE, ints(2, 2)], {}, 3),
    ("Softmax", [floats(3)], {}, 1),
    ("QuantizeLinear", [floats(1), np.float32(.25)], {}, 4),
    ("DequantizeLinear", [np.array([12], np.int8), np.float32(.5)], {}, 6),
]


def main():
    folder = sys.argv[1]
    os.makedirs(folder)
    row = np.arange(3, dtype=np.float32).reshape(3, 1)
    nodes, constants, results = [], [], {}

    def constant(value):
        constants.append(numpy_helper.from_array(np.asarray(value), f"k{len(constants)}"))
        return constants[-1].name

    for i, (kind, values, attributes, wanted) in enumerate(CASES):
        more = [f"more{i}"] if kind == "TopK" else []
        nodes += [
            helper.make_node(kind, [constant(v) for v in values], [f"v{i}"] + more, **attributes),
            helper.make_node("Cast", [f"v{i}"], [f"n{i}"], to=INT64),
            helper.make_node("Reshape", [f"n{i}", constant(ints(-1))], [f"f{i}"]),
            helper.make_node("Slice", [f"f{i}", constant(ints(0)), constant(ints(1))], [f"e{i}"]),
            helper.make_node("Concat", [constant(ints(3)), f"e{i}"], [f"s{i}"], axis=0),
            helper.make_node("Expand", ["x", f"s{i}"], [f"y{i}"]),
        ]
        columns = int(np.asarray(wanted).flatten()[0])
        results[f"y{i}"] = np.repeat(row, columns, axis=1)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "evaluated", [info("x", FLOAT, [3, 1])],
                              [info(name, FLOAT, None) for name in results], constants)
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]),
              os.path.join(folder, "model.onnx"))
    for name, value in [("input_0", row)] + [(f"output_{i}", value)
                                             for i, value in enumerate(results.values())]:
        with open(os.path.join(folder, name + ".pb"), "wb") as file:
            file.write(numpy_helper.from_array(value).SerializeToString())


main()
