# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From blocks to PopART's attributes of operators: IPU, pipeline stage, phase.

The plan is made from the whole traced graph first, for a model on one IPU gets no attributes, and
stages that follow each other on one IPU become one.

    block    a   b   c   d          strategy: AutoIncrement, c and d on IPU 2
    stage    0   1   2   3
    IPU      0   1   2   2          merged: stages 0 1 2
"""

import contextlib
from typing import Any, Dict, Iterator, Optional, Tuple

from . import _state
from .errors import Error
from .strategies import Placement

_Key = Tuple[Optional[str], Optional[int]]


class Placing:
    """Places operators by their marks; made from options, begun with a graph and a builder."""

    def __init__(self, options: Any, training: bool):
        self._options, self._training = options, training
        self._strategy = options.execution_strategy
        self._places: Dict[_Key, Placement] = {}
        self._last = Placement(0, 0)  # operators before the first block
        self._emitter: Any = None

    def begin(self, graph: Any, emitter: Any) -> None:
        """Plans a graph whose operators the emitter is going to get."""
        self._emitter = emitter
        emitter.module_scopes = self._options.module_namescope_enabled
        self._strategy.begin()
        for node in graph.nodes:
            key = _key(_state.marks_of(node))
            if node.op == "call_function" and key is not None and key not in self._places:
                self._places[key] = self._strategy.place(*key)
        if self._strategy.mode == 0:
            self._places = _merged(self._places)
            self._checkStages()
        # Operators before the first block are in the first stage, as that block mostly is.
        self._last = next((place for place in self._places.values() if place.stage == 0),
                          self._last)

    @property
    def num_ipus(self) -> int:
        """IPUs of each replica."""
        return 1 + max((place.ipu for place in self._places.values()), default=0)

    @property
    def num_stages(self) -> int:
        """Stages of the forward pass."""
        return 1 + max((place.stage for place in self._places.values()), default=0)

    def _checkStages(self) -> None:
        stages, options = self.num_stages, self._options
        if self.num_ipus == 1 or stages == 1:
            return
        accumulation = options.Training.gradient_accumulation
        if self._training and accumulation < stages:
            raise Error(f"A pipeline of {stages} stages needs as many micro-batches in training: "
                        f"Training.gradientAccumulation is {accumulation} and has to be {stages} "
                        "or more.")
        if not self._training and options.device_iterations < stages:
            raise Error(f"A pipeline of {stages} stages needs as many micro-batches: "
                        f"deviceIterations is {options.device_iterations} and has to be {stages} "
                        "or more.")

    @contextlib.contextmanager
    def __call__(self, marks: Dict[str, Any]) -> Iterator[None]:
        """Operators of the emitter are where these marks say, or where the last ones were."""
        key = _key(marks)
        if key is not None:
            self._last = self._places.get(key, self._last)
        place, mode = self._last, self._strategy.mode
        self._emitter.memory = self._options.available_memory_proportion.get(f"IPU{place.ipu}")
        builder = self._emitter.root  # operators in a body are where its loop or branch is
        with contextlib.ExitStack() as stack:
            if self.num_ipus > 1:
                stack.enter_context(builder.virtualGraph(place.ipu))
                if mode == 0:
                    stack.enter_context(builder.pipelineStage(place.stage))
            if mode == 2:
                stack.enter_context(builder.executionPhase(place.phase or 0))
            yield


def _key(marks: Dict[str, Any]) -> Optional[_Key]:
    return (marks["block"], marks.get("ipu_id")) if "block" in marks else None


def _merged(places: Dict[_Key, Placement]) -> Dict[_Key, Placement]:
    """Stages by consecutive numbers, where neighbours on one IPU are one stage."""
    ipus = {place.stage: place.ipu for place in places.values()}
    numbers: Dict[int, int] = {}
    before = None
    for stage in sorted(ipus):
        first = before is None or ipus[before] != ipus[stage]
        numbers[stage] = (0 if before is None else numbers[before]) + int(
            first and before is not None)
        before = stage
    return {key: Placement(place.ipu, numbers[place.stage], place.phase)
            for key, place in places.items()}
