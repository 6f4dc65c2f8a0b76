# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options about how exact numbers are."""

from typing import Any

from .._logging import logger
from ..enums import HalfFloatCastingBehavior
from ._group import Field, Group, boolean


class PrecisionOptions(Group):
    """Types of partial results, rounding, exceptions."""

    FIELDS = {
        "partials_type": Field(None, str),
        "enable_stochastic_rounding": Field(None, bool),
        "enable_floating_point_exceptions": Field(None, bool),
    }

    def setPartialsType(self, dtype: Any) -> "PrecisionOptions":
        """Products and convolutions of halves sum in torch.float or torch.half."""
        import torch

        if dtype not in (torch.half, torch.float):
            raise ValueError(f"Partials are torch.float or torch.half, not {dtype!r}.")
        return self._set(partials_type="half" if dtype == torch.half else "float")

    def enableStochasticRounding(self, enabled: bool) -> "PrecisionOptions":
        """Results in half are rounded up or down by chance, so that they are right on average."""
        boolean("enableStochasticRounding", enabled)
        return self._set(enable_stochastic_rounding=enabled)

    def enableFloatingPointExceptions(self, enabled: bool) -> "PrecisionOptions":
        """A division by zero, an overflow or an invalid operation ends a run."""
        boolean("enableFloatingPointExceptions", enabled)
        return self._set(enable_floating_point_exceptions=enabled)

    def halfFloatCasting(self, behaviour: HalfFloatCastingBehavior) -> "PrecisionOptions":
        """Without effect: halves and floats promote as PyTorch's do."""
        self._checkNotFrozen()
        assert isinstance(behaviour, HalfFloatCastingBehavior), (
            f"Expected a poptorch.HalfFloatCastingBehavior, not {behaviour!r}")
        logger.warning("Precision.halfFloatCasting is deprecated and has no effect: operands of "
                       "half and float promote as PyTorch's do.")
        return self

    def runningStatisticsAlwaysFloat(self, enabled: bool) -> "PrecisionOptions":
        """Without effect: statistics have the type that their module gives them."""
        self._checkNotFrozen()
        boolean("runningStatisticsAlwaysFloat", enabled)
        logger.warning("Precision.runningStatisticsAlwaysFloat is deprecated and has no effect: "
                       "running statistics have the type that their module gives them.")
        return self
