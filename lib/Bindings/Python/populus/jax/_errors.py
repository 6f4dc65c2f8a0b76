# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors and warnings of the translation."""


class UnsupportedError(NotImplementedError):
    """The function uses primitives, or forms of them, that the device does not have."""


class NumberFormatWarning(UserWarning):
    """A number format of the function is narrower on the device."""


class Unsupported(Exception):
    """One equation cannot be translated. The translation collects these into UnsupportedError."""
