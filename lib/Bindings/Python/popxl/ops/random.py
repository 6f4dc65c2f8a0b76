# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that draw random numbers. A seed is a tensor of two uint32; the same seed gives the
same numbers."""

from typing import Iterable, List, Tuple

from popxl import dtypes
from popxl.graph import _onnx_type
from popxl.ops._make import make
from popxl.tensor import Tensor


def _numbers(b, seed, kind: str, shape: Iterable[int], dtype: dtypes.dtype, first: float,
             second: float):
    return b.gc(kind, [seed], shape=[int(e) for e in shape], first=float(first),
                second=float(second), data_type=_onnx_type(dtypes.dtype.as_dtype(dtype)))


def random_normal(seed_tensor: Tensor, shape: Iterable[int], mean: float = 0.0, std: float = 1.0,
                  dtype: dtypes.dtype = dtypes.float32) -> Tensor:
    """Numbers of the normal distribution."""
    shape = tuple(shape)
    return make("RandomNormal", {"seed_tensor": seed_tensor},
                lambda b, s: _numbers(b, s, "SeededNormal", shape, dtype, mean, std),
                "random_normal")


def random_uniform(seed_tensor: Tensor, shape: Iterable[int], low: float = 0.0, high: float = 1.0,
                   dtype: dtypes.dtype = dtypes.float32) -> Tensor:
    """Numbers between `low` and `high`, all equally likely."""
    shape = tuple(shape)
    return make("RandomUniform", {"seed_tensor": seed_tensor},
                lambda b, s: _numbers(b, s, "SeededUniform", shape, dtype, low, high),
                "random_uniform")


def split_random_seed(seed: Tensor, n: int = 2) -> Tuple[Tensor, ...]:
    """`n` seeds made of one."""
    if n < 1:
        raise ValueError(f"A seed cannot be split into {n}.")

    def build(b, s):
        rows = b.gc("SplitSeed", [s], count=int(n))
        return tuple(b.reshape(b.slice(rows, [i], [i + 1], [0]), (2,)) for i in range(n))

    return make("ModifyRandomSeed", {"seed": seed}, build, "split_random_seed")


def _dropped(b, x, seed, shape, ratio: float):
    if not 0 <= ratio < 1:
        raise ValueError(f"The ratio of a dropout is at least 0 and below 1, not {ratio}.")
    numbers = _numbers(b, seed, "SeededUniform", shape, dtypes.float32, 0, 1)
    kept = b.op("Less", [numbers, b.scalar(1 - ratio, numbers)])
    factor = b.mul(b.cast(kept, dtypes.from_ir(x.type)), b.scalar(1 / (1 - ratio), x))
    return b.mul(x, factor)


def dropout(t: Tensor, seed_tensor: Tensor, p: float) -> Tensor:
    """Each element is 0 with the probability `p`; others are divided by 1 - p."""
    return make("Dropout", {"t": t, "seed_tensor": seed_tensor},
                lambda b, x, s: _dropped(b, x, s, x.shape, p), "dropout")


def shaped_dropout(t: Tensor, seed_tensor: Tensor, shape: List[int], ratio: float) -> Tensor:
    """`dropout` with a mask of another shape, which is broadcast."""
    return make("ShapedDropout", {"t": t, "seed_tensor": seed_tensor},
                lambda b, x, s: _dropped(b, x, s, shape, ratio), "shaped_dropout")

