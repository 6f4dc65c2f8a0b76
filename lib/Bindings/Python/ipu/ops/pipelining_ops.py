# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names for options of pipelines."""

import enum

from ipu.gradient_accumulation import GradientAccumulationReductionMethod

__all__ = ["GradientAccumulationReductionMethod", "PipelineSchedule", "RecomputationMode"]


class PipelineSchedule(enum.Enum):
    """In which order stages run. Results are the same."""

    Grouped = 0
    Interleaved = 1
    Sequential = 2


class RecomputationMode(enum.Enum):
    """What the backward pass recomputes. Results are the same."""

    Auto = 0
    RecomputeThenBackpropagate = 1
    RecomputeAndBackpropagateInterleaved = 2
