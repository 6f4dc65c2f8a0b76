"""Long chains: of one operator, of one with another constant each time, and of several.

usage: chain.py FOLDER COUNT
"""
import os
import random
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def save(path, kinds):
    nodes, constants, last, shape = [], [], "x", [8, 16]
    for i, kind in enumerate(kinds):
        inputs = [last]
        if kind in ("Add", "Mul"):
            constants.append(numpy_helper.from_array(np.float32(i + 0.25), f"k{i}"))
            inputs.append(f"k{i}")
        elif kind == "Reshape":
            shape = shape[::-1]
            constants.append(numpy_helper.from_array(np.array(shape, np.int64), f"k{i}"))
            inputs.append(f"k{i}")
        last = f"t{i}"
        nodes.append(helper.make_node(kind, inputs, [last]))
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "chain", [info("x", TensorProto.FLOAT, [8, 16])],
                              [info(last, TensorProto.FLOAT, None)], constants)
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]),
              path)


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder)
    random.seed(1)
    save(os.path.join(folder, "sin.onnx"), ["Sin"] * count)
    save(os.path.join(folder, "add.onnx"), ["Add"] * count)
    save(os.path.join(folder, "mixed.onnx"),
         [random.choice(["Add", "Relu", "Reshape", "Mul"]) for _ in range(count)])


main()
