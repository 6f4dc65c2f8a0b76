"""Writes a test data set for reshape.txt into a folder, and axes.npy beside it."""
import os
import sys

import numpy as np
from onnx import numpy_helper

folder = sys.argv[1]
x = np.arange(6, dtype=np.float32).reshape(2, 3)
axes = np.array([-1], dtype=np.int64)
values = {"input_0": x, "input_1": np.array([3, 2], dtype=np.int64), "input_2": axes,
          "output_0": x.reshape(3, 2).sum(axis=1)}
for name, value in values.items():
    with open(os.path.join(folder, "data", name + ".pb"), "wb") as file:
        file.write(numpy_helper.from_array(value).SerializeToString())
np.save(os.path.join(folder, "axes.npy"), axes)
