# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices that options and functions take. Those with numbers are numbers, too, for PopART and JSON
name them so."""

import enum


class _Number(enum.IntEnum):
    """A choice with a number, whose text is its name."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class OutputMode(_Number):
    """Which results of a call come back: those of its last micro-batch, of each n-th one, all,
    their sum; Default is All in inference and Final in training."""
    Final = 0
    EveryN = 1
    All = 2
    Sum = 3
    Default = 4


class ReductionType(_Number):
    """The reduction of gradients of micro-batches and replicas."""
    Sum = 0
    Mean = 1
    NoReduction = 2


class MeanReductionStrategy(_Number):
    """When the mean of gradients is divided: with each micro-batch, once after the last one, or
    after the last one and, between replicas, in the loss."""
    Running = 0
    Post = 1
    PostAndLoss = 2


class ConnectionType(_Number):
    """When a device is attached: in compiling, in the first run, never."""
    Always = 0
    OnDemand = 1
    Never = 2


class SyncPattern(_Number):
    """Which IPUs wait for each other."""
    Full = 0
    SinglePipeline = 1
    ReplicaAndLadder = 2


class SharingStrategy(_Number):
    """The start of an asynchronous loader's process, and its way to share tensors: spawned with
    memory by descriptors or by files, forked, or forked from a server."""
    SharedMemory = 0
    FileSystem = 1
    Fork = 2
    ForkServer = 3


class DataLoaderMode(_Number):
    """The place of a DataLoader's work: in the caller; in a process of its own; there, by elements
    or small batches, which it joins."""
    Sync = 0
    Async = 1
    AsyncRebatched = 2


class Liveness(_Number):
    """When tensors of a phase leave the chip."""
    AlwaysLive = 0
    OffChipAfterFwd = 1
    OffChipAfterFwdNoOverlap = 2
    OffChipAfterEachPhase = 3


class AutoStage(_Number):
    """Stages of blocks without a list of them: one for each IPU, or one for each block."""
    SameAsIpu = 0
    AutoIncrement = 1


class MultiConvPlanType(_Number):
    """Convolutions of a MultiConv at once, or one after the other."""
    Parallel = 0
    Serial = 1


class CommGroupType(_Number):
    """Replicas that belong together: all, neighbours, those at equal distances, each alone."""
    All = 0
    Consecutive = 1
    Orthogonal = 2
    NoGrouping = 3


class VariableRetrievalMode(_Number):
    """Values of a weight that come back: one for each group of replicas, or those of all."""
    OnePerGroup = 0
    AllReplicas = 2


class HalfFloatCastingBehavior(_Number):
    """Kept for programs that name it: operands of half and float promote as PyTorch's do."""
    FloatDowncastToHalf = 0
    HalfUpcastToFloat = 1
    Default = 2


class MatMulSerializationMode(enum.Enum):
    """The dimension by which a product is computed in parts."""
    InputChannels = "input_channels"
    ReducingDim = "reducing_dim"
    OutputChannels = "output_channels"
    Disabled = "none"


class OverlapMode(enum.Enum):
    """The loop in which a transfer goes on beside compute."""
    NoOverlap = "no_overlap"
    OverlapAccumulationLoop = "overlap_accumulation_loop"
    OverlapDeviceIterationLoop = "overlap_device_iteration_loop"
