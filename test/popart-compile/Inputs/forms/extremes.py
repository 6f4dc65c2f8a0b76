"""Norms of numbers whose squares are beyond the range of float, or vanish."""
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
])
