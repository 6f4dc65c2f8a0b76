# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What operators do with NaN, infinities and -0: the table of docs/operators.md.

    special_values.py models PAGE DIR       writes a model with a node for each row, with x as
                                            an input (given) and as a constant (folded)
    special_values.py check PAGE OUTPUTS    compares results in a folder with the table

A row is an expression like `Max(x, 1)` or `ReduceMax([x, 1, 2])`, where a list is the row of a
matrix that the operator works along, and what it gives for each x of the table's head; of
several results the first."""

import math
import re
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

GRAPHCORE = "ai.graphcore"
AXES_AS_INPUT = {"ReduceSum"}


def table(page):
    """The values of x, and (expression, results) by row."""
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("## NaN, infinities and -0", 1)[1].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [float(v) for v in rows[0][1:]], [(row[0].split("`")[1], row[1:]) for row in rows[1:]]


def number(text):
    return {"inf": math.inf, "-inf": -math.inf, "NaN": math.nan}.get(text) or float(text)


def attributes_of(text):
    pairs = (pair.split("=") for pair in text.split(", ")) if text else ()
    return {key: [int(value)] if key == "kernel_shape" else int(value) for key, value in pairs}


class Graph:
    def __init__(self, values):
        self.values = np.float32(values)
        self.nodes, self.constants, self.results = [], [], []

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def operand(self, text):
        """x, a number for all x, or a list of both."""
        if text == "x":
            return "x"
        if not text.startswith("["):
            return self.constant(np.full(self.values.shape, number(text), np.float32))
        parts = []
        for part in text.strip("[]").split(", "):
            parts.append(f"{self.operand(part)}c")
            self.nodes.append(helper.make_node("Reshape", [parts[-1][:-1], self.column], [
                f"{parts[-1]}{len(self.nodes)}"]))
            parts[-1] = self.nodes[-1].output[0]
        name = f"list{len(self.nodes)}"
        self.nodes.append(helper.make_node("Concat", parts, [name], axis=1))
        return name

    def add(self, place, expression):
        op, operands, extra = re.fullmatch(r"([\w.]+)\((.*?)(?:; (.*))?\)", expression).groups()
        domain, _, op = op.rpartition(".")
        attributes = attributes_of(extra)
        inputs = [self.operand(text) for text in re.findall(r"\[.*?\]|[^,\s]+", operands)]
        if op == "Clip":
            inputs[1:] = [self.constant(np.float32(number(text)))
                          for text in operands.split(", ")[1:]]
        is_row = operands.startswith("[")
        if is_row and op.startswith("Reduce"):
            attributes["keepdims"] = 0
            if op in AXES_AS_INPUT:
                inputs.append(self.constant(np.int64([1])))
            else:
                attributes["axes"] = [1]
        elif op in ("ArgMax", "ArgMin"):
            attributes.update(axis=1, keepdims=0)
        elif op == "TopK":
            inputs.append(self.constant(np.int64([2])))
        elif op == "CumSum":
            inputs.append(self.constant(np.int64(1)))
        elif op == "MaxPool":
            self.nodes.append(helper.make_node("Reshape", [inputs[0], self.image],
                                               [f"image{place}"]))
            inputs = [f"image{place}"]
        name = f"y{place}"
        outputs = [name, f"places{place}"] if op in ("TopK", "Sort") else [name]
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attributes))
        kind = TensorProto.FLOAT
        if op in ("IsNaN", "IsInf", "Equal", "Less", "Greater", "GreaterOrEqual", "LessOrEqual"):
            kind = TensorProto.BOOL
        elif op in ("ArgMax", "ArgMin"):
            kind = TensorProto.INT64
        elif op == "Cast":
            kind = attributes["to"]
        self.results.append(helper.make_tensor_value_info(name, kind, None))


def models(page, folder):
    values, rows = table(page)
    graph = Graph(values)
    graph.column = graph.constant(np.int64([len(values), 1]))
    graph.image = graph.constant(np.int64([len(values), 1, 3]))
    for place, (expression, _) in enumerate(rows):
        graph.add(place, expression)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [len(values)])
    for name, inputs, more in (("given", [x], []),
                               ("folded", [], [numpy_helper.from_array(graph.values, "x")])):
        model = helper.make_model(
            helper.make_graph(graph.nodes, name, inputs, graph.results, graph.constants + more),
            ir_version=8,
            opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(GRAPHCORE, 1)])
        save(model, f"{folder}/{name}.onnx")
    np.save(f"{folder}/x.npy", graph.values)


def agrees(got, wanted):
    if math.isnan(wanted) or math.isinf(wanted) or wanted == 0:
        return (math.isnan(got) if math.isnan(wanted)
                else got == wanted and math.copysign(1, got) == math.copysign(1, wanted))
    return abs(got - wanted) <= 1e-6 * abs(wanted)


def check(page, outputs):
    values, rows = table(page)
    for place, (expression, wanted) in enumerate(rows):
        got = np.load(f"{outputs}/y{place}.npy").astype(np.float64).reshape(len(values), -1)[:, 0]
        for x, result, text in zip(values, got, wanted):
            if not agrees(result, number(text)):
                print(f"WRONG {expression} of {x}: {result}, and {text} on the page")
    print(f"{len(rows)} rows compared")


if __name__ == "__main__":
    {"models": models, "check": check}[sys.argv[1]](*sys.argv[2:])
