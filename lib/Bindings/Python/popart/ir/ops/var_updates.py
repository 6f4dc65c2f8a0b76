# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that update variables."""

from popxl.ops.var_updates import *
