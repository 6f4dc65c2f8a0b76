#!/usr/bin/env python3
"""wrong_ranks.py DIR: models whose operands have ranks or extents that their operators refuse."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CASES = [
    *[(op, [shape], []) for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
      for shape in ([], [0], [3], [2, 3])],
    *[("Dropout", [[2, 3]], [np.zeros(shape, np.float32)]) for shape in ((0,), (2, 0), (2,))],
]


def main():
    folder = sys.argv[1]
    os.makedirs(folder)
    for op, shapes, constants in CASES:
        inputs = [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, shape)
                  for i, shape in enumerate(shapes)]
        given = [numpy_helper.from_array(c, f"c{i}") for i, c in enumerate(constants)]
        node = helper.make_node(op, [v.name for v in inputs] + [c.name for c in given], ["y"])
        graph = helper.make_graph([node], "wrong", inputs,
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  given)
        path = f"{folder}/model.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)],
                                    ir_version=8), path)
        done = subprocess.run(["popart-compile", path, "--target", "cpu", "-o",
                               f"{folder}/p.ipux"], capture_output=True, text=True)
        if done.returncode != 1 or op not in done.stderr:
            print(f"{op} {shapes} {[c.shape for c in constants]}: exit status "
                  f"{done.returncode}: {done.stderr}")
    print(f"{len(CASES)} cases")


main()
