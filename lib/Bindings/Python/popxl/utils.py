# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the host: data as the device has it, devices, texts."""

from typing import Any, Iterable, List

import numpy as np
import popart

from popxl.dtypes import dtype, narrowed, np_dtype_float8_143, np_dtype_float8_152
from popxl.fp8_utils import (host_cast_then_pow2scale, host_pow2scale_cast_from_fp8,
                          host_pow2scale_cast_to_fp8, host_pow2scale_then_cast)
from popxl.variables import to_numpy


def downcast_np_dtypes(array: Any) -> np.ndarray:
    """An array with elements of 32 bits where it has 64; others stay as they are."""
    array = np.asarray(array)
    return np.asarray(array, narrowed(dtype.as_dtype(array.dtype)).as_numpy())


def table_to_string(rows: Iterable[Iterable[Any]], delimiter: str = "  ") -> str:
    """A line for each row, whose columns are as wide as the widest cell."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths: List[int] = []
    for row in cells:
        widths += [0] * (len(row) - len(widths))
        widths[:len(row)] = [max(pair) for pair in zip(widths, map(len, row))]
    return "\n".join(delimiter.join(map(str.ljust, row, widths)).rstrip() for row in cells)


def _to_device_info(device_desc: Any, num_ipus: int = 1) -> Any:
    """The device of popart.DeviceManager that a session's `device_desc` stands for."""
    if not isinstance(device_desc, str):
        return device_desc
    manager = popart.DeviceManager()
    if device_desc == "cpu":
        return manager.createCpuDevice()
    if device_desc == "ipu_model":
        return manager.createIpuModelDevice({"numIPUs": num_ipus})
    if device_desc == "ipu_hw":
        return manager.acquireAvailableDevice(num_ipus)
    raise ValueError(f"Unknown device {device_desc!r}; there are 'cpu', 'ipu_model', 'ipu_hw'.")

__all__ = [name for name in dir() if not name.startswith("_")]
