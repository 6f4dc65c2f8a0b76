"""Models whose loops and branches stay: their ends are computed when the model runs, or
they are too large to be unrolled. Each is compiled with the options that are given, and
its results are compared with NumPy's."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder, options = sys.argv[1], sys.argv[2:]
os.makedirs(folder, exist_ok=True)
random = np.random.default_rng(1)
x = random.standard_normal((2, 4)).astype(np.float32)
W = 0.4 * random.standard_normal((4, 4)).astype(np.float32)


def info(name, shape=(), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def body(name, nodes, results, arguments=()):
    return helper.make_graph(nodes, name, list(arguments), results)


ITERATION = [info("i", (), TensorProto.INT64), info("go", (), TensorProto.BOOL)]
GO_ON = info("go_on", (), TensorProto.BOOL)


def counted():
    """A number of iterations that is an input."""
    nodes = [node("MatMul", "c W", "m"), node("Tanh", "m", "t"),
             node("Cast", "i", "number", to=TensorProto.FLOAT), node("Add", "t number", "next"),
             node("Identity", "go", "go_on")]
    inside = body("body", nodes, [GO_ON, info("next", (2, 4))], [*ITERATION, info("c", (2, 4))])
    loop = helper.make_node("Loop", ["n", "", "x"], ["y"], body=inside)
    expected = x
    for i in range(5):
        expected = np.tanh(expected @ W) + i
    return [loop], {"x": x, "n": np.array(5)}, {"y": expected}


def conditional(goes_on):
    """A loop that ends when a condition does."""
    nodes = [node("Mul", "c two", "next"), node("ReduceMax", "next", "largest", keepdims=0),
             node("Less", "largest limit", "go_on")]
    inside = body("body", nodes, [GO_ON, info("next", (2, 4))], [*ITERATION, info("c", (2, 4))])
    loop = helper.make_node("Loop", ["", "begins", "x"], ["y"], body=inside)
    expected = np.abs(x)
    while goes_on:
        expected = expected * 2
        if expected.max() >= 100:
            break
    return [loop], {"x": np.abs(x), "limit": np.float32(100), "begins": np.bool_(goes_on)}, \
        {"y": expected}


def scanned():
    """Backwards over the second dimension; one result is turned, the other stacked along
    its second dimension."""
    nodes = [node("MatMul", "h W", "m"), node("Add", "m xt", "a"), node("Tanh", "a", "next"),
             node("Mul", "next next", "square"), node("Neg", "next", "negative")]
    inside = body("body", nodes, [info(n, (2, 4)) for n in ("next", "square", "negative")],
                  [info("h", (2, 4)), info("xt", (2, 4))])
    scan = helper.make_node(
        "Scan", ["x", "s"], ["y", "squares", "negatives"], body=inside, num_scan_inputs=1,
        scan_input_axes=[1], scan_input_directions=[1], scan_output_axes=[0, 1],
        scan_output_directions=[1, 0])
    s = random.standard_normal((2, 600, 4)).astype(np.float32)
    h, squares, negatives = x, [], []
    for t in reversed(range(600)):
        h = np.tanh(h @ W + s[:, t])
        squares.insert(0, h * h)
        negatives.append(-h)
    return [scan], {"x": x, "s": s}, \
        {"y": h, "squares": np.stack(squares), "negatives": np.stack(negatives, 1)}


def chosen(limit):
    """Branches that are too large to compute both."""
    yes, last = [], "x"
    for i in range(5):
        yes += [node("MatMul", f"{last} W", f"m{i}"), node("Tanh", f"m{i}", f"t{i}")]
        last = f"t{i}"
    no = [node("MatMul", "negative W", "m"), node("Add", "m x", "sum")]
    nodes = [node("Neg", "x", "negative"), node("ReduceSum", "x", "total", keepdims=0),
             node("Greater", "total limit", "condition"),
             node("If", "condition", "y", then_branch=body("yes", yes, [info(last, (2, 4))]),
                  else_branch=body("no", no, [info("sum", (2, 4))]))]
    expected = x
    for _ in range(5):
        expected = np.tanh(expected @ W)
    return nodes, {"x": x, "limit": np.float32(limit)}, \
        {"y": expected if x.sum() > limit else -x @ W + x}


def nested():
    """A thousand iterations with a branch in each, and what they collect."""
    small = body("small", [node("Mul", "c half", "p")], [info("p", (2, 4))])
    large = body("large", [node("Add", "c square", "q")], [info("q", (2, 4))])
    nodes = [node("Mod", "i three", "rest"), node("Equal", "rest zero", "third"),
             node("If", "third", "next", then_branch=small, else_branch=large),
             node("ReduceSum", "next", "row", keepdims=0), node("Identity", "go", "go_on")]
    inside = body("body", nodes, [GO_ON, info("next", (2, 4)), info("row")],
                  [*ITERATION, info("c", (2, 4))])
    loop = helper.make_node("Loop", ["thousand", "", "x"], ["y", "rows"], body=inside)
    c, rows = x, []
    for i in range(1000):
        c = c * np.float32(0.5) if i % 3 == 0 else c + x * x
        rows.append(c.sum())
    return [node("Mul", "x x", "square"), loop], {"x": x}, {"y": c, "rows": np.array(rows)}


def without_iterations(count, condition):
    """A constant number of 0, or a condition that never holds: the carried value passes, nothing
    is collected."""
    nodes = [node("Mul", "c half", "next"), node("Neg", "c", "row"),
             node("Identity", "go", "go_on")]
    inside = body("body", nodes, [GO_ON, info("next", (2, 4)), info("row", (2, 4))],
                  [*ITERATION, info("c", (2, 4))])
    loop = helper.make_node("Loop", [count, condition, "x"], ["y", "rows"], body=inside)
    return [loop], {"x": x}, {"y": x, "rows": np.zeros((0, 2, 4), np.float32)}


CONSTANTS = {"W": W, "two": np.float32(2), "half": np.float32(0.5), "three": np.array(3),
             "zero": np.array(0), "never": np.array(False), "thousand": np.array(1000)}


def drawn():
    """Random numbers in each iteration, which all differ."""
    nodes = [node("RandomUniformLike", "c", "r"), node("Identity", "c", "next"),
             node("Identity", "go", "go_on")]
    inside = body("body", nodes, [GO_ON, info("next", (2, 4)), info("r", (2, 4))],
                  [*ITERATION, info("c", (2, 4))])
    loop = helper.make_node("Loop", ["thousand", "", "x"], ["y", "rows"], body=inside)
    return [loop], {"x": x}, {"y": x, "rows": np.zeros((1000, 2, 4))}


def run(name, nodes, inputs, expected):
    """Leaves the results in files."""
    graph = helper.make_graph(
        nodes, name,
        [info(k, v.shape, helper.np_dtype_to_tensor_dtype(v.dtype) if hasattr(
            helper, "np_dtype_to_tensor_dtype") else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[v.dtype])
         for k, v in inputs.items()],
        [info(k, v.shape) for k, v in expected.items()],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in CONSTANTS.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path = os.path.join(folder, name)
    onnx.save(model, path + ".onnx")
    subprocess.run(["popart-compile", path + ".onnx", "-o", path + ".ipux", *options], check=True)
    command = ["ipu-run", path + ".ipux", "--allow-native", "--output-dir", folder]
    for key, value in inputs.items():
        np.save(f"{path}-{key}.npy", value)
        command += ["--input", f"{key}={path}-{key}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def check(name, nodes, inputs, expected):
    run(name, nodes, inputs, expected)
    for key, value in expected.items():
        np.testing.assert_allclose(np.load(f"{folder}/{key}.npy"), value, 1e-4, 1e-5,
                                   err_msg=f"{name}: {key}")


check("counted", *counted())
check("ends", *conditional(True))
check("begins-not", *conditional(False))
check("scanned", *scanned())
check("then", *chosen(-100))
check("else", *chosen(100))
check("nested", *nested())
check("without-iterations", *without_iterations("zero", ""))
check("never", *without_iterations("thousand", "never"))
run("drawn", *drawn())
rows = np.load(f"{folder}/rows.npy")
assert rows.size == 8000 and len(np.unique(rows)) > 7900, "iterations draw the same numbers"
assert abs(rows.mean() - 0.5) < 0.02 and rows.min() >= 0 and rows.max() <= 1
print("models agree")
