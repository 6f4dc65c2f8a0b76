# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contexts that popxl does not have."""

from contextlib import contextmanager
from typing import Iterator


@contextmanager
def pipeline_stage(stage: int) -> Iterator[int]:
    """Operators inside belong to a stage of a pipeline. Programs are not pipelined, so only the
    order of operators counts, which is that in which they are made."""
    if isinstance(stage, bool) or not isinstance(stage, int):
        raise TypeError(f"The number of a stage is an int, not {stage!r}.")
    yield stage
