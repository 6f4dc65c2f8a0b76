# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that make one element of many, and those that order elements."""

import builtins
from typing import Iterable, List, Optional, Tuple, Union

import numpy as np
from popart import popart_exception

from popxl import dtypes
from popxl.ops._make import axes_of, make
from popxl.tensor import Tensor

Axes = Optional[Union[int, Iterable[int]]]


def _reduced(name: str, ir_type: str, t: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    def build(b, x):
        axes = axes_of(axis, len(x.shape))
        if any(a < -len(x.shape) or a >= len(x.shape) for a in axes):
            raise popart_exception(f"{ir_type} has axes {axes} for a tensor of rank "
                                   f"{len(x.shape)}.")
        if not axes:  # of a scalar, of which ONNX would take all axes, too
            return b.op(ir_type, [x], keepdims=int(keepdims))
        return b.op(ir_type, [x, b.ints(axes)], keepdims=int(keepdims))

    return make(ir_type, {"t": t}, build, name)


def l1(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The sum of absolute values."""
    return _reduced("l1", "ReduceL1", t, axis, keepdims)


def l2(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The root of the sum of squares."""
    return _reduced("l2", "ReduceL2", t, axis, keepdims)


def logsum(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The logarithm of the sum."""
    return _reduced("logsum", "ReduceLogSum", t, axis, keepdims)


def logsumexp(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The logarithm of the sum of e to the power of elements."""
    return _reduced("logsumexp", "ReduceLogSumExp", t, axis, keepdims)


def max(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The greatest element."""
    return _reduced("max", "ReduceMax", t, axis, keepdims)


def mean(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The mean."""
    return _reduced("mean", "ReduceMean", t, axis, keepdims)


def median(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The median; the lower one of an even number of elements."""
    def build(b, x):
        axes = axes_of(axis, len(x.shape))
        return b.ops("ReduceMedian", [x], 2, "ai.graphcore", axes=list(axes),
                     keepdims=int(keepdims))[0]

    return make("ReduceMedian", {"t": t}, build, "median")


def min(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The least element."""
    return _reduced("min", "ReduceMin", t, axis, keepdims)


def prod(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The product."""
    return _reduced("prod", "ReduceProd", t, axis, keepdims)


def sum(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The sum."""
    return _reduced("sum", "ReduceSum", t, axis, keepdims)


def sumsquare(t: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The sum of squares."""
    return _reduced("sumsquare", "ReduceSumSquare", t, axis, keepdims)


def lamb_square(t: Tensor) -> Tensor:
    """The sum of squares of all elements, in float32."""
    def build(b, x):
        wide = b.cast(x, dtypes.float32)
        return b.op("ReduceSumSquare", [wide], keepdims=0)

    return make("LambSquare", {"t": t}, build, "lamb_square")


def argmax(t: Tensor, dim: int = 0, keepdim: bool = False) -> Tensor:
    """Where along a dimension the greatest element is, as int32."""
    return _place("ArgMax", t, dim, keepdim)


def argmin(t: Tensor, dim: int = 0, keepdim: bool = False) -> Tensor:
    """Where along a dimension the least element is, as int32."""
    return _place("ArgMin", t, dim, keepdim)


def _place(ir_type: str, t: Tensor, dim: int, keepdim: bool) -> Tensor:
    def build(b, x):
        return b.cast(b.op(ir_type, [x], axis=int(dim), keepdims=int(keepdim)), dtypes.int32)

    return make(ir_type, {"t": t}, build, ir_type.lower())


def cumsum(t: Tensor, dim: int = 0) -> Tensor:
    """The sum of all elements up to each one, along a dimension."""
    return make("CumSum", {"t": t},
                lambda b, x: b.op("CumSum", [x, b.constant(np.array(dim, np.int64), "int64")]),
                "cumsum")


def topk(t: Tensor, k: int, axis: int, largest: bool, sorted: bool,
         available_memory_proportion: Optional[float] = None) -> Tuple[Tensor, Tensor]:
    """The k greatest (or least) elements along an axis, and where they are, as int32."""
    def build(b, x):
        values, places = b.ops("TopK", [x, b.ints([int(k)])], 2, axis=int(axis),
                               largest=int(largest), sorted=int(sorted))
        return values, b.cast(places, dtypes.int32)

    return make("TopK", {"t": t}, build, "topk")


def histogram(t: Tensor, levels: List[float], absolute_of_input: bool) -> Tensor:
    """How many elements are below the first level, between each two, and from the last on."""
    limits = [float(level) for level in levels]
    if not limits or limits != builtins.sorted(limits):
        raise popart_exception(f"The levels of a histogram have to ascend, unlike {limits}.")

    def build(b, x):
        flat = b.reshape(x, (t.nelms,))
        flat = b.op("Abs", [flat]) if absolute_of_input else flat
        # By level, how many elements are not below it.
        counts = [b.constant(np.array([t.nelms], np.int32), "int32")]
        for limit in limits:
            isAbove = b.op("GreaterOrEqual", [flat, b.scalar(limit, flat)])
            number = b.op("ReduceSum", [b.cast(isAbove, dtypes.int32), b.ints([0])], keepdims=1)
            counts.append(number)
        parts = [b.sub(low, high) for low, high in zip(counts, counts[1:])] + [counts[-1]]
        return b.cast(b.op("Concat", parts, axis=0), dtypes.uint32)

    return make("Histogram", {"t": t}, build, "histogram")
