# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of poptorch, and how exceptions of the layers below become them.

Misuse that Python has a word for is an AssertionError, a ValueError or a RuntimeError; everything
that a model or a device does wrong is an Error.
"""

import contextlib
from typing import Iterator


class Error(Exception):
    """Something that a model, an option or a device does wrong.

    `type` names the layer that found it, `location` the place there, if known.
    """

    def __init__(self, message: str = "", type: str = "poptorch_py_error", location: str = ""):
        super().__init__(message)
        self.message = message
        self.type = type
        self.location = location


class RecoverableError(Error):
    """A device is in a bad state, which `recovery_action` ends: "IPU_RESET", "LINK_RESET",
    "PARTITION_RESET" or "FULL_RESET"."""

    def __init__(self, message: str = "", type: str = "poplar_recoverable_runtime_error",
                 location: str = "", recovery_action: str = "FULL_RESET"):
        super().__init__(message, type, location)
        self.recovery_action = recovery_action


class UnrecoverableError(Error):
    """A device is broken."""

    def __init__(self, message: str = "", type: str = "poplar_unrecoverable_runtime_error",
                 location: str = ""):
        super().__init__(message, type, location)


class ArgumentError(Error, ValueError):
    """Arguments that exclude each other; a ValueError too, for PyTorch raises those."""


def _classes():
    """The exceptions of popart, the special ones first."""
    import popart

    return (popart.poplar_recoverable_runtime_error, popart.poplar_unrecoverable_runtime_error,
            popart.popart_exception, popart.poplar_exception, popart.poplibs_exception)


def fromPopart(error: BaseException, location: str = "") -> Error:
    """The Error that says what an exception of popart, or of a layer below it, says."""
    import popart

    name = type(error).__name__
    if isinstance(error, popart.poplar_recoverable_runtime_error):
        action = getattr(error, "recoveryAction", None)
        return RecoverableError(str(error), name, location, getattr(action, "name", "FULL_RESET"))
    if isinstance(error, popart.poplar_unrecoverable_runtime_error):
        return UnrecoverableError(str(error), name, location)
    return Error(str(error), name, location)


@contextlib.contextmanager
def translated(location: str = "") -> Iterator[None]:
    """Exceptions of popart that leave the block are Errors."""
    try:
        yield
    except _classes() as error:
        raise fromPopart(error, location) from error
