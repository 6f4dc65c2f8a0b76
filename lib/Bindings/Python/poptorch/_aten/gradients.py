# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients that torch computes by an operator of their own, as torch.compile's backward graphs have
them; others torch takes apart itself.

The gradient of a convolution's weights is a convolution, too: elements of the batch are summed, as
channels are, and places of the result's gradient are those of a kernel:

    y[n,o,i] = sum over c, k of w[o,c,k] x[n,c,si+dk-p]
    gw[o,c,k] = sum over n, i of gy[n,o,i] x[n,c,si+dk-p]
"""

import math

import numpy as np

from .pooling import _counts, _means
from .table import lowering, pair, promoted, refuse


@lowering("aten.convolution_backward.default")
def convolution_backward(e, grad, x, weight, bias_sizes, stride, padding, dilation, transposed,
                         output_padding, groups, mask):
    spatial = weight.ndim - 2
    grad, x, weight = promoted(e, grad, x, weight)
    stride, padding, dilation = (pair(value, spatial) for value in (stride, padding, dilation))
    attributes = {"strides": stride, "dilations": dilation, "group": groups,
                  "kernel_shape": list(weight.shape[2:]), "pads": [*padding, *padding]}
    of_input = of_weight = of_bias = None
    if mask[0] and transposed:
        of_input = e.op("Conv", [grad, weight], x.shape, **attributes)
    elif mask[0]:
        of_input = _through(e, grad, weight, x.shape, stride, padding, dilation, attributes)
    if mask[1]:
        big, small = (grad, x) if transposed else (x, grad)
        of_weight = _of_weight(e, big, small, weight.shape, stride, padding, dilation, groups)
    if mask[2]:
        of_bias = e.reduce("Sum", grad, [0, *range(2, grad.ndim)])
    return of_input, of_weight, of_bias


def _through(e, grad, weight, shape, stride, padding, dilation, attributes):
    """The gradient of a convolution's input: the transposed convolution."""
    rest = [extent - ((g - 1) * s - 2 * p + d * (k - 1) + 1) for extent, g, s, p, d, k in
            zip(shape[2:], grad.shape[2:], stride, padding, dilation, weight.shape[2:])]
    return e.op("ConvTranspose", [grad, weight], shape, output_padding=rest, **attributes)


def _of_weight(e, big, small, shape, stride, padding, dilation, groups):
    batch, channels, *extents = big.shape
    spatial = range(len(extents))
    # [batch, group, channel, ...] -> [channel, group and batch, ...]
    images = e.reshape(big, (batch, groups, channels // groups, *extents))
    images = e.transpose(images, [2, 1, 0, *(3 + axis for axis in spatial)])
    images = e.reshape(images, (channels // groups, groups * batch, *extents))
    kernels = e.move(small, 0, 1)
    sizes = [(extent + 2 * p - s * (k - 1) - 1) // d + 1 for extent, p, s, k, d in
             zip(extents, padding, stride, kernels.shape[2:], dilation)]
    found = e.op("Conv", [images, kernels], (images.shape[0], kernels.shape[0], *sizes),
                 strides=dilation, dilations=stride, group=groups,
                 kernel_shape=list(kernels.shape[2:]), pads=[*padding, *padding])
    for axis, extent in enumerate(shape[2:], 2):
        found = e.slice(found, axis, 0, extent)
    return e.move(found, 0, 1)


def _spread(e, grad, shape, kernel, stride, padding):
    """Each element of grad added to all places of its window in a tensor of this shape."""
    count = len(kernel)
    planes = e.reshape(grad, (grad.shape[0] * grad.shape[1] if grad.ndim > count + 1
                              else grad.shape[0], 1, *grad.shape[-count:]))
    full = [(g - 1) * s + k for g, s, k in zip(grad.shape[-count:], stride, kernel)]
    ones = e.constant(np.ones((1, 1, *kernel)), grad.dtype)
    spread = e.op("ConvTranspose", [planes, ones], (planes.shape[0], 1, *full), strides=stride,
                  kernel_shape=kernel)
    pads = [(-p, extent + p - size) for p, extent, size in zip(padding, shape[-count:], full)]
    return e.reshape(e.pad(spread, [(0, 0), (0, 0), *pads]), shape)


def _register(spatial):
    @lowering(f"aten.avg_pool{spatial}d_backward.default")
    def average(e, grad, x, kernel_size, stride, padding, ceil_mode, include, divisor):
        kernel = pair(kernel_size, spatial)
        stride = pair(stride, spatial) if stride else kernel
        pads = pair(padding, spatial)
        outs = grad.shape[-spatial:]
        counts = np.full(outs, divisor) if divisor else _counts(
            x.shape[-spatial:], outs, kernel, stride, pads, include)
        scaled = e.mul(grad, e.constant(1 / counts, grad.dtype))
        return _spread(e, scaled, x.shape, kernel, stride, pads)

    @lowering(f"aten._adaptive_avg_pool{spatial}d_backward.default")
    def adaptive(e, grad, x):
        for axis in range(x.ndim - spatial, x.ndim):
            means = e.constant(_means(x.shape[axis], grad.shape[axis]).T, x.dtype)
            grad = e.move(e.matmul(e.move(grad, axis, -1), means), -1, axis)
        return grad


    @lowering(f"aten.adaptive_max_pool{spatial}d_backward.default")
    def adaptive_max(e, grad, x, places):
        return _to_places(e, grad, x, places, spatial)


def _to_places(e, grad, x, places, spatial):
    """Each element of grad added to the place in its plane that a max pool has returned."""
    planes = math.prod(x.shape[:-spatial])
    size, count = math.prod(x.shape[-spatial:]), math.prod(grad.shape[-spatial:])
    zeros = e.full((planes, size), 0, grad.dtype)
    found = e.op("ScatterElements", [zeros, e.reshape(places, (planes, count)),
                                     e.reshape(grad, (planes, count))], axis=1, reduction="add")
    return e.reshape(found, x.shape)


for _spatial in (2, 3):
    _register(_spatial)


@lowering("aten.upsample_nearest2d_backward.default")
def upsample_nearest(e, grad, output_size, input_size, *_):
    factors = [out // extent for out, extent in zip(output_size[-2:], input_size[-2:])]
    if [extent * factor for extent, factor in zip(input_size[-2:], factors)] != list(
            output_size[-2:]):
        refuse("the output is not a multiple of the input")
    rows, columns = input_size[-2:]
    parts = e.reshape(grad, (*grad.shape[:2], rows, factors[0], columns, factors[1]))
    return e.reduce("Sum", parts, [3, 5])
