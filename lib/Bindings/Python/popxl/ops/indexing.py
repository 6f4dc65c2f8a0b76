# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that choose elements by indices."""

from typing import Any, Optional

import numpy as np

from popxl import context, dtypes
from popxl.ops._make import make, product_attributes
from popxl.tensor import Tensor


def gather(t: Tensor, indices: Tensor, axis: int = 0,
           available_memory_proportion: Optional[float] = None,
           zero_OOR: bool = False) -> Tensor:
    """Slices along an axis, chosen by indices. With `zero_OOR`, those that are out of range are
    zeros."""
    return _gather("Gather", t, indices, axis, available_memory_proportion, zero_OOR)


def tied_gather(t: Tensor, indices: Tensor, axis: int = 0,
                available_memory_proportion: Optional[float] = None,
                zero_OOR: bool = False) -> Tensor:
    """`gather` of weights that a matrix product reads, too."""
    return _gather("PopartTiedGather", t, indices, axis, available_memory_proportion, zero_OOR)


def _gather(op_type, t, indices, axis, available_memory_proportion, zero_OOR) -> Tensor:
    product_attributes(available_memory_proportion, None)

    def build(b, x, i):
        if not zero_OOR:
            return b.op("Gather", [x, i], axis=int(axis))
        place = int(axis) % len(x.shape)
        i = b.cast(i, dtypes.int32)
        inside = b.op("And", [b.op("GreaterOrEqual", [i, b.scalar(0, i)]),
                              b.op("Less", [i, b.scalar(x.shape[place], i)])])
        chosen = b.op("Gather", [x, b.op("Where", [inside, i, b.scalar(0, i)])], axis=place)
        mask = b.reshape(inside, tuple(i.shape) + (1,) * (len(x.shape) - place - 1))
        return b.op("Where", [mask, chosen, b.scalar(0, chosen)])

    return make(op_type, {"t": t, "indices": indices}, build, "gather")


def groupedgather(t: Tensor, indices: Tensor, axis: int = 0, group_size: int = 1,
                  available_memory_proportion: Optional[float] = None,
                  zero_OOR: bool = False) -> Tensor:
    """A `gather` for each group, which dimension 0 counts; the axis is that inside of a group."""
    context.get_current_graph()._check_own(t=t, indices=indices)
    if zero_OOR:
        from popart import popart_exception

        raise popart_exception("groupedgather with zero_OOR is not supported.")
    place = int(axis) + 1 if axis >= 0 else int(axis)
    return make("GroupedGather", {"t": t, "indices": indices},
                lambda b, x, i: b.gc("GroupedGather", [x, i], axis=place,
                                     group_size=int(group_size)), "groupedgather")


def scatter(t: Tensor, indices: Tensor, values: Tensor, axis: int = 0,
            available_memory_proportion: Optional[float] = None) -> Tensor:
    """The tensor with other values at the places that indices name along an axis.

    Indices have the shape of the values, or one dimension: that of whole slices."""
    product_attributes(available_memory_proportion, None)

    def build(b: Any, x, i, v):
        rank = len(v.shape)
        if len(i.shape) == 1 and rank > 1:
            line = [1] * rank
            line[axis] = i.shape[0]
            i = b.expand(b.reshape(i, line), v.shape)
        return b.op("ScatterElements", [x, b.cast(i, dtypes.int32), v], axis=int(axis))

    return make("ScatterReduce", {"t": t, "indices": indices, "values": values}, build, "scatter")


_REDUCTIONS = {"sum": "Sum", "max": "Max", "min": "Min", "mul": "Mul", "none": "NoReduction"}


def scatter_reduce(data: Tensor, indices: Tensor, reduction: str,
                   initial_values: Optional[Tensor] = None, axis: int = 0,
                   axis_size: Optional[int] = None, enable_index_broadcast: bool = True,
                   available_memory_proportion: Optional[float] = None) -> Tensor:
    """Slices of data brought together where their indices agree."""
    return _scatter("ScatterReduce", data, indices, reduction, initial_values, axis, axis_size,
                    enable_index_broadcast, available_memory_proportion, 1)


def grouped_scatter_reduce(data: Tensor, indices: Tensor, reduction: str,
                           initial_values: Optional[Tensor] = None, axis: int = 0,
                           axis_size: Optional[int] = None, group_size: int = 1,
                           enable_index_broadcast: bool = True,
                           available_memory_proportion: Optional[float] = None) -> Tensor:
    """`scatter_reduce` for each group, which dimension 0 counts."""
    return _scatter("GroupedScatterReduce", data, indices, reduction, initial_values,
                    int(axis) + 1 if axis >= 0 else axis, axis_size,
                    enable_index_broadcast, available_memory_proportion, group_size)


def _scatter(op_type, data, indices, reduction, initial, axis, axis_size, broadcasts, proportion,
             group_size) -> Tensor:
    product_attributes(proportion, None)
    known = str(reduction).lower()
    if known not in _REDUCTIONS:
        raise ValueError(f"The reduction is one of {', '.join(_REDUCTIONS)}, not {reduction!r}.")
    inputs: dict = {"data": data, "indices": indices}
    if initial is not None:
        inputs["initial_values"] = initial
    if axis_size is None:
        if initial is not None:
            axis_size = initial.shape[axis]
        elif hasattr(indices, "_host"):
            axis_size = int(np.max(indices._host)) + 1
        else:
            raise ValueError("axis_size has to be given where the indices are no constant.")
    attributes: dict = {"axis": int(axis), "axis_size": int(axis_size),
                        "reduction": _REDUCTIONS[known],
                        "enable_index_broadcast": int(broadcasts)}
    if op_type.startswith("Grouped"):
        attributes["group_size"] = int(group_size)

    def build(b: Any, x, i, *begin):
        return b.gc(op_type, [x, b.cast(i, dtypes.int32), *begin], **attributes)

    return make(op_type, inputs, build, "scatter_reduce")
