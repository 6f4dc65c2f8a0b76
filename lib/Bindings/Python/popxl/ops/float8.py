# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of 8-bit floats: conversions, and products of them.

On the device such an element is a float32 that is one of the numbers that 8 bits have, so
conversion from it, and a product of two, are exact; scales are applied before a result is rounded.
"""

from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from popxl import context, dtypes
from popxl.fp8_utils import check_log2_scale
from popxl.ops._make import make, product_attributes
from popxl.ops.conv import PadType, conv_attributes
from popxl.tensor import Constant, Tensor

Scale = Union[int, Tensor]

_WIDE = (dtypes.float16, dtypes.float32)


def _check_float8(**tensors: Tensor) -> None:
    context.get_current_graph()._check_own(**tensors)
    for name, t in tensors.items():
        if not dtypes.is_float8(t.dtype):
            raise TypeError(f"`{name}` has to be of 8-bit floats, and is {t.dtype!r}.")


def _scale_inputs(log2_scale: Scale) -> Dict[str, Tensor]:
    """The scale where it is a tensor; ValueError or TypeError where it cannot be one."""
    if not isinstance(log2_scale, Tensor):
        check_log2_scale(log2_scale, ValueError)
        return {}
    if log2_scale.dtype is not dtypes.int32:
        raise TypeError(f"log2_scale has to be of int32, and is {log2_scale.dtype!r}.")
    if log2_scale.nelms != 1:
        raise ValueError(f"log2_scale has to be a scalar, and has the shape {log2_scale.shape}.")
    if isinstance(log2_scale, Constant):
        check_log2_scale(log2_scale._host.reshape(-1)[0], ValueError)
    return {"log2_scale": log2_scale}


def _scaled(b, x, log2_scale: Scale, values: Tuple[Any, ...]):
    """A float32 times 2^log2_scale. What is out of range, which only the device sees, gives NaN:
    powers are looked up, and on both sides of the table there is none."""
    if not values:
        return b.mul(x, b.scalar(2.0 ** int(log2_scale), x)) if log2_scale else x
    powers = np.float32([np.nan, *2.0 ** np.arange(-32, 32), np.nan])
    place = b.add(b.reshape(values[0], ()), b.constant(np.int32(33), "int32"))
    place = b.op("Clip", [place, b.constant(np.int32(0), "int32"),
                          b.constant(np.int32(len(powers) - 1), "int32")])
    return b.mul(x, b.op("Gather", [b.constant(powers, "float"), place], axis=0))


def _one_type(dtype: Optional[dtypes.dtype], data_type: Optional[dtypes.dtype],
              default: dtypes.dtype) -> dtypes.dtype:
    """The type that an operator gets as `dtype` or `data_type`; TypeError for both."""
    if dtype is not None and data_type is not None:
        raise TypeError("dtype and data_type are the same argument.")
    return dtypes.dtype.as_dtype(next((d for d in (dtype, data_type) if d is not None), default))


def pow2scale_cast_to_fp8(t: Tensor, log2_scale: Scale = 0,
                          dtype: Optional[dtypes.dtype] = None, *,
                          data_type: Optional[dtypes.dtype] = None) -> Tensor:
    """t * 2^log2_scale, of float16 or float32, as 8-bit floats.

    Their type is float8_143 where `dtype`, also called `data_type`, is not given. Rounding is to
    nearest, ties to even; what is too large becomes the largest number. The scale is an int or a
    scalar tensor of int32, in the range [-32, 32).
    """
    context.get_current_graph()._check_own(t=t)
    wanted = _one_type(dtype, data_type, dtypes.float8_143)
    if t.dtype not in _WIDE or not dtypes.is_float8(wanted):
        raise TypeError("float16 and float32 are cast to float8_143 or float8_152, not "
                        f"{t.dtype!r} to {wanted!r}.")
    return make("Pow2ScaleThenCast", {"t": t, **_scale_inputs(log2_scale)},
                lambda b, x, *s: b.cast(_scaled(b, b.cast(x, dtypes.float32), log2_scale, s),
                                        wanted), "pow2scale_cast_to_fp8")


def pow2scale_cast_from_fp8(t: Tensor, log2_scale: Scale = 0,
                            dtype: Optional[dtypes.dtype] = None, *,
                            data_type: Optional[dtypes.dtype] = None) -> Tensor:
    """8-bit floats as float16 or float32, times 2^log2_scale.

    The type is float16 where `dtype`, also called `data_type`, is not given."""
    _check_float8(t=t)
    wanted = _one_type(dtype, data_type, dtypes.float16)
    if wanted not in _WIDE:
        raise TypeError(f"8-bit floats are cast to float16 or float32, not to {wanted!r}.")
    return make("CastThenPow2Scale", {"t": t, **_scale_inputs(log2_scale)},
                lambda b, x, *s: b.cast(_scaled(b, b.cast(x, dtypes.float32), log2_scale, s),
                                        wanted), "pow2scale_cast_from_fp8", takes_float8=True)


# The names of these operators until 3.2.
pow2scale_then_cast = pow2scale_cast_to_fp8
cast_then_pow2scale = pow2scale_cast_from_fp8


def _product(op_type: str, name: str, inputs: Dict[str, Tensor], log2_scale: Scale,
             attributes: Dict[str, Any]) -> Tensor:
    """A product of two tensors of 8-bit floats, scaled, of float16."""
    def build(b, x, y, *s):
        exact = [b.cast(value, dtypes.float32) for value in (x, y)]
        return b.cast(_scaled(b, b.op(op_type, exact, **attributes), log2_scale, s),
                      dtypes.float16)

    return make(op_type, {**inputs, **_scale_inputs(log2_scale)}, build, name, takes_float8=True)


def matmul_pow2scaled(lhs: Tensor, rhs: Tensor, log2_scale: Scale,
                      available_memory_proportion: Optional[float] = None) -> Tensor:
    """The matrix product of 8-bit floats, of any two formats, times 2^log2_scale, as float16.

    The scale is a scalar tensor of int32, or an int, in the range [-32, 32).
    """
    _check_float8(lhs=lhs, rhs=rhs)
    return _product("MatMul", "matmul_pow2scaled", {"lhs": lhs, "rhs": rhs}, log2_scale,
                    product_attributes(available_memory_proportion, None))


def conv_pow2scaled(t: Tensor, weight: Tensor, log2_scale: Scale, stride: Tuple[int, ...] = (1, 1),
                    padding: Tuple[int, ...] = (0, 0, 0, 0), dilation: Tuple[int, ...] = (1, 1),
                    groups: int = 1, pad_type: PadType = "not_set",
                    available_memory_proportions: Any = None,
                    enable_conv_dithering: Any = None) -> Tensor:
    """`conv` of 8-bit floats, of any two formats, times 2^log2_scale, as float16."""
    _check_float8(t=t, weight=weight)
    return _product("Conv", "conv_pow2scaled", {"t": t, "weight": weight}, log2_scale,
                    conv_attributes(t, stride, padding, dilation, groups, pad_type,
                                    available_memory_proportions))


def conv_transpose_pow2scaled(t: Tensor, weight: Tensor, log2_scale: Scale,
                              stride: Tuple[int, ...] = (1, 1),
                              padding: Tuple[int, ...] = (0, 0, 0, 0),
                              dilation: Tuple[int, ...] = (1, 1), groups: int = 1,
                              pad_type: PadType = "not_set", output_padding: Tuple[int, ...] = (),
                              output_shape: Tuple[int, ...] = (),
                              available_memory_proportions: Any = None,
                              enable_conv_dithering: Any = None) -> Tensor:
    """`conv_transpose` of 8-bit floats, of any two formats, times 2^log2_scale, as float16."""
    _check_float8(t=t, weight=weight)
    return _product("ConvTranspose", "conv_transpose_pow2scaled", {"t": t, "weight": weight},
                    log2_scale,
                    conv_attributes(t, stride, padding, dilation, groups, pad_type,
                                    available_memory_proportions, output_padding=output_padding,
                                    output_shape=output_shape))
