# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small things that tools and tests ask a PopART for."""

from typing import Any, Dict

import popart_core


def initializePoplarDebugInfo(filename, format=None):
    """Without effect: debug information is part of profiles."""


def closePoplarDebugInfo():
    """Without effect: debug information is part of profiles."""


def getUnsupportedOperations(opsetVersion):
    """Names of ONNX's operators, up to an opset, that models cannot have."""
    import onnx.defs  # type: ignore[import-not-found]

    supported = {operation.type for operation in popart_core.getSupportedOperations(False)
                 if operation.domain == "ai.onnx"}
    return sorted({schema.name for schema in onnx.defs.get_all_schemas()
                   if schema.domain == "" and schema.since_version <= opsetVersion
                   and not schema.deprecated} - supported)


class SourceLocation:
    """A place in a program."""

    def __init__(self, functionName: str = "", fileName: str = "", lineNumber: int = 0) -> None:
        self._function, self._file, self._line = functionName, fileName, int(lineNumber)

    def getFunctionName(self) -> str:
        return self._function

    def getFileName(self) -> str:
        return self._file

    def getLineNumber(self) -> int:
        return self._line

    def isValid(self) -> bool:
        return bool(self._file)

    functionName = property(getFunctionName)
    fileName = property(getFileName)
    lineNumber = property(getLineNumber)

    def __repr__(self) -> str:
        return f"{self._file}:{self._line} {self._function}"


class DebugInfo:
    """What a library above PopART knows of a part of a model: values by name. Profiles tell
    parts apart by the name of the context."""

    def __init__(self, debugContext: Any = "", layer: str = "popartbuilder") -> None:
        self._name = debugContext if isinstance(debugContext, str) else debugContext.getPathName()
        self._layer = layer
        self._values: Dict[str, Any] = {}

    def setValue(self, name: str, value: Any) -> bool:
        """False where the name has a value already."""
        return self._values.setdefault(name, value) is value

    def getPathName(self) -> str:
        return self._name
