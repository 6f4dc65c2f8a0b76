"""Trains recurrent networks of many steps in float16 and in float32, and compares the losses.

usage: half_loops.py FOLDER [OPTIONS of popart-compile...]
"""
import csv
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BATCH, IN, HIDDEN, CLASSES, STEPS = 4, 6, 8, 5, 10
RNG = np.random.default_rng(3)


def weight(name, *shape, scale=0.4):
    values = RNG.standard_normal(shape) * scale
    return numpy_helper.from_array(values.astype(np.float32), name)


def recurrent(kind, gates):
    nodes = [helper.make_node(kind, ["x", "w", "r", "b"], ["", "state"], hidden_size=HIDDEN,
                              name=kind)]
    return nodes, [weight("w", 1, gates * HIDDEN, IN), weight("r", 1, gates * HIDDEN, HIDDEN),
                   weight("b", 1, 2 * gates * HIDDEN)]


def scan():
    """An Elman network as a Scan, whose body reads weights of the graph around it and chooses
    a branch."""
    def branch(name, nodes):
        return helper.make_graph(
            nodes, name, [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])

    body = helper.make_graph(
        [helper.make_node("MatMul", ["xt", "w"], ["a"]),
         helper.make_node("MatMul", ["h", "r"], ["c"]),
         helper.make_node("Add", ["a", "c"], ["sum"]),
         helper.make_node("ReduceSum", ["xt"], ["size"], keepdims=0),
         helper.make_node("Greater", ["size", "zero"], ["isLarge"]),
         helper.make_node("If", ["isLarge"], ["next"],
                          then_branch=branch("tanh", [helper.make_node("Tanh", ["sum"],
                                                                       ["tanh"])]),
                          else_branch=branch("soft", [helper.make_node("Softsign", ["sum"],
                                                                       ["soft"])])),
         helper.make_node("Identity", ["next"], ["row"])], "body",
        [helper.make_tensor_value_info("h", TensorProto.FLOAT, [BATCH, HIDDEN]),
         helper.make_tensor_value_info("xt", TensorProto.FLOAT, [BATCH, IN])],
        [helper.make_tensor_value_info("next", TensorProto.FLOAT, [BATCH, HIDDEN]),
         helper.make_tensor_value_info("row", TensorProto.FLOAT, [BATCH, HIDDEN])])
    nodes = [helper.make_node("Scan", ["start", "x"], ["last", "all"], body=body,
                              num_scan_inputs=1),
             helper.make_node("ReduceMean", ["all"], ["mean"], axes=[0], keepdims=0),
             helper.make_node("Add", ["last", "mean"], ["state"])]
    return nodes, [weight("w", IN, HIDDEN), weight("r", HIDDEN, HIDDEN, scale=0.3),
                   weight("start", BATCH, HIDDEN),
                   numpy_helper.from_array(np.float32(0), "zero")]


# So many that they are a loop.
LENGTHS = {"lstm": 80, "gru": 80, "scan": 260}
MODELS = {"lstm": lambda: recurrent("LSTM", 4), "gru": lambda: recurrent("GRU", 3), "scan": scan}


def write(name, path):
    nodes, weights = MODELS[name]()
    nodes += [helper.make_node("Reshape", ["state", "shape"], ["rows"]),
              helper.make_node("MatMul", ["rows", "v"], ["logits"])]
    weights += [weight("v", HIDDEN, CLASSES),
                numpy_helper.from_array(np.array([BATCH, HIDDEN]), "shape")]
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [LENGTHS[name], BATCH, IN])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [BATCH, CLASSES])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)],
                                ir_version=7), path)


def losses(folder, name, options):
    program, table = f"{folder}/{name}.ipux", f"{folder}/losses.csv"
    subprocess.run(["popart-compile", f"{folder}/{name}.onnx", "-o", program, "--loss",
                    "softmax-nll:logits,y", "--optimizer", "sgd:lr=0.2,loss_scaling=128",
                    *options], check=True)
    subprocess.run(["ipu-run", program, "--steps", str(STEPS), "--input",
                    f"x={folder}/data.npz", "--input", f"y={folder}/data.npz", "--loss-out",
                    table], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(table) as file:
        return np.array([float(row["loss"]) for row in csv.DictReader(file)])


def main():
    folder, options = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    for name, length in LENGTHS.items():
        np.savez(f"{folder}/data.npz",
                 x=RNG.standard_normal((2, length, BATCH, IN)).astype(np.float32),
                 y=RNG.integers(0, CLASSES, (2, BATCH)).astype(np.int32))
        write(name, f"{folder}/{name}.onnx")
        exact = losses(folder, name, options)
        half = losses(folder, name, [*options, "--precision", "fp16"])
        assert exact[-1] < 0.9 * exact[0], exact
        assert not np.array_equal(exact, half), "nothing is float16"
        np.testing.assert_allclose(half, exact, rtol=0.02)
        print(f"{name}: float16 learns as float32 does, "
              f"within {np.max(np.abs(half / exact - 1)):.2%}")


main()
