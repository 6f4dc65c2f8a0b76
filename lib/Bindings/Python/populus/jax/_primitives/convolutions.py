# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions in all forms that gradients make of them.

PopIR's Conv takes [batch, channels, field] and [out, in / groups, kernel], with padding, strides,
kernel dilation and groups. Groups of the batch become groups of channels; a dilated input is one
with zeros between its elements; what negative padding removes is sliced off.
"""

from typing import List, Sequence, Tuple

import numpy as np

from populus.jax._errors import Unsupported
from populus.jax._graphs import Graph, Value, product
from populus.jax._lower import Equation


def _convolution(e: Equation, x: Value, w: Value) -> Value:
    p, g = e.params, e.graph
    numbers = p["dimension_numbers"]
    dtype = np.dtype(e.out.dtype)
    if dtype.kind in "iub":
        raise Unsupported("of integers")
    x = g.transpose(g.cast(x, dtype), numbers.lhs_spec)
    w = g.transpose(g.cast(w, dtype), numbers.rhs_spec)
    groups, batches = p["feature_group_count"], p["batch_group_count"]
    if batches > 1:
        x, groups = _batch_to_channels(g, x, batches), batches
    if 0 in (*x.shape, *w.shape) or 0 in e.out.shape:
        return g.expand(g.like(x, 0), e.out.shape)
    result = _standard(e, x, w, groups)
    back = np.argsort(numbers.out_spec)
    return g.cast(g.transpose(result, back), e.out.dtype)


def _batch_to_channels(g: Graph, x: Value, batches: int) -> Value:
    """Part i of the batch becomes group i of the channels."""
    n, c, *field = x.shape
    apart = g.reshape(x, [batches, n // batches, c, *field])
    order = [1, 0, *range(2, len(apart.shape))]
    return g.reshape(g.transpose(apart, order), [n // batches, batches * c, *field])


def _standard(e: Equation, x: Value, w: Value, groups: int) -> Value:
    p, g = e.params, e.graph
    strides, dilation = list(p["window_strides"]), list(p["rhs_dilation"])
    low, high = [list(part) for part in zip(*p["padding"])] if p["padding"] else ([], [])
    if not strides:
        return _of_no_field(e, x, w, groups)
    spread = [d - 1 for d in p["lhs_dilation"]]
    if any(spread):
        x = g.pad(x, [0] * len(x.shape), [0] * len(x.shape), [0, 0, *spread])
    x, low, high = _cropped(g, x, low, high)
    return g.op("Conv", x, w, group=int(groups), strides=strides, dilations=dilation,
                pads=low + high, kernel_shape=list(w.shape[2:]))


def _cropped(g: Graph, x: Value, low: Sequence[int], high: Sequence[int]
             ) -> Tuple[Value, List[int], List[int]]:
    """Takes negative padding off the field."""
    if min([*low, *high]) < 0:
        x = g.pad(x, [0, 0, *(min(v, 0) for v in low)], [0, 0, *(min(v, 0) for v in high)])
    return x, [max(v, 0) for v in low], [max(v, 0) for v in high]


def _of_no_field(e: Equation, x: Value, w: Value, groups: int) -> Value:
    """A product of the channels of each group."""
    g = e.graph
    n, out = x.shape[0], w.shape[0]
    left = g.transpose(g.reshape(x, [n, groups, x.shape[1] // groups]), [1, 0, 2])
    right = g.transpose(g.reshape(w, [groups, out // groups, w.shape[1]]), [0, 2, 1])
    return g.reshape(g.transpose(g.op("MatMul", left, right), [1, 0, 2]), [n, product([out])])


TABLE = {"conv_general_dilated": _convolution}
