# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How gradients of several steps become one."""

import enum
from typing import Any


class GradientAccumulationReductionMethod(enum.Enum):
    """SUM adds the gradients up; MEAN and RUNNING_MEAN take their mean."""

    SUM = 0
    MEAN = 1
    RUNNING_MEAN = 2

    @classmethod
    def parse(cls, given: Any) -> "GradientAccumulationReductionMethod":
        """A member from itself or from its name. Raises ValueError for another."""
        if isinstance(given, cls):
            return given
        name = str(given).upper()
        if name not in cls.__members__:
            raise ValueError(f"Unknown reduction method {given!r}; there are "
                             f"{', '.join(cls.__members__)}.")
        return cls[name]
