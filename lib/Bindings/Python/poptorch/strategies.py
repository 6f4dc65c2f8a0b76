# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution strategies: which IPU, stage and phase a block of a model has.

    options.setExecutionStrategy(poptorch.PipelinedExecution(poptorch.AutoStage.AutoIncrement))

A strategy only keeps names. While a model is traced, place(user_id, ipu_id) is asked once for each
block that begins, in order, after begin().
"""

import dataclasses
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from .enums import AutoStage, Liveness
from .errors import Error


@dataclasses.dataclass(frozen=True)
class Placement:
    """The place of the operators of a block."""
    ipu: int
    stage: int
    phase: Optional[int] = None


class Stage:
    """Blocks that follow each other on one IPU."""

    def __init__(self, *block_ids: str):
        assert block_ids, "A stage needs the ids of its blocks."
        for block in block_ids:
            assert isinstance(block, str), f"Ids of blocks are texts, not {block!r}."
        self.blocks: List[str] = list(block_ids)
        self._ipu: Optional[int] = None

    def ipu(self, ipu: int) -> "Stage":
        """The IPU; without it, the number of the stage."""
        assert isinstance(ipu, int) and ipu >= 0, f"An IPU is a number of 0 or more, not {ipu!r}."
        self._ipu = ipu
        return self

    def __repr__(self) -> str:
        return f"Stage({', '.join(map(repr, self.blocks))})" + (
            f".ipu({self._ipu})" if self._ipu is not None else "")


def _stage(value: Union[Stage, str]) -> Stage:
    if isinstance(value, str):
        return Stage(value)
    assert isinstance(value, Stage), f"Expected a Stage or the id of a block, not {value!r}."
    return value


class Phase:
    """Stages that run at one time; stages may be ids of blocks."""

    def __init__(self, *stages: Union[Stage, str, Iterable[Union[Stage, str]]]):
        if len(stages) == 1 and isinstance(stages[0], (list, tuple)):
            stages = tuple(stages[0])
        assert stages, "A phase needs stages or ids of blocks."
        self.stages: List[Stage] = [_stage(stage) for stage in stages]  # type: ignore[arg-type]

    def stage(self, index: int) -> Stage:
        """One of its stages."""
        return self.stages[index]

    def ipus(self, *ipus: int) -> "Phase":
        """An IPU for each stage."""
        assert len(ipus) == len(self.stages), (
            f"A phase of {len(self.stages)} stages needs as many IPUs, not {len(ipus)}.")
        for stage, ipu in zip(self.stages, ipus):
            stage.ipu(ipu)
        return self

    def __repr__(self) -> str:
        return f"Phase({', '.join(map(repr, self.stages))})"


class _ExecutionStrategy:
    """The base of all strategies."""
    mode = 0

    def begin(self) -> None:
        """A model is traced from its start."""

    def place(self, user_id: Optional[str], ipu_id: Optional[int]) -> Placement:
        """The place of the block that begins now."""
        raise NotImplementedError

    def toDict(self) -> Dict[str, Any]:
        """Its settings, for options that are printed and compared."""
        return {"execution_mode": self.mode, "strategy": repr(self)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ExecutionStrategy) and self.toDict() == other.toDict()

    __hash__ = None  # type: ignore[assignment]


class _StagedExecution(_ExecutionStrategy):
    """Stages, listed or made as blocks come."""

    def __init__(self, *arguments: Union[AutoStage, Stage, str]):
        self._auto: Optional[AutoStage] = None
        self._stages: List[Stage] = []
        if not arguments:
            self._auto = AutoStage.SameAsIpu
        elif isinstance(arguments[0], AutoStage):
            assert len(arguments) == 1, "An AutoStage is the only argument of a strategy."
            self._auto = arguments[0]
        else:
            self._stages = [_stage(argument) for argument in arguments]  # type: ignore[arg-type]
        self._numbers = _numbered(self._stages)
        self.begin()

    def stage(self, block: Union[str, int]) -> Stage:
        """The listed stage that a block belongs to, or the one of this number."""
        if isinstance(block, int):
            return self._stages[block]
        if block not in self._numbers:
            raise Error(f"Block {block!r} is in none of the stages of the execution strategy: "
                        f"{', '.join(map(repr, self._stages))}.")
        return self._stages[self._numbers[block]]

    def begin(self) -> None:
        if self._auto is not None:
            self._numbers = {}

    def place(self, user_id: Optional[str], ipu_id: Optional[int]) -> Placement:
        if self._auto is None:
            return self._listed(user_id)
        if self._auto == AutoStage.SameAsIpu:
            assert ipu_id is not None, (
                f"Block {user_id!r} has no ipu_id, which is its stage by AutoStage.SameAsIpu.")
            return Placement(ipu_id, ipu_id)
        stage = self._numbers.setdefault(str(user_id), len(self._numbers))
        return Placement(stage if ipu_id is None else ipu_id, stage)

    def _listed(self, user_id: Optional[str]) -> Placement:
        if user_id not in self._numbers:
            raise Error(f"Block {user_id!r} is in none of the stages of the execution strategy: "
                        f"{', '.join(map(repr, self._stages))}.")
        number = self._numbers[user_id]
        ipu = self._stages[number]._ipu
        return Placement(number if ipu is None else ipu, number)

    def __repr__(self) -> str:
        arguments = [str(self._auto)] if self._auto is not None else map(repr, self._stages)
        return f"{type(self).__name__}({', '.join(arguments)})"


def _numbered(stages: List[Stage]) -> Dict[str, int]:
    """The stage of each block."""
    numbers: Dict[str, int] = {}
    for number, stage in enumerate(stages):
        for block in stage.blocks:
            assert block not in numbers, f"Block {block!r} is in two stages."
            numbers[block] = number
    return numbers


class PipelinedExecution(_StagedExecution):
    """Micro-batches go through stages on several IPUs, which work at the same time."""
    mode = 0


class ShardedExecution(_StagedExecution):
    """Blocks are on several IPUs, which work one after the other."""
    mode = 1


class _PhasedExecution(_ExecutionStrategy):
    """Phases, one after the other, with tensors off the chip in between."""
    mode = 2

    def __init__(self, *phases: Any):
        if len(phases) == 1 and isinstance(phases[0], (list, tuple)):
            phases = tuple(phases[0])
        assert phases, f"{type(self).__name__} needs its phases."
        self._phases: List[Phase] = [
            phase if isinstance(phase, Phase) else Phase(phase) for phase in phases]
        self._places: Dict[str, Tuple[int, int]] = {}
        for number, phase in enumerate(self._phases):
            for block, stage in _numbered(phase.stages).items():
                assert block not in self._places, f"Block {block!r} is in two phases."
                self._places[block] = (number, stage)

    def phase(self, index: int) -> Phase:
        """One of the phases."""
        return self._phases[index]

    def _find(self, user_id: Optional[str]) -> Tuple[int, int, Optional[int]]:
        if user_id not in self._places:
            raise Error(f"Block {user_id!r} is in none of the phases of the execution strategy: "
                        f"{', '.join(map(repr, self._phases))}.")
        phase, stage = self._places[user_id]
        return phase, stage, self._phases[phase].stages[stage]._ipu

    def place(self, user_id: Optional[str], ipu_id: Optional[int]) -> Placement:
        phase, stage, ipu = self._find(user_id)
        return Placement(stage if ipu is None else ipu, stage, phase)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._phases))})"


class SerialPhasedExecution(_PhasedExecution):
    """One phase at a time, on all its IPUs."""

    def __init__(self, *phases: Any):
        super().__init__(*phases)
        self.tensors_liveness = Liveness.AlwaysLive
        self.separate_backward_phase = False

    def setTensorsLiveness(self, liveness: Liveness) -> "SerialPhasedExecution":
        """When activations leave the chip."""
        assert isinstance(liveness, Liveness), f"Expected a poptorch.Liveness, not {liveness!r}."
        self.tensors_liveness = liveness
        return self

    def useSeparateBackwardPhase(self, use: bool = True) -> "SerialPhasedExecution":
        """The backward pass of the last phase is a phase of its own."""
        assert isinstance(use, bool), f"Expected a bool, not {use!r}."
        self.separate_backward_phase = use
        return self

    def toDict(self) -> Dict[str, Any]:
        return {**super().toDict(), "phased_tensors_liveness": self.tensors_liveness,
                "separate_backward_phase": self.separate_backward_phase}


class ParallelPhasedExecution(_PhasedExecution):
    """Phases take turns between two groups of IPUs."""

    def __init__(self, *phases: Any):
        super().__init__(*phases)
        self.tensors_off_chip_after_fwd = False

    def sendTensorsOffChipAfterFwd(self, off_chip: bool = True) -> "ParallelPhasedExecution":
        """Activations leave the chip after the forward pass."""
        assert isinstance(off_chip, bool), f"Expected a bool, not {off_chip!r}."
        self.tensors_off_chip_after_fwd = off_chip
        return self

    def place(self, user_id: Optional[str], ipu_id: Optional[int]) -> Placement:
        phase, stage, ipu = self._find(user_id)
        # Even phases have the even IPUs.
        return Placement(2 * stage + phase % 2 if ipu is None else ipu, stage, phase)

    def toDict(self) -> Dict[str, Any]:
        return {**super().toDict(), "send_off_chip_after_fwd": self.tensors_off_chip_after_fwd}
