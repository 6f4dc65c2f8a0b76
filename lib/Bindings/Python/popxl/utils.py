# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the host: data as the device has it."""

from popxl.dtypes import np_dtype_float8_143, np_dtype_float8_152
from popxl.float8 import (host_cast_then_pow2scale, host_pow2scale_cast_from_fp8,
                          host_pow2scale_cast_to_fp8, host_pow2scale_then_cast)
from popxl.variables import to_numpy

__all__ = [name for name in dir() if not name.startswith("_")]
