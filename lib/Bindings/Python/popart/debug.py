# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small things that tools and tests ask a PopART for."""

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
