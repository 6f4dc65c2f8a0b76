# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit floats on the host.

An array of them is a NumPy array of a structured type with one field, the bits
(`dtypes.np_dtype_float8_143`, `dtypes.np_dtype_float8_152`). Numbers are multiplied by a power of
two before they are rounded to so few bits, and what is computed of them by another one.
"""

from typing import Any, Optional

import numpy as np
import popxl_core

from popxl import dtypes

_WIDE = (dtypes.float16, dtypes.float32, dtypes.float64)


def check_log2_scale(log2_scale: Any, error: type) -> int:
    """That an exponent is one that devices have."""
    is_int = isinstance(log2_scale, (int, np.integer)) and not isinstance(log2_scale, bool)
    if not is_int or not -32 <= log2_scale < 32:
        raise error(f"log2_scale has to be an integer in the range [-32, 32), not {log2_scale!r}.")
    return int(log2_scale)


def host_pow2scale_cast_to_fp8(src: Any, dtype: Optional[dtypes.dtype] = None,
                               log2_scale: int = 0, nan_on_overflow: bool = True) -> np.ndarray:
    """src * 2^log2_scale as 8-bit floats, rounded to nearest, ties to even.

    `src` is an array of float16, float32 or float64, `dtype` `popxl.float8_143` or
    `popxl.float8_152`. What is too large becomes NaN, or the largest number if `nan_on_overflow`
    is False. RuntimeError for anything else.
    """
    if hasattr(src, "detach") and hasattr(src, "numpy"):
        src = src.detach().numpy()
    array = np.asarray(src)
    if array.dtype.kind != "f":
        raise RuntimeError("Only float16, float32 and float64 become 8-bit floats, not "
                           f"{array.dtype}.")
    if not dtypes.is_float8(dtype):
        raise RuntimeError(f"The dtype is float8_143 or float8_152, not {dtype!r}.")
    scaled = array.astype(np.float64) * 2.0 ** check_log2_scale(log2_scale, RuntimeError)
    bits = popxl_core.to_float8_bits(dtypes.to_ir(dtype), _to_odd(scaled), not nan_on_overflow)
    return bits.view(dtype.as_numpy())


def host_pow2scale_cast_from_fp8(src: np.ndarray, dtype: Optional[dtypes.dtype] = None,
                                 log2_scale: int = 0) -> np.ndarray:
    """The numbers that 8-bit floats stand for, times 2^log2_scale.

    `src` is an array of 8-bit floats, `dtype` `popxl.float16`, `popxl.float32` or
    `popxl.float64`. RuntimeError for anything else.
    """
    array = np.asarray(src)
    known = dtypes.dtype.as_dtype(array.dtype)
    if not dtypes.is_float8(known):
        raise RuntimeError(f"The array has to be of 8-bit floats, not {array.dtype}.")
    if dtype not in _WIDE:
        raise RuntimeError(f"The dtype is float16, float32 or float64, not {dtype!r}.")
    scale = 2.0 ** check_log2_scale(log2_scale, RuntimeError)
    return (numbers(known, array).astype(np.float64) * scale).astype(dtype.as_numpy())


# The names of these functions until 3.2.
host_pow2scale_then_cast = host_pow2scale_cast_to_fp8
host_cast_then_pow2scale = host_pow2scale_cast_from_fp8


def numbers(known: dtypes.dtype, array: np.ndarray) -> np.ndarray:
    """The numbers, as float32, of an array of 8-bit floats."""
    return popxl_core.from_float8_bits(dtypes.to_ir(known), np.ascontiguousarray(array).view("u1"))


def elements(known: dtypes.dtype, values: np.ndarray) -> np.ndarray:
    """8-bit floats of float32 that are such numbers."""
    return popxl_core.to_float8_bits(dtypes.to_ir(known), values, True).view(known.as_numpy())


def _to_odd(values: np.ndarray) -> np.ndarray:
    """float64 as float32 that are odd where they are not exact, so that rounding them to fewer
    bits gives what rounding the values would give."""
    with np.errstate(over="ignore"):
        near = values.astype(np.float32)
    bits = np.array(near).view(np.int32)
    back = near.astype(np.float64)
    bits -= np.abs(back) > np.abs(values)
    bits |= (back != values) & ~np.isnan(values)
    return bits.view(np.float32)
