# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of an Ir's session: a `popart.SessionOptions` with the defaults of PopXL.

Programs reach it by `ir._pb_ir.getSessionOptions()`. An option has an effect on an Ir if
`compiler_options` or a part of popxl reads it: besides those of `compiler_options` these are
`dotChecks`, `logDir`, `enableInplaceAmbiguityChecking` and `replicatedGraphCount`.
"""

import os
from typing import Any, Dict

from popart import SessionOptions, VirtualGraphMode


def default_options() -> SessionOptions:
    """The options of a new Ir. The variable POPXL_CACHE_DIR turns the cache of executables on."""
    options = SessionOptions()
    options.enableExplicitIR(True)
    options.aliasZeroCopy = True
    options.decomposeGradSum = True
    options.enableInplaceAmbiguityChecking = True
    options.enableVariablesCaching = False
    options.virtualGraphMode = VirtualGraphMode.Manual
    folder = os.environ.get("POPXL_CACHE_DIR")
    if folder is not None:
        options.enableEngineCaching = True
        options.cachePath = folder or options.cachePath
    return options


def compiler_options(options: SessionOptions) -> Dict[str, Any]:
    """The options as `popxl_core.Program` takes them."""
    matmul = dict(options.matmulOptions)
    if options.partialsTypeMatMuls:
        matmul["partialsType"] = options.partialsTypeMatMuls
    engine = dict(options.engineOptions)
    if options.enableFloatingPointChecks:
        engine["debug.floatPointOpException"] = "true"
    return {
        "engine_options": engine,
        "rounds_stochastically": options.enableStochasticRounding,
        "num_io_tiles": options.numIOTiles,
        "convolution_options": dict(options.convolutionOptions),
        "matmul_options": matmul,
        "dot_directory": options.logDir,
        "dot_checks": options.dotChecks,
        "cache_directory": options.cachePath if options.enableEngineCaching else "",
    }
