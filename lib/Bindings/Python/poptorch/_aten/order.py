# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that put elements in order: sorting, the largest ones, medians, modes.

Each finds the places of its results, and gathers the elements from there, so that gradients go to
those elements. Of equal elements torch does not say which place it returns.
"""

import math

import torch

from .elementwise import wide
from .reduction import argmax, picked, reduce_axes, running_extreme
from .table import lowering


@lowering("aten.topk.default")
def topk(e, x, k, dim=-1, largest=True, sorted=True):
    if not x.ndim:
        return x, e.constant(0, torch.int32)
    axis = dim % x.ndim
    shape = [k if a == axis else extent for a, extent in enumerate(x.shape)]
    _, index = e.ops("TopK", [wide(e, x), e.ints([k])],
                     [(shape, wide(e, x).dtype), (shape, torch.int32)], axis=axis,
                     largest=int(largest), sorted=1)
    return picked(e, x, index, axis), index


@lowering("aten.sort.default", "aten.sort.stable")
def sort(e, x, *args, stable=False, dim=-1, descending=False):
    if args and isinstance(args[0], bool) and len(args) > 1 and isinstance(args[1], int):
        stable, args = args[0], args[1:]
    dim = args[0] if args else dim
    descending = args[1] if len(args) > 1 else descending
    if not x.ndim:
        return x, e.constant(0, torch.int32)
    wider = wide(e, x)
    _, index = e.ops("Sort", [wider], [(x.shape, wider.dtype), (x.shape, torch.int32)],
                     "ai.graphcore", axis=dim % x.ndim, descending=int(descending), stable=1)
    return picked(e, x, index, dim), index


@lowering("aten.argsort.default")
def argsort(e, x, dim=-1, descending=False):
    return sort(e, x, dim=dim, descending=descending)[1]


@lowering("aten.argsort.stable")
def argsort_stable(e, x, *, stable, dim=-1, descending=False):
    return sort(e, x, dim=dim, descending=descending)[1]


@lowering("aten.msort.default")
def msort(e, x):
    return sort(e, x, dim=0)[0]


def _element(e, x, index, dim, keepdim):
    """The elements at an index, and the index."""
    value = picked(e, x, index, dim)
    if keepdim:
        return value, index
    return e.squeeze(value, dim), e.squeeze(index, dim)


@lowering("aten.kthvalue.default")
def kthvalue(e, x, k, dim=-1, keepdim=False):
    if not x.ndim:
        return x, e.constant(0, torch.int32)
    return _element(e, x, e.slice(sort(e, x, dim=dim)[1], dim, k - 1, k), dim, keepdim)


@lowering("aten.median.dim")
def median(e, x, dim=-1, keepdim=False):
    """The first NaN, if there is one."""
    if not x.ndim:
        return x, e.constant(0, torch.int32)
    middle = (x.shape[dim] - 1) // 2
    index = e.slice(sort(e, x, dim=dim)[1], dim, middle, middle + 1)
    if x.is_float:
        missing = _missing(e, x)
        index = e.where(e.cast(reduce_axes(e, "Max", missing, dim, True), torch.bool),
                        argmax(e, missing, dim, True), index)
    return _element(e, x, index, dim, keepdim)


@lowering("aten.median.default")
def median_all(e, x):
    flat = e.reshape(x, [x.numel])
    return _shared(e, flat, median(e, flat, 0)[0])


def _shared(e, x, value):
    """A value of a vector's elements, whose gradient all elements that are equal to it share."""
    if not e.training or not x.is_float or not x.numel:
        return value
    same = e.compare("Equal", e.detach(x), e.detach(value))
    value = e.detach(value)
    equals = e.reduce("Max", e.where(same, x, e.constant(-math.inf, x.dtype)))
    return e.where(e.op("IsNaN", [value], dtype=torch.bool), value, equals)


def _missing(e, x):
    """1 where an element is NaN."""
    return e.cast(e.op("IsNaN", [x], dtype=torch.bool), torch.int32)


@lowering("aten.nanmedian.dim")
def nanmedian(e, x, dim=-1, keepdim=False):
    """The middle one of the elements that are no NaN, or a NaN if there is no other."""
    if not x.ndim or not x.is_float:
        return median(e, x, dim, keepdim)
    missing = _missing(e, x)
    last = e.constant(math.inf, x.dtype)
    order = sort(e, e.where(e.cast(missing, torch.bool), last, x), dim=dim)[1]
    # Infinities come before NaNs, which the sort has taken for infinities.
    order = picked(e, order, sort(e, picked(e, missing, order, dim), dim=dim)[1], dim)
    one = e.constant(1, torch.int32)
    rest = e.sub(e.constant(x.shape[dim], torch.int32), reduce_axes(e, "Sum", missing, dim, True))
    middle = e.div(e.sub(e.op("Max", [rest, one], rest.shape), one),
                   e.constant(2, torch.int32))
    return _element(e, x, picked(e, order, middle, dim), dim, keepdim)


@lowering("aten.nanmedian.default")
def nanmedian_all(e, x):
    flat = e.reshape(x, [x.numel])
    return _shared(e, flat, nanmedian(e, flat, 0)[0])


@lowering("aten.mode.default")
def mode(e, x, dim=-1, keepdim=False):
    """The smallest of the elements that are there most often. Equal elements follow each other in
    the order; each has the number of those before it in its run."""
    if not x.ndim:
        return x, e.constant(0, torch.int32)
    axis, extent = dim % x.ndim, x.shape[dim]
    if extent == 1:
        return _element(e, x, e.full(x.shape, 0, torch.int32), dim, keepdim)
    order = sort(e, x, dim=dim)[1]
    ordered = wide(e, e.detach(picked(e, x, order, dim)))
    same = e.compare("Equal", e.slice(ordered, axis, 1, extent),
                     e.slice(ordered, axis, 0, extent - 1))
    place = e.reshape(e.constant(range(1, extent), torch.int32),
                      [extent - 1 if a == axis else 1 for a in range(x.ndim)])
    begins = e.where(same, e.constant(0, torch.int32), place)
    first = e.full([1 if a == axis else n for a, n in enumerate(x.shape)], 0, torch.int32)
    begin = running_extreme(e, e.concat([first, begins], axis), dim, "Greater")[0]
    lengths = e.sub(e.concat([first, e.expand(place, begins.shape)], axis), begin)
    return _element(e, x, picked(e, order, argmax(e, lengths, dim, True), dim), dim, keepdim)
