# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of an Ir's session: those that programs reach by `ir._pb_ir.getSessionOptions()`."""

import os
from typing import Any, Dict

from popart import VirtualGraphMode


class SessionOptions:
    """Fields of the options that popxl sets; others can be set and read, too.

    What these options change: `engineOptions`, `convolutionOptions`, `matmulOptions`,
    `partialsTypeMatMuls`, `dotChecks`, `logDir`, `enableInplaceAmbiguityChecking`,
    `enableStochasticRounding`, `enableFloatingPointChecks`, `numIOTiles`, `enableEngineCaching` and
    `cachePath`, which the variable POPXL_CACHE_DIR sets. Others have no effect.
    """

    def __init__(self) -> None:
        self.engineOptions: Dict[str, Any] = {}
        self.convolutionOptions: Dict[str, Any] = {}
        self.matmulOptions: Dict[str, Any] = {}
        self.reportOptions: Dict[str, Any] = {}
        self.partialsTypeMatMuls = ""
        self.dotChecks: set = set()
        self.logDir = ""
        self.numIOTiles = 0
        self.useHostCopyOps = True
        self.aliasZeroCopy = True
        self.enableExplicitMainLoops = True
        self.explicitRecomputation = True
        self.enableInplaceAmbiguityChecking = True
        self.decomposeGradSum = True
        self.enableVariablesCaching = False
        self.enableStochasticRounding = False
        self.enableFloatingPointChecks = False
        folder = os.environ.get("POPXL_CACHE_DIR")
        self.enableEngineCaching = folder is not None
        self.cachePath = folder or "session_cache"
        self.enableReplicatedGraphs = False
        self.replicatedGraphCount = 1
        self.enableOutlining = True
        self.outlineThreshold = 1.0
        self.virtualGraphMode = VirtualGraphMode.Manual

    def take(self, options: Any) -> None:
        """Takes over what other options, those of popart for one, say about these fields."""
        for name in list(vars(self)):
            value = getattr(options, name, None)
            if value is not None and isinstance(value, type(getattr(self, name))):
                setattr(self, name, value)

    def core(self) -> Dict[str, Any]:
        """As the compiler takes them."""
        matmul = {k: str(v) for k, v in self.matmulOptions.items()}
        if self.partialsTypeMatMuls:
            matmul["partialsType"] = str(self.partialsTypeMatMuls)
        engine = {k: str(v) for k, v in self.engineOptions.items()}
        if self.enableFloatingPointChecks:
            engine["debug.floatPointOpException"] = "true"
        return {
            "engine_options": engine,
            "rounds_stochastically": bool(self.enableStochasticRounding),
            "num_io_tiles": int(self.numIOTiles),
            "convolution_options": {k: str(v) for k, v in self.convolutionOptions.items()},
            "matmul_options": matmul,
            "dot_directory": str(self.logDir),
            "dot_checks": {str(check) for check in self.dotChecks},
            "cache_directory": str(self.cachePath) if self.enableEngineCaching else "",
        }
