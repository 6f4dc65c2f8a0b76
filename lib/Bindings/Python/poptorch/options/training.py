# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of training."""

from ..enums import MeanReductionStrategy, ReductionType
from ._group import Field, Group, boolean, member, positive


class TrainingOptions(Group):
    """From gradients of micro-batches and replicas to an update of the weights."""

    FIELDS = {
        "gradient_accumulation": Field(1, int),
        "accumulation_and_replication_reduction_type": Field(ReductionType.Mean, ReductionType),
        "meanAccumulationAndReplicationReductionStrategy": Field(None, MeanReductionStrategy),
        "auto_loss_scaling": Field(False, bool),
    }

    def gradientAccumulation(self, gradient_accumulation: int) -> "TrainingOptions":
        """Micro-batches whose gradients make one update."""
        positive("gradientAccumulation", gradient_accumulation)
        return self._set(gradient_accumulation=gradient_accumulation)

    def accumulationAndReplicationReductionType(
            self, reduction_type: ReductionType) -> "TrainingOptions":
        """Gradients of micro-batches and replicas are summed, or their mean is taken."""
        member("accumulationAndReplicationReductionType", reduction_type, ReductionType)
        if reduction_type == ReductionType.NoReduction:
            raise ValueError("Gradients of micro-batches and replicas are reduced by "
                             "ReductionType.Sum or ReductionType.Mean, not by NoReduction.")
        return self._set(accumulation_and_replication_reduction_type=reduction_type)

    def setMeanAccumulationAndReplicationReductionStrategy(
            self, strategy: MeanReductionStrategy) -> "TrainingOptions":
        """When a mean is divided: Post unless gradients accumulate in half, which is Running."""
        member("setMeanAccumulationAndReplicationReductionStrategy", strategy,
               MeanReductionStrategy)
        return self._set(meanAccumulationAndReplicationReductionStrategy=strategy)

    def setAutomaticLossScaling(self, enabled: bool) -> "TrainingOptions":
        """The loss scaling follows the gradients, so that halves neither overflow nor vanish."""
        boolean("setAutomaticLossScaling", enabled)
        return self._set(auto_loss_scaling=enabled)
