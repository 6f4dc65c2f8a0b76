# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resizing of images. A resize is linear and works axis by axis: nearest is a gather, and
linear and cubic are products with a matrix of weights, which torch itself can tell."""

import functools

import numpy as np
import torch

from .table import lowering


@functools.lru_cache(maxsize=256)
def _weights(extent, out, kind, align_corners, scale, antialias):
    """[extent, out]: what each element of an axis adds to each of the result."""
    unit = torch.eye(extent, dtype=torch.float64)
    mode = "bilinear" if kind == "linear" else "bicubic"
    # Each unit vector as a channel of two columns, which keep their width.
    image = unit.reshape(1, extent, extent, 1).repeat(1, 1, 1, 2)
    function = {"bilinear": torch._C._nn._upsample_bilinear2d_aa if antialias
                else torch._C._nn.upsample_bilinear2d,
                "bicubic": torch._C._nn._upsample_bicubic2d_aa if antialias
                else torch._C._nn.upsample_bicubic2d}[mode]
    result = function(image, [out, 2], align_corners, scale, None)
    return result[0, :, :, 0].numpy().copy()


def _resized(e, x, kind, align_corners, scales, antialias=False):
    spatial = x.ndim - 2
    for place in range(spatial):
        axis, out = 2 + place, e.out.shape[2 + place]
        extent = x.shape[axis]
        scale = scales[place] if scales else None
        if extent == out and (scale is None or scale == 1):
            continue
        matrix = e.constant(_weights(extent, out, kind, bool(align_corners), scale, antialias),
                            x.dtype)
        x = e.move(e.matmul(e.move(x, axis, -1), matrix), -1, axis)
    return x


def _scales(given):
    """The scales of an overload: separate numbers, or a list."""
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        return list(given[0])
    return list(given) if any(scale is not None for scale in given) else None


def _register(name, kind, antialias=False):
    @lowering(f"aten.{name}.default", f"aten.{name}.vec")
    def lower(e, x, output_size, align_corners, *scales):
        return _resized(e, x, kind, align_corners, _scales(scales), antialias)


for _name, _kind in (("upsample_linear1d", "linear"), ("upsample_bilinear2d", "linear"),
                     ("upsample_trilinear3d", "linear"), ("upsample_bicubic2d", "cubic")):
    _register(_name, _kind)
_register("_upsample_bilinear2d_aa", "linear", True)
_register("_upsample_bicubic2d_aa", "cubic", True)


def _nearest_places(extent, out, scale, exact):
    ratio = np.float32(1 / scale) if scale else np.float32(extent) / np.float32(out)
    places = np.arange(out, dtype=np.float32)
    places = np.floor((places + np.float32(0.5)) * ratio) if exact else np.floor(places * ratio)
    return np.minimum(places.astype(np.int32), extent - 1)


def _register_nearest(name, exact):
    @lowering(f"aten.{name}.default", f"aten.{name}.vec")
    def lower(e, x, output_size, *scales):
        scales = _scales(scales)
        for place in range(x.ndim - 2):
            axis, out = 2 + place, e.out.shape[2 + place]
            if x.shape[axis] == out:
                continue
            places = _nearest_places(x.shape[axis], out, scales[place] if scales else None,
                                     exact)
            x = e.gather(x, e.constant(places, torch.int32), axis)
        return x


for _spatial in (1, 2, 3):
    _register_nearest(f"upsample_nearest{_spatial}d", False)
    _register_nearest(f"_upsample_nearest_exact{_spatial}d", True)


@lowering("aten.im2col.default")
def im2col(e, x, kernel_size, dilation, padding, stride):
    """Patches of an image, as rows: gathers of rows and of columns."""
    single = x.ndim == 3
    x = e.unsqueeze(x, 0) if single else x
    x = e.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    batch, channels = x.shape[:2]
    for place in (0, 1):
        axis = 2 + 2 * place
        extent = x.shape[axis]
        count = (extent - dilation[place] * (kernel_size[place] - 1) - 1) // stride[place] + 1
        places = (np.arange(kernel_size[place])[:, None] * dilation[place]
                  + np.arange(count) * stride[place])
        x = e.gather(x, e.constant(places, torch.int32), axis)
    x = e.transpose(x, [0, 1, 2, 4, 3, 5])
    result = e.reshape(x, (batch, channels * kernel_size[0] * kernel_size[1],
                           x.shape[4] * x.shape[5]))
    return e.squeeze(result, 0) if single else result


@lowering("aten.col2im.default")
def col2im(e, x, output_size, kernel_size, dilation, padding, stride):
    """The sum of patches at their places: a scatter whose indices are known."""
    single = x.ndim == 2
    x = e.unsqueeze(x, 0) if single else x
    batch, rows, _ = x.shape
    channels = rows // (kernel_size[0] * kernel_size[1])
    padded = [size + 2 * p for size, p in zip(output_size, padding)]
    counts = [(padded[i] - dilation[i] * (kernel_size[i] - 1) - 1) // stride[i] + 1
              for i in (0, 1)]
    y = (np.arange(kernel_size[0])[:, None] * dilation[0] + np.arange(counts[0]) * stride[0])
    z = (np.arange(kernel_size[1])[:, None] * dilation[1] + np.arange(counts[1]) * stride[1])
    index = y[:, None, :, None] * padded[1] + z[None, :, None, :]
    values = e.transpose(e.reshape(x, (batch * channels, index.size)), [1, 0])
    empty = e.full((padded[0] * padded[1], batch * channels), 0, x.dtype)
    summed = e.op("ScatterND", [empty, e.wide_index(e.constant(index.reshape(-1, 1), torch.int32)),
                                values], reduction="add")
    image = e.reshape(e.transpose(summed, [1, 0]), (batch, channels, *padded))
    for axis, p, size in zip((2, 3), padding, output_size):
        image = e.slice(image, axis, p, p + size)
    return e.squeeze(image, 0) if single else image


@lowering("aten.grid_sampler_2d.default", "aten.grid_sampler.default",
          "aten.grid_sampler_3d.default")
def grid_sampler(e, x, grid, mode, padding, align_corners):
    modes, pads = ("linear", "nearest", "cubic"), ("zeros", "border", "reflection")
    # Places of halves would be off by parts of an element.
    x, grid = (e.cast(value, torch.float32) for value in (x, grid))
    if modes[mode] == "cubic" and pads[padding] == "border":
        x, grid = _extended(e, x, grid, align_corners)
    return e.op("GridSample", [x, grid], tuple(e.out.shape), mode=modes[mode],
                padding_mode=pads[padding], align_corners=int(align_corners))


def _extended(e, x, grid, align_corners):
    """Images with their edges repeated, and the same places in them. ONNX takes places outside to
    the border first; torch takes each element that a place is computed from there."""
    more, less = 3, int(bool(align_corners))
    extents = x.shape[2:]
    x = e.pad(x, [(0, 0), (0, 0)] + [(more, more)] * len(extents), mode="edge")
    factors = [(extent - less) / (extent + 2 * more - less) for extent in reversed(extents)]
    return x, e.mul(grid, e.constant(factors, grid.dtype))
