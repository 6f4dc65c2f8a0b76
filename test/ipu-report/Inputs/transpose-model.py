"""Writes a model of two layers with a transpose between them, or none.

    transpose-model.py OUT.onnx [none]
"""
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

size = 192
weights = numpy.linspace(-1, 1, size * size, dtype=numpy.float32).reshape(size, size)
middle = "first" if "none" in sys.argv[2:] else "turned"
nodes = [helper.make_node("Softmax", ["x"], ["first"], "layer1", axis=1),
         helper.make_node("Softmax", [middle], ["y"], "layer2", axis=1)]
if middle == "turned":
    nodes.insert(1, helper.make_node("Transpose", ["first"], ["turned"], "turn", perm=[1, 0]))
graph = helper.make_graph(
    nodes, "turned", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [size, size])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [size, size])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 8
onnx.save(model, sys.argv[1])
