# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules by the names of TensorFlow for the IPU."""

from ipu.ops import pipelining_ops

__all__ = ["pipelining_ops"]
