"""Cycles of a training step of an LSTM that is a loop, for each step of its sequence: those of a
sequence four times as long are not many more.

usage: loop_cycles.py FOLDER
"""
import json
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BATCH, SIZE = 4, 16


def model(path, steps):
    random = np.random.default_rng(0)
    weights = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in (
        ("W", random.standard_normal((1, 4 * SIZE, SIZE)) * 0.1),
        ("R", random.standard_normal((1, 4 * SIZE, SIZE)) * 0.1))]
    graph = helper.make_graph(
        [helper.make_node("LSTM", ["x", "W", "R"], ["", "h"], hidden_size=SIZE),
         helper.make_node("ReduceMean", ["h"], ["loss"], keepdims=0)], "lstm",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [steps, BATCH, SIZE])],
        [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], weights)
    onnx.save(helper.make_model(graph, ir_version=8,
                                opset_imports=[helper.make_opsetid("", 14)]), path)


def main():
    os.makedirs(sys.argv[1])
    os.chdir(sys.argv[1])
    run = lambda *args: subprocess.run(args, check=True, capture_output=True, text=True).stdout
    cycles = []
    for steps in (80, 320):
        model("lstm.onnx", steps)
        run("popart-compile", "lstm.onnx", "--tiles", "64", "--loss", "identity:loss",
            "--optimizer", "sgd:lr=0.1", "-o", "lstm.ipux")
        stats = json.loads(run("ipu-run", "lstm.ipux", "--input", "x=random", "--stats=json"))
        cycles.append(stats["cycles"]["total"] / steps)
    few, many = cycles
    print(f"a step takes {few:.0f}, then {many:.0f} cycles: "
          f"{'nearly the same' if many < 2 * few and few < 20000 else 'too many'}")


main()
