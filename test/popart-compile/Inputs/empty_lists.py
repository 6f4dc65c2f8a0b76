"""Models with attributes that are lists without elements.

usage: empty_lists.py FOLDER
"""
import os
import sys

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def empty(name, kind):
    attribute = AttributeProto()
    attribute.name, attribute.type = name, kind
    return attribute


def node(kind, inputs, outputs, *attributes, **others):
    result = helper.make_node(kind, inputs, outputs, **others)
    result.attribute.extend(attributes)
    return result


def save(folder, name, opset, nodes, x, y, functions=()):
    path = os.path.join(folder, f"{name}-{opset}")
    os.makedirs(path)
    info = helper.make_tensor_value_info
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)]
    graph = helper.make_graph(nodes, name, [info("x", FLOAT, x.shape)], [info("y", FLOAT, None)])
    model = helper.make_model(graph, ir_version=8, opset_imports=opsets)
    model.functions.extend(helper.make_function("local", f, ["x"], ["y"], inside, opsets)
                           for f, inside in functions)
    onnx.save(model, os.path.join(path, "model.onnx"))
    for file, value in (("input_0.pb", x), ("output_0.pb", y)):
        with open(os.path.join(path, file), "wb") as out:
            out.write(numpy_helper.from_array(value).SerializeToString())


def main():
    folder = sys.argv[1]
    one, two = np.ones(1, np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    ints = node("Constant", [], ["s"], empty("value_ints", AttributeProto.INTS))
    floats = node("Constant", [], ["f"], empty("value_floats", AttributeProto.FLOATS))
    scalar = [ints, helper.make_node("Reshape", ["x", "s"], ["y"])]
    for opset in (13, 17, 18):
        save(folder, "ints", opset, scalar, one, one.reshape(()))
        save(folder, "floats", opset,
             [floats, helper.make_node("Cast", ["f"], ["s"], to=INT64),
              helper.make_node("Reshape", ["x", "s"], ["y"])], one, one.reshape(()))
        save(folder, "function", opset, [helper.make_node("scalar", ["x"], ["y"], domain="local")]
             if opset > 15 else scalar, one, one.reshape(()),
             [("scalar", scalar)] if opset > 15 else [])
        save(folder, "nothing", opset,
             [floats, helper.make_node("Concat", ["x", "f"], ["y"], axis=0)], one, one)
    axes = empty("axes", AttributeProto.INTS)
    # Versions with the axes as an attribute.
    save(folder, "sum", 11, [node("ReduceSum", ["x"], ["y"], axes, keepdims=0)], two,
         two.sum())
    save(folder, "mean", 17, [node("ReduceMean", ["x"], ["y"], axes, keepdims=1)], two,
         two.mean(keepdims=True))
    save(folder, "squeeze", 11, [node("Squeeze", ["x"], ["y"], axes)], two, two)
    save(folder, "unsqueeze", 11, [node("Unsqueeze", ["x"], ["y"], axes)], two, two)
    # With the axes as an input.
    save(folder, "sum", 13, [ints, helper.make_node("ReduceSum", ["x", "s"], ["y"], keepdims=0)],
         two, two.sum())
    save(folder, "sum-none", 13, [ints, helper.make_node(
        "ReduceSum", ["x", "s"], ["y"], keepdims=0, noop_with_empty_axes=1)], two, two)
    save(folder, "unsqueeze", 13, [ints, helper.make_node("Unsqueeze", ["x", "s"], ["y"])],
         two, two)


main()
