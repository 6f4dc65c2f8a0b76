# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling of one, two and three dimensions."""

import math

import numpy as np
import torch

from .table import lowering, pair


def _extents(shape, kernel, stride, pads, dilation, ceil_mode):
    """The output's extents, as torch counts them, and pads behind that make them."""
    outs, behind = [], []
    for extent, k, s, p, d in zip(shape, kernel, stride, pads, dilation):
        span = extent + 2 * p - d * (k - 1) - 1
        out = (-(-span // s) if ceil_mode else span // s) + 1
        if ceil_mode and (out - 1) * s >= extent + p:
            out -= 1
        outs.append(out)
        behind.append(max((out - 1) * s + d * (k - 1) + 1 - extent - p, p if not ceil_mode
                          else 0))
    return outs, behind


def _batched(e, x, spatial):
    """x with a batch, and whether it had none."""
    return (x, False) if x.ndim == spatial + 2 else (e.unsqueeze(x, 0), True)


def _max_pool(e, x, spatial, kernel_size, stride, padding, dilation, ceil_mode, indices):
    x, single = _batched(e, x, spatial)
    kernel = pair(kernel_size, spatial)
    stride = pair(stride, spatial) if stride not in (None, [], ()) else kernel
    pads, dilation = pair(padding, spatial), pair(dilation, spatial)
    outs, behind = _extents(x.shape[2:], kernel, stride, pads, dilation, ceil_mode)
    shape = (*x.shape[:2], *outs)
    attributes = {"kernel_shape": kernel, "strides": stride, "dilations": dilation,
                  "pads": [*pads, *behind]}
    if not indices:
        result = e.op("MaxPool", [x], shape, **attributes)
        return e.squeeze(result, 0) if single else result
    results = e.ops("MaxPool", [x], [(shape, x.dtype), (shape, torch.int32)], **attributes)
    # ONNX numbers the elements of the whole tensor; torch those of a channel.
    size = math.prod(x.shape[2:])
    planes = np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * spatial) * size
    places = e.sub(results[1], e.constant(planes, torch.int32))
    results = [results[0], places]
    return tuple(e.squeeze(result, 0) if single else result for result in results)


def _register_max(spatial):
    @lowering(f"aten.max_pool{spatial}d.default")
    def lower(e, x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        return _max_pool(e, x, spatial, kernel_size, stride, padding, dilation, ceil_mode,
                         False)

    @lowering(f"aten.max_pool{spatial}d_with_indices.default")
    def lower_with_indices(e, x, kernel_size, stride=None, padding=0, dilation=1,
                           ceil_mode=False):
        return _max_pool(e, x, spatial, kernel_size, stride, padding, dilation, ceil_mode,
                         True)


def _counts(extents, outs, kernel, stride, pads, include):
    """The number of elements in each window."""
    counts = np.ones(outs)
    for axis, (extent, out, k, s, p) in enumerate(zip(extents, outs, kernel, stride, pads)):
        start = np.arange(out) * s - p
        end = np.minimum(start + k, extent + p)
        if not include:
            start, end = np.maximum(start, 0), np.minimum(end, extent)
        shape = [1] * len(outs)
        shape[axis] = out
        counts = counts * (end - start).reshape(shape)
    return counts


def _average_pool(e, x, spatial, kernel_size, stride, padding, ceil_mode, include, divisor):
    """A mean over windows inside the tensor, else the sum over the number that torch divides
    by."""
    x, single = _batched(e, x, spatial)
    kernel = pair(kernel_size, spatial)
    stride = pair(stride, spatial) if stride not in (None, [], ()) else kernel
    pads = pair(padding, spatial)
    outs, behind = _extents(x.shape[2:], kernel, stride, pads, [1] * spatial, ceil_mode)
    size = math.prod(kernel)
    counts = np.full(outs, divisor) if divisor else _counts(x.shape[2:], outs, kernel, stride,
                                                            pads, include)
    padded = e.pad(x, [(0, 0), (0, 0), *zip(pads, behind)])
    result = e.op("AveragePool", [padded], (*x.shape[:2], *outs), kernel_shape=kernel,
                  strides=stride)
    if (counts != size).any():
        result = e.mul(result, e.constant(size / counts, x.dtype))
    return e.squeeze(result, 0) if single else result


def _register_average(spatial):
    @lowering(f"aten.avg_pool{spatial}d.default")
    def lower(e, x, kernel_size, stride=None, padding=0, ceil_mode=False,
              count_include_pad=True, divisor_override=None):
        return _average_pool(e, x, spatial, kernel_size, stride, padding, ceil_mode,
                             count_include_pad, divisor_override)


def _adaptive_average(e, x, spatial):
    """Equal windows as a pool; else a product with the means of each window."""
    outs = e.out.shape[-spatial:]
    if all(extent % out == 0 for extent, out in zip(x.shape[-spatial:], outs)):
        kernel = [extent // out for extent, out in zip(x.shape[-spatial:], outs)]
        if list(outs) == [1] * spatial:
            return e.reduce("Mean", x, range(x.ndim - spatial, x.ndim), True)
        return _average_pool(e, x, spatial, kernel, kernel, 0, False, True, None)
    for axis, out in zip(range(x.ndim - spatial, x.ndim), outs):
        x = e.move(e.matmul(e.move(x, axis, -1), e.constant(_means(x.shape[axis], out), x.dtype)),
                   -1, axis)
    return x


def _windows(extent, out):
    return [(i * extent // out, -(-(i + 1) * extent // out)) for i in range(out)]


def _means(extent, out):
    matrix = np.zeros((extent, out))
    for column, (start, end) in enumerate(_windows(extent, out)):
        matrix[start:end, column] = 1 / (end - start)
    return matrix


def _uneven_max_pool(e, x, spatial, outs):
    """Windows that overlap or differ, laid out side by side: each has the size of the largest one of
    its axis, and a smaller one repeats its last element, which never is the first maximum."""
    extents, kernel, sources = x.shape[-spatial:], [], []
    for axis, (extent, out) in enumerate(zip(extents, outs), x.ndim - spatial):
        windows = _windows(extent, out)
        size = max(end - start for start, end in windows)
        sources.append([min(start + place, end - 1) for start, end in windows
                        for place in range(size)])
        kernel.append(size)
        x = e.gather(x, e.constant(sources[-1], torch.int32), axis)
    values, places = _max_pool(e, x, spatial, kernel, kernel, 0, 1, False, True)
    # Places of the windows that are laid out become those of the input, axis by axis.
    result, step = None, 1
    for source, extent in zip(reversed(sources), reversed(extents)):
        above = e.div(places, e.constant(len(source), torch.int32))
        here = e.sub(places, e.scaled(above, len(source)))
        part = e.scaled(e.gather(e.constant(source, torch.int32), here), step)
        result = part if result is None else e.add(result, part)
        places, step = above, step * extent
    return values, result


def _register_adaptive(spatial):
    @lowering(f"aten.adaptive_avg_pool{spatial}d.default",
              f"aten._adaptive_avg_pool{spatial}d.default")
    def lower(e, x, output_size):
        return _adaptive_average(e, x, spatial)

    @lowering(f"aten.adaptive_max_pool{spatial}d.default")
    def lower_max(e, x, output_size):
        outs = e.out[0].shape[-spatial:]
        if any(extent % out for extent, out in zip(x.shape[-spatial:], outs)):
            return _uneven_max_pool(e, x, spatial, outs)
        kernel = [extent // out for extent, out in zip(x.shape[-spatial:], outs)]
        return _max_pool(e, x, spatial, kernel, kernel, 0, 1, False, True)


for _spatial in (1, 2, 3):
    _register_max(_spatial)
    _register_average(_spatial)
    _register_adaptive(_spatial)
