# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations."""

import torch

from .elementwise import as_float, hardtanh
from .table import lowering


@lowering("aten.relu.default")
def relu(e, x):
    if x.is_float or x.dtype == torch.int32:
        return e.op("Relu", [x]) if x.is_float else e.op("Max", [x, e.constant(0, x.dtype)],
                                                          x.shape)
    wide = e.cast(x, torch.int32)
    return e.op("Max", [wide, e.constant(0, torch.int32)], x.shape)


@lowering("aten.elu.default")
def elu(e, x, alpha=1, scale=1, input_scale=1):
    # NaN is not below 0, and stays.
    below = e.compare("LessOrEqual", x, e.constant(0, x.dtype))
    negative = e.where(below, x, e.constant(0, x.dtype))
    curve = e.scaled(e.graphcore("Expm1", [e.scaled(negative, input_scale)]), alpha)
    return e.scaled(e.where(below, curve, x), scale)


@lowering("aten.selu.default")
def selu(e, x):
    return elu(e, x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


@lowering("aten.celu.default")
def celu(e, x, alpha=1.0):
    return elu(e, x, alpha, 1, 1 / alpha)


@lowering("aten.leaky_relu.default")
def leaky_relu(e, x, negative_slope=0.01):
    return e.op("LeakyRelu", [x], alpha=float(negative_slope))


@lowering("aten.rrelu.default")
def rrelu(e, x, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    if not training:
        return leaky_relu(e, x, (lower + upper) / 2)
    slope = e.op("RandomUniformLike", [e.detach(x)], low=float(lower), high=float(upper))
    return e.where(e.compare("Less", x, e.constant(0, x.dtype)), e.mul(x, slope), x)


@lowering("aten.gelu.default")
def gelu(e, x, approximate="none"):
    return e.graphcore("Gelu" if approximate == "tanh" else "GeluErf", [x])


@lowering("aten.prelu.default", "aten._prelu_kernel.default")
def prelu(e, x, weight):
    if weight.ndim == 1 and weight.numel > 1 and x.ndim > 1:
        weight = e.reshape(weight, (weight.numel, *[1] * (x.ndim - 2)))
    elif weight.numel == 1:
        weight = e.reshape(weight, [1] * x.ndim)
    return e.op("PRelu", [x, weight])


@lowering("aten.glu.default")
def glu(e, x, dim=-1):
    axis = dim % x.ndim
    half = x.shape[axis] // 2
    gate = e.op("Sigmoid", [e.slice(x, axis, half, 2 * half)])
    return e.mul(e.slice(x, axis, 0, half), gate)


@lowering("aten.hardsigmoid.default")
def hardsigmoid(e, x):
    return e.scaled(hardtanh(e, e.shifted(x, 3.0), 0, 6), 1 / 6)


@lowering("aten.hardswish.default")
def hardswish(e, x):
    middle = e.scaled(e.mul(x, e.shifted(x, 3.0)), 1 / 6)
    low = e.where(e.compare("LessOrEqual", x, e.constant(-3, x.dtype)), e.full(x.shape, 0, x.dtype),
                  middle)
    return e.where(e.compare("Less", x, e.constant(3, x.dtype)), low, x)


@lowering("aten.silu.default")
def silu(e, x):
    return e.mul(x, e.op("Sigmoid", [x]))


@lowering("aten.mish.default")
def mish(e, x):
    return e.mul(x, e.op("Tanh", [softplus(e, x)]))


@lowering("aten.softplus.default")
def softplus(e, x, beta=1, threshold=20):
    scaled = e.scaled(x, beta)
    if beta == 1 and threshold == 20:
        return e.op("Softplus", [x])
    curve = e.scaled(e.op("Softplus", [scaled]), 1 / beta)
    return e.where(e.compare("Greater", scaled, e.constant(threshold, x.dtype)), x, curve)


@lowering("aten.softshrink.default")
def softshrink(e, x, lambd=0.5):
    return e.op("Shrink", [x], lambd=float(lambd), bias=float(lambd))


@lowering("aten.hardshrink.default")
def hardshrink(e, x, lambd=0.5):
    return e.op("Shrink", [x], lambd=float(lambd), bias=0.0)


@lowering("aten.threshold.default")
def threshold(e, x, threshold, value):
    x = x if x.is_float else e.cast(x, torch.int32)
    below = e.compare("LessOrEqual", x, e.constant(threshold, x.dtype))
    return e.where(below, e.constant(value, x.dtype), x)


@lowering("aten.log_sigmoid.default")
def log_sigmoid(e, x):
    return e.op("Neg", [e.op("Softplus", [e.op("Neg", [x])])])


@lowering("aten.log_sigmoid_forward.default")
def log_sigmoid_forward(e, x):
    return log_sigmoid(e, x), e.full(x.shape, 0, x.dtype)


@lowering("aten.softsign.default")
def softsign(e, x):
    return e.op("Softsign", [x])


def _rows(e, kind, x, dim):
    if not x.ndim:
        return e.reshape(e.op(kind, [e.reshape(x, [1])], axis=0), ())
    return e.op(kind, [x], axis=dim % x.ndim)


@lowering("aten.softmax.int", "aten._softmax.default", "aten.special_softmax.int")
def softmax(e, x, dim, dtype=None):
    x = e.cast(x, dtype) if isinstance(dtype, torch.dtype) else as_float(e, x)
    return _rows(e, "Softmax", x, dim)


@lowering("aten.log_softmax.int", "aten._log_softmax.default", "aten.special_log_softmax.int")
def log_softmax(e, x, dim, dtype=None):
    x = e.cast(x, dtype) if isinstance(dtype, torch.dtype) else as_float(e, x)
    return _rows(e, "LogSoftmax", x, dim)


@lowering("aten._safe_softmax.default")
def safe_softmax(e, x, dim, dtype=None):
    """Rows of -inf alone become 0, and so do their gradients."""
    x = e.cast(x, dtype) if isinstance(dtype, torch.dtype) else as_float(e, x)
    if not x.ndim:
        return softmax(e, x, dim)
    highest = e.detach(e.reduce("Max", x, [dim], True))
    return softmax_of_live(e, x, dim, e.compare("Equal", highest,
                                                e.constant(float("-inf"), x.dtype)))


def softmax_of_live(e, x, dim, dead):
    """A softmax that is 0 in rows which are dead, as is its gradient."""
    zero = e.constant(0, x.dtype)
    return e.where(dead, zero, _rows(e, "Softmax", e.where(dead, zero, x), dim))
