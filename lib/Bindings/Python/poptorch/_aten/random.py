# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout and random numbers. The device draws them: the same seed gives other numbers than
torch's generator on a CPU."""

import torch

from .._emit import narrow
from .table import lowering, refuse


def dropped(e, x, p):
    """x with a share p of its elements 0, and the others scaled."""
    if p == 0:
        return x
    if p == 1:
        return e.mul(x, e.constant(0, x.dtype))
    return _dropped_with_mask(e, x, p)[0]


def _dropped_with_mask(e, x, p):
    if e.training:
        return e.ops("Dropout", [x, e.constant(p, torch.float32), e.constant(True)],
                     [(x.shape, x.dtype), (x.shape, torch.bool)])
    # popart's dropout is for training; a model may ask for one in inference.
    kept = _kept(e, x.shape, p)
    return e.mul(x, e.scaled(e.cast(kept, x.dtype), 1 / (1 - p))), kept


def _kept(e, shape, p):
    drawn = _uniform(e, shape, torch.float32)
    return e.logical_not(e.compare("Less", drawn, e.constant(p, torch.float32)))


@lowering("aten.dropout.default")
def dropout(e, x, p, train):
    return dropped(e, x, p) if train else x


@lowering("aten.native_dropout.default")
def native_dropout(e, x, p, train):
    if not train or p == 0:
        return x, e.full(x.shape, True, torch.bool)
    if p == 1:
        return e.mul(x, e.constant(0, x.dtype)), e.full(x.shape, False, torch.bool)
    return _dropped_with_mask(e, x, p)


@lowering("aten.feature_dropout.default")
def feature_dropout(e, x, p, train):
    if not train or p == 0:
        return x
    if p == 1:
        return e.mul(x, e.constant(0, x.dtype))
    shape = [*x.shape[:2], *[1] * (x.ndim - 2)]
    if not e.training:
        kept = e.cast(_kept(e, shape, p), x.dtype)
        return e.mul(x, e.scaled(kept, 1 / (1 - p)))
    return e.ops("ShapedDropout", [x], [(x.shape, x.dtype)], "ai.graphcore", shape=shape,
                 ratio=float(p))[0]


_KINDS = {torch.float32: 1, torch.float16: 10}


def _drawn(e, kind, shape, dtype, **attributes):
    """Random numbers of a shape; the operators want one dimension at least."""
    wanted = list(shape) or [1]
    drawn, = e.ops(kind, [], [(wanted, dtype)], shape=wanted, dtype=_KINDS[dtype], **attributes)
    return e.reshape(drawn, shape)


def _uniform(e, shape, dtype, low=0.0, high=1.0):
    return _drawn(e, "RandomUniform", shape, dtype, low=float(low), high=float(high))


def _normal(e, shape, dtype, mean=0.0, std=1.0):
    return _drawn(e, "RandomNormal", shape, dtype, mean=float(mean), scale=float(std))


def _out(e):
    return tuple(e.out.shape), narrow(e.out.dtype)


@lowering("aten.rand.default", "aten.rand_like.default")
def rand(e, *_, **__):
    return _uniform(e, *_out(e))


@lowering("aten.randn.default", "aten.randn_like.default")
def randn(e, *_, **__):
    return _normal(e, *_out(e))


@lowering("aten.uniform.default")
def uniform(e, x, low=0.0, high=1.0, **_):
    return _uniform(e, *_out(e), low, high)


@lowering("aten.normal_functional.default")
def normal_functional(e, x, mean=0.0, std=1.0, **_):
    return _normal(e, *_out(e), mean, std)


@lowering("aten.normal.float_float")
def normal_numbers(e, mean, std, *_, **__):
    return _normal(e, *_out(e), mean, std)


@lowering("aten.normal.Tensor_float", "aten.normal.float_Tensor", "aten.normal.Tensor_Tensor")
def normal_tensors(e, mean, std=1.0, **_):
    shape, dtype = _out(e)
    drawn = _normal(e, shape, dtype)
    return e.add(e.mul(drawn, e.as_value(std, dtype)), e.as_value(mean, dtype))


def _chosen(e, shape, probability):
    """Ones with a probability, a number or a tensor."""
    drawn = _uniform(e, shape, torch.float32)
    return e.cast(e.compare("Less", drawn, e.as_value(probability, torch.float32)),
                  torch.float32)


@lowering("aten.bernoulli.default")
def bernoulli(e, probability, **_):
    return _chosen(e, tuple(e.out.shape), e.detach(probability))


@lowering("aten.bernoulli.p", "aten.bernoulli.Tensor")
def bernoulli_p(e, x, p=0.5, **_):
    return _chosen(e, tuple(e.out.shape), p)


def _integers(e, low, high):
    """Integers from low to high - 1, as rounded uniform numbers."""
    shape, _ = _out(e)
    if high - low > 1 << 23:
        refuse("a range of more than 2^23 integers")
    drawn = e.op("Floor", [_uniform(e, shape, torch.float32, 0, high - low)])
    inside = e.op("Min", [drawn, e.constant(high - low - 1, torch.float32)], shape)
    return e.shifted(e.cast(inside, torch.int32), low)


@lowering("aten.randint.default", "aten.randint_like.default")
def randint(e, *numbers, **_):
    return _integers(e, 0, next(n for n in numbers if isinstance(n, int)))


@lowering("aten.randint.low", "aten.randint_like.low_dtype")
def randint_low(e, *numbers, **_):
    low, high = [n for n in numbers if isinstance(n, int)][:2]
    return _integers(e, low, high)


@lowering("aten.randperm.default")
def randperm(e, count, **_):
    """The order of uniform numbers."""
    drawn = _uniform(e, (count,), torch.float32)
    return e.ops("Sort", [drawn], [((count,), torch.float32), ((count,), torch.int32)],
                 "ai.graphcore", axis=0, descending=0, stable=1)[1]


@lowering("aten.exponential.default")
def exponential(e, x, lambd=1.0, **_):
    shape, dtype = _out(e)
    drawn = _uniform(e, shape, torch.float32)
    one = e.constant(1, torch.float32)
    return e.cast(e.scaled(e.op("Log", [e.sub(one, drawn)]), -1 / lambd), dtype)
