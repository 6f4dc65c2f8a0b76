"""A model of a short-time Fourier transform whose frames overlap and leave a rest, and of what
reads them, with what NumPy computes.

usage: spectrum.py FOLDER
"""
import sys

import numpy as np
from onnx import helper

from testdata import save

STEP, LENGTH = 2, 5
x = np.random.default_rng(1).standard_normal((1, 10, 1)).astype(np.float32)
frames = np.stack([x[0, i:i + LENGTH, 0] for i in range(0, 10 - LENGTH + 1, STEP)])
spectrum = np.fft.rfft(frames)
spectrum = np.stack([spectrum.real, spectrum.imag], -1)[None].astype(np.float32)
weights = np.arange(spectrum.size, dtype=np.float32).reshape(spectrum.shape)
save(sys.argv[1], [helper.make_node("STFT", ["x", "step", "", "length"], ["y"]),
                   helper.make_node("Mul", ["y", "weights"], ["z"])], {"x": x},
     {"z": spectrum * weights},
     {"step": np.array(STEP), "length": np.array(LENGTH), "weights": weights}, {"": 17})
