# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms of batches, layers, groups, instances and channels."""

import math

import torch

from .table import lowering


def _channels(e, x, value, number):
    """A factor or term of channels; absent ones are a constant."""
    if value is None:
        return e.full((x.shape[1],), number, x.dtype)
    return e.cast(value, x.dtype)


def _batch_norm(e, x, weight, bias, mean, var, training, momentum, eps):
    """The result, the statistics of the batch, and the next running statistics."""
    if x.ndim == 2:  # rows of channels
        y, *rest = _batch_norm(e, e.unsqueeze(x, 2), weight, bias, mean, var, training, momentum,
                               eps)
        return (e.squeeze(y, 2), *rest)
    scale, offset = _channels(e, x, weight, 1), _channels(e, x, bias, 0)
    if not training and e.training:
        return _frozen(e, x, scale, offset, mean, var, eps), mean, var, mean, var
    if not training:
        operands = [x, scale, offset, e.cast(mean, x.dtype), e.cast(var, x.dtype)]
        return e.op("BatchNormalization", operands, epsilon=float(eps)), mean, var, mean, var
    axes = [axis for axis in range(x.ndim) if axis != 1]
    count = math.prod(x.shape[axis] for axis in axes)
    old = [e.full((x.shape[1],), 0, x.dtype), e.full((x.shape[1],), 1, x.dtype)]
    # Without momentum the operator's running statistics are the batch's.
    stats = [((x.shape[1],), x.dtype)] * 2
    y, batch_mean, batch_var = e.ops(
        "BatchNormalization", [x, scale, offset, *old], [(x.shape, x.dtype), *stats],
        training_mode=1, momentum=0.0, epsilon=float(eps))
    if mean is None:
        return y, batch_mean, batch_var, None, None
    unbiased = e.scaled(batch_var, count / max(count - 1, 1))
    return (y, batch_mean, batch_var, _moved(e, mean, batch_mean, momentum),
            _moved(e, var, unbiased, momentum))


def _frozen(e, x, scale, offset, mean, var, eps):
    """By given statistics in a model that is trained; PopART's operator has no gradient there."""
    mean, var, scale, offset = (
        e.reshape(e.cast(value, x.dtype), (x.shape[1], *[1] * (x.ndim - 2)))
        for value in (mean, var, scale, offset))
    factor = e.mul(scale, _inverse(e, var, eps))
    return e.add(e.mul(e.sub(x, mean), factor), offset)


def _moved(e, old, new, momentum):
    new = e.detach(e.cast(new, old.dtype))
    return e.add(e.scaled(old, 1 - momentum), e.scaled(new, momentum))


@lowering("aten.batch_norm.default")
def batch_norm(e, x, weight, bias, mean, var, training, momentum, eps, *_):
    return _batch_norm(e, x, weight, bias, mean, var, training or mean is None, momentum,
                       eps)[0]


@lowering("aten._native_batch_norm_legit_functional.default")
def native_functional(e, x, weight, bias, mean, var, training, momentum, eps):
    y, batch_mean, batch_var, next_mean, next_var = _batch_norm(
        e, x, weight, bias, mean, var, training, momentum, eps)
    if not training:
        empty = e.out[1].shape
        none = e.full(empty, 0, x.dtype)
        return y, none, none, mean, var
    return (y, *_saved(e, batch_mean, batch_var, eps), next_mean, next_var)


def _inverse(e, variance, eps):
    return e.op("Reciprocal", [e.op("Sqrt", [e.shifted(variance, eps)])])


def _saved(e, mean, variance, eps):
    """The statistics that torch keeps; its gradient does not go through them."""
    return e.detach(mean), e.detach(_inverse(e, variance, eps))


@lowering("aten._batch_norm_with_update_functional.default")
def with_update(e, x, weight, bias, mean, var, momentum, eps):
    y, batch_mean, batch_var, next_mean, next_var = _batch_norm(
        e, x, weight, bias, mean, var, True, momentum, eps)
    return (y, *_saved(e, batch_mean, batch_var, eps), e.full((0,), 0, torch.uint8), next_mean,
            next_var)


@lowering("aten._native_batch_norm_legit.no_stats")
def native_without_stats(e, x, weight, bias, training, momentum, eps):
    y, mean, var, _, _ = _batch_norm(e, x, weight, bias, None, None, True, momentum, eps)
    return (y, *_saved(e, mean, var, eps))


@lowering("aten._native_batch_norm_legit_no_training.default")
def native_no_training(e, x, weight, bias, mean, var, momentum, eps):
    y = _batch_norm(e, x, weight, bias, mean, var, False, momentum, eps)[0]
    none = e.full(e.out[1].shape, 0, x.dtype) if e.out[1].numel() else None
    return y, none, none


@lowering("aten.native_batch_norm.default")
def native_batch_norm(e, x, weight, bias, mean, var, training, momentum, eps):
    y, batch_mean, batch_var, _, _ = _batch_norm(
        e, x, weight, bias, mean, var, training, momentum, eps)
    return (y, *_saved(e, batch_mean, batch_var, eps)) if training else (y, None, None)


@lowering("aten.layer_norm.default")
def layer_norm(e, x, normalized_shape, weight=None, bias=None, eps=1e-5, *_):
    return _layer_norm(e, x, normalized_shape, weight, bias, eps)


def _layer_norm(e, x, shape, weight, bias, eps):
    axis = x.ndim - len(shape)
    scale = e.full(shape, 1, x.dtype) if weight is None else e.cast(weight, x.dtype)
    offset = None if bias is None else e.cast(bias, x.dtype)
    return e.op("LayerNormalization", [x, scale, offset], axis=axis, epsilon=float(eps))


@lowering("aten.native_layer_norm.default")
def native_layer_norm(e, x, shape, weight, bias, eps):
    axes = list(range(x.ndim - len(shape), x.ndim))
    mean = e.reduce("Mean", x, axes, True)
    centred = e.sub(x, mean)
    variance = e.reduce("Mean", e.mul(centred, centred), axes, True)
    # torch's gradient does not go through the statistics.
    return (_layer_norm(e, x, shape, weight, bias, eps), e.detach(mean),
            e.detach(_inverse(e, variance, eps)))


@lowering("aten.rms_norm.default")
def rms_norm(e, x, shape, weight=None, eps=None):
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    axes = list(range(x.ndim - len(shape), x.ndim))
    x = e.cast(x, torch.float32)  # in which torch computes with halves, too
    mean = e.reduce("Mean", e.mul(x, x), axes, True)
    result = e.mul(x, _inverse(e, mean, eps))
    return result if weight is None else e.mul(result, e.cast(weight, x.dtype))


def _group_norm(e, x, groups, weight, bias, eps):
    """Groups of channels become the second of three dimensions, which a layer norm takes."""
    batch, channels = x.shape[:2]
    rows = e.reshape(x, (batch * groups, x.numel // max(batch * groups, 1)))
    size = rows.shape[1]
    y = e.op("LayerNormalization", [rows, e.full((size,), 1, x.dtype)], axis=1,
             epsilon=float(eps))
    y = e.reshape(y, x.shape)
    view = (channels, *[1] * (x.ndim - 2))
    if weight is not None:
        y = e.mul(y, e.reshape(e.cast(weight, x.dtype), view))
    return y if bias is None else e.add(y, e.reshape(e.cast(bias, x.dtype), view))


def _group_statistics(e, x, groups, eps):
    rows = e.reshape(x, (x.shape[0], groups, x.numel // (x.shape[0] * groups)))
    mean = e.reduce("Mean", rows, [2], True)
    centred = e.sub(rows, mean)
    variance = e.reduce("Mean", e.mul(centred, centred), [2])
    return e.squeeze(mean, 2), _inverse(e, variance, eps)  # torch's gradient goes through both


@lowering("aten.group_norm.default")
def group_norm(e, x, num_groups, weight=None, bias=None, eps=1e-5, *_):
    return _group_norm(e, x, num_groups, weight, bias, eps)


@lowering("aten.native_group_norm.default")
def native_group_norm(e, x, weight, bias, n, c, hw, groups, eps):
    return (_group_norm(e, x, groups, weight, bias, eps),
            *_group_statistics(e, x, groups, eps))


@lowering("aten.instance_norm.default")
def instance_norm(e, x, weight, bias, mean, var, use_input_stats, momentum, eps, *_):
    if not use_input_stats and mean is not None:
        return _batch_norm(e, x, weight, bias, mean, var, False, momentum, eps)[0]
    return _group_norm(e, x, x.shape[1], weight, bias, eps)
