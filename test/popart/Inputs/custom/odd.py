"""Models for the operators of odd.cpp, one a file of the folder that is given."""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper


def write(name, kind, path):
    nodes = [helper.make_node(name, ["x"], ["y"], domain="odd", name="a"),
             helper.make_node(name, ["x"], ["z"], domain="odd", name="b"),
             helper.make_node("ReduceSum", ["y"], ["sum"], keepdims=0)]
    graph = helper.make_graph(
        nodes, "odd", [helper.make_tensor_value_info("x", kind, [2, 3])],
        [helper.make_tensor_value_info("y", kind, [2, 3]),
         helper.make_tensor_value_info("z", kind, [2, 3])])
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 13), helper.make_opsetid("odd", 1)]), f"{sys.argv[1]}/{path}.onnx")


for operator in ("Throws", "Shapeless", "Unlowered", "Flat", "Noise", "Resultless", "Copy",
                 "Scale"):
    write(operator, TensorProto.FLOAT, operator)
write("Copy", TensorProto.FLOAT16, "half")
np.save(f"{sys.argv[1]}/six.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
