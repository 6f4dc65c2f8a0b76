# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""batches.py FOLDER: y = 2 x for one sample of three numbers, or for two of them in a run."""

import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = sys.argv[1]
os.chdir(folder)

def makeModel(name, outputs):
    nodes = [helper.make_node("Mul", ["x", "two"], [output]) for output in outputs]
    graph = helper.make_graph(
        nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, 3]) for output in outputs],
        [numpy_helper.from_array(np.full(1, 2, np.float32), "two")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8),
              name)


def run(*arguments, status=0, words=""):
    result = subprocess.run(["ipu-run", *arguments], capture_output=True, text=True)
    assert result.returncode == status, (arguments, result)
    assert words in result.stderr, (arguments, result.stderr)
    if status:
        assert result.stderr.startswith("ipu-run: error: "), result.stderr


makeModel("m.onnx", ["y"])
for name, batches in (("one.ipux", 1), ("two.ipux", 2)):
    subprocess.run(["popart-compile", "m.onnx", "--tiles", "2", "-o", name, "--batches-per-step",
                    str(batches)], check=True)

data = np.arange(12, dtype=np.float32).reshape(4, 3)
np.save("four.npy", data)
np.save("three.npy", data[:3])
np.save("two.npy", data[:2])
np.save("one.npy", data[:1])

# An input has as many batches as a run takes, or a number that divides it.
for program, file, wanted in (("one.ipux", "one.npy", data[:1]), ("two.ipux", "two.npy", data[:2]),
                              ("two.ipux", "one.npy", data[[0, 0]])):
    run(program, "--input", f"x={file}", "--output-dir", "out", "--repeat", "2")
    found = np.load("out/y.npy")
    assert np.array_equal(found.reshape(-1, 3), 2 * wanted), (program, file, found)
# Others would be left out.
for program, file, has, takes in (("one.ipux", "four.npy", 4, 1), ("two.ipux", "four.npy", 4, 2),
                                  ("two.ipux", "three.npy", 3, 2), ("one.ipux", "two.npy", 2, 1)):
    for more in ([], ["--warmup", "1"], ["--repeat", "3"]):
        run(program, "--input", f"x={file}", *more, status=1,
            words=f"input 'x' has {has} batches, but a run of the program takes {takes}: "
                  f"compile it with --batches-per-step {has}")

# No batch, in each place, type and form of file.
for shape in ((0, 3), (0, 1, 3), (1, 0), (0,), (2, 0, 3), (0, 0), (1, 3, 0)):
    for kind in (np.float32, np.int64):
        np.save("none.npy", np.zeros(shape, kind))
        with open("none.pb", "wb") as file:
            file.write(numpy_helper.from_array(np.zeros(shape, kind), "x").SerializeToString())
        np.savez("none.npz", x=np.zeros(shape, kind))
        np.save("columns.npy", np.asfortranarray(np.zeros(shape, kind)))
        for file in ("none.npy", "none.pb", "none.npz", "columns.npy"):
            for more in ([], ["--steps", "2"], ["--steps", "2", "--shuffle=1"]):
                run("one.ipux", "--input", f"x={file}", *more, status=1, words="input 'x'")
            run("one.ipux", "--input", "x=zeros", "--compare", f"y={file}", status=5)
open("empty", "w").close()
run("one.ipux", "--input", "x=raw:empty", status=1, words="has 0")

# Names of files.
makeModel("names.onnx", ["a/b", "a_b", "a/b/c", "a_b/c", "a%2Fb"])
subprocess.run(["popart-compile", "names.onnx", "--tiles", "2", "-o", "names.ipux"], check=True)
run("names.ipux", "--input", "x=one.npy", "--output-dir", "names")
files = sorted(os.listdir("names"))
assert len(files) == 5 and "a_b.npy" in files and "a_b_c.npy" in files, files
print("all as expected")
