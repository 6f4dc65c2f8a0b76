"""Gradients of single operators against central differences.

A family is a list of cases; all of them become one model, whose loss is the sum of all
results, each multiplied with random weights, so that the gradient of an input is that of
its own operator with these weights as the result's gradient. What is expected is the
difference quotient of a reference in double: ONNX's reference evaluator, or a function of
NumPy. Where PopART's rule is not the derivative (at ties, at borders), the case gives the
rule.

    python gradients/family.py DIR MACHINES...      with machines of the table below

A family may be several models (`check`), where one would be too large for the machines.
"""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

GRAPHCORE = "ai.graphcore"
OPSET = 21


class Input:
    """An operand: a graph input whose gradient is wanted, or not, or a constant."""

    def __init__(self, value, kind):
        self.value = np.asarray(value)
        self.kind = kind


def constant(value):
    return Input(value, "constant")


def fixed(value):
    return Input(value, "fixed")


def ints(*values):
    return constant(np.array(values, np.int64))


def index(values, kind=np.int64):
    return np.array(values, kind)


class Samples:
    """Random operands, the same ones for the same seed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def distinct(self, *shape):
        """Numbers that are at least 0.1 apart."""
        places = self.random.permutation(int(np.prod(shape)))
        return (places * 0.1 - 1).reshape(shape).astype(np.float32)


def operand(value):
    if value is None or isinstance(value, Input):
        return value
    value = np.asarray(value)
    if value.dtype == np.float64:
        value = value.astype(np.float32)
    return Input(value, "wanted" if value.dtype.kind == "f" else "fixed")


class Case:
    def __init__(self, op, *inputs, ref=None, rules=None, results=1, used=None, absent=(),
                 domain="", rtol=2e-4, atol=2e-5, **attributes):
        """`absent` are the inputs that have no gradient."""
        self.op, self.domain, self.attributes = op, domain, attributes
        self.inputs = [operand(x) for x in inputs]
        self.ref, self.rules = ref, rules or {}
        self.results = results
        self.used = range(results) if used is None else used
        self.label = op
        self.absent = absent
        self.rtol, self.atol = rtol, atol

    def node(self, prefix):
        names = [f"{prefix}_x{i}" if x else "" for i, x in enumerate(self.inputs)]
        outputs = [f"{prefix}_y{i}" for i in range(self.results)]
        return helper.make_node(self.op, names, outputs, name=prefix, domain=self.domain,
                                **self.attributes)

    def model_nodes(self, prefix):
        return [self.node(prefix)]

    def evaluate(self, values):
        """The results, in double."""
        if self.ref:
            results = self.ref(*values)
            return list(results) if isinstance(results, tuple) else [results]
        node = self.node("case")
        given = {name: value for name, value in zip(node.input, values) if name}
        graph = helper.make_graph(
            [node], "case",
            [helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
             for name, value in given.items()],
            [helper.make_tensor_value_info(name, 0, None) for name in node.output])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        if not hasattr(self, "evaluator"):
            self.evaluator = ReferenceEvaluator(model)
        return self.evaluator.run(None, given)

    def doubles(self):
        return [x and (x.value.astype(np.float64) if x.value.dtype.kind == "f" else x.value)
                for x in self.inputs]

    def prepare(self, random):
        values = self.doubles()
        self.weights = {}
        results = self.evaluate(values)
        for i in self.used:
            self.weights[i] = random.standard_normal(np.shape(results[i])).astype(np.float32)
        self.expected = {}
        for i, x in enumerate(self.inputs):
            if x is None or x.kind != "wanted" or i in self.absent:
                continue
            if i in self.rules:
                dy = [self.weights[k].astype(np.float64) for k in self.used]
                self.expected[i] = np.asarray(self.rules[i](values, results, *dy))
            else:
                self.expected[i] = self.difference(values, i)

    def weighted(self, values):
        results = self.evaluate(values)
        return sum(float(np.sum(results[i] * w.astype(np.float64)))
                   for i, w in self.weights.items())

    def difference(self, values, index, step=1e-5):
        result = np.zeros(values[index].shape)
        for place in np.ndindex(*result.shape):
            sums = []
            for sign in (1, -1):
                moved = list(values)
                moved[index] = values[index].copy()
                moved[index][place] += sign * step
                sums.append(self.weighted(moved))
            result[place] = (sums[0] - sums[1]) / (2 * step)
        return result


def prepared(cases):
    random = np.random.default_rng(7)
    result = []
    for number, case in enumerate(cases):
        case.prepare(random)
        result.append((f"{case.label}_{number}", case))
    return result


def model(cases, opset):
    nodes, inputs, sums = [], [], []

    def add_constant(name, value):
        nodes.append(helper.make_node("Constant", [], [name],
                                      value=numpy_helper.from_array(value, name)))

    for prefix, case in cases:
        for i, x in enumerate(case.inputs):
            if x is None:
                continue
            if x.kind == "constant":
                add_constant(f"{prefix}_x{i}", x.value)
            else:
                inputs.append(helper.make_tensor_value_info(
                    f"{prefix}_x{i}", helper.np_dtype_to_tensor_dtype(x.value.dtype),
                    x.value.shape))
        nodes += case.model_nodes(prefix)
        for i, weights in case.weights.items():
            add_constant(f"{prefix}_w{i}", weights)
            nodes.append(helper.make_node("Mul", [f"{prefix}_y{i}", f"{prefix}_w{i}"],
                                          [f"{prefix}_m{i}"]))
            nodes.append(helper.make_node("ReduceSum", [f"{prefix}_m{i}"],
                                          [f"{prefix}_s{i}"], keepdims=0))
            sums.append(f"{prefix}_s{i}")
    while len(sums) > 1:
        first, sums = sums[:8], sums[8:]
        sums.append(f"sum{len(nodes)}")
        nodes.append(helper.make_node("Sum", first, sums[-1:]))
    graph = helper.make_graph(
        nodes, "cases", inputs,
        [helper.make_tensor_value_info(sums[0], onnx.TensorProto.FLOAT, [])])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset),
                              helper.make_opsetid("ai.onnx.ml", 3),
                              helper.make_opsetid(GRAPHCORE, 1)]), sums[0]


MACHINES = {
    "cpu": ["--target", "cpu"],
    "model": ["--device", "ipu-model", "--tiles", "5"],
    "ipu": ["--tiles", "5"],
    "two": ["--tiles", "5", "--num-ipus", "2"],
    "half": ["--tiles", "5", "--precision", "fp16"],
}
# Tolerance of float16, whose forward rounding errors propagate to the gradients.
HALF_TOLERANCE = 0.03


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])} ... failed:\n{done.stdout}")
    return done.stdout


def compiling(folder, cases, machine, opset):
    """Writes the model; the command that compiles it for training."""
    proto, total = model(cases, opset)
    path = os.path.join(folder, "model.onnx")
    onnx.save(proto, path)
    anchors = [f"--anchor=Gradient___{prefix}_x{i}" for prefix, case in cases
               for i in case.expected]
    return ["popart-compile", path, "--loss", f"identity:{total},reduction=sum",
            "--optimizer", "sgd:lr=1", *MACHINES[machine], "-o", f"{folder}/model.ipux", *anchors]


def gradients(folder, cases, machine, opset):
    """What the compiled model gives on a machine, by the name of the input; and what
    ipu-run said."""
    running = ["ipu-run", f"{folder}/model.ipux", "--output-dir", folder]
    if machine in ("cpu", "model"):
        running.append("--allow-native")
    for prefix, case in cases:
        for i, x in enumerate(case.inputs):
            if x is not None and x.kind != "constant":
                np.save(f"{folder}/{prefix}_x{i}.npy", x.value)
                running.append(f"--input={prefix}_x{i}={folder}/{prefix}_x{i}.npy")
    run(compiling(folder, cases, machine, opset))
    said = run(running)
    return {f"{prefix}_x{i}": np.load(f"{folder}/Gradient___{prefix}_x{i}.npy")
            for prefix, case in cases for i in case.expected}, said


def mistakes(cases, found, tolerance):
    """How many gradients are wrong; `tolerance` is the least that is allowed."""
    count = 0
    for prefix, case in cases:
        for i, expected in case.expected.items():
            value = found[f"{prefix}_x{i}"]
            if value.shape == expected.shape and np.allclose(
                    value, expected, max(case.rtol, tolerance), max(case.atol, tolerance),
                    equal_nan=True):
                continue
            count += 1
            print(f"{prefix} {case.attributes}: the gradient of input {i} is\n{value}\n"
                  f"expected is\n{expected}")
    return count


def graphcore(op, *inputs, ref, **more):
    return Case(op, *inputs, ref=ref, domain=GRAPHCORE, **more)


def check(cases, opset=OPSET, name="", machines=None):
    """The number of mistakes on all machines, each of which has a folder for the model."""
    cases = prepared(cases)
    wrong = 0
    for machine in sys.argv[2:] if machines is None else machines:
        folder = os.path.join(sys.argv[1], machine, name)
        os.makedirs(folder)
        wrong += mistakes(cases, gradients(folder, cases, machine, opset)[0],
                          HALF_TOLERANCE if machine == "half" else 0)
    count = sum(len(case.expected) for _, case in cases)
    print(f"{len(cases)} cases, {count} gradients, {wrong} wrong")
    return wrong


def main(cases, opset=OPSET):
    sys.exit(check(cases, opset) != 0)
