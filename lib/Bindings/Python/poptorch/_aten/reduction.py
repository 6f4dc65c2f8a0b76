# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and running sums."""

import math

import numpy as np
import torch

from .elementwise import as_float, wide
from .table import axes_of, lowering


def reduce_axes(e, kind, x, dim, keepdim):
    return e.reduce(kind, x, axes_of(dim, x.ndim), bool(keepdim))


def _in_type(e, x, dtype):
    """x in the type that a sum is asked for; booleans and small integers become int32."""
    if isinstance(dtype, torch.dtype):
        return e.cast(x, dtype)
    return wide(e, x)


@lowering("aten.sum.default")
def sum_all(e, x, *, dtype=None):
    return reduce_axes(e, "Sum", _in_type(e, x, dtype), None, False)


@lowering("aten.sum.dim_IntList")
def sum_(e, x, dim=None, keepdim=False, *, dtype=None):
    return reduce_axes(e, "Sum", _in_type(e, x, dtype), dim, keepdim)


@lowering("aten.mean.default")
def mean_all(e, x, *, dtype=None):
    return reduce_axes(e, "Mean", _in_type(e, x, dtype), None, False)


@lowering("aten.mean.dim")
def mean(e, x, dim=None, keepdim=False, *, dtype=None):
    return reduce_axes(e, "Mean", _in_type(e, x, dtype), dim, keepdim)


@lowering("aten.prod.default")
def prod_all(e, x, *, dtype=None):
    return _product(e, _in_type(e, x, dtype), None, False)


@lowering("aten.prod.dim_int")
def prod(e, x, dim, keepdim=False, *, dtype=None):
    return _product(e, _in_type(e, x, dtype), dim, keepdim)


def _product(e, x, dim, keepdim):
    if x.dtype == torch.bool:
        x = e.cast(x, torch.int32)
    return reduce_axes(e, "Prod", x, dim, keepdim)


@lowering("aten.amax.default")
def amax(e, x, dim=(), keepdim=False):
    return e.cast(reduce_axes(e, "Max", wide(e, x), dim, keepdim), x.dtype)


@lowering("aten.amin.default")
def amin(e, x, dim=(), keepdim=False):
    return e.cast(reduce_axes(e, "Min", wide(e, x), dim, keepdim), x.dtype)


@lowering("aten.max.default")
def max_all(e, x):
    return amax(e, x)


@lowering("aten.min.default")
def min_all(e, x):
    return amin(e, x)


@lowering("aten.aminmax.default")
def aminmax(e, x, *, dim=None, keepdim=False):
    return amin(e, x, dim, keepdim), amax(e, x, dim, keepdim)


def _arg(e, kind, x, dim, keepdim):
    if dim is None:
        flat = e.reshape(wide(e, x), [x.numel])
        index = e.op(kind, [flat], (), torch.int32, axis=0, keepdims=0)
        return e.reshape(index, [1] * x.ndim) if keepdim else index
    if not x.ndim:
        return e.constant(0, torch.int32)
    axis = dim % x.ndim
    shape = [1 if a == axis else extent for a, extent in enumerate(x.shape)
             if keepdim or a != axis]
    return e.op(kind, [wide(e, x)], shape, torch.int32, axis=axis, keepdims=int(keepdim))


@lowering("aten.argmax.default")
def argmax(e, x, dim=None, keepdim=False):
    return _arg(e, "ArgMax", x, dim, keepdim)


@lowering("aten.argmin.default")
def argmin(e, x, dim=None, keepdim=False):
    return _arg(e, "ArgMin", x, dim, keepdim)


def _with_index(e, kind, x, dim, keepdim):
    """The extreme and its place. It is gathered from its place, so that its gradient goes to
    that element alone."""
    if not x.ndim:
        return x, e.constant(0, torch.int32)
    index = _arg(e, kind, x, dim, True)
    value = picked(e, x, index, dim)
    if keepdim:
        return value, index
    return e.squeeze(value, dim), e.squeeze(index, dim)


def picked(e, x, index, dim):
    """The elements of an axis at an index of the same rank."""
    return e.op("GatherElements", [x, index], index.shape, axis=dim % x.ndim)


@lowering("aten.max.dim")
def max_(e, x, dim, keepdim=False):
    return _with_index(e, "ArgMax", x, dim, keepdim)


@lowering("aten.min.dim")
def min_(e, x, dim, keepdim=False):
    return _with_index(e, "ArgMin", x, dim, keepdim)


@lowering("aten.any.default")
def any_all(e, x):
    return any_(e, x, None, False)


@lowering("aten.any.dim", "aten.any.dims")
def any_(e, x, dim=None, keepdim=False):
    if not x.numel:  # the largest of no integers is the smallest that there is
        return e.full(tuple(e.out.shape), False, torch.bool)
    return e.cast(reduce_axes(e, "Max", e.cast(e.cast(x, torch.bool), torch.int32), dim, keepdim),
                  torch.bool)


@lowering("aten.all.default")
def all_all(e, x):
    return all_(e, x, None, False)


@lowering("aten.all.dim", "aten.all.dims")
def all_(e, x, dim=None, keepdim=False):
    return e.cast(reduce_axes(e, "Min", e.cast(e.cast(x, torch.bool), torch.int32), dim, keepdim),
                  torch.bool)


@lowering("aten.count_nonzero.default", "aten.count_nonzero.dim_IntList")
def count_nonzero(e, x, dim=None):
    return reduce_axes(e, "Sum", e.cast(e.cast(x, torch.bool), torch.int32), dim, False)


@lowering("aten.logsumexp.default", "aten.special_logsumexp.default")
def logsumexp(e, x, dim, keepdim=False):
    """With the maximum taken out, so that nothing overflows."""
    x = as_float(e, x)
    if not x.ndim:
        return x
    axes = axes_of(dim, x.ndim)
    highest = e.detach(e.reduce("Max", x, axes, True))
    infinite = e.compare("Equal", e.op("Abs", [highest]), e.constant(math.inf, x.dtype))
    shift = e.where(infinite, e.constant(0, x.dtype), highest)
    total = e.reduce("Sum", e.op("Exp", [e.sub(x, shift)]), axes, keepdim)
    return e.add(e.op("Log", [total]), e.reshape(shift, total.shape))


# ---- Moments ----------------------------------------------------------------------------

def _variance(e, x, dim, correction, keepdim):
    axes = axes_of(dim, x.ndim)
    count = math.prod(x.shape[axis] for axis in axes)
    middle = e.reduce("Mean", x, axes, True)
    difference = e.sub(x, middle)
    total = e.reduce("Sum", e.mul(difference, difference), axes, bool(keepdim))
    divisor = max(count - correction, 0)
    if not divisor:
        return e.scaled(total, math.nan), e.reshape(middle, total.shape)
    return e.scaled(total, 1 / divisor), e.reshape(middle, total.shape)


def _deviation(e, variance):
    """The square root, whose gradient is 0 at 0."""
    some = e.compare("Greater", variance, e.constant(0, variance.dtype))
    root = e.op("Sqrt", [e.where(some, variance, e.constant(1, variance.dtype))])
    return e.where(some, root, e.detach(e.op("Sqrt", [variance])))


def _register_moments(name, root, with_mean):
    def emit(e, x, dim, correction, keepdim):
        variance, middle = _variance(e, x, dim, correction, keepdim)
        spread = _deviation(e, variance) if root else variance
        return (spread, middle) if with_mean else spread

    @lowering(f"aten.{name}.default")
    def all_axes(e, x, unbiased=True):
        return emit(e, x, None, int(unbiased), False)

    @lowering(f"aten.{name}.dim")
    def some_axes(e, x, dim, unbiased=True, keepdim=False):
        return emit(e, x, dim, int(unbiased), keepdim)

    @lowering(f"aten.{name}.correction")
    def corrected(e, x, dim=None, *, correction=1, keepdim=False):
        return emit(e, x, dim, 1 if correction is None else correction, keepdim)


for _name, _root, _with_mean in (("var", False, False), ("std", True, False),
                                 ("var_mean", False, True), ("std_mean", True, True)):
    _register_moments(_name, _root, _with_mean)


# ---- Norms ------------------------------------------------------------------------------

@lowering("aten.norm.Scalar", "aten.norm.ScalarOpt_dim", "aten.norm.ScalarOpt_dtype",
          "aten.norm.ScalarOpt_dim_dtype")
def norm(e, x, p=2, dim=None, keepdim=False, *, dtype=None):
    return vector_norm(e, x, 2 if p is None else p, dim, keepdim, dtype=dtype)


@lowering("aten.linalg_vector_norm.default")
def vector_norm(e, x, ord=2, dim=None, keepdim=False, *, dtype=None):
    x = e.cast(x, dtype) if isinstance(dtype, torch.dtype) else as_float(e, x)
    axes = axes_of(dim, x.ndim)
    if not x.ndim:
        return e.op("Abs", [x]) if ord else e.cast(e.cast(x, torch.bool), x.dtype)
    size = e.op("Abs", [x])
    if ord == 0:
        return e.reduce("Sum", e.cast(e.cast(x, torch.bool), x.dtype), axes, keepdim)
    if ord == 1:
        return e.reduce("Sum", size, axes, keepdim)
    if ord == 2:
        return e.reduce("L2", x, axes, keepdim)
    if math.isinf(ord):
        return e.reduce("Max" if ord > 0 else "Min", size, axes, keepdim)
    size = e.cast(size, torch.float32)  # powers of halves overflow
    powers = _power_from_zero(e, size, ord) if ord < 1 \
        else e.binary("Pow", size, e.constant(ord, size.dtype))
    total = e.reduce("Sum", powers, axes, keepdim)
    return e.cast(_power_from_zero(e, total, 1 / ord), x.dtype)


def _power_from_zero(e, x, exponent):
    """A power, whose gradient is 0 at 0."""
    exponent = e.constant(exponent, x.dtype)
    if not e.training:
        return e.binary("Pow", x, exponent)
    zero = e.compare("Equal", x, e.constant(0, x.dtype))
    power = e.binary("Pow", e.where(zero, e.constant(1, x.dtype), x), exponent)
    return e.where(zero, e.detach(e.binary("Pow", x, exponent)), power)


# ---- Running ----------------------------------------------------------------------------

@lowering("aten.cumsum.default")
def cumsum(e, x, dim, *, dtype=None):
    x = _in_type(e, x, dtype)
    if not x.ndim:
        return x
    return e.op("CumSum", [x, e.constant(dim % x.ndim, torch.int32)])


@lowering("aten.cumprod.default")
def cumprod(e, x, dim, *, dtype=None):
    x = _in_type(e, x, dtype)
    if not x.ndim:
        return x
    return e.op("CumProd", [x, e.constant(dim % x.ndim, torch.int32)])


@lowering("aten.logcumsumexp.default")
def logcumsumexp(e, x, dim):
    """By steps of doubling distance: the logarithms of the sums of the last 2, 4, 8, … elements."""
    x = as_float(e, x)
    if not x.ndim:
        return x
    axis, extent, step = dim % x.ndim, x.shape[dim], 1
    while step < extent:
        before, after = e.slice(x, axis, 0, extent - step), e.slice(x, axis, step, extent)
        x = e.concat([e.slice(x, axis, 0, step), _log_sum(e, before, after)], axis)
        step *= 2
    return x


def _log_sum(e, a, b):
    """log(exp(a) + exp(b)), with the larger one taken out; of two -inf without a gradient."""
    highest = e.detach(e.binary("Max", a, b))
    infinite = e.compare("Equal", e.op("Abs", [highest]), e.constant(math.inf, a.dtype))
    shift = e.where(infinite, e.constant(0, a.dtype), highest)
    total = e.add(*(e.op("Exp", [e.sub(v, shift)]) for v in (a, b)))
    nothing = e.compare("Equal", highest, e.constant(-math.inf, a.dtype))
    result = e.add(e.op("Log", [e.where(nothing, e.constant(1, a.dtype), total)]), shift)
    return e.where(nothing, highest, result)


def running_extreme(e, x, dim, better):
    """The running extreme and its place, by steps of doubling distance: the extreme of the last
    2, 4, 8, … elements. Later places win ties, as in torch."""
    if not x.ndim:
        return x, e.constant(0, torch.int32)
    axis = dim % x.ndim
    value, extent = wide(e, x), x.shape[axis]
    shape = [1] * x.ndim
    shape[axis] = extent
    place = e.expand(e.reshape(e.constant(range(extent), torch.int32), shape), x.shape)
    step = 1
    while step < extent:
        head = [e.slice(v, axis, 0, step) for v in (value, place)]
        old = [e.slice(v, axis, 0, extent - step) for v in (value, place)]
        new = [e.slice(v, axis, step, extent) for v in (value, place)]
        takes_old = e.compare(better, old[0], new[0])
        if value.is_float:  # NaN stays
            nan = e.op("IsNaN", [old[0]], dtype=torch.bool)
            new_nan = e.op("IsNaN", [new[0]], dtype=torch.bool)
            takes_old = e.compare("And", e.compare("Or", takes_old, nan),
                                  e.logical_not(new_nan))
        tail = [e.where(takes_old, a, b) for a, b in zip(old, new)]
        value, place = (e.concat([a, b], axis) for a, b in zip(head, tail))
        step *= 2
    return picked(e, x, place, axis), place


@lowering("aten.cummax.default")
def cummax(e, x, dim):
    return running_extreme(e, x, dim, "Greater")


@lowering("aten.cummin.default")
def cummin(e, x, dim):
    return running_extreme(e, x, dim, "Less")


@lowering("aten._cdist_forward.default")
def cdist(e, a, b, p, mode=None):
    difference = e.sub(e.unsqueeze(a, a.ndim - 1), e.unsqueeze(b, b.ndim - 2))
    return _distance(e, difference, p)


def _distance(e, difference, p):
    """The norm of the last axis. Of equal maxima each has the whole gradient, which torch's norms
    share."""
    axis = difference.ndim - 1
    if not math.isinf(p):
        return vector_norm(e, difference, p, [axis])
    return e.op("ReduceMax", [e.op("Abs", [difference]), e.ints([axis])], difference.shape[:-1],
                keepdims=0, __torch_ties=0)


@lowering("aten.pdist.default", "aten._pdist_forward.default")
def pdist(e, x, p=2):
    rows, columns = np.triu_indices(x.shape[0], 1)
    if not len(rows):
        return e.full((0,), 0, x.dtype)
    a, b = (e.gather(x, e.constant(places, torch.int32), 0) for places in (rows, columns))
    return _distance(e, e.sub(a, b), p)
