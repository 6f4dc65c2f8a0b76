# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of popxl that Python does not have."""


class UndefinedValue(Exception):
    """A property of a tensor, such as its IPU, that nothing has determined yet."""
