# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Number formats: those of JAX, of PopIR, and of the device's buffers.

| JAX | device |
|---|---|
| bool, float32, int32, uint32 | the same |
| float16 | the same, clipped to its range |
| int8, int16, uint8, uint16 | 32-bit integers that wrap to the narrow range |
| bfloat16 | float32; each result is rounded to bfloat16 |
| float64, int64, uint64 | float32, int32, uint32, with one NumberFormatWarning |
| complex, float8, int4 | refused |

Integers of 64 bits that do not fit 32 are an OverflowError where the host passes them.
"""

import functools
import warnings
from typing import Any, Tuple

import jax
import numpy as np

from populus.jax._errors import NumberFormatWarning, Unsupported

# PopIR's name and the number of ONNX for a format.
_NAMES = {
    "bool": ("bool", 9), "float16": ("float16", 10), "float32": ("float", 1),
    "bfloat16": ("float", 1), "float64": ("float", 1), "int8": ("int8", 3),
    "int16": ("int16", 5), "int32": ("int32", 6), "int64": ("int32", 6),
    "uint8": ("uint8", 2), "uint16": ("uint16", 4), "uint32": ("uint32", 12),
    "uint64": ("uint32", 12), "float0": ("bool", 9),
}
_NARROWED = {"float64": "float32", "int64": "int32", "uint64": "uint32"}
# The elements of buffers between host and device, by PopIR's name.
_BUFFERS = {"bool": np.bool_, "float16": np.float16, "float": np.float32, "int8": np.int32,
            "int16": np.int32, "int32": np.int32, "uint8": np.int32, "uint16": np.int32,
            "uint32": np.uint32}
# The elements of constants and variables, by PopIR's name.
ELEMENTS = {"bool": np.bool_, "float16": np.float16, "float": np.float32, "int8": np.int8,
             "int16": np.int16, "int32": np.int32, "uint8": np.uint8, "uint16": np.uint16,
             "uint32": np.uint32}


def is_key(dtype: Any) -> bool:
    """True for the typed keys of jax.random."""
    return jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key)


@functools.lru_cache(maxsize=None)
def _entry(dtype: Any) -> Tuple[str, int]:
    if is_key(dtype):
        if str(dtype) != "key<fry>":
            raise Unsupported(f"random keys of the generator {dtype}; there is threefry2x32")
        return _NAMES["uint32"]
    name = np.dtype(dtype).name if not isinstance(dtype, str) else dtype
    if name == "void":
        name = "float0"
    if name not in _NAMES:
        raise Unsupported(f"the type {name}")
    return _NAMES[name]


def ir_type(dtype: Any) -> str:
    """PopIR's name of a format."""
    return _entry(dtype)[0]


def onnx_number(dtype: Any) -> int:
    """The number that operators such as Cast name a format by."""
    return _entry(dtype)[1]


def shape_of(aval: Any) -> Tuple[int, ...]:
    """The shape on the device: a random key is two words."""
    shape = tuple(int(extent) for extent in aval.shape)
    return shape + (2,) if is_key(aval.dtype) else shape


def warn_if_narrowed(dtypes: Any) -> None:
    """Says once for a function which of its formats are narrower on the device."""
    names = sorted({np.dtype(d).name for d in dtypes if not is_key(d)} & set(_NARROWED))
    if names:
        text = ", ".join(f"{name} is {_NARROWED[name]}" for name in names)
        warnings.warn(f"The device has no numbers of 64 bits: {text} there.",
                      NumberFormatWarning, stacklevel=4)


def elements(array: Any, dtype: Any) -> np.ndarray:
    """An array as a constant or variable of the IR has it."""
    return _as(array, ELEMENTS[ir_type(dtype)])


def buffer(array: Any, dtype: Any) -> np.ndarray:
    """An array as it is sent to the device."""
    return _as(array, buffer_type(dtype))


def buffer_type(dtype: Any) -> np.dtype:
    return np.dtype(_BUFFERS[ir_type(dtype)])


def _as(array: Any, to: Any) -> np.ndarray:
    array = np.asarray(array)
    if array.dtype.name == "void":
        array = np.zeros(array.shape, np.bool_)
    if array.dtype.name in ("int64", "uint64") and array.size:
        limits = np.iinfo(to)
        if array.max() > limits.max or array.min() < limits.min:
            raise OverflowError(f"An integer of {array.dtype.name} does not fit {limits.dtype}, "
                                "which the device has instead.")
    return np.ascontiguousarray(array, dtype=to).reshape(array.shape)
