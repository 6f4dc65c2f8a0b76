"""Writes test data for bfloat16.txt into two folders: as bfloat16, and as the
integers that NumPy has its bits in."""
import os
import sys

import numpy as np
from onnx import TensorProto

x = np.array([1.5, -2, 0.25], dtype=np.float32)
for folder, kind in (("typed", TensorProto.BFLOAT16), ("bits", TensorProto.UINT16)):
    path = os.path.join(sys.argv[1], folder)
    os.makedirs(path)
    for name, value in (("input_0", x), ("output_0", x * x)):
        tensor = TensorProto(data_type=kind, dims=[3])
        tensor.raw_data = (value.view(np.uint32) >> 16).astype(np.uint16).tobytes()
        with open(os.path.join(path, name + ".pb"), "wb") as file:
            file.write(tensor.SerializeToString())
