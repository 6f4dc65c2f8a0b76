"""Writes a test data set for detection.txt with --anchor sel --anchor box --bound sel=auto into a folder.
Boxes 0 and 1 overlap, as do 2 and 3; 4 is by itself."""
import os
import sys

import numpy as np
from onnx import numpy_helper

folder = sys.argv[1]
boxes = np.array([[[0, 0, 4, 4], [0, 1, 4, 4], [9, 9, 5, 5], [5, 5, 9, 8], [20, 20, 21, 22]]], dtype=np.float32)
scores = np.array([[[0.5, 0.9, 0.3, 0.3, 0.1], [0.1, 0.1, 0.15, 0.2, 0.7]]], dtype=np.float32)
# Class 0: box 1 hides 0, box 2 hides 3, 4 is too low; class 1: only box 4 is high enough.
selected = np.array([[0, 0, 1], [0, 0, 2], [0, 1, 4], [-1, -1, -1]])
values = {"input_0": boxes, "input_1": scores, "output_0": selected, "output_1": selected[:, 2:],
          "output_2": np.array(3)}
for name, value in values.items():
    with open(os.path.join(folder, name + ".pb"), "wb") as file:
        file.write(numpy_helper.from_array(value).SerializeToString())
