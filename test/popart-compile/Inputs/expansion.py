"""Small models that stand for very many nodes, or for bodies very deep inside each other.

usage: expansion.py FOLDER
"""
import os
import sys

import onnx
from onnx import TensorProto, helper

OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
FLOAT = TensorProto.FLOAT


def function(name, nodes):
    return helper.make_function("local", name, ["x"], ["y"], nodes, OPSETS)


def call(name, source, target):
    return helper.make_node(name, [source], [target], domain="local")


def save(folder, name, nodes, functions=()):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, name, [info("x", FLOAT, [2])], [info("y", FLOAT, None)])
    model = helper.make_model(graph, opset_imports=OPSETS, ir_version=8)
    model.functions.extend(functions)
    onnx.save(model, os.path.join(folder, name + ".onnx"))


def doubling(leaf, count):
    """f0 is the leaf, and each one calls the one before it twice."""
    functions = [function("f0", leaf)]
    for i in range(count):
        before = f"f{i}"
        functions.append(function(f"f{i + 1}", [call(before, "x", "t"), call(before, "t", "y")]))
    return functions


def chained(count):
    """Each one calls the one before it once."""
    functions = [function("f0", [helper.make_node("Relu", ["x"], ["y"])])]
    for i in range(count):
        functions.append(function(f"f{i + 1}", [call(f"f{i}", "x", "y")]))
    return functions


def loops(depth, count, last):
    """Loops inside each other; the innermost body ends with the nodes `last` from "x0" to "y0"."""
    nodes, info = last, helper.make_tensor_value_info
    for i in range(depth):
        x, y = (f"x{i + 1}", f"y{i + 1}") if i + 1 != depth else ("x", "y")
        body = helper.make_graph(
            nodes + [helper.make_node("Identity", [f"c{i}"], [f"d{i}"])], f"body{i}",
            [info(f"i{i}", TensorProto.INT64, []), info(f"c{i}", TensorProto.BOOL, []),
             info(f"x{i}", FLOAT, None)],
            [info(f"d{i}", TensorProto.BOOL, []), info(f"y{i}", FLOAT, None)])
        nodes = [helper.make_node("Constant", [], [f"n{i}"], value_int=count),
                 helper.make_node("Loop", [f"n{i}", "", x], [y], body=body)]
    return nodes


def main():
    folder = sys.argv[1]
    os.makedirs(folder)
    relu = [helper.make_node("Relu", ["x"], ["y"])]
    # Not even one operator: only calls.
    empty = [helper.make_node("Identity", ["x"], ["y"])]
    save(folder, "doubling", [call("f30", "x", "y")], doubling(relu, 30))
    save(folder, "empty", [call("f60", "x", "y")], doubling(empty, 60))
    save(folder, "few", [call("f6", "x", "y")], doubling(relu, 6))
    save(folder, "deep", [call("f80", "x", "y")], chained(80))
    save(folder, "itself", [call("f", "x", "y")], [function("f", [call("f", "x", "y")])])
    save(folder, "loops", loops(4, 40, [helper.make_node("Relu", ["x0"], ["y0"])]))


main()
