"""Operands of several types in one operator, and unsigned integers, against definitions."""
import numpy as np

from harness import Case, Samples, main

samples = Samples(12)
normal = samples.normal


def norm(x, of_channels, of_statistics):
    scale, bias, mean = (normal(3) for _ in range(3))
    variance = np.abs(normal(3)) + np.float32(0.25)

    def ref(v, scale, bias, mean, variance):
        wide = [a.astype(np.float64).reshape(1, 3, 1) for a in (scale, bias, mean, variance)]
        y = (v.astype(np.float64) - wide[2]) / np.sqrt(wide[3] + 1e-5) * wide[0] + wide[1]
        return y.astype(x)
    least = 1e-5 if x == np.float32 else 2e-3
    return Case("BatchNormalization", normal(2, 3, 4).astype(x), scale.astype(of_channels),
                bias.astype(of_channels), mean.astype(of_statistics),
                variance.astype(of_statistics), ref=ref, rtol=least, atol=least)


half, full = np.float16, np.float32
numbers = np.array([[1, 2**31 + 5], [7, 2**31]], np.uint32)
main([
    norm(half, full, full), norm(half, half, full), norm(half, full, half),
    norm(full, half, half), norm(full, full, half), norm(full, half, full),
    Case("ReduceL1", numbers, keepdims=0,
         ref=lambda v, *_: np.uint32(int(v.astype(np.int64).sum()) % 2**32)),
    Case("ReduceL1", numbers[:, :1], keepdims=1,
         ref=lambda v, *_: np.full((1, 1), 8, np.uint32)),
])
