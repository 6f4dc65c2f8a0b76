# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that programs import from the extension module that poptorch once had."""

from typing import Any, Dict

import popart

from .errors import Error, RecoverableError, UnrecoverableError
from .options.popart_options import applyOptions, makePatterns

__all__ = ["Error", "RecoverableError", "UnrecoverableError"]


def _validateOptions(options: Dict[str, Any]) -> None:
    """An Error if Options.toDict() has options of PopART that are not there."""
    applyOptions(popart.SessionOptions(), options.get("popart", {}))
    makePatterns(options.get("patterns", {}), options.get("patterns_level", 2))
