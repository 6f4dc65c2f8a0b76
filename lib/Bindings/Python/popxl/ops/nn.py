# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of neural networks."""

from typing import Any, Iterable, List, Optional, Tuple

import numpy as np
from popart import popart_exception

from popxl import context, dtypes
from popxl.ops._make import make, product_attributes
from popxl.ops.conv import PadType, pad_type_of, window
from popxl.ops.elementwise import _check_types
from popxl.tensor import Tensor


def matmul(lhs: Tensor, rhs: Tensor, available_memory_proportion: Optional[float] = None,
           output_type: Optional[dtypes.dtype] = None, partials_type: Any = None) -> Tensor:
    """The matrix product, with broadcasting of dimensions in front."""
    attributes = product_attributes(available_memory_proportion, partials_type)
    _check_types("MatMul", lhs, rhs)

    def build(b, x, y):
        product = b.op("MatMul", [x, y], **attributes)
        return product if output_type is None else b.cast(product, output_type)

    return make("MatMul", {"lhs": lhs, "rhs": rhs}, build, "matmul")


def _pool(ir_type: str, t: Tensor, kernel_size, stride, padding, out_pads, dilation,
          in_dilations, auto_pad: str, ceil_mode: bool, **attributes: Any) -> Tensor:
    context.get_current_graph()._check_own(t=t)
    for name, values in (("out_pads", out_pads), ("in_dilations", in_dilations)):
        neutral = 0 if name == "out_pads" else 1
        if values is not None and any(v != neutral for v in values):
            raise popart_exception(f"{ir_type} with {name} {tuple(values)} is not supported.")
    attributes.update(window(kernel_shape=kernel_size, strides=stride, dilations=dilation))
    auto = pad_type_of(auto_pad)
    if auto == "NOTSET":
        attributes.update(window(pads=padding))
    return make(ir_type, {"t": t},
                lambda b, x: b.op(ir_type, [x], auto_pad=auto, ceil_mode=int(ceil_mode),
                                  **attributes), ir_type.lower())


def average_pool(t: Tensor, kernel_size: Tuple[int, ...], stride: Optional[Tuple[int, ...]] = None,
                 padding: Optional[Tuple[int, ...]] = None,
                 out_pads: Optional[Tuple[int, ...]] = None,
                 dilation: Optional[Tuple[int, ...]] = None,
                 in_dilations: Optional[Tuple[int, ...]] = None, auto_pad: PadType = "not_set",
                 ceil_mode: bool = False) -> Tensor:
    """The means of windows of the field."""
    return _pool("AveragePool", t, kernel_size, stride, padding, out_pads, dilation, in_dilations,
                 auto_pad, ceil_mode)


def max_pool(t: Tensor, kernel_size: Tuple[int, ...], stride: Optional[Tuple[int, ...]] = None,
             padding: Optional[Tuple[int, ...]] = None,
             out_pads: Optional[Tuple[int, ...]] = None,
             dilation: Optional[Tuple[int, ...]] = None,
             in_dilations: Optional[Tuple[int, ...]] = None, auto_pad: PadType = "not_set",
             ceil_mode: bool = False, storage_order: str = "row") -> Tensor:
    """The greatest elements of windows of the field."""
    if storage_order not in ("row", "column"):
        raise ValueError(f"The storage_order is 'row' or 'column', not {storage_order!r}.")
    return _pool("MaxPool", t, kernel_size, stride, padding, out_pads, dilation, in_dilations,
                 auto_pad, ceil_mode, storage_order=int(storage_order == "column"))


def batch_norm_inference(t: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, var: Tensor,
                         epsilon: float = 1e-5, momentum: float = 0.9) -> Tensor:
    """(t - mean) / sqrt(var + epsilon) * scale + bias, by channel."""
    return make("BatchNormalization",
                {"t": t, "scale": scale, "bias": bias, "mean": mean, "var": var},
                lambda b, *xs: b.op("BatchNormalization", list(xs), epsilon=float(epsilon),
                                    momentum=float(momentum)), "batch_norm")


def group_norm(t: Tensor, weight: Tensor, bias: Tensor, num_groups: int,
               eps: float = 1e-5) -> Tensor:
    """Groups of channels with mean 0 and variance 1, times weight plus bias by channel."""
    # The graph has the means and the inverse deviations, too.
    return make("GroupNormalization", {"t": t, "weight": weight, "bias": bias},
                lambda b, x, w, c: b.ops("GroupNormalization", [x, w, c], 3, "ai.graphcore",
                                         num_groups=int(num_groups), epsilon=float(eps)),
                "group_norm")[0]


def layer_norm(t: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """`group_norm` with one group."""
    return group_norm(t, weight, bias, 1, eps)


def softmax(t: Tensor, axis: int) -> Tensor:
    """e to the power of elements, divided by their sum along an axis."""
    return make("Softmax", {"t": t}, lambda b, x: b.op("Softmax", [x], axis=int(axis)), "softmax")


def interpolate(t: Tensor, scale_factor: Iterable[float] = (1.0, 1.0, 1.0, 1.0),
                mode: str = "nearest", nearest_mode: str = "round_prefer_floor",
                coordinate_transformation_mode: str = "half_pixel") -> Tensor:
    """The tensor at places between its elements; a factor for each dimension."""
    if mode not in ("nearest", "linear", "cubic"):
        raise ValueError(f"The mode is 'nearest', 'linear' or 'cubic', not {mode!r}.")
    if nearest_mode not in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "pytorch"):
        raise ValueError(f"Invalid nearest_mode {nearest_mode!r}.")
    if coordinate_transformation_mode not in ("half_pixel", "pytorch_half_pixel",
                                              "align_corners", "asymmetric"):
        raise ValueError("Invalid coordinate_transformation_mode "
                         f"{coordinate_transformation_mode!r}.")
    if nearest_mode == "pytorch":
        nearest_mode = "floor"
    scales = np.array([float(f) for f in scale_factor], np.float32)

    def build(b, x):
        return b.op("Resize", [x, None, b.constant(scales, "float")], mode=mode,
                    nearest_mode=nearest_mode,
                    coordinate_transformation_mode=coordinate_transformation_mode)

    return make("Resize", {"t": t}, build, "interpolate")


def roi_align(t: Tensor, rois: Tensor, batch_index: Tensor, output_size: List[int],
              spatial_scale: float, sampling_ratio: int) -> Tensor:
    """Means of samples in the cells of regions [x1, y1, x2, y2]."""
    height, width = (int(extent) for extent in output_size)

    def build(b, x, r, i):
        return b.op("RoiAlign", [x, r, b.cast(i, dtypes.int64)], output_height=height,
                    output_width=width, spatial_scale=float(spatial_scale),
                    sampling_ratio=int(sampling_ratio), mode="avg",
                    coordinate_transformation_mode="output_half_pixel")

    return make("RoiAlign", {"t": t, "rois": rois, "batch_index": batch_index}, build,
                "roi_align")
