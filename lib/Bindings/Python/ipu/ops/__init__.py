# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules by the names of TensorFlow for the IPU."""

from ipu import _refused
from ipu.ops import pipelining_ops

__all__ = ["pipelining_ops"]


def __getattr__(name: str) -> object:
    raise _refused.error(f"ipu.ops.{name}")
