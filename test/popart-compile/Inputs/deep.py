"""Whether recomputation saves memory: deep plain nets whose activations are much larger than their
weights, trained with what the forward pass keeps and without.

usage: deep.py FOLDER
"""
import json
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROWS = 256


class Net:
    def __init__(self):
        self.nodes, self.weights, self.last = [], [], "x"

    def add(self, kind, *more):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.last, *more], [name]))
        self.last = name

    def weight(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(value.astype(np.float32), name))
        return name

    def save(self, path, width):
        self.nodes.append(helper.make_node("ReduceMean", [self.last], ["loss"], keepdims=0))
        graph = helper.make_graph(
            self.nodes, "deep",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, width])],
            [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], self.weights)
        onnx.save(helper.make_model(graph, ir_version=8,
                                    opset_imports=[helper.make_opsetid("", 13)]), path)


def elementwise(path):
    net = Net()
    for _ in range(16):
        net.add("Mul", net.weight(np.full(64, 0.9)))
        net.add("Sin")
        net.add("Exp")
    net.save(path, 64)


def products(path):
    net = Net()
    for _ in range(6):
        net.add("MatMul", net.weight(np.eye(64) * 0.5))
        for kind in ("Sin", "Exp", "Sigmoid", "Tanh"):
            net.add(kind)
    net.save(path, 64)


def fullest(path, kind):
    """Bytes of the fullest tile, and the losses of two steps."""
    run = lambda *args: subprocess.run(args, check=True, capture_output=True, text=True).stdout
    run("popart-compile", path, "--tiles", "4", "--loss", "identity:loss", "--optimizer",
        "sgd:lr=0.1", "--recompute", kind, "-o", "deep.ipux")
    run("ipu-run", "deep.ipux", "--steps", "2", "--input", "x=random", "--loss-out", "loss.csv")
    info = json.loads(run("ipu-run", "deep.ipux", "--info=json"))
    return max(tile["bytes"] for tile in info["memory"]), open("loss.csv").read()


def main():
    os.makedirs(sys.argv[1])
    os.chdir(sys.argv[1])
    for make in (elementwise, products):
        name = make.__name__
        make(name + ".onnx")
        kept, losses = fullest(name + ".onnx", "none")
        for kind in ("standard", "all"):
            bytes_, again = fullest(name + ".onnx", kind)
            assert again == losses, (name, kind)
            print(f"{name}, {kind}: {100 * bytes_ // kept} % of {kept} bytes")


main()
