# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data types of tensors, and how they go with those of NumPy and Python."""

import builtins
from typing import Any, Dict, Optional

import numpy as np


class dtype:
    """A data type of tensors. There is one object for each type; make none yourself.

    `name` is the type's name, `is_int`, `is_floating_point`, `is_signed` and
    `is_complex` say what its numbers are.
    """

    name: str
    is_complex: builtins.bool
    is_int: builtins.bool
    is_floating_point: builtins.bool
    is_signed: builtins.bool

    def __init__(self) -> None:
        raise TypeError(f"Cannot create {self.__module__}.dtype instances.")

    def as_numpy(self) -> np.dtype:
        """The type of NumPy that this one is; TypeError where there is none."""
        if self._numpy is None:
            raise TypeError(f"`popxl.{self.name}` does not have a NumPy equivalent.")
        return np.dtype(self._numpy)

    def as_torch(self):
        """The type of PyTorch of the same name; TypeError where there is none."""
        import torch

        found = getattr(torch, self.name, None)
        if found is None:
            raise TypeError(f"`popxl.{self.name}` does not have a torch equivalent.")
        return found

    @classmethod
    def as_dtype(cls, type_value: Any) -> "dtype":
        """The type that a popxl type, NumPy type, Python type, name or array stands for."""
        if isinstance(type_value, dtype):
            return type_value
        if type(type_value).__module__.partition(".")[0] == "torch":
            type_value = str(getattr(type_value, "dtype", type_value)).rpartition(".")[2]
        if isinstance(type_value, str) and type_value in _BY_NAME:
            return _BY_NAME[type_value]
        if hasattr(type_value, "dtype") and not isinstance(type_value, type):
            type_value = type_value.dtype
            if isinstance(type_value, dtype):
                return type_value
        if type_value is builtins.float:
            return float32
        try:
            wanted = np.dtype(type_value)
        except TypeError:
            wanted = None
        if wanted is not None and wanted.fields:
            for np_type, known in _STRUCTURED.items():
                if wanted == np_type:
                    return known
        if wanted is None or type_value is None or wanted.name not in _BY_NAME:
            raise ValueError(f"There is no `popxl.dtype` that is compatible with {type_value!r}.")
        return _BY_NAME[wanted.name]

    @classmethod
    def from_name(cls, name: str) -> "dtype":
        """The type of that name; ValueError where there is none."""
        if name not in _BY_NAME:
            raise ValueError(f"There is no `popxl.dtype` with the name {name!r}.")
        return _BY_NAME[name]

    def __repr__(self) -> str:
        return f"popxl.dtypes.{self.name}"

    def __reduce__(self):
        return (dtype.from_name, (self.name,))

    def __copy__(self) -> "dtype":
        return self

    def __deepcopy__(self, _memo: dict) -> "dtype":
        return self


_BY_NAME: Dict[str, dtype] = {}
_BY_IR_NAME: Dict[str, dtype] = {}


def _make(name: str, ir_name: Optional[str], np_type: Any, kind: str) -> dtype:
    made = object.__new__(dtype)
    made.name = name
    made._numpy = np_type
    made._ir_name = ir_name
    made.is_complex = kind == "c"
    made.is_int = kind in ("i", "u")
    made.is_floating_point = kind == "f"
    made.is_signed = kind not in ("b", "u")
    _BY_NAME[name] = made
    if ir_name:
        _BY_IR_NAME[ir_name] = made
    return made


bool = _make("bool", "bool", np.bool_, "b")
int8 = _make("int8", "int8", np.int8, "i")
int16 = _make("int16", "int16", np.int16, "i")
int32 = _make("int32", "int32", np.int32, "i")
int64 = _make("int64", "int64", np.int64, "i")
uint8 = _make("uint8", "uint8", np.uint8, "u")
uint16 = _make("uint16", "uint16", np.uint16, "u")
uint32 = _make("uint32", "uint32", np.uint32, "u")
uint64 = _make("uint64", "uint64", np.uint64, "u")
float16 = _make("float16", "float16", np.float16, "f")
float32 = _make("float32", "float", np.float32, "f")
float64 = _make("float64", "double", np.float64, "f")
complex64 = _make("complex64", None, np.complex64, "c")
complex128 = _make("complex128", None, np.complex128, "c")

np_dtype_float8_143 = np.dtype([("float8_143", "u1")])
np_dtype_float8_152 = np.dtype([("float8_152", "u1")])
float8_143 = _make("float8_143", "float8e4m3fnuz", np_dtype_float8_143, "f")
float8_152 = _make("float8_152", "float8e5m2fnuz", np_dtype_float8_152, "f")
_STRUCTURED = {np_dtype_float8_143: float8_143, np_dtype_float8_152: float8_152}

half = float16
float = float32
double = float64
_BY_NAME["half"] = float16
_BY_NAME["float"] = float32
_BY_NAME["double"] = float64

# Types that replace 64-bit types where data is narrowed on the way to the
# device.
_NARROW = {int64: int32, uint64: uint32, float64: float32}


def narrowed(wide: dtype) -> dtype:
    """The type of 32 bits that takes the place of one of 64 bits; others stay."""
    return _NARROW.get(wide, wide)


def is_float8(known: Any) -> builtins.bool:
    """Whether it is a type of 8-bit floats."""
    return known is float8_143 or known is float8_152


def from_ir(name: str) -> dtype:
    """The type that the IR calls so."""
    return _BY_IR_NAME[name]


def to_ir(type_value: dtype) -> str:
    """What the IR calls a type; a popart_exception where it has no such type."""
    if type_value._ir_name is None:
        from popart import popart_exception

        raise popart_exception(f"Tensors of {type_value!r} are not supported.")
    return type_value._ir_name


__all__ = [
    "dtype", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128", "float8_143", "float8_152",
    "half", "float", "double",
]
