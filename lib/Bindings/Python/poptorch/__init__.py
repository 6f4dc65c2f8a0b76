# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models on IPUs."""

from ._host import *  # noqa: F403
