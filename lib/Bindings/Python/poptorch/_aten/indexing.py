# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators with tensors of indices: gathers, scatters, embeddings, one-hot vectors."""

import math

import numpy as np
import torch

from .._emit import broadcast, narrow
from .elementwise import isfinite, wide, where
from .table import lowering, promoted, refuse


def _index(e, index, extent):
    """Indices as int32 within 0 … extent - 1; negative ones count from the end."""
    index = e.cast(index, torch.int32)
    if index.constant is not None:
        return e.constant(np.where(index.constant < 0, index.constant + extent,
                                   index.constant), torch.int32)
    negative = e.compare("Less", index, e.constant(0, torch.int32))
    return e.where(negative, e.shifted(index, extent), index)


@lowering("aten.gather.default")
def gather(e, x, dim, index, sparse_grad=False):
    if not x.ndim or not index.ndim:
        x, index = (v if v.ndim else e.reshape(v, [1]) for v in (x, index))
        return e.reshape(gather(e, x, 0, index), e.out.shape)
    return e.op("GatherElements", [x, e.cast(index, torch.int32)], index.shape,
                axis=dim % x.ndim)


@lowering("aten.take_along_dim.default")
def take_along_dim(e, x, index, dim=None):
    if dim is None:
        return gather(e, e.reshape(x, [x.numel]), 0, e.reshape(index, [index.numel]))
    shape = list(broadcast(*(v.shape[:dim] + (1,) + v.shape[dim:][1:] for v in (x, index))))
    wanted = [*shape]
    wanted[dim] = index.shape[dim]
    shape[dim] = x.shape[dim]
    return gather(e, e.expand(x, shape), dim, e.expand(_index(e, index, x.shape[dim]), wanted))


@lowering("aten.index_select.default")
def index_select(e, x, dim, index):
    scalar = not x.ndim
    x = e.reshape(x, [1]) if scalar else x
    index = e.reshape(e.cast(index, torch.int32), [index.numel])
    result = e.gather(x, index, dim)
    return e.reshape(result, e.out.shape)


@lowering("aten.take.default")
def take(e, x, index):
    return e.gather(e.reshape(x, [x.numel]), _index(e, index, x.numel), 0)


# ---- x[i, j, …] -------------------------------------------------------------------------

def _joint_index(e, x, indices):
    """x with the indexed axes first and flat, one index into them, and whether the result's
    index dimensions stay in place. Returns (rows, index, axes)."""
    indices = list(indices) + [None] * (x.ndim - len(indices))
    axes = [axis for axis, index in enumerate(indices) if index is not None]
    for axis in axes:
        if indices[axis].dtype == torch.bool:
            refuse("an index of booleans, whose count depends on values; use torch.where or "
                   "masked_fill")
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    shape = broadcast(*(indices[axis].shape for axis in axes))
    joint = None
    for axis in axes:
        part = _index(e, indices[axis], x.shape[axis])
        joint = part if joint is None else e.add(e.scaled(joint, x.shape[axis]), part)
    return e.transpose(x, [*axes, *rest]), e.expand(joint, shape), axes, rest


@lowering("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index(e, x, indices):
    if all(i is None for i in indices):
        return x
    moved, joint, axes, rest = _joint_index(e, x, indices)
    count = int(np.prod([x.shape[axis] for axis in axes]))
    rows = e.reshape(moved, (count, *[x.shape[axis] for axis in rest]))
    result = e.gather(rows, joint, 0)
    if axes == list(range(axes[0], axes[-1] + 1)) and axes[0]:
        n = joint.ndim  # adjacent indices stay where they were
        front = axes[0]
        order = [*range(n, n + front), *range(n), *range(n + front, result.ndim)]
        result = e.transpose(result, order)
    return result


@lowering("aten.index_put.default", "aten._unsafe_index_put.default", "aten.index_put_.default")
def index_put(e, x, indices, values, accumulate=False):
    if len([i for i in indices if i is not None]) == 1:
        mask = next(i for i in indices if i is not None)
        if mask.dtype == torch.bool:
            return _masked_put(e, x, indices, mask, values, accumulate)
    moved, joint, axes, rest = _joint_index(e, x, indices)
    count = int(np.prod([x.shape[axis] for axis in axes]))
    rest_shape = [x.shape[axis] for axis in rest]
    values = e.cast(values, x.dtype)
    if axes == list(range(axes[0], axes[-1] + 1)) and axes[0]:
        values = _values_in_front(e, values, joint.shape, axes, x)
    else:
        values = e.expand(values, (*joint.shape, *rest_shape))
    rows = e.reshape(moved, (count, *rest_shape))
    result = _scatter_rows(e, rows, e.reshape(joint, [joint.numel]),
                           e.reshape(values, (joint.numel, *rest_shape)), accumulate)
    result = e.reshape(result, moved.shape)
    order = [*axes, *rest]
    return e.transpose(result, [order.index(axis) for axis in range(x.ndim)])


def _values_in_front(e, values, shape, axes, x):
    """Values for adjacent indices: their index dimensions become the first ones."""
    front, back = x.shape[:axes[0]], x.shape[axes[-1] + 1:]
    values = e.expand(values, (*front, *shape, *back))
    n, f = len(shape), len(front)
    return e.transpose(values, [*range(f, f + n), *range(f), *range(f + n, values.ndim)])


def _masked_put(e, x, indices, mask, values, accumulate):
    if values.numel != 1:
        refuse("values put at a mask, whose count depends on values")
    before = list(indices).index(mask) if mask in indices else 0
    mask = e.reshape(mask, (*[1] * before, *mask.shape,
                            *[1] * (x.ndim - before - mask.ndim)))
    value = e.reshape(e.cast(values, x.dtype), ())
    return e.where(mask, e.add(x, value) if accumulate else value, x)


def _scatter_rows(e, rows, index, values, accumulate, reduction=None):
    kind = reduction or ("add" if accumulate else "none")
    if rows.dtype in (torch.bool,):
        return e.cast(_scatter_rows(e, e.cast(rows, torch.int32), index,
                                    e.cast(values, torch.int32), accumulate, reduction),
                      torch.bool)
    index = e.wide_index(e.reshape(index, (index.numel, 1)))
    return e.op("ScatterND", [rows, index, values], rows.shape, reduction=kind)


# ---- Scatters ---------------------------------------------------------------------------

_REDUCE = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max",
           "amin": "min"}


def _scatter(e, x, dim, index, source, reduction):
    if not x.ndim:
        result = _scatter(e, e.reshape(x, [1]), 0, e.reshape(index, [index.numel]),
                          e.reshape(source, [source.numel]), reduction)
        return e.reshape(result, ())
    if not index.ndim:
        index = e.reshape(index, [1])
    if not source.ndim:
        source = e.expand(source, index.shape)
    for axis in range(x.ndim):  # torch reads only what the index has
        if source.shape[axis] > index.shape[axis]:
            source = e.slice(source, axis, 0, index.shape[axis])
    dtype = x.dtype
    if dtype == torch.bool or not dtype.is_floating_point and dtype != torch.int32:
        x, source = e.cast(x, torch.int32), e.cast(source, torch.int32)
    result = e.op("ScatterElements", [x, e.cast(index, torch.int32), e.cast(source, x.dtype)],
                  axis=dim % x.ndim, reduction=reduction)
    return e.cast(result, dtype)


@lowering("aten.scatter.src", "aten.scatter.reduce")
def scatter(e, x, dim, index, source, reduce=None):
    return _scatter(e, x, dim, index, source, _REDUCE[reduce] if reduce else "none")


@lowering("aten.scatter.value", "aten.scatter.value_reduce")
def scatter_value(e, x, dim, index, value, reduce=None):
    source = e.full(index.shape, value, x.dtype)
    return _scatter(e, x, dim, index, source, _REDUCE[reduce] if reduce else "none")


@lowering("aten.scatter_add.default")
def scatter_add(e, x, dim, index, source):
    return _scatter(e, x, dim, index, source, "add")


@lowering("aten.scatter_reduce.two")
def scatter_reduce(e, x, dim, index, source, reduce, include_self=True):
    if x.dtype == torch.bool:
        x, source = e.cast(x, torch.int32), e.cast(source, torch.int32)
    if reduce == "mean":
        return _scatter_mean(e, x, dim, index, source, include_self)
    if not include_self:
        neutral = {"sum": 0, "prod": 1, "amax": _lowest(x.dtype), "amin": _highest(x.dtype)}
        filler = e.full(index.shape, neutral[reduce], x.dtype)
        own, x = x, _scatter(e, x, dim, index, filler, "none")
    else:
        own = x
    if reduce != "sum" and e.training and x.is_float and x.ndim:
        if not include_self and reduce == "prod":
            own = x
        return _scatter_with_gradients(e, x, own, dim, index, source, reduce)
    return _scatter(e, x, dim, index, source, _REDUCE[reduce])


def _scatter_with_gradients(e, x, own, dim, index, source, reduce):
    """A product or an extreme with torch's gradients: the result does not change, and a weighted sum
    of the elements has the weights for its gradients. For `own` see _weights_of_extreme."""
    axis = dim % x.ndim
    for a in range(x.ndim):
        source = e.slice(source, a, 0, index.shape[a])
    index = e.cast(index, torch.int32)
    fixed, parts = e.detach(x), e.detach(source)
    result = e.detach(_scatter(e, fixed, dim, index, parts, _REDUCE[reduce]))

    def at_index(value):
        return e.op("GatherElements", [value, index], index.shape, axis=axis)

    def total(value, values):
        return _scatter(e, e.cast(value, x.dtype), dim, index, e.cast(values, x.dtype), "add")

    weights = _weights_of_product(e, fixed, parts, dim, index, at_index, total) \
        if reduce == "prod" else \
        _weights_of_extreme(e, e.detach(own), parts, result, at_index, total)
    terms = (e.where(isfinite(e, e.detach(value)), e.mul(value, weight), e.constant(0, x.dtype))
             for value, weight in zip((x, source), weights))
    mean = total(*terms)
    return e.add(result, e.sub(mean, e.detach(mean)))


def _weights_of_extreme(e, own, source, result, at_index, total):
    """Equal elements share the gradient. torch counts an element of the tensor that is written (own)
    even if it takes no part."""
    equal = (e.compare("Equal", own, result), e.compare("Equal", source, at_index(result)))
    one = e.constant(1, result.dtype)
    share = e.div(one, e.binary("Max", total(*equal), one))
    return (e.mul(e.cast(equal[0], result.dtype), share),
            e.mul(e.cast(equal[1], result.dtype), at_index(share)))


def _weights_of_product(e, x, source, dim, index, at_index, total):
    """The products of the others, of which a zero is one."""
    one, zero = e.constant(1, x.dtype), e.constant(0, x.dtype)
    is_zero = [e.compare("Equal", value, zero) for value in (x, source)]
    safe = [e.where(none, one, value) for none, value in zip(is_zero, (x, source))]
    product, zeros = _scatter(e, safe[0], dim, index, safe[1], "mul"), total(*is_zero)

    def weight(product, zeros, none, value):
        others = e.sub(zeros, e.cast(none, zeros.dtype))
        return e.where(e.compare("Equal", others, zero), e.div(product, value), zero)

    return (weight(product, zeros, is_zero[0], safe[0]),
            weight(at_index(product), at_index(zeros), is_zero[1], safe[1]))


def _lowest(dtype):
    return float("-inf") if dtype.is_floating_point else torch.iinfo(dtype).min


def _highest(dtype):
    return float("inf") if dtype.is_floating_point else torch.iinfo(dtype).max


def _scatter_mean(e, x, dim, index, source, include_self):
    one = e.full(index.shape, 1, x.dtype)
    counts = e.full(x.shape, 1, x.dtype)
    if not include_self:
        zero = e.full(index.shape, 0, x.dtype)
        x = _scatter(e, x, dim, index, zero, "none")
        counts = _scatter(e, counts, dim, index, zero, "none")
    total = _scatter(e, x, dim, index, source, "add")
    counts = _scatter(e, counts, dim, index, one, "add")
    if x.is_float:
        return e.div(total, counts)
    from .elementwise import floor_divide
    return floor_divide(e, total, counts)


def _rows_index(e, x, dim, index, source):
    """An index of whole rows as one of elements."""
    axis = dim % x.ndim
    shape = [1] * x.ndim
    shape[axis] = index.numel
    wanted = list(x.shape)
    wanted[axis] = index.numel
    return e.expand(e.reshape(_index(e, index, x.shape[axis]), shape), wanted)


@lowering("aten.index_add.default")
def index_add(e, x, dim, index, source, alpha=1):
    x, source = wide(e, x), wide(e, source)
    if not x.ndim:
        return e.add(x, e.scaled(e.reshape(source, ()), alpha))
    return _scatter(e, x, dim, _rows_index(e, x, dim, index, source),
                    e.scaled(e.cast(source, x.dtype), alpha), "add")


@lowering("aten.index_copy.default")
def index_copy(e, x, dim, index, source):
    if not x.ndim:
        return e.reshape(source, ())
    return _scatter(e, x, dim, _rows_index(e, x, dim, index, source), source, "none")


@lowering("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def index_fill(e, x, dim, index, value):
    if not x.ndim:
        return e.as_value(value, x.dtype)
    # By a mask: a row that the index names twice is one place of the value.
    axis = dim % x.ndim
    index = e.reshape(_index(e, index, x.shape[axis]), [index.numel])
    rows = e.op("ScatterElements", [e.full((x.shape[axis],), 0, torch.int32), index,
                                    e.full(index.shape, 1, torch.int32)], axis=0)
    mask = e.reshape(e.cast(rows, torch.bool),
                     [extent if a == axis else 1 for a, extent in enumerate(x.shape)])
    return where(e, mask, e.as_value(value, x.dtype), x)


@lowering("aten.index_reduce.default")
def index_reduce(e, x, dim, index, source, reduce, *, include_self=True):
    if not x.ndim:
        result = index_reduce(e, e.reshape(x, [1]), 0, index, e.reshape(source, [1]), reduce,
                              include_self=include_self)
        return e.reshape(result, ())
    rows = _rows_index(e, x, dim, index, source)
    return scatter_reduce(e, x, dim, rows, source, reduce, include_self)


@lowering("aten.masked_scatter.default")
def masked_scatter(e, x, mask, source):
    """The nth true element takes the nth of the source: a running sum numbers them."""
    x, mask = e.expand(x, broadcast(x.shape, mask.shape)), e.expand(
        mask, broadcast(x.shape, mask.shape))
    flat = e.cast(e.reshape(mask, [mask.numel]), torch.int32)
    order = e.op("CumSum", [flat, e.constant(0, torch.int32)])
    place = e.op("Max", [e.shifted(order, -1), e.constant(0, torch.int32)], order.shape)
    place = e.op("Min", [place, e.constant(source.numel - 1, torch.int32)], order.shape)
    picked = e.reshape(e.gather(e.reshape(source, [source.numel]), place, 0), x.shape)
    return e.where(mask, picked, x)


@lowering("aten.put.default")
def put(e, x, index, source, accumulate=False):
    rows = _scatter_rows(e, e.reshape(x, [x.numel]),
                         e.reshape(_index(e, index, x.numel), [index.numel]),
                         e.reshape(source, [source.numel]), accumulate)
    return e.reshape(rows, x.shape)


# ---- Counts and segments ----------------------------------------------------------------

@lowering("aten.histc.default")
def histc(e, x, bins=100, min=0, max=0):
    """The number of elements in each of some equal parts of an interval, of which the last one has
    its end. Elements outside are counted behind the last part."""
    x = e.reshape(e.detach(x), [x.numel])
    if not x.numel:
        return e.full((bins,), 0, x.dtype)
    low, high = (e.constant(bound, x.dtype) for bound in (min, max))
    if min == max:
        low, high = e.reduce("Min", x), e.reduce("Max", x)
        equal = e.cast(e.compare("Equal", low, high), x.dtype)
        low, high = e.sub(low, equal), e.add(high, equal)
    part = e.op("Floor", [e.div(e.scaled(e.sub(x, low), bins), e.sub(high, low))])
    part = e.binary("Min", part, e.constant(bins - 1, x.dtype))
    inside = e.compare("And", e.compare("GreaterOrEqual", x, low),
                       e.compare("LessOrEqual", x, high))
    part = e.where(inside, e.cast(part, torch.int32), e.constant(bins, torch.int32))
    counts = e.op("ScatterElements", [e.full((bins + 1,), 0, torch.int32), part,
                                      e.full(x.shape, 1, torch.int32)], axis=0, reduction="add")
    return e.cast(e.slice(counts, 0, 0, bins), x.dtype)


_SEGMENTS = {"sum": ("sum", 0), "mean": ("mean", math.nan), "max": ("amax", -math.inf),
             "min": ("amin", math.inf), "prod": ("prod", 1)}


@lowering("aten.segment_reduce.default")
def segment_reduce(e, x, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False,
                   initial=None):
    """Reductions of rows that follow each other. A row belongs to the segment that begins last in
    front of it."""
    given = lengths if offsets is None else offsets
    if indices is not None or given is None or given.ndim != 1 or axis % x.ndim:
        refuse("segments other than rows of the first axis, by lengths or offsets")
    given = e.cast(given, torch.int32)
    ends = e.op("CumSum", [given, e.constant(0, torch.int32)]) if offsets is None \
        else e.slice(given, 0, 1, given.numel)
    numbers = e.constant(range(x.shape[0]), torch.int32)
    segment = _places(e, e.unsqueeze(numbers, 1), ends, True)
    segment = e.reshape(segment, (x.shape[0], *[1] * (x.ndim - 1)))
    kind, empty = _SEGMENTS[reduce]
    # Rows behind all segments have one of their own, which is cut off.
    shape = (ends.numel + 1, *x.shape[1:])
    start = e.full(shape, empty if initial is None else initial, x.dtype)
    result = scatter_reduce(e, start, 0, e.expand(segment, x.shape), x, kind, initial is not None)
    return e.slice(result, 0, 0, ends.numel)


# ---- Embeddings -------------------------------------------------------------------------

@lowering("aten.embedding.default")
def embedding(e, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if scale_grad_by_freq or sparse:
        refuse("scale_grad_by_freq and sparse")
    indices = e.cast(indices, torch.int32)
    rows = e.gather(weight, indices, 0)
    if padding_idx < 0:
        return rows
    # The row of the padding gets no gradient.
    padding = e.unsqueeze(e.compare("Equal", indices, e.constant(padding_idx, torch.int32)),
                          indices.ndim)
    return e.where(padding, e.detach(rows), rows)


@lowering("aten.one_hot.default")
def one_hot(e, indices, num_classes=-1):
    classes = e.constant(np.arange(e.out.shape[-1]), torch.int32)
    return e.cast(e.compare("Equal", e.unsqueeze(e.cast(indices, torch.int32), indices.ndim),
                            classes), narrow(e.out.dtype))


@lowering("aten.bucketize.Tensor")
def bucketize(e, x, boundaries, out_int32=False, right=False):
    return _places(e, e.unsqueeze(x, x.ndim), boundaries, right)


@lowering("aten.searchsorted.Tensor")
def searchsorted(e, boundaries, x, out_int32=False, right=False, side=None, sorter=None):
    if sorter is not None:
        refuse("a sorter")
    right = right or side == "right"
    if boundaries.ndim > 1:
        boundaries = e.unsqueeze(boundaries, boundaries.ndim - 1)
    return _places(e, e.unsqueeze(x, x.ndim), boundaries, right)


def _places(e, x, boundaries, right):
    """The number of boundaries below each element."""
    x, boundaries = (wide(e, v) for v in promoted(e, x, boundaries))
    below = e.compare("LessOrEqual" if right else "Less", boundaries, x)
    return e.reduce("Sum", e.cast(below, torch.int32), [below.ndim - 1])
