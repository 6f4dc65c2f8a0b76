"""Forms of operators, forward, against ONNX's reference evaluator or a function of NumPy.

A family is a list of cases; all of them become one model. Inputs that are `constant` are known
when it is compiled, all others when it runs.

    python forms/family.py DIR MACHINES...      with machines of the table below
"""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

MACHINES = {
    "cpu": ["--target", "cpu"],
    "model": ["--device", "ipu-model", "--tiles", "5"],
    "ipu": ["--tiles", "5"],
    "half": ["--tiles", "5", "--precision", "fp16"],
}
# With halves the operands are rounded, too.
HALF_TOLERANCE = 0.02


class constant:
    def __init__(self, value):
        self.value = np.asarray(value)


class Samples:
    """Random operands, the same ones for the same seed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def integers(self, low, high, *shape, kind=np.int32):
        return self.random.integers(low, high, shape).astype(kind)


class Case:
    """`ref` takes the inputs and gives the result or a tuple of results."""

    def __init__(self, op, *inputs, ref=None, results=1, domain="", rtol=1e-5, atol=1e-5,
                 halves=True, **attributes):
        self.op, self.domain, self.attributes = op, domain, attributes
        self.inputs = [None if x is None else x.value if isinstance(x, constant) else
                       np.asarray(x) for x in inputs]
        self.known = [isinstance(x, constant) for x in inputs]
        self.ref, self.results = ref, results
        self.rtol, self.atol, self.halves = rtol, atol, halves

    def node(self, prefix):
        names = [f"{prefix}_x{i}" if x is not None else "" for i, x in enumerate(self.inputs)]
        outputs = [f"{prefix}_y{i}" for i in range(self.results)]
        return helper.make_node(self.op, names, outputs, name=prefix, domain=self.domain,
                                **self.attributes)

    def expected(self, opsets):
        if self.ref:
            results = self.ref(*self.inputs)
            return list(results) if isinstance(results, tuple) else [results]
        node = self.node("case")
        given = {n: v for n, v in zip(node.input, self.inputs) if n}
        graph = helper.make_graph(
            [node], "case",
            [helper.make_tensor_value_info(
                n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for n, v in given.items()],
            [helper.make_tensor_value_info(n, 0, None) for n in node.output])
        return ReferenceEvaluator(helper.make_model(graph, opset_imports=opsets)).run(None, given)


def model(cases, expected, opsets):
    nodes, inputs, outputs, constants = [], [], [], []
    for (prefix, case), results in zip(cases, expected):
        nodes.append(case.node(prefix))
        for i, x in enumerate(case.inputs):
            if x is None:
                continue
            name = f"{prefix}_x{i}"
            if case.known[i]:
                constants.append(numpy_helper.from_array(x, name))
            else:
                inputs.append(helper.make_tensor_value_info(
                    name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape))
        for i, y in enumerate(results):
            outputs.append(helper.make_tensor_value_info(
                f"{prefix}_y{i}", helper.np_dtype_to_tensor_dtype(np.asarray(y).dtype), None))
    graph = helper.make_graph(nodes, "cases", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=opsets)


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])} ... failed ({done.returncode}):\n{done.stdout}")


def differs(case, found, wanted, least):
    wanted = np.asarray(wanted)
    if found.shape != wanted.shape:
        return True
    if wanted.dtype.kind != "f":
        return not np.array_equal(found, wanted)
    return not np.allclose(found, wanted, max(case.rtol, least), max(case.atol, least),
                           equal_nan=True)


def check(cases, opset=21, ml=3, name=""):
    """The number of wrong results on all machines."""
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", ml),
              helper.make_opsetid("com.microsoft", 1)]
    cases = [(f"{case.op}_{i}", case) for i, case in enumerate(cases)]
    expected = [case.expected(opsets) for _, case in cases]
    wrong = 0
    for machine in sys.argv[2:]:
        folder = os.path.join(sys.argv[1], machine, name)
        os.makedirs(folder)
        path = f"{folder}/model.onnx"
        onnx.save(model(cases, expected, opsets), path)
        run(["popart-compile", path, *MACHINES[machine], "-o", f"{folder}/model.ipux"])
        running = ["ipu-run", f"{folder}/model.ipux", "--output-dir", folder]
        if machine in ("cpu", "model"):
            running.append("--allow-native")
        for prefix, case in cases:
            for i, x in enumerate(case.inputs):
                if x is not None and not case.known[i]:
                    np.save(f"{folder}/{prefix}_x{i}.npy", x)
                    running.append(f"--input={prefix}_x{i}={folder}/{prefix}_x{i}.npy")
        run(running)
        for (prefix, case), results in zip(cases, expected):
            if machine == "half" and not case.halves:
                continue
            for i, wanted in enumerate(results):
                found = np.load(f"{folder}/{prefix}_y{i}.npy")
                if differs(case, found, wanted, HALF_TOLERANCE if machine == "half" else 0):
                    wrong += 1
                    print(f"{machine}: {prefix} {case.attributes}: result {i} is\n{found}\n"
                          f"expected is\n{np.asarray(wanted)}")
    print(f"{len(cases)} cases, {wrong} wrong")
    return wrong


def main(cases, **options):
    sys.exit(check(cases, **options) != 0)
