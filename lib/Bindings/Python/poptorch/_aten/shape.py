# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move elements: views, joins, slices, pads; and tensors made from nothing."""

import numpy as np
import torch

from .._emit import Value, broadcast, narrow
from .table import axes_of, lowering, promoted, refuse

# ---- Views ------------------------------------------------------------------------------


@lowering("aten.view.default", "aten.reshape.default", "aten._unsafe_view.default",
          "aten.view_copy.default", "aten._reshape_alias.default", "aten.flatten.using_ints",
          "aten.unflatten.int", "aten.ravel.default", "aten.squeeze.default",
          "aten.squeeze.dim", "aten.squeeze.dims", "aten.unsqueeze.default",
          "aten.view_as.default", "aten.reshape_as.default", "aten.squeeze_copy.dim",
          "aten.unsqueeze_copy.default", "aten.squeeze_copy.default",
          "aten.atleast_1d.default", "aten.atleast_2d.default", "prims.squeeze.default")
def reshape(e, x, *_, **__):
    return e.reshape(x, e.out.shape)


@lowering("aten.permute.default", "aten.permute_copy.default")
def permute(e, x, dims):
    return e.transpose(x, dims)


@lowering("aten.transpose.int", "aten.transpose_copy.int", "aten.swapaxes.default",
          "aten.swapdims.default")
def transpose(e, x, a, b):
    if not x.ndim:
        return x
    perm = list(range(x.ndim))
    perm[a], perm[b] = perm[b], perm[a]
    return e.transpose(x, perm)


@lowering("aten.t.default", "aten.numpy_T.default", "aten.mT.default", "aten.t_copy.default",
          "aten.mH.default", "aten.matrix_H.default", "aten.adjoint.default")
def matrix_transpose(e, x):
    return transpose(e, x, -1, -2) if x.ndim > 1 else x


@lowering("aten.movedim.int", "aten.movedim.intlist")
def movedim(e, x, source, destination):
    sources = [axis % x.ndim for axis in ([source] if isinstance(source, int) else source)]
    targets = [axis % x.ndim for axis in
               ([destination] if isinstance(destination, int) else destination)]
    perm = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources)):
        perm.insert(target, axis)
    return e.transpose(x, perm)


@lowering("aten.expand.default", "aten.expand_copy.default", "aten.broadcast_to.default",
          "aten.expand_as.default")
def expand(e, x, *_, **__):
    return e.expand(x, e.out.shape)


@lowering("aten.broadcast_tensors.default")
def broadcast_tensors(e, values):
    shape = broadcast(*(value.shape for value in values))
    return [e.expand(value, shape) for value in values]


@lowering("aten.repeat.default", "aten.tile.default")
def repeat(e, x, repeats):
    repeats = [1] * (x.ndim - len(repeats)) + list(repeats)
    x = e.reshape(x, [1] * (len(repeats) - x.ndim) + list(x.shape))
    if all(count == 1 for count in repeats):
        return x
    shape = [extent * count for extent, count in zip(x.shape, repeats)]
    return e.op("Tile", [x, e.ints(repeats)], shape)


@lowering("aten.repeat_interleave.self_int")
def repeat_interleave(e, x, repeats, dim=None, output_size=None):
    if dim is None:
        x, dim = e.reshape(x, [x.numel]), 0
    axis = dim % x.ndim
    wide = e.expand(e.unsqueeze(x, axis + 1),
                    (*x.shape[:axis + 1], repeats, *x.shape[axis + 1:]))
    return e.reshape(wide, (*x.shape[:axis], x.shape[axis] * repeats, *x.shape[axis + 1:]))


@lowering("aten.copy.default")
def copy(e, x, source, non_blocking=False):
    return e.expand(e.cast(source, x.dtype), x.shape)


# ---- Joins and parts --------------------------------------------------------------------

@lowering("aten.cat.default", "aten.concat.default", "aten.concatenate.default")
def cat(e, values, dim=0):
    values = [value for value in values if value.shape != (0,)]
    if not values:
        return e.constant(np.zeros(0), e.out.dtype)
    return e.concat(promoted(e, *values), dim)


@lowering("aten.stack.default")
def stack(e, values, dim=0):
    values = promoted(e, *values)
    return e.concat([e.unsqueeze(value, dim % (value.ndim + 1)) for value in values],
                    dim % (values[0].ndim + 1))


def _parts(e, x, sizes, axis):
    starts = np.cumsum([0, *sizes])
    return [e.slice(x, axis, int(start), int(start) + size)
            for start, size in zip(starts, sizes)]


@lowering("aten.split.Tensor", "aten.split.sizes", "aten.split_with_sizes.default",
          "aten.chunk.default", "aten.tensor_split.sections", "aten.tensor_split.indices",
          "aten.split_with_sizes_copy.default", "aten.split_copy.Tensor",
          "aten.unsafe_split.Tensor", "aten.unsafe_chunk.default",
          "aten.unsafe_split_with_sizes.default")
def split(e, x, _, dim=0):
    return _parts(e, x, [part.shape[dim] for part in e.out], dim % x.ndim)


@lowering("aten.unbind.int", "aten.unbind_copy.int")
def unbind(e, x, dim=0):
    return [e.squeeze(part, dim)
            for part in _parts(e, x, [1] * x.shape[dim], dim % x.ndim)]


def _bounds(extent, start, end):
    """A slice's bounds within 0 … extent."""
    start = 0 if start is None else start
    end = extent if end is None else end
    start = min(max(start + extent if start < 0 else start, 0), extent)
    end = min(max(end + extent if end < 0 else end, start), extent)
    return start, end


@lowering("aten.slice.Tensor", "aten.slice_copy.Tensor")
def slice_(e, x, dim=0, start=None, end=None, step=1):
    return e.slice(x, dim, *_bounds(x.shape[dim], start, end), step)


@lowering("aten.narrow.default", "aten.narrow_copy.default")
def narrow_(e, x, dim, start, length):
    start = start + x.shape[dim] if start < 0 else start
    return e.slice(x, dim, start, start + length)


@lowering("aten.select.int", "aten.select_copy.int")
def select(e, x, dim, index):
    index = index + x.shape[dim] if index < 0 else index
    return e.squeeze(e.slice(x, dim, index, index + 1), dim)


@lowering("aten.slice_scatter.default")
def slice_scatter(e, x, source, dim=0, start=None, end=None, step=1):
    axis, extent = dim % x.ndim, x.shape[dim]
    start, end = _bounds(extent, start, end)
    source = e.cast(source, x.dtype)
    if step != 1:
        return _strided_scatter(e, x, source, axis, np.arange(start, end, step))
    return e.concat([part for part in (e.slice(x, axis, 0, start), source,
                                       e.slice(x, axis, end, extent))
                     if part.shape[axis]], axis)


def _strided_scatter(e, x, source, axis, places):
    """Rows of `source` at places of an axis: a gather from both, whose order is known."""
    order = np.arange(x.shape[axis])
    order[places] = x.shape[axis] + np.arange(len(places))
    return e.gather(e.concat([x, source], axis), e.constant(order, torch.int32), axis)


@lowering("aten.select_scatter.default")
def select_scatter(e, x, source, dim, index):
    index = index + x.shape[dim] if index < 0 else index
    return slice_scatter(e, x, e.unsqueeze(source, dim % x.ndim), dim, index, index + 1)


@lowering("aten.diagonal.default", "aten.diagonal_copy.default")
def diagonal(e, x, offset=0, dim1=0, dim2=1):
    first, second = dim1 % x.ndim, dim2 % x.ndim
    others = [axis for axis in range(x.ndim) if axis not in (first, second)]
    x = e.transpose(x, [*others, first, second])
    rows, columns = x.shape[-2:]
    length = e.out.shape[-1]
    i = np.arange(length)
    places = (i + max(-offset, 0)) * columns + i + max(offset, 0)
    flat = e.reshape(x, (*x.shape[:-2], rows * columns))
    return e.gather(flat, e.constant(places, torch.int32), -1)


@lowering("aten.flip.default")
def flip(e, x, dims):
    axes = axes_of(dims, x.ndim) if dims else []
    return e.graphcore("Reverse", [x], dimensions=axes) if axes else x


@lowering("aten.fliplr.default")
def fliplr(e, x):
    return flip(e, x, [1])


@lowering("aten.flipud.default")
def flipud(e, x):
    return flip(e, x, [0])


@lowering("aten.roll.default")
def roll(e, x, shifts, dims=()):
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    dims = [dims] if isinstance(dims, int) else list(dims)
    if not dims:
        return e.reshape(roll(e, e.reshape(x, [x.numel]), shifts, [0]), x.shape)
    for shift, dim in zip(shifts, dims):
        extent = x.shape[dim]
        cut = -shift % extent if extent else 0
        if cut:
            x = e.concat([e.slice(x, dim, cut, extent), e.slice(x, dim, 0, cut)], dim)
    return x


@lowering("aten.unfold.default", "aten.unfold_copy.default")
def unfold(e, x, dimension, size, step):
    x = x if x.ndim else e.reshape(x, [1])
    axis = dimension % x.ndim
    count = (x.shape[axis] - size) // step + 1
    places = np.arange(count)[:, None] * step + np.arange(size)
    windows = e.gather(x, e.constant(places, torch.int32), axis)
    return e.reshape(e.move(windows, axis + 1, -1), e.out.shape)


@lowering("aten.meshgrid.default", "aten.meshgrid.indexing")
def meshgrid(e, values, indexing="ij"):
    values = [value if value.ndim else e.reshape(value, [1]) for value in values]
    shape = tuple(e.out[0].shape)
    axes = list(range(len(values)))
    if indexing == "xy" and len(values) > 1:
        axes[0], axes[1] = 1, 0
    grids = []
    for value, axis in zip(values, axes):
        view = [1] * len(values)
        view[axis] = value.numel
        grids.append(e.expand(e.reshape(value, view), shape))
    return grids


# ---- Pads -------------------------------------------------------------------------------

def _pairs(ndim, pad):
    pairs = [(0, 0)] * ndim
    for place in range(len(pad) // 2):
        pairs[ndim - 1 - place] = (pad[2 * place], pad[2 * place + 1])
    return pairs


@lowering("aten.constant_pad_nd.default")
def constant_pad(e, x, pad, value=0):
    return e.pad(x, _pairs(x.ndim, pad), value)


@lowering("aten.pad.default")
def pad(e, x, pad, mode="constant", value=None):
    if mode == "constant":
        return constant_pad(e, x, pad, value or 0)
    return _edge_pad(e, x, pad, mode)


def _places(extent, begin, end, mode):
    """Where the elements of a padded axis come from."""
    places = np.arange(-begin, extent + end)
    if mode == "replicate":
        return np.clip(places, 0, extent - 1)
    if mode == "circular":  # what a negative number cuts off does not come back
        first, last = max(-begin, 0), extent - max(-end, 0)
        return first + (places - first) % (last - first)
    period = max(2 * (extent - 1), 1)
    places = np.abs(places) % period
    return np.where(places >= extent, period - places, places)


def _edge_pad(e, x, pad, mode):
    for axis, (begin, end) in enumerate(_pairs(x.ndim, pad)):
        if begin or end:
            places = _places(x.shape[axis], begin, end, mode)
            x = e.gather(x, e.constant(places, torch.int32), axis)
    return x


def _register_pad(kind, mode):
    @lowering(*(f"aten.{kind}_pad{n}d.default" for n in (1, 2, 3)))
    def lower(e, x, padding):
        return _edge_pad(e, x, padding, mode)


_register_pad("reflection", "reflect")
_register_pad("replication", "replicate")


@lowering("aten._pad_circular.default")
def pad_circular(e, x, pad):
    return _edge_pad(e, x, pad, "circular")


# ---- Images as channels -----------------------------------------------------------------

@lowering("aten.pixel_shuffle.default")
def pixel_shuffle(e, x, factor):
    *outer, channels, height, width = x.shape
    x = e.reshape(x, (*outer, channels // factor ** 2, factor, factor, height, width))
    n = len(outer)
    x = e.transpose(x, [*range(n), n, n + 3, n + 1, n + 4, n + 2])
    return e.reshape(x, e.out.shape)


@lowering("aten.pixel_unshuffle.default")
def pixel_unshuffle(e, x, factor):
    *outer, channels, height, width = x.shape
    x = e.reshape(x, (*outer, channels, height // factor, factor, width // factor, factor))
    n = len(outer)
    x = e.transpose(x, [*range(n), n, n + 2, n + 4, n + 1, n + 3])
    return e.reshape(x, e.out.shape)


@lowering("aten.channel_shuffle.default", "aten.native_channel_shuffle.default")
def channel_shuffle(e, x, groups):
    channels = x.shape[1]
    x = e.reshape(x, (x.shape[0], groups, channels // groups, *x.shape[2:]))
    return e.reshape(transpose(e, x, 1, 2), e.out.shape)


# ---- New tensors ------------------------------------------------------------------------

def _filled(e, number):
    return e.full(e.out.shape, number, narrow(e.out.dtype))


@lowering("aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default",
          "aten.empty.memory_format", "aten.empty_like.default", "aten.new_empty.default",
          "aten.empty_strided.default", "aten.new_empty_strided.default",
          "aten.empty_permuted.default", "aten.zero.default", "aten._efficientzerotensor.default")
def zeros(e, *_, **__):
    return _filled(e, 0)


@lowering("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def ones(e, *_, **__):
    return _filled(e, 1)


@lowering("aten.new_full.default")
def new_full(e, x, size, value, **_):
    return full(e, x, value)


@lowering("aten.full.default", "aten.full_like.default", "aten.fill.Scalar", "aten.fill.Tensor")
def full(e, _, value, *__, **___):
    dtype = narrow(e.out.dtype)
    if isinstance(value, Value):
        return e.expand(e.cast(value, dtype), e.out.shape)
    return _filled(e, value)


@lowering("aten.scalar_tensor.default")
def scalar_tensor(e, value, **_):
    return _filled(e, value)


def _known(e, tensor):
    return e.constant(tensor.to(narrow(e.out.dtype)))


@lowering("aten.arange.default", "aten.arange.start", "aten.arange.start_step",
          "aten.range.default", "aten.range.step")
def arange(e, *numbers, dtype=None, **_):
    if any(isinstance(number, Value) for number in numbers):
        refuse("a range whose bounds are tensors")
    return _known(e, torch.arange(*numbers, dtype=e.out.dtype))


@lowering("aten.linspace.default")
def linspace(e, start, end, steps, **_):
    return _known(e, torch.linspace(start, end, steps, dtype=e.out.dtype))


@lowering("aten.logspace.default")
def logspace(e, start, end, steps, base=10.0, **_):
    return _known(e, torch.logspace(start, end, steps, base, dtype=e.out.dtype))


@lowering("aten.eye.default", "aten.eye.m")
def eye(e, *_, **__):
    return _known(e, torch.eye(*e.out.shape, dtype=e.out.dtype))


def _triangle(e, x, keep):
    mask = e.constant(keep(np.ones(x.shape[-2:], bool)))
    if x.dtype == torch.bool:
        return e.compare("And", x, mask)
    return e.where(mask, x, e.constant(0, x.dtype))


@lowering("aten.tril.default")
def tril(e, x, diagonal=0):
    return _triangle(e, x, lambda ones: np.tril(ones, diagonal))


@lowering("aten.triu.default")
def triu(e, x, diagonal=0):
    return _triangle(e, x, lambda ones: np.triu(ones, diagonal))


@lowering("aten.as_strided.default", "aten.as_strided_copy.default")
def as_strided(e, x, size, stride, storage_offset=None):
    """A gather by places in the memory of a contiguous tensor."""
    places = _strided_places(e, size, stride, storage_offset)
    flat = e.gather(e.reshape(x, [x.numel]), e.constant(places.reshape(-1), torch.int32), 0)
    return e.reshape(flat, size)


@lowering("aten.as_strided_scatter.default")
def as_strided_scatter(e, x, source, size, stride, storage_offset=None):
    return _written(e, x, source, _strided_places(e, size, stride, storage_offset))


@lowering("aten.diagonal_scatter.default")
def diagonal_scatter(e, x, source, offset=0, dim1=0, dim2=1):
    places = np.arange(x.numel).reshape(x.shape)
    return _written(e, x, source, places.diagonal(offset, dim1, dim2))


def _strided_places(e, size, stride, storage_offset):
    if not e.node.args[0].meta["val"].is_contiguous():
        refuse("a tensor that is not contiguous")
    places = np.full((), storage_offset or 0)
    for extent, step in zip(size, stride):
        places = places[..., None] + np.arange(extent) * step
    return places


def _written(e, x, source, places):
    """x with elements of `source` at places of its flat form, the last one of those that meet."""
    source = e.cast(source, x.dtype)
    order = np.arange(x.numel)
    order[places.reshape(-1)] = x.numel + np.arange(source.numel)
    both = e.concat([e.reshape(part, [part.numel]) for part in (x, source)], 0)
    return e.reshape(e.gather(both, e.constant(order, torch.int32), 0), x.shape)
