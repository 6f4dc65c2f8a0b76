# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the package that concern the host: options, their choices, errors, messages."""

from . import enums, optim, options, poptorch_core, profiling, testing
from ._async import AsynchronousDataAccessor
from ._logging import setLogLevel
from ._structure import ICustomArgParser, registerCustomArgParser
from .dataloader import DataLoader
from .enums import (AutoStage, CommGroupType, ConnectionType, DataLoaderMode,
                    HalfFloatCastingBehavior, Liveness, MatMulSerializationMode,
                    MeanReductionStrategy, MultiConvPlanType, OutputMode, OverlapMode,
                    ReductionType, SharingStrategy, SyncPattern, VariableRetrievalMode)
from .errors import Error, RecoverableError, UnrecoverableError
from .ops_blocks import BeginBlock, Block, BlockFunction, removeBlocks
from .options.devices import ipuHardwareIsAvailable, ipuHardwareVersion
from .options import Options, TensorLocationSettings
from .strategies import (ParallelPhasedExecution, Phase, PipelinedExecution,
                         SerialPhasedExecution, ShardedExecution, Stage)

__all__ = ["AsynchronousDataAccessor", "AutoStage", "BeginBlock", "Block",
           "BlockFunction", "CommGroupType", "ConnectionType",
           "DataLoader", "DataLoaderMode", "Error", "HalfFloatCastingBehavior",
           "ICustomArgParser", "Liveness", "MatMulSerializationMode",
           "MeanReductionStrategy", "MultiConvPlanType", "Options", "OutputMode", "OverlapMode",
           "ParallelPhasedExecution", "Phase", "PipelinedExecution", "RecoverableError",
           "ReductionType", "SerialPhasedExecution", "ShardedExecution", "SharingStrategy",
           "Stage", "SyncPattern", "TensorLocationSettings", "UnrecoverableError",
           "VariableRetrievalMode", "enums", "ipuHardwareIsAvailable",
           "ipuHardwareVersion", "optim", "options", "poptorch_core", "profiling",
           "registerCustomArgParser", "removeBlocks",
           "setLogLevel",
           "testing"]
