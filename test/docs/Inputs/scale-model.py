# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model that multiplies four floats by 2.5."""
import sys

from onnx import TensorProto, helper, save

x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])
factor = helper.make_tensor("factor", TensorProto.FLOAT, [1], [2.5])
node = helper.make_node("Mul", ["x", "factor"], ["y"])
graph = helper.make_graph([node], "scale", [x], [y], [factor])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 8
save(model, sys.argv[1])
