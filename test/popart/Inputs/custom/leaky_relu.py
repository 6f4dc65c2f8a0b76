"""A model with the operator of leaky_relu.cpp, compiled with --custom-op, in inference and
training, beside NumPy. The same operator with another slope, and twice with one, tell
whether operators are taken for each other."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

library, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
tolerance = 0.02 if "fp16" in options else 1e-5
os.makedirs(folder, exist_ok=True)
random = np.random.default_rng(2)
x = random.standard_normal((3, 7)).astype(np.float32)
w = random.standard_normal((3, 7)).astype(np.float32)


def leaky(source, target, alpha):
    return helper.make_node("LeakyRelu", [source], [target], domain="custom.ops",
                            name=target, **({} if alpha is None else {"alpha": alpha}))


nodes = [helper.make_node("Mul", ["x", "w"], ["p"]), leaky("p", "a", 0.2), leaky("p", "b", None),
         leaky("p", "c", 0.2), helper.make_node("Add", ["a", "b"], ["ab"]),
         helper.make_node("Mul", ["ab", "c"], ["y"]),
         helper.make_node("ReduceSum", ["y"], ["sum"], keepdims=0)]
graph = helper.make_graph(
    nodes, "leaky", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, x.shape),
     helper.make_tensor_value_info("sum", TensorProto.FLOAT, [])],
    [numpy_helper.from_array(w, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[
    helper.make_opsetid("", 13), helper.make_opsetid("custom.ops", 1)])
path = os.path.join(folder, "leaky.onnx")
onnx.save(model, path)
np.save(os.path.join(folder, "x.npy"), x)


def run(*more):
    subprocess.run(["popart-compile", path, "--custom-op", library, "-o", path + ".ipux",
                    *options, *more], check=True)
    subprocess.run(["ipu-run", path + ".ipux", "--allow-native", "--input",
                    f"x={folder}/x.npy", "--output-dir", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return lambda name: np.load(os.path.join(folder, name + ".npy"))


def check(name, found, expected):
    np.testing.assert_allclose(found, expected, tolerance, tolerance, err_msg=name)


p = (x * w).astype(np.float64)
two, small = np.where(p > 0, p, 0.2 * p), np.where(p > 0, p, 0.01 * p)
check("y", run()("y"), (two + small) * two)
slope = np.where(p > 0, 4 * p, (0.21 * 0.2 * 2) * p)
result = run("--loss", "identity:sum,reduction=sum", "--optimizer", "sgd:lr=0.5",
             "--anchor", "Gradient___w", "--anchor", "y")
check("trained y", result("y"), (two + small) * two)
check("gradient", result("Gradient___w"), slope * x)
print("operator and gradient agree")
