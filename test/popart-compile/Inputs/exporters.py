"""Models in the forms that PyTorch's exporters write, with what NumPy computes: `bags` is an
EmbeddingBag, a loop that collects rows in a sequence; `shapes` computes shapes by scattering
and gathering extents; `offsets` is a loop, too long to be unrolled, whose slices begin where an input says."""
import os
import sys

import numpy as np
from onnx import TensorProto, helper

from testdata import save

random = np.random.default_rng(5)
OPSETS = {"": 17}
X = random.standard_normal((9, 4)).astype(np.float32)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


def info(name, kind, shape=()):
    return helper.make_tensor_value_info(name, kind, shape)


def rows(name):
    return helper.make_tensor_sequence_value_info(name, TensorProto.FLOAT, None)


def bags():
    row = info("row", TensorProto.FLOAT, None)
    empty = helper.make_graph([node("Identity", ["nothing"], ["row"])], "empty", [], [row])
    full = helper.make_graph(
        [node("Slice", ["x", "begin", "end"], ["part"]), node("ReduceSum", ["part", "zero"], ["row"])],
        "full", [], [row])
    kept = helper.make_graph([node("Identity", ["carried"], ["chosen"])], "kept", [],
                             [rows("chosen")])
    longer = helper.make_graph([node("SequenceInsert", ["carried", "row"], ["chosen"])], "longer",
                               [], [rows("chosen")])
    body = helper.make_graph(
        [node("Reshape", ["place", "minus"], ["at"]),
         node("Add", ["at", "one"], ["next_at"]),
         node("Gather", ["offsets", "at"], ["begin"]),
         node("Gather", ["offsets", "next_at"], ["end"]),
         node("Equal", ["begin", "end"], ["is_empty"]),
         node("If", ["is_empty"], ["row"], then_branch=empty, else_branch=full),
         node("Equal", ["place", "left_out"], ["is_left_out"]),
         node("If", ["is_left_out"], ["result"], then_branch=kept, else_branch=longer),
         node("Add", ["place", "step"], ["next"]), node("Less", ["next", "bags"], ["go_on"])],
        "body", [info("i", TensorProto.INT64), info("go", TensorProto.BOOL),
                 info("place", TensorProto.INT64), rows("carried")],
        [info("go_on", TensorProto.BOOL), info("next", TensorProto.INT64), rows("result")])
    nodes = [node("SequenceEmpty", [], ["none"]),
             node("Loop", ["", "begins", "first", "none"], ["last", "all"], body=body),
             node("ConcatFromSequence", ["all"], ["y"], axis=0)]
    constants = {"offsets": np.array([0, 3, 3, 4, 7, 9]), "minus": np.array([-1]),
                 "one": np.array([1]), "zero": np.array([0]), "step": np.array(1),
                 "bags": np.array(5), "first": np.array(0), "left_out": np.array(3),
                 "begins": np.array(True), "nothing": np.zeros((1, 4), np.float32)}
    expected = np.stack([X[:3].sum(0), 0 * X[0], X[3], X[7:].sum(0)])
    return nodes, {"x": X}, {"y": expected}, constants


def shapes():
    nodes = [
        node("Shape", ["x"], ["extents"]),
        node("ScatterElements", ["extents", "last", "six"], ["s0"]),
        node("Expand", ["column", "s0"], ["expanded"]),
        node("ScatterND", ["extents", "vector", "four"], ["s1"], reduction="mul"),
        node("Expand", ["row", "s1"], ["expanded2"]),
        node("GatherElements", ["extents", "swapped"], ["s2"]),
        node("Reshape", ["x", "s2"], ["turned"]),
        node("GatherND", ["extents", "vectors"], ["s3"]),
        node("CumSum", ["s3", "zero"], ["sums"], exclusive=1, reverse=1),
        node("Concat", ["sums", "minus"], ["s4"], axis=0),
        node("Sub", ["s4", "less"], ["s5"]),
        node("Reshape", ["x", "s5"], ["y4"]),
        node("Cast", ["extents"], ["numbers"], to=TensorProto.FLOAT),
        node("Clip", ["numbers", "least"], ["s6"]),
        node("Clip", ["s6", "", "largest"], ["s7"]),
        node("Cast", ["s7"], ["s8"], to=TensorProto.INT64),
        node("Reshape", ["x", "s8"], ["y5"]),
        node("Clip", ["largest", "", "least"], ["scalar"]),
        node("Cast", ["scalar"], ["s9"], to=TensorProto.INT64),
        node("Reshape", ["s9", "minus"], ["s10"]),
        node("Concat", ["s10", "minus"], ["s11"], axis=0),
        node("Reshape", ["x", "s11"], ["y6"])]
    # [4, 9] summed up from behind without the element itself is [9, 0].
    constants = {"last": np.array([-1]), "six": np.array([6]), "column": X[:, :1],
                 "vector": np.array([[0]]), "four": np.array([2]), "row": X[:1],
                 "swapped": np.array([1, -2]), "vectors": np.array([[1], [0]]),
                 "zero": np.array(0), "minus": np.array([-1]), "less": np.array([0, -2, 0]), "least": np.float32(6), "largest": np.float32(6)}
    results = {"expanded": np.tile(X[:, :1], (1, 6)), "expanded2": np.tile(X[:1], (18, 1)),
               "turned": X.reshape(4, 9), "y4": X.reshape(9, 2, -1), "y5": X.reshape(6, 6),
               "y6": X.reshape(6, 6)}
    return nodes, {"x": X}, results, constants


def offsets():
    body = helper.make_graph(
        [node("Slice", ["x", "begin", "end"], ["part"]), node("ReduceSum", ["part", "zero"], ["row"]),
         node("Identity", ["go"], ["go_on"])],
        "body", [info("i", TensorProto.INT64), info("go", TensorProto.BOOL)],
        [info("go_on", TensorProto.BOOL), info("row", TensorProto.FLOAT, None)])
    nodes = [node("Add", ["begins", "one"], ["begin"]),
             node("Loop", ["rounds", ""], ["y"], body=body)]
    return nodes, {"x": X, "begins": np.array([1])}, \
        {"y": np.stack([X[2:4].sum(0, keepdims=True)] * 1000)}, \
        {"rounds": np.array(1000), "one": np.array([1]), "end": np.array([4]), "zero": np.array([0])}


for function in (bags, shapes, offsets):
    save(os.path.join(sys.argv[1], function.__name__), *function(), OPSETS)
