"""Gradients of windows, products and norms at the ends of what there is: kernels that only fit
because of padding, fields and channels of one element, no elements at all, loops of no round."""
import itertools

import numpy as np

from harness import Case, Samples, fixed, graphcore, ints, main

samples = Samples(8)
normal, distinct = samples.normal, samples.distinct


def empty(x, *others):
    """Of operators whose result is as empty as their first operand."""
    return x + 0


def conv(batch, extent, stride, groups, pad, channels=4, kernel=3, **more):
    return Case("Conv", normal(batch, channels, *extent),
                normal(4, channels // groups, *[kernel] * len(extent)), normal(4), group=groups,
                strides=[stride] * len(extent), pads=[pad] * (2 * len(extent)), **more)


# The kernel is larger than the field without its padding.
convolutions = [
    conv(batch, (extent, extent), stride, groups, 1)
    for (batch, extent), stride, groups in itertools.product([(1, 2), (4, 2), (1, 1)], (1, 2),
                                                             (1, 2, 4))
] + [
    conv(2, (1, 3), 1, 1, 1),
    conv(2, (2, 5), 2, 2, 2, kernel=5),
    conv(1, (1,), 1, 1, 2, kernel=5),
    conv(1, (1, 2, 1), 1, 1, 1),
    conv(2, (2, 2), 1, 1, 2, dilations=[2, 2]),
    conv(1, (3, 3), 2, 1, 0),  # one result
    conv(1, (1, 1), 1, 1, 0, kernel=1),
    conv(2, (3, 3), 1, 1, 0, channels=1),
    Case("Conv", normal(1, 1, 1, 1), normal(1, 1, 1, 1)),
    Case("Conv", normal(1, 2, 2, 2), normal(3, 2, 4, 4), auto_pad="SAME_LOWER"),
    Case("Conv", normal(0, 2, 4, 4), normal(3, 2, 3, 3), ref=lambda x, w: np.zeros((0, 3, 2, 2))),
    Case("ConvTranspose", normal(1, 2, 1, 1), normal(2, 3, 3, 3), pads=[1, 1, 1, 1],
         ref=lambda x, w: np.einsum("bcij,coij->boij", x, w[:, :, 1:2, 1:2])),
    Case("ConvTranspose", normal(2, 4, 1, 1), normal(4, 1, 2, 2), group=4,
         ref=lambda x, w: x * w[:, 0]),
]

pools = [
    Case("MaxPool", distinct(1, 2, 2, 2), kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    Case("MaxPool", distinct(2, 1, 1, 1), kernel_shape=[1, 1]),
    Case("MaxPool", distinct(1, 1, 1), kernel_shape=[3], pads=[1, 1], strides=[3]),
    Case("AveragePool", normal(1, 2, 2, 2), kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    Case("AveragePool", normal(1, 2, 1, 1), kernel_shape=[3, 3], pads=[1, 1, 1, 1],
         count_include_pad=1, ref=lambda x: x / 9),
    Case("AveragePool", normal(0, 2, 3), kernel_shape=[3], ref=lambda x: x[:, :, :1]),
    Case("GlobalAveragePool", normal(2, 3, 1, 1)),
    Case("GlobalMaxPool", distinct(2, 3, 1), ref=lambda x: x),
]

products = [
    Case("MatMul", normal(1, 1), normal(1, 1)),
    Case("MatMul", normal(1), normal(1)),
    Case("MatMul", normal(2, 0, 3), normal(3, 4), ref=lambda a, b: a @ b),
    Case("MatMul", normal(2, 3, 0), normal(2, 0, 4), ref=lambda a, b: a @ b),
    Case("MatMul", normal(0), normal(0), ref=lambda a, b: a @ b),
    Case("Gemm", normal(1, 0), normal(0, 2), normal(2), ref=lambda a, b, c: a @ b + c),
    Case("Gemm", normal(2, 3), normal(3, 0), ref=lambda a, b: a @ b),
    Case("Einsum", normal(0), normal(0), equation="i,i->", ref=lambda a, b: a @ b),
]


def batch_norm(x, scale, bias, mean, variance):
    axes = (0,) + tuple(range(2, x.ndim))
    shape = (-1,) + (1,) * (x.ndim - 2)
    rows = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    return rows * scale.reshape(shape) + bias.reshape(shape), None, None


def statistics(channels):
    return fixed(normal(channels)), fixed(normal(channels) ** 2)


norms = [
    Case("BatchNormalization", normal(2, 1, 1), normal(1), normal(1), *statistics(1),
         training_mode=1, results=3, used=[0], ref=batch_norm, rtol=1e-3),
    # One element is its own mean.
    Case("BatchNormalization", normal(1, 3, 1), normal(3), normal(3), *statistics(3),
         training_mode=1, results=3, used=[0], ref=batch_norm, rtol=1e-3),
    Case("LayerNormalization", normal(3, 1), normal(1), normal(1),
         ref=lambda x, s, b: 0 * x * s + b),
    Case("InstanceNormalization", normal(2, 3, 1), normal(3), normal(3),
         ref=lambda x, s, b: 0 * x * s[:, None] + b[:, None]),
    graphcore("GroupNormalization", normal(1, 2, 1), normal(2), normal(2), num_groups=2,
              ref=lambda x, s, b: 0 * x + b[:, None]),
    Case("Softmax", normal(1)),
    Case("ReduceSum", normal(0, 3), ints(0), ref=lambda x, _: x.sum(0, keepdims=True)),
    Case("ReduceProd", normal(1, 1), ints(0)),
]

main(convolutions + pools + products + norms)
