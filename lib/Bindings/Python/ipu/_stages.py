# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stages of pipelines. They run on one IPU, one after the other: results are those of a pipeline,
which is gradient accumulation. Their number says how many IPUs a replica would have."""

import contextlib
import warnings
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Sequence

# The stages of contexts that no model has taken over yet, and how many contexts are open.
_stages = 0
_open = 0


@contextlib.contextmanager
def PipelineStage(stage: int) -> Iterator[None]:
    """Layers of a stage of a pipeline; see `set_pipelining_options`."""
    global _stages, _open
    if isinstance(stage, bool) or not isinstance(stage, int) or stage < 0:
        raise ValueError(f"The number of a stage is 0 or more, not {stage!r}.")
    warn()
    _stages = max(_stages, stage + 1)
    _open += 1
    try:
        yield
    finally:
        _open -= 1


def adopt(model: Any) -> None:
    """Gives a model that is made the stages that its layers were called in. Models that are made
    in a stage are layers."""
    global _stages
    if _stages and not _open:
        object.__setattr__(model, "_ipu_stages", _stages)
        _stages = 0


def warn() -> None:
    """Says where stages run."""
    warnings.warn("Stages of a pipeline run on one IPU, one after the other; results are the "
                  "same.", stacklevel=3)


def count(model: Any) -> int:
    """The number of stages of a model with a pipeline: those that were assigned, or those of
    `PipelineStage`."""
    assigned = [a.pipeline_stage for a in getattr(model, "_ipu_assignments", None) or ()]
    if assigned:
        return max(assigned) + 1
    return max(1, getattr(model, "_ipu_stages", _stages))


@dataclass
class StageAssignment:
    """A layer and the stage that it is assigned to."""

    layer: Any
    pipeline_stage: Optional[int] = None


def get_assignment(self: Any) -> List[StageAssignment]:
    """An assignment for each layer with a computation, in order."""
    held = getattr(self, "_ipu_assignments", None)
    if held is not None:
        return [StageAssignment(a.layer, a.pipeline_stage) for a in held]
    return [StageAssignment(layer) for layer in self.layers
            if type(layer).__name__ != "InputLayer"]


def set_assignment(self: Any, assignments: Sequence[StageAssignment]) -> None:
    """Assigns layers to stages. Raises ValueError where a layer has none, or stages skip a
    number."""
    stages = [a.pipeline_stage for a in assignments]
    missing = [a.layer.name for a in assignments if a.pipeline_stage is None]
    if missing:
        raise ValueError(f"Layers have no stage: {', '.join(missing)}.")
    if sorted(set(stages)) != list(range(max(stages) + 1)):
        raise ValueError(f"Stages are numbered from 0 without a gap, not {sorted(set(stages))}.")
    wanted = {layer.name for layer in self.layers if type(layer).__name__ != "InputLayer"}
    unknown = {a.layer.name for a in assignments} ^ wanted
    if unknown:
        raise ValueError(f"Each layer of the model has one assignment; wrong are "
                         f"{', '.join(sorted(unknown))}.")
    warn()
    object.__setattr__(self, "_ipu_assignments", list(assignments))


def reset_assignment(self: Any) -> None:
    """Forgets what was assigned."""
    object.__setattr__(self, "_ipu_assignments", None)


def print_assignment(self: Any, print_fn: Any = print) -> None:
    """Prints a line for each layer."""
    for assignment in get_assignment(self):
        print_fn(f"{assignment.layer.name:<40} {assignment.pipeline_stage}")
