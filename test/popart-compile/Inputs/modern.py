"""Writes models as today's exporters make them, with test data from ONNX's reference
evaluator: a transformer block, weights of 4 bits, a quantised convolution, and operators
whose newest forms have other inputs than their old ones. Run it with the Python of the
build that has the package onnx."""
import os
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

random = np.random.default_rng(0)
node = helper.make_node


def write(path, value, name):
    with open(path, "wb") as file:
        file.write(numpy_helper.from_array(value, name).SerializeToString())


def save(name, nodes, inputs, outputs, constants, opset):
    """A model and a folder with its test data."""
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder)
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
         for k, v in inputs.items()],
        [helper.make_tensor_value_info(k, kind, None) for k, kind in outputs],
        [numpy_helper.from_array(v, k) for k, v in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    onnx.save(model, os.path.join(folder, "model.onnx"))
    for i, (key, value) in enumerate(inputs.items()):
        write(os.path.join(folder, f"input_{i}.pb"), value, key)
    results = ReferenceEvaluator(model).run(None, inputs)
    for i, ((key, _), value) in enumerate(zip(outputs, results)):
        write(os.path.join(folder, f"output_{i}.pb"), value, key)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def weights(rows, columns):
    return normal(rows, columns) / np.float32(rows ** 0.5)


def block():
    width, heads, groups, length, batch = 64, 8, 2, 12, 2
    angles = np.outer(np.arange(length), 1 / 10000 ** (np.arange(4) / 4))
    nodes = [
        node("RMSNormalization", ["x", "scale"], ["n"]),
        node("MatMul", ["n", "wq"], ["q"]),
        node("MatMul", ["n", "wk"], ["k"]),
        node("MatMul", ["n", "wv"], ["v"]),
        node("RotaryEmbedding", ["q", "cos", "sin", "pos"], ["q2"], num_heads=heads),
        node("RotaryEmbedding", ["k", "cos", "sin", "pos"], ["k2"], num_heads=groups),
        node("Attention", ["q2", "k2", "v"], ["a"], q_num_heads=heads,
             kv_num_heads=groups, is_causal=1),
        node("MatMul", ["a", "wo"], ["o"]),
        node("Add", ["x", "o"], ["r"]),
        node("LayerNormalization", ["r", "scale", "shift"], ["m"]),
        node("MatMul", ["m", "w1"], ["h"]),
        node("Gelu", ["h"], ["g"], approximate="tanh"),
        node("MatMul", ["g", "w2"], ["d"]),
        node("Add", ["r", "d"], ["y"])]
    constants = {
        "scale": 1 + 0.1 * normal(width), "shift": 0.1 * normal(width),
        "wq": weights(width, width), "wk": weights(width, groups * 8),
        "wv": weights(width, groups * 8), "wo": weights(width, width),
        "w1": weights(width, 128), "w2": weights(128, width),
        "cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32),
        "pos": np.tile(np.arange(length), (batch, 1))}
    save("block", nodes, {"x": normal(batch, length, width)}, [("y", TensorProto.FLOAT)],
         constants, 23)


def four_bits():
    save("four-bits",
         [node("DequantizeLinear", ["w", "s"], ["d"], axis=0, block_size=16),
          node("MatMul", ["x", "d"], ["y"])],
         {"x": normal(3, 64)}, [("y", TensorProto.FLOAT)],
         {"w": random.integers(-8, 8, (64, 32)).astype(ml_dtypes.int4),
          "s": (0.01 + 0.02 * random.random((4, 32))).astype(np.float32)}, 21)


def quantised():
    save("quantised",
         [node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"],
               pads=[1, 1, 1, 1], strides=[2, 2], group=2)],
         {"x": random.integers(0, 256, (1, 8, 9, 9)).astype(np.uint8)},
         [("y", TensorProto.UINT8)],
         {"xs": np.float32(0.02), "xz": np.uint8(131),
          "w": random.integers(-128, 128, (6, 4, 3, 3)).astype(np.int8),
          "ws": (0.003 + 0.001 * np.arange(6)).astype(np.float32),
          "wz": np.zeros(6, np.int8), "ys": np.float32(0.1), "yz": np.uint8(120),
          "b": random.integers(-3000, 3000, 6).astype(np.int32)}, 21)


def new_forms():
    save("new-forms",
         [node("ReduceLogSumExp", ["x", "axes"], ["a"], keepdims=0),
          node("Split", ["x"], ["s1", "s2", "s3"], num_outputs=3, axis=-1),
          node("Pad", ["s1", "pads", "", "axis"], ["p"], mode="wrap"),
          node("CenterCropPad", ["x", "size"], ["c"], axes=[-1, 1])],
         {"x": normal(2, 5, 7)},
         [(name, TensorProto.FLOAT) for name in ("a", "s3", "p", "c")],
         {"axes": np.array([-1, 0]), "pads": np.array([4, 7]), "axis": np.array([-2]),
          "size": np.array([10, 2])}, 23)


block()
four_bits()
quantised()
new_forms()
