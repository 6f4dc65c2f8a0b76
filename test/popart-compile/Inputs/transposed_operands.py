# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the inputs of transposed-operands.test and checks its result: write|check PREFIX."""
import sys

import numpy as np

prefix = sys.argv[2]
random = np.random.default_rng(1)
x = random.integers(-1, 2, (64, 512)).astype(np.float16)
w = (random.integers(0, 64, (1024, 512)) == 0).astype(np.float16)
if sys.argv[1] == "write":
    np.save(prefix + ".x.npy", x)
    np.save(prefix + ".w.npy", w)
else:
    w = w.astype(np.float64)
    expected = x.astype(np.float64) @ w.T @ w
    assert np.array_equal(np.load(prefix + ".out/y.npy").astype(np.float64), expected)
