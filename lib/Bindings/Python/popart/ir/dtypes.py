# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data types of tensors."""

from popxl.dtypes import *
