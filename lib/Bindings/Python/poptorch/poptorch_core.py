# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that programs import from the extension module that poptorch once had."""

import enum
from typing import Any, Dict

import popart

from .errors import Error, RecoverableError, UnrecoverableError
from .options.popart_options import applyOptions, makePatterns

__version__ = popart.versionString()

__all__ = ["Error", "RecoverableError", "TestErrorType", "UnrecoverableError"]


class TestErrorType(enum.Enum):
    """Errors that _throwTestError raises."""
    Poptorch = 0
    Popart = 1
    PopartInternal = 2
    Poplibs = 3
    PoplarUnrecoverable = 4
    PoplarUnknown = 5
    PoplarRecoverableFullReset = 6
    PoplarLinkError = 7


def _throwTestError(kind: TestErrorType) -> None:
    """Raises an error as programs meet it, to try what they do then."""
    text = f"an error for a test: {kind.name}"
    if kind == TestErrorType.PoplarUnrecoverable:
        raise UnrecoverableError(text)
    if kind == TestErrorType.PoplarRecoverableFullReset:
        raise RecoverableError(text, recovery_action="FULL_RESET")
    if kind == TestErrorType.PoplarLinkError:
        raise Error(text, "poplar_link_error")
    types = {TestErrorType.Poptorch: "poptorch_cpp_error", TestErrorType.Popart: "popart_exception",
             TestErrorType.PopartInternal: "popart_internal_exception",
             TestErrorType.Poplibs: "poplibs_exception",
             TestErrorType.PoplarUnknown: "poplar_unknown_runtime_error"}
    raise Error(text, types[kind])


def _validateOptions(options: Dict[str, Any]) -> None:
    """An Error if Options.toDict() has options of PopART that are not there."""
    applyOptions(popart.SessionOptions(), options.get("popart", {}))
    makePatterns(options.get("patterns", {}), options.get("patterns_level", 2))


def module_repr(module: Any) -> str:
    """The text of a module, with the blocks that its parts begin."""
    return repr(module)
