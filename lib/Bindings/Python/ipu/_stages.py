# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stages of pipelines: which stage a layer or an operation of Keras belongs to. While a model is
traced, each of them names its stage (`populus.jax.stage`)."""

import contextlib
import functools
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Sequence

# The stages of contexts that no model has taken over yet, and the stages of open contexts.
_stages = 0
_open: List[int] = []


@contextlib.contextmanager
def PipelineStage(stage: int) -> Iterator[None]:
    """Layers of a stage of a pipeline; see `set_pipelining_options`."""
    global _stages
    import populus.jax

    with populus.jax.stage(stage):
        _stages = max(_stages, stage + 1)
        _open.append(stage)
        try:
            yield
        finally:
            _open.pop()


def install(operation: type, layer: type) -> None:
    """Lets operations and layers of Keras remember the stage that they are called in, and name it
    when they run."""
    _remember_in(operation)
    _remember_in(layer)
    call = operation.__call__

    @functools.wraps(call)
    def named_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        stage = getattr(self, "_ipu_stage", None)
        if stage is None:
            return call(self, *args, **kwargs)
        import populus.jax

        with populus.jax.stage(stage):
            return call(self, *args, **kwargs)
    operation.__call__ = named_call


def _remember_in(operation: type) -> None:
    symbolic = operation.symbolic_call

    @functools.wraps(symbolic)
    def symbolic_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _open:
            _put(self, _open[-1])
        return symbolic(self, *args, **kwargs)
    operation.symbolic_call = symbolic_call


def _put(operation: Any, stage: Optional[int]) -> None:
    """Raises ValueError for a layer that is in another stage already."""
    held = getattr(operation, "_ipu_stage", None)
    if None not in (held, stage) and held != stage:
        raise ValueError(f"The layer {operation.name} is in the stages {held} and {stage}; a "
                         "layer belongs to one stage.")
    object.__setattr__(operation, "_ipu_stage", stage)


def adopt(model: Any) -> None:
    """Gives a model that is made the stages that its layers were called in. Models that are made
    in a stage are layers."""
    global _stages
    if _stages and not _open:
        object.__setattr__(model, "_ipu_stages", _stages)
        _stages = 0


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
    reset_assignment(self)
    for assignment in assignments:
        _put(assignment.layer, assignment.pipeline_stage)
    object.__setattr__(self, "_ipu_assignments", list(assignments))


def reset_assignment(self: Any) -> None:
    """Forgets what was assigned."""
    for assignment in getattr(self, "_ipu_assignments", None) or ():
        _put(assignment.layer, None)
    object.__setattr__(self, "_ipu_assignments", None)


def print_assignment(self: Any, print_fn: Any = print) -> None:
    """Prints a line for each layer."""
    for assignment in get_assignment(self):
        print_fn(f"{assignment.layer.name:<40} {assignment.pipeline_stage}")
