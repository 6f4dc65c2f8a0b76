"""Norms of numbers whose squares are beyond the range of float, or vanish; shifts of integers of 64
bits, of which the device has 32."""
import numpy as np

from harness import Case, constant, main

ROWS = np.array([[3e30, 4e30], [-3e38, 1e30], [1e20, 1e20], [3e-30, 4e-30], [0, 0],
                 [5, -12], [np.inf, 0], [np.nan, 1]], np.float32)
ORDINARY = ROWS[:6]


def norm(x):
    return np.sqrt((x.astype(np.float64)**2).sum(-1, keepdims=True))


def case(op, x, *inputs, ref, **attributes):
    return Case(op, x, *inputs, ref=lambda x, *_: ref(x).astype(np.float32), rtol=1e-6, atol=0,
                halves=False, **attributes)


main([
    case("ReduceL2", ROWS, constant([1]), ref=norm),
    case("ReduceL2", ROWS.T, constant([0]), ref=lambda x: norm(x.T).T),
    case("ReduceL2", np.float32(-3e30), ref=np.abs),
    case("GlobalLpPool", ROWS[None], ref=norm),
    case("LpNormalization", ORDINARY, ref=lambda x: x / np.where(norm(x) == 0, 1, norm(x))),
    case("LpNormalization", ORDINARY, p=1,
         ref=lambda x: x / np.maximum(np.abs(x).sum(-1, keepdims=True, dtype=np.float64), 1e-300)),
    Case("BitShift", np.uint64([1, 3, 5, 2]), np.uint64([40, 31, 2, 32]), direction="LEFT",
         ref=lambda x, n: (x << n) % np.uint64(2**32)),
    Case("BitShift", np.uint64([2**31, 3, 5, 2]), np.uint64([31, 33, 2, 32]), direction="RIGHT",
         ref=lambda x, n: x >> n),
])
